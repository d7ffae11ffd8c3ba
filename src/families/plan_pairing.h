/* plan_pairing.h - give a position plan the pairing that its weights record */
#ifndef LCT_PLAN_PAIRING_H
#define LCT_PLAN_PAIRING_H
#include "position_plan.h"

/* The tower whose weights have a pairing: the first that rotates; NULL: none.
 */
struct lct_tower *lct_plan_pairing_tower(struct lct_position_plan *p);

/* Give the layers of that tower this pairing. */
locant_status lct_plan_pairing_set(struct lct_position_plan *p,
                                   bool interleaved);
#endif
