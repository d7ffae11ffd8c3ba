/*
 * sweep.c - which learning rate an encoding is compared at.
 *
 * Every rate is tried with the first seed; the one of the least loss on the
 * validation text at the trained length is that of all seeds.  Losses of the
 * test text, at any length, have no say.
 */
#include "plan.h"
#include <math.h>

locant_status lct_choose_rates(struct lct_plan *plan, locant_store *store,
                               const char *corpus_sha256)
{
    for (size_t i = 0; i < plan->n && plan->n_rates > 0; i++) {
        double least = INFINITY;

        plan->rate[i] = plan->rates[0];
        for (int k = 0; k < plan->n_rates; k++) {
            const size_t at = (size_t)k * plan->n + i;
            locant_evaluation e = {.valid = NAN};
            bool found;

            LCT_TRY(lct_store_load_evaluation(&e, NULL, &found, store,
                                              plan->tried[at], corpus_sha256,
                                              plan->blocks));
            plan->valid[at] = found ? e.valid : NAN;
            if (plan->valid[at] < least) {
                least = plan->valid[at];
                plan->rate[i] = plan->rates[k];
            }
        }
    }
    return LOCANT_OK;
}
