/*
 * bf16_backward.c - backward on bfloat16 by dot products of pairs.
 *
 * Scores and dp = v dout^T are sums of exact products.  Weights are rounded on
 * their way into dv, and ds into dq and dk (there with the scale of its query),
 * by at most u = 2^-8 of their size, as in bf16.c; gradients of biases take ds
 * as it is.  q and k are those that forward rounded once they were turned, so
 * that the scores are the ones lse was taken of.
 *
 * The scratch of backward.c has room for 'padded' words in each row of floats:
 * of q, dout and k the lower half holds rows in bfloat16 and the upper one
 * words of two rows, [TILE / 2, Dp]; q_cols and dout_cols words of two
 * channels, [(D + 1) / 2, lanes]; v rows that cannot be read where they lie.
 * ds holds the weights, rounded, until dp takes its place; s in the end ds,
 * both ways.
 */
#include "bf16.h"
#include <string.h>

static uint32_t *upper_half(const struct lct_problem *p, float *rows)
{
    return (uint32_t *)rows + LCT_TILE / 2 * p->padded;
}

/* Words of two rows of 'rows', to their upper half. */
static void pair_up(const struct lct_problem *p, float *rows,
                    struct lct_bf16_rows from, int64_t n)
{
    p->kernels->pair_rows(upper_half(p, rows), (size_t)p->padded, from.at,
                          from.row, LCT_STORED_BF16, (size_t)n, (size_t)p->D);
}

void lct_bf16_open(const struct lct_problem *p, const struct lct_tile *t,
                   struct lct_scratch *s, const locant_tensor *dout)
{
    size_t words = (size_t)(p->D + 1) / 2;
    struct lct_bf16_rows rows = { s->q, (ptrdiff_t)words * 4 };

    lct_bf16_queries(p, t, s);
    pair_up(p, s->q, rows, t->rows);
    rows = lct_bf16_columns(p, t, dout, s->dout, s->dout_cols);
    pair_up(p, s->dout, rows, t->rows);
}

struct lct_bf16_loaded lct_bf16_load_both(const struct lct_problem *p,
                                          const struct lct_tile *t,
                                          struct lct_scratch *s)
{
    struct lct_bf16_loaded l = {
        .keys = lct_bf16_tile(p, t, &p->k, s->k),
        .values = lct_bf16_tile(p, t, &p->v, s->v),
    };

    pair_up(p, s->k, l.keys, t->keys);
    return l;
}

/* s->s = weights, s->ds = ds but for the cap; dv, unless that is NULL. */
void lct_bf16_weights(const struct lct_problem *p, const struct lct_tile *t,
                      struct lct_scratch *s,
                      const struct lct_bf16_loaded *loaded, float *dv)
{
    size_t keys = (size_t)t->keys, lanes = t->lanes, padded = (size_t)p->padded;

    lct_bf16_scores(p, t, s, loaded, s->slope);
    lct_softmax_recompute_probs(p, t, s);
    if (t->rows % 2 != 0) /* of no query: it makes the last pair whole */
        for (size_t j = 0; j < keys; j++)
            s->s[j * lanes + (size_t)t->rows] = 0; /* not NaN by a hidden key */
    if (dv != NULL) {
        struct lct_pair_product x = {
            .c = dv, .c_row = padded, .a = s->ds,
            .a_row = (ptrdiff_t)(2 * lanes), .a_col = sizeof(uint32_t),
            .b = upper_half(p, s->dout), .b_row = padded, .m = keys,
            .n = padded, .k = (size_t)(t->rows + 1) / 2, .add = true };

        p->kernels->round_rows((uint32_t *)s->ds, lanes / 2, s->s, lanes, NULL,
                               keys, lanes);
        lct_bf16_key_steps(p, t, s, &x);
    }
    lct_bf16_pair_steps(p, t, &(struct lct_pair_product){
        .c = s->ds, .c_row = lanes, .a = loaded->values.at,
        .a_row = loaded->values.row, .a_col = sizeof(uint32_t),
        .b = (const uint32_t *)s->dout_cols, .b_row = lanes, .m = keys,
        .n = lanes, .k = (size_t)(p->D + 1) / 2 });
    lct_softmax_backward(p, t, s);
}

/* s->out += ds^T k, but for the scale. */
void lct_bf16_dq(const struct lct_problem *p, const struct lct_tile *t,
                 struct lct_scratch *s)
{
    size_t keys = (size_t)t->keys, lanes = t->lanes, padded = (size_t)p->padded;
    struct lct_pair_product x = {
        .c = s->out, .c_row = padded, .a = s->s, .a_row = sizeof(uint32_t),
        .a_col = (ptrdiff_t)(lanes * sizeof(uint32_t)),
        .b = upper_half(p, s->k), .b_row = padded, .m = (size_t)t->rows,
        .n = padded, .k = (keys + 1) / 2, .add = true };

    p->kernels->pair_rows((uint32_t *)s->s, lanes, s->ds,
                          (ptrdiff_t)(lanes * sizeof(float)), LCT_STORED_F32,
                          keys, lanes);
    lct_bf16_query_steps(p, t, s, &x);
}

/* dk += (ds scale) q */
void lct_bf16_dk(const struct lct_problem *p, const struct lct_tile *t,
                 struct lct_scratch *s, float *dk)
{
    size_t keys = (size_t)t->keys, lanes = t->lanes, padded = (size_t)p->padded;
    struct lct_pair_product x = {
        .c = dk, .c_row = padded, .a = s->s, .a_row = (ptrdiff_t)(2 * lanes),
        .a_col = sizeof(uint32_t), .b = upper_half(p, s->q), .b_row = padded,
        .m = keys, .n = padded, .k = (size_t)(t->rows + 1) / 2, .add = true };

    p->kernels->round_rows((uint32_t *)s->s, lanes / 2, s->ds, lanes,
                           s->rows + LCT_PAIRS_SCALES, keys, lanes);
    lct_bf16_key_steps(p, t, s, &x);
}
