/*
 * decode_keys.h - few queries against keys that are rotated as they are read.
 *
 * Angles of a tile of keys are made once and used for all heads of keys that
 * the task has, while they are in the cache: a table of the whole cache would
 * cost more to write and read than the keys do.
 */
#ifndef LCT_ATTENTION_DECODE_KEYS_H
#define LCT_ATTENTION_DECODE_KEYS_H
#include "decode.h"

/* d->angles of the tile's keys. */
void lct_decode_keys_angles(const struct lct_plan *p,
                            const struct lct_decode_task *f,
                            const struct lct_tile *t);

/* x, of which only the keys are missing, with those of head t->h rotated. */
void lct_decode_keys_scores(const struct lct_plan *p,
                            const struct lct_decode_task *f,
                            const struct lct_tile *t,
                            const struct lct_product *x);
#endif
