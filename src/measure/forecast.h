/*
 * forecast.h - forecasts how long a report takes on this machine, and how many
 * seeds fit a time limit.
 *
 * A limit reduces the number of seeds, never the number of steps, so that a run
 * is the same on every machine.
 */
#ifndef LCT_FORECAST_H
#define LCT_FORECAST_H
#include "forecast_time.h"
#include "results.h"

struct lct_forecast {
    double seconds_per_seed; /* of all encodings, if all threads are busy */
    double fixed_seconds;    /* do not depend on the number of seeds */
    double total;            /* seconds with 'seeds'; 0: not forecast */
    double limit;            /* seconds; 0: none */
    int asked, seeds;        /* seeds asked for; seeds that fit the limit */
};

/*
 * Time a few steps and passes of every encoding of the plan, in parallel as its
 * jobs will run. Reduce the seeds of the plan to those that fit the limit,
 * report time and seeds, and keep both in the store, so that a continued report
 * uses the same seeds. If options->minutes is 0, the limit is that of the
 * preset. Without a limit all seeds are kept, and nothing is timed unless
 * extension, surface or tasks are asked for: seconds_per_seed is then 0.
 */
locant_status lct_forecast(struct lct_forecast *out, struct lct_plan *plan,
                           const locant_report_options *options,
                           locant_store *store, const locant_corpus *corpus);

/* Report how many seeds the exact test of the page needs, if the forecast has
   fewer. */
locant_status lct_forecast_notify_seeds(const struct lct_forecast *f,
                                        const struct lct_plan *plan,
                                        locant_progress_fn progress,
                                        void *context);

/*
 * Report how many seeds are needed to distinguish the two lowest losses if the
 * measured difference is the true one. Report nothing if the results have as
 * many, or only one.
 */
locant_status lct_forecast_notify_effect(const struct lct_results *r,
                                         locant_progress_fn progress,
                                         void *context);
#endif
