/* content_plan.h - products of the content door: chosen, laid out */
#ifndef LCT_ATTENTION_CONTENT_PLAN_H
#define LCT_ATTENTION_CONTENT_PLAN_H
#include "content.h"

/* May the tiled engine do what content does in this call?  Sets the terms. */
bool lct_content_plan_make(struct lct_content_products *plan,
                           const struct lct_plan *p);

/* Doubles of gradients that each batch row of a chunk keeps. */
double lct_content_plan_gradients(const struct lct_plan *p);

void lct_content_plan_layout(struct lct_content_products *plan,
                             const struct lct_plan *p, struct lct_arena *arena);
#endif
