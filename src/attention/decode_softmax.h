/*
 * decode_softmax.h - decode: scores to weights by bias, mask and softmax.
 *
 * A bias serves only one query, so its cost is not shared.  Therefore what all
 * heads that share keys have in common, such as the relative positions of
 * ALiBi, is computed once.
 */
#ifndef LCT_ATTENTION_DECODE_SOFTMAX_H
#define LCT_ATTENTION_DECODE_SOFTMAX_H
#include "decode.h"

/* Find out whether all heads have biases slope times relative position. */
void lct_decode_softmax_plan(const struct lct_plan *p,
                             struct lct_decode_task *f);

/* Turn scores of t, tile i of the run, into weights; sets d->rescale. */
void lct_decode_softmax(const struct lct_plan *p, struct lct_decode_task *f,
                        struct lct_tile *t, int64_t i, float *scores);
#endif
