/* loss.c - softmax cross entropy in nats, row by row */
#include "nn.h"

/*
 * loss [rows] = -ln softmax(logits [rows, vocab])[targets [rows]];
 * stat [rows, 2].
 *
 * Saved for backward: logits, stat.
 */
void lct_loss_forward(real *loss, real *stat, const real *logits,
                      const int32_t *targets, int64_t rows, int64_t vocab)
{
    const struct lct_nn_kernels *nn = lct_nn();

    for (int64_t i = 0; i < rows; i++)
        loss[i] = nn->cross_entropy(stat + 2 * i, logits + i * vocab,
                                    (size_t)targets[i], (size_t)vocab);
}

/*
 * forward: loss = -ln softmax(logits)[target]
 * The logits become their gradient in place: (softmax - onehot) * factor, where
 * 'factor' is the gradient of every loss.
 */
void lct_loss_backward(real *logits, const real *stat, const int32_t *targets,
                       int64_t rows, int64_t vocab, real factor)
{
    const struct lct_nn_kernels *nn = lct_nn();

    for (int64_t i = 0; i < rows; i++)
        nn->cross_entropy_backward(logits + i * vocab, stat + 2 * i,
                                   (size_t)targets[i], factor, (size_t)vocab);
}
