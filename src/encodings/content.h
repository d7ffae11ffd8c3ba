/* content.h - what the encodings of the content door share */
#ifndef LCT_CONTENT_H
#define LCT_CONTENT_H
#include "encoding.h"
#include <math.h>

/* Is this score of an entry that the mask or the encoding hides? */
static inline bool lct_is_hidden(double score)
{
    return score == -INFINITY;
}

/* Four sums, so that additions need not wait for each other. */
static inline double lct_dot(const double *a, const double *b, int64_t n)
{
    double sum[4] = { 0, 0, 0, 0 };
    int64_t i = 0;

    for (; i + 4 <= n; i += 4)
        for (int lane = 0; lane < 4; lane++)
            sum[lane] += a[i + lane] * b[i + lane];
    for (; i < n; i++)
        sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* out += factor x */
static inline void lct_accumulate(double *out, double factor, const double *x,
                                  int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        out[i] += factor * x[i];
}

/* The key head that a query head reads. */
static inline int64_t lct_key_head(const struct lct_content *c, int64_t head)
{
    return head / (c->call.heads / c->call.kv_heads);
}

/* Where key j of a query head begins in k and dk. */
static inline int64_t lct_key_at(const struct lct_content *c, int64_t head,
                                 int64_t j)
{
    return (lct_key_head(c, head) * c->keys + j) * c->call.head_dim;
}

/* Row of a distance in a table of 2k + 1 rows: clip(n, -k, k) + k. */
static inline int64_t lct_row_clipped(int64_t n, int64_t k)
{
    return (n < -k ? -k : n > k ? k : n) + k;
}

/* Logistic function, its complement sigmoid(-x), and its logarithm. */
static inline double lct_sigmoid(double x)
{
    return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

static inline double lct_log_sigmoid(double x)
{
    return x >= 0 ? -log1p(exp(-x)) : x - log1p(exp(x));
}
#endif
