/* schedules.h - the schedule of rotation of each query and key */
#ifndef LCT_ATTENTION_SCHEDULES_H
#define LCT_ATTENTION_SCHEDULES_H
#include "plan.h"

/* Find p->schedule, or p->lengths where documents differ by their length. */
locant_status lct_schedules_plan(struct lct_plan *p);

/* by [T or S] = the schedule of each query or key of a row of positions. */
void lct_schedules_fill(const struct lct_schedule **by,
                        const struct lct_plan *p, enum lct_role role,
                        int64_t row);
#endif
