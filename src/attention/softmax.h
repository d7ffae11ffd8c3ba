/*
 * softmax.h - the online softmax over tiles of keys.
 *
 * Milakov, Gimelshein: Online normalizer calculation for softmax. 2018.
 * arXiv:1805.02867, algorithm 3, applied to tiles.  'update' finds the new
 * maximum and sum of each row, and 'rescale', the factor by which the next
 * product of weights and values multiplies 'out' before it adds to it (struct
 * lct_product).  'merge' rescales and joins splits.
 */
#ifndef LCT_ATTENTION_SOFTMAX_H
#define LCT_ATTENTION_SOFTMAX_H
#include "scratch.h"
#include "tile.h"

/* Begin a tile of queries. */
void lct_softmax_begin(struct lct_scratch *s);
/* Begin a split of keys. */
void lct_softmax_begin_split(const struct lct_plan *p, const struct lct_tile *t,
                             struct lct_scratch *s);

/* s->s: scores become exp(score - row_max). */
void lct_softmax_update(const struct lct_plan *p, const struct lct_tile *t,
                        struct lct_scratch *s);

/* Merge the split s->out into s->total. */
void lct_softmax_merge(const struct lct_plan *p, const struct lct_tile *t,
                       struct lct_scratch *s);

/* Where forward writes. */
struct lct_softmax_results {
    const struct lct_plan *p;
    const locant_tensor *out, *lse;
};

/* Finish query 'at' = b, h, i: divide 'from' [Dv] by 'sum', and store lse. */
void lct_softmax_finish(const struct lct_softmax_results *r,
                        const int64_t at[3], float *from, float row_max,
                        float sum);

/* Backward: s->s: scores become exp(score - lse). */
void lct_softmax_recompute_probs(const struct lct_plan *p,
                                 const struct lct_tile *t,
                                 struct lct_scratch *s);

/* s->ds: gradients of the weights s->s become gradients of the scores. */
void lct_softmax_backward(const struct lct_plan *p, const struct lct_tile *t,
                          struct lct_scratch *s);
#endif
