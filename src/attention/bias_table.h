/*
 * bias_table.h - a table of biases by difference, and its gradients.
 *
 * The difference is of positions, or of the position keys that the encoding
 * maps positions to.
 */
#ifndef LCT_ATTENTION_BIAS_TABLE_H
#define LCT_ATTENTION_BIAS_TABLE_H
#include "tables.h"

/*
 * Set p->bias_range, bias_first and bias_keys.  There is no table if positions
 * are so sparse that it would have far more entries than there are tokens; then
 * biases are computed per tile.
 */
/* all = the extent of the differences that a table by position (by position
 * key if p->bias_keys) has; false: too many for a table. */
bool lct_bias_table_differences(struct lct_span *all, const struct lct_plan *p);
void lct_bias_table_plan(struct lct_plan *p);
void lct_bias_table_layout(struct lct_tables *tables, const struct lct_plan *p,
                           struct lct_arena *arena);
void lct_bias_table_fill(const struct lct_plan *p);

/* Add the gradients in bias_total to row 0 of p->gradients->params. */
void lct_bias_table_accumulate(const struct lct_plan *p);
#endif
