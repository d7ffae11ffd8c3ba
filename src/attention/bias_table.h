/*
 * bias_table.h - biases evaluated once for each difference: of positions, or of
 * the position keys that the encoding maps them to; and gradients back.
 */
#ifndef LCT_ATTENTION_BIAS_TABLE_H
#define LCT_ATTENTION_BIAS_TABLE_H
#include "tables.h"

/*
 * Set p->bias_range, bias_first and bias_keys.  A table is worth it unless
 * positions are so sparse that it would be larger than the tokens: then biases
 * are computed per tile.
 */
void lct_bias_table_plan(struct lct_plan *p);
void lct_bias_table_layout(struct lct_tables *tables, const struct lct_plan *p,
                           struct lct_arena *arena);
void lct_bias_table_fill(const struct lct_plan *p);

/* Row 0 of p->gradients->params += what bias_total holds. */
void lct_bias_table_accumulate(const struct lct_plan *p);
#endif
