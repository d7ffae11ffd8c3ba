/*
 * row_factor.h - the factor of each query by the number of keys it sees
 * (doors.h), which multiplies the query as a temperature does.
 */
#ifndef LCT_ATTENTION_ROW_FACTOR_H
#define LCT_ATTENTION_ROW_FACTOR_H
#include "backward.h"
#include "tables.h"

void lct_row_factor_layout(struct lct_tables *tables, const struct lct_plan *p,
                           struct lct_arena *arena);
/* Count the visible keys of each query, and compute its factors. */
void lct_row_factor_fill(const struct lct_plan *p);

/* Add the gradient of query 'at' = b, h, i, d loss / d factor = 'dout', to
 * 'sums', a row of p->gradients->params. */
void lct_row_factor_backward(const struct lct_plan *p, const int64_t at[3],
                             double dout, double *sums);

/* The same for a tile whose s->dq holds sums of ds k. */
void lct_row_factor_backward_tile(const struct lct_backward *job,
                                  const struct lct_tile *t,
                                  struct lct_scratch *s);
#endif
