/* plan_params.h - plans from a params.json of Meta or Mistral */
#ifndef LCT_PLAN_PARAMS_H
#define LCT_PLAN_PARAMS_H
#include "family.h"

/* Both store interleaved pairs.  Errors: FORMAT, NOMEM. */
locant_status lct_plan_params(struct lct_position_plan *p,
                              const struct lct_config *c);
#endif
