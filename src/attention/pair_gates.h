/*
 * pair_gates.h - gates that the scores of pairs read (doors.h): a number of
 * each query and head, and of each key and head, from the rotated rows.
 *
 * Gates are computed once per call, in double; their gradients are summed over
 * tiles in order, and go to rows and parameters once per query and key.
 */
#ifndef LCT_ATTENTION_PAIR_GATES_H
#define LCT_ATTENTION_PAIR_GATES_H
#include "backward.h"
#include "tables.h"

/* May tiles have the scores of pairs of this call?  Not if they have gates and
 * the scale is so small that gradients cannot be divided by it. */
bool lct_pair_gates_have_tiles(const struct lct_plan *p);

void lct_pair_gates_layout(struct lct_tables *tables, const struct lct_plan *p,
                           struct lct_arena *arena);
void lct_pair_gates_fill(const struct lct_plan *p);

/* Set the gradients of gates to 0; there may be no gates, here and below. */
void lct_pair_gates_begin_backward(const struct lct_plan *p);
/* After a tile of queries: add the gradients of its gates to s->dq, which is
 * scaled later; overwrites s->q. */
void lct_pair_gates_end_queries(const struct lct_backward *job,
                                const struct lct_tile *t,
                                struct lct_scratch *s);
/* After all queries of a head of keys: add those of its keys' gates to dk. */
void lct_pair_gates_end_keys(const struct lct_backward *job, int64_t b,
                             int64_t kv_head, struct lct_scratch *s);
#endif
