/*
 * decode_softmax.h - scores of few queries to weights: bias, mask, softmax.
 *
 * Each bias serves one query, so what heads have in common is formed once for
 * those that share keys: the relative positions of ALiBi, for instance.
 */
#ifndef LCT_ATTENTION_DECODE_SOFTMAX_H
#define LCT_ATTENTION_DECODE_SOFTMAX_H
#include "decode.h"

/* Find what biases of this task's heads have in common, if anything. */
void lct_decode_softmax_plan(const struct lct_plan *p,
                             struct lct_decode_task *f);

/* Scores of tile i of the run, which t is, to weights; sets d->rescale. */
void lct_decode_softmax(const struct lct_plan *p, struct lct_decode_task *f,
                        struct lct_tile *t, int64_t i, float *scores);
#endif
