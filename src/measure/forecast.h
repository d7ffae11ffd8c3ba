/*
 * forecast.h - how long a report takes on this machine, and how many seeds fit
 * into a time limit.
 *
 * Only seeds are left out, never steps: a run is the same on every machine.
 */
#ifndef LCT_FORECAST_H
#define LCT_FORECAST_H
#include "results.h"

/* A single seed would say nothing about the variation between seeds. */
enum { LCT_FEWEST_SEEDS = 2 };

struct lct_forecast {
    double seed;      /* seconds that one seed of all encodings takes */
    double once;      /* seconds that do not depend on the number of seeds */
    double limit;     /* seconds; 0: none */
    int asked, seeds; /* seeds asked for; seeds that fit the limit */
};

/* How many of the seeds fit, at least LCT_FEWEST_SEEDS if as many were asked
   for. */
int lct_forecast_seeds(const struct lct_forecast *f);

/*
 * Time a few steps and passes of every encoding of the plan, in parallel as its
 * jobs will run. Leave out seeds beyond the limit, report both, and keep the
 * decision in the store, so that a continued job decides the same. If 'minutes'
 * is 0 the limit is that of the preset. Without a limit no seed is left out,
 * and nothing is timed unless extension, surface or tasks are asked for; then
 * 'seed' is 0.
 */
locant_status lct_forecast(struct lct_forecast *out, struct lct_plan *plan,
                           const locant_report_options *options,
                           locant_store *store, const locant_corpus *corpus);

/* Report how many seeds the exact test of the page needs, if there are
   fewer. */
locant_status lct_seeds_needed(const struct lct_forecast *f,
                               const struct lct_plan *plan,
                               locant_progress_fn progress, void *context);

/*
 * Report how many seeds would be needed to distinguish the two lowest losses if
 * their difference is the one measured. Report nothing if there are as many
 * already, or if there is a single seed.
 */
locant_status lct_seeds_for_effect(const struct lct_results *r,
                                   locant_progress_fn progress, void *context);
#endif
