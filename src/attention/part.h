/*
 * part.h - attention over some of the keys, with the state of each query
 * carried from call to call.
 *
 * A part has whole splits (sizes.h), so the state between two of them is
 * 'total' of the tiled engine, and backward's is its 'dq'.  All else reads the
 * positions of all keys, as in a whole call.
 */
#ifndef LCT_ATTENTION_PART_H
#define LCT_ATTENTION_PART_H
#include "scratch.h"
#include "tile.h"

/* Check r->part and the number of keys in k; set S and which keys k holds. */
locant_status lct_part_check(struct lct_request *r);
/* Refuse a call whose keys cannot be taken in parts, in rising order. */
locant_status lct_part_check_plan(const struct lct_plan *p);

/* Numbers of a query in the state of forward or backward. */
int64_t lct_part_width(const struct lct_plan *p, enum lct_pass pass);

/* Begin a tile of queries with what the calls before have carried, and carry
 * it on: 'total' in forward, 'dq' in backward. */
void lct_part_load_out(const struct lct_plan *p, const struct lct_tile *t,
                       struct lct_scratch *s);
void lct_part_store_out(const struct lct_plan *p, const struct lct_tile *t,
                        const struct lct_scratch *s);
void lct_part_load_dq(const struct lct_plan *p, const struct lct_tile *t,
                      struct lct_scratch *s);
void lct_part_store_dq(const struct lct_plan *p, const struct lct_tile *t,
                       const struct lct_scratch *s);
#endif
