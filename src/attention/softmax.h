/*
 * softmax.h - the online softmax over tiles of keys.
 *
 * Milakov, Gimelshein: Online normalizer calculation for softmax. 2018.
 * arXiv:1805.02867, algorithm 3, applied to tiles.  'update' finds the new
 * maximum and sum of each row, and the factor 'rescale' for what was summed
 * before: the next product of weights and values multiplies by it (struct
 * lct_product).  'merge' rescales and joins splits.
 */
#ifndef LCT_ATTENTION_SOFTMAX_H
#define LCT_ATTENTION_SOFTMAX_H
#include "scratch.h"
#include "tile.h"

/* Before the first keys of a tile of queries; and of each split. */
void lct_softmax_begin(struct lct_scratch *s);
void lct_softmax_begin_split(const struct lct_plan *p, const struct lct_tile *t,
                             struct lct_scratch *s);

/* s->s: scores become exp(score - row_max). */
void lct_softmax_update(const struct lct_plan *p, const struct lct_tile *t,
                        struct lct_scratch *s);

/* total = total and out, joined. */
void lct_softmax_merge(const struct lct_plan *p, const struct lct_tile *t,
                       struct lct_scratch *s);

/* Where forward writes. */
struct lct_softmax_results {
    const struct lct_plan *p;
    const locant_tensor *out, *lse;
};

/* Result of query b, h, i: 'from' [D] by its sum; stores the log of that. */
void lct_softmax_finish(const struct lct_softmax_results *r,
                        const int64_t at[3], float *from, float row_max,
                        float sum);

/* Backward: s->s: scores become exp(score - lse). */
void lct_softmax_recompute_probs(const struct lct_plan *p,
                                 const struct lct_tile *t,
                                 struct lct_scratch *s);

/* s->ds: gradient of the weights s->s becomes that of the scores. */
void lct_softmax_backward(const struct lct_plan *p, const struct lct_tile *t,
                          struct lct_scratch *s);
#endif
