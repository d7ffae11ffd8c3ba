/* plan_others.h - plans of families that have no rotary encoding of the usual
   kind; functions of struct lct_family */
#ifndef LCT_PLAN_OTHERS_H
#define LCT_PLAN_OTHERS_H
#include "family.h"

locant_status lct_plan_bert(struct lct_position_plan *p,
                            const struct lct_config *c);
locant_status lct_plan_gpt2(struct lct_position_plan *p,
                            const struct lct_config *c);
locant_status lct_plan_t5(struct lct_position_plan *p,
                          const struct lct_config *c);
locant_status lct_plan_bloom(struct lct_position_plan *p,
                             const struct lct_config *c);
#endif
