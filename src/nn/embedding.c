/* embedding.c - look up token embeddings, and add a table of positions */
#include "nn.h"
#include <string.h>

/*
 * x [rows, width] = table [vocab, width] at tokens [rows].
 *
 * Saved for backward: tokens.
 */
void lct_embedding_forward(real *x, const real *table, const int32_t *tokens,
                           int64_t rows, int64_t width)
{
    for (int64_t i = 0; i < rows; i++)
        memcpy(x + i * width, table + tokens[i] * width,
               (size_t)width * sizeof(*x));
}

void lct_embedding_list(const struct lct_embedding_scratch *lists,
                        const int32_t *tokens, int64_t rows, int64_t vocab)
{
    for (int64_t v = 0; v < vocab; v++)
        lists->first[v] = -1;
    for (int64_t i = rows - 1; i >= 0; i--) { /* backward: lists ascend */
        lists->next[i] = lists->first[tokens[i]];
        lists->first[tokens[i]] = (int32_t)i;
    }
}

/* The sum is in double, since a frequent token has thousands of rows. */
int32_t lct_embedding_add(real *drow, const real *dx, int32_t i, int64_t end,
                          int64_t width,
                          const struct lct_embedding_scratch *lists)
{
    const struct lct_nn_kernels *nn = lct_nn();
    const size_t n = (size_t)width;

    if (i < 0 || i >= end)
        return i;
    memset(lists->sum, 0, n * sizeof(double));
    for (; i >= 0 && i < end; i = lists->next[i])
        nn->accumulate(lists->sum, dx + i * width, n);
    nn->add_sums(drow, lists->sum, n);
    return i;
}

/*
 * forward: x[i] = table[tokens[i]]
 * dtable[v] += sum of dx[i] over the rows i with token v, in ascending order.
 */
void lct_embedding_backward(real *dtable, const real *dx, const int32_t *tokens,
                            int64_t rows, int64_t vocab, int64_t width,
                            const struct lct_embedding_scratch *scratch)
{
    lct_embedding_list(scratch, tokens, rows, vocab);
    for (int64_t v = 0; v < vocab; v++)
        lct_embedding_add(dtable + v * width, dx, scratch->first[v], rows,
                          width, scratch);
}

/*
 * x [batch, length, width] += factor * table [length, width].
 *
 * Saved for backward: nothing.
 */
void lct_positions_forward(real *x, const real *table, real factor,
                           int64_t batch, int64_t length, int64_t width)
{
    const struct lct_nn_kernels *nn = lct_nn();
    const size_t n = (size_t)(length * width);

    for (size_t b = 0; b < (size_t)batch; b++)
        nn->add(x + b * n, table, factor, n);
}

/*
 * forward: x[b,t] += factor * table[t]
 * Writes dtable[t] = factor * sum over b of dx[b,t]; scratch [width] holds the
 * sum in double.
 */
void lct_positions_backward(real *dtable, const real *dx, real factor,
                            int64_t batch, int64_t length, int64_t width,
                            double *scratch)
{
    const struct lct_nn_kernels *nn = lct_nn();
    const size_t n = (size_t)width;

    memset(dtable, 0, (size_t)length * n * sizeof(*dtable));
    for (int64_t t = 0; t < length; t++) {
        memset(scratch, 0, n * sizeof(*scratch));
        for (int64_t b = 0; b < batch; b++)
            nn->accumulate(scratch, dx + (b * length + t) * width, n);
        nn->add_sums(dtable + t * width, scratch, n);
        nn->scale(dtable + t * width, factor, n);
    }
}
