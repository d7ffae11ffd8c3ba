/* plan_beside.h - what attention takes beside an encoding, from the keys */
#ifndef LCT_PLAN_BESIDE_H
#define LCT_PLAN_BESIDE_H
#include "plan_keys.h"

/* The factor on scores, NAN: by the width of each layer's heads; and the key
   that says so. */
locant_status lct_plan_beside_scale(double *out, const char **why,
                                    struct lct_plan_keys *k);
locant_status lct_plan_beside_norm(struct lct_qk_norm *out,
                                   struct lct_plan_keys *k);
locant_status lct_plan_beside_softcap(double *out, struct lct_plan_keys *k);
#endif
