/*
 * net_math.h - the arithmetic of a Transformer, once in float and once in
 * double (net_math.inc)
 *
 * Arrays hold numbers of the table's dtype, dense and row-major.  Nothing here
 * fails, allocates or starts threads.
 */
#ifndef LCT_NET_MATH_H
#define LCT_NET_MATH_H
#include "net.h"

struct lct_nn_dots;

/*
 * One token of one head of a delta rule: the state S [keys, values] becomes
 * diag(decay) S, then S + k (beta (v - S^T k))^T, and out [values] is S^T q.
 * v is overwritten.
 */
struct lct_net_delta_token {
    void *state, *out, *v;
    const void *q, *k, *decay;
    bool by_channel; /* decay has keys numbers; else 1, for all */
    double beta;
    int64_t keys, values;
};

struct lct_net_math {
    size_t item; /* bytes of a number */
    /* Numbers first .. first + n - 1 of the flattened tensor. */
    void (*read)(void *out, const struct lct_weight *w, int64_t first,
                 int64_t n);
    /* The same number in memory. */
    void (*set)(void *out, int64_t at, double value);
    double (*get)(const void *x, int64_t at);
    int64_t (*largest)(const void *x, int64_t n); /* the first of them */
    /* ln(e^more + e^x[0] + .. + e^x[n - 1]); 'more' may be -INFINITY */
    double (*log_sum)(const void *x, int64_t n, double more);
    /* y = norm(x) of rows; y may be x.  Row r takes vector r % weights. */
    void (*norm)(void *y, const void *x, const struct lct_net_norm *n,
                 int64_t rows);
    void (*activate)(void *y, enum lct_net_act act, int64_t n);
    void (*multiply)(void *y, const void *x, int64_t n);           /* y *= x */
    void (*add)(void *y, const void *x, double factor, int64_t n); /* += f x */
    /* y += x w */
    void (*add_product)(void *y, const void *x, const void *w, int64_t n);
    void (*scale)(void *y, double factor, int64_t n);
    void (*clamp)(void *y, double low, double high, int64_t n);
    void (*cap)(void *y, double cap, int64_t n); /* y = cap tanh(y / cap) */
    /* gpt-oss: up = (up + 1) gate sigmoid(alpha gate) */
    void (*swiglu)(void *up, const void *gate, double alpha, int64_t n);
    /* Gemma 3n: relu(x - (mean + factor deviation)) of each row */
    void (*cut)(void *x, double factor, int64_t rows, int64_t width);
    /* y [heads, each] = exp(-rate[head] ln(1 + e^(y + bias))) */
    void (*decay)(void *y, const void *rate, const void *bias, int64_t heads,
                  int64_t each);
    void (*delta)(const struct lct_net_delta_token *t);
    /* See nn_kernels.h; of the table's numbers, which in double are plain. */
    void (*dots)(const struct lct_nn_dots *x);
    /* y = x rounded to bfloat16; of float alone, else NULL */
    void (*narrow)(uint16_t *y, const void *x, int64_t n);
};

extern const struct lct_net_math lct_net_math_f32, lct_net_math_f64;

/* Element i of x, which may lie before it. */
static inline void *lct_net_math_at(const struct lct_net_math *m, const void *x,
                                    int64_t i)
{
    return (char *)x + (ptrdiff_t)i * (ptrdiff_t)m->item;
}
#endif
