/* plan_chosen.h - a plan of finished runs that the caller chose */
#ifndef LCT_PLAN_CHOSEN_H
#define LCT_PLAN_CHOSEN_H
#include "plan.h"

enum { LCT_MOST_CHOSEN = 4096 }; /* runs */

/*
 * Make a plan of the runs in the options out of the plan of a preset, of which
 * n-grams and the length of the ranking remain, and the number of blocks unless
 * a run was evaluated. PARAM if a run is not finished or was trained on another
 * text, or two differ in more than encoding and seed, or in neither.
 */
locant_status lct_plan_choose(struct lct_plan *plan, locant_store *store,
                              const locant_corpus *corpus,
                              const locant_report_options *options);

/* Evaluate, in parallel, what the store lacks of the runs of a plan. */
locant_status lct_plan_evaluate(struct lct_plan *plan,
                                const struct lct_lab *lab);
#endif
