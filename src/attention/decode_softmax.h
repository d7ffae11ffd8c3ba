/*
 * decode_softmax.h - decode: turn scores into weights by bias, mask, softmax.
 *
 * The cost of a bias is not shared among queries.  Therefore what the heads of
 * a task have in common, such as ALiBi's relative positions, is computed once.
 */
#ifndef LCT_ATTENTION_DECODE_SOFTMAX_H
#define LCT_ATTENTION_DECODE_SOFTMAX_H
#include "decode.h"

/* Set f->linear, and f->slope if it is true. */
void lct_decode_softmax_plan(const struct lct_plan *p,
                             struct lct_decode_task *f);

/* Turn scores of t, tile i of the run, into weights; sets d->rescale. */
void lct_decode_softmax(const struct lct_plan *p, struct lct_decode_task *f,
                        struct lct_tile *t, int64_t i, float *scores);
#endif
