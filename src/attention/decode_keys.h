/*
 * decode_keys.h - decode with keys that are rotated as they are read.
 *
 * The angles of a tile of keys are computed once and used for all heads of keys
 * of the task while they are in the CPU cache.  To write and read a table of
 * angles for all keys would take longer than to read the keys.
 */
#ifndef LCT_ATTENTION_DECODE_KEYS_H
#define LCT_ATTENTION_DECODE_KEYS_H
#include "decode.h"

/* Fill d->angles for the tile's keys. */
void lct_decode_keys_angles(const struct lct_plan *p,
                            const struct lct_decode_task *f,
                            const struct lct_tile *t);

/* Compute product x with the rotated keys of head t->h as x->b. */
void lct_decode_keys_scores(const struct lct_plan *p,
                            const struct lct_decode_task *f,
                            const struct lct_tile *t,
                            const struct lct_product *x);
#endif
