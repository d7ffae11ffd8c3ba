/*
 * loss.c - softmax cross entropy in nats, row by row.
 *
 * A row whose target is negative is not scored: loss 0, gradient 0.
 */
#include "nn.h"
#include <string.h>

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

    for (int64_t i = 0; i < rows; i++) {
        loss[i] = 0;
        if (targets[i] >= 0)
            loss[i] = nn->cross_entropy(stat + 2 * i, logits + i * vocab,
                                        (size_t)targets[i], (size_t)vocab);
    }
}

/*
 * forward: loss = -ln softmax(logits)[target]
 * Replaces the logits by their gradient, (softmax - onehot) * factor; 'factor'
 * is the gradient of each loss.
 */
void lct_loss_backward(real *logits, const real *stat, const int32_t *targets,
                       int64_t rows, int64_t vocab, real factor)
{
    const struct lct_nn_kernels *nn = lct_nn();

    for (int64_t i = 0; i < rows; i++) {
        real *x = logits + i * vocab;

        if (targets[i] >= 0)
            nn->cross_entropy_backward(x, stat + 2 * i, (size_t)targets[i],
                                       factor, (size_t)vocab);
        else
            memset(x, 0, (size_t)vocab * sizeof(*x));
    }
}
