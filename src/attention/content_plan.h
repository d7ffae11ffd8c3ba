/* content_plan.h - choose the products of the content door; their memory */
#ifndef LCT_ATTENTION_CONTENT_PLAN_H
#define LCT_ATTENTION_CONTENT_PLAN_H
#include "content.h"

/* Can the tiled engine do the content of this call?  Sets c->products. */
bool lct_content_plan_make(struct lct_content_products *c,
                           const struct lct_plan *p);

/* Number of doubles for the gradients of one batch row of a chunk. */
double lct_content_plan_gradients(const struct lct_plan *p);

void lct_content_plan_layout(struct lct_content_products *c,
                             const struct lct_plan *p, struct lct_arena *arena);
#endif
