/* plan_scaling.h - rope types of transformers as rope's key 'scaling' */
#ifndef LCT_PLAN_SCALING_H
#define LCT_PLAN_SCALING_H
#include "plan_rope.h"

/* Put ",scaling=..." for 'dim' rotated channels; nothing for 'default'. */
locant_status lct_plan_scaling_put(struct lct_plan_spec *s,
                                   struct lct_plan_keys *k,
                                   struct lct_plan_rope *rope,
                                   const struct lct_plan_rotation *r,
                                   int64_t dim);
#endif
