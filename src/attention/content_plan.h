/* content_plan.h - choose the products of the content door, and lay out the
   memory they need */
#ifndef LCT_ATTENTION_CONTENT_PLAN_H
#define LCT_ATTENTION_CONTENT_PLAN_H
#include "content.h"

/* Can the tiled engine do the content of this call?  If so, fills c: products,
   tables and basis. */
bool lct_content_plan_make(struct lct_content_products *c,
                           const struct lct_plan *p);

/* Number of doubles that one batch row needs for gradients of vector tables. */
double lct_content_plan_gradients(const struct lct_plan *p);

void lct_content_plan_layout(struct lct_content_products *c,
                             const struct lct_plan *p, struct lct_arena *arena);
#endif
