/*
 * content_maps_tokens.h - directions and strengths of maps from the inputs of
 * tokens, in float32.
 *
 *     w_t = v / sqrt(v.v + 1e-6), v = silu(a),
 *     a_t = sum over m < kernel of conv[kernel - 1 - m] up down x_{t-m}
 *     b_t = 2 sigmoid(beta x_t + bias)
 *
 * Tokens before the document count as 0.  Tokens that no query passes have
 * w = 0 and b = 0, and their inputs are not read.
 */
#ifndef LCT_ATTENTION_CONTENT_MAPS_TOKENS_H
#define LCT_ATTENTION_CONTENT_MAPS_TOKENS_H
#include "content_maps.h"
#include <math.h>

void lct_content_maps_tokens_layout(struct lct_content_products *c,
                                    const struct lct_plan *p,
                                    struct lct_arena *arena);
/* Fill the order of tokens, then w and b. */
void lct_content_maps_tokens_fill(const struct lct_plan *p);

/* -------------------------------------------------------- a block of tokens */

/* Tokens n .. n + count - 1 of a batch row, in order. */
struct lct_content_maps_block {
    const struct lct_plan *p;
    const struct lct_content_maps *m;
    struct lct_content_maps_scratch *own;
    const struct lct_map_params *params;
    int64_t b, row, n, count, chunk_row;
};

static inline const struct lct_map_params *
lct_content_maps_tokens_params(const struct lct_plan *p)
{
    return &p->content->products.maps;
}

static inline struct lct_content_maps_block
lct_content_maps_tokens_block(const struct lct_plan *p, int64_t b, int64_t n,
                              int slot)
{
    const struct lct_content_maps *m = &p->content->maps;

    return (struct lct_content_maps_block){
        .p = p,
        .m = m,
        .own = &m->scratch[slot],
        .params = lct_content_maps_tokens_params(p),
        .b = b,
        .row = lct_plan_row(p, b),
        .n = n,
        .count = lct_sizes_in_tile(p->S, n)
    };
}

/* The key in memory of the n-th token. */
static inline int64_t
lct_content_maps_tokens_key(const struct lct_content_maps_block *t, int64_t n)
{
    return t->p->content->order[t->row * t->p->S + n];
}

static inline bool
lct_content_maps_tokens_is_passed(const struct lct_content_maps_block *t,
                                  int64_t n)
{
    return t->m->passed[t->row * t->p->S + lct_content_maps_tokens_key(t, n)];
}

/* How many tokens the direction of the n-th token reads. */
static inline int64_t
lct_content_maps_tokens_reach(const struct lct_content_maps_block *t, int64_t n)
{
    return t->m->reach[t->row * t->p->S + n];
}

/* <x, y> by 16 sums */
static inline float lct_content_maps_tokens_dot(const float *x, const float *y,
                                                int64_t n)
{
    float sum[LCT_PAD] = { 0 };

    for (int64_t i = 0; i < n; i += LCT_PAD)
        for (int l = 0; l < LCT_PAD; l++)
            sum[l] += x[i + l] * y[i + l];
    for (int half = LCT_PAD / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            sum[l] += sum[l + half];
    return sum[0];
}

static inline float
lct_content_maps_tokens_strength(const struct lct_content_maps_block *t,
                                 int64_t h, int64_t i)
{
    const float *low = t->m->low + (t->b * t->p->S + t->n + i) * t->m->inner;

    return (float)(2 * lct_sigmoid((double)low[t->params->rank + h]));
}

/* Where token i of the block stands among rows of a head in memory. */
static inline int64_t
lct_content_maps_tokens_row(const struct lct_content_maps_block *t, int64_t h,
                            int64_t i)
{
    return (t->b * t->p->H + h) * t->m->rows +
           lct_content_maps_tokens_key(t, t->n + i);
}

/* Columns 'from' .. from + columns - 1 of the inputs of the block, to rows
 * 'width' apart; 0 for tokens that no query passes. */
void lct_content_maps_tokens_load(const struct lct_content_maps_block *t,
                                  float *to, int64_t width, int64_t from,
                                  int64_t columns);
/* up down x of the block for one head, and of the tokens before it, in
 * own->values; returns the first row of the block. */
const float *
lct_content_maps_tokens_values(const struct lct_content_maps_block *t,
                               int64_t h);
/* own->a and own->gate = sigmoid(a) of the block for one head. */
void lct_content_maps_tokens_gates(const struct lct_content_maps_block *t,
                                   int64_t h);
#endif
