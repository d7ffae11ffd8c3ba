/*
 * forecast.h - how long a report takes here, and how many seeds fit a limit.
 *
 * Seeds are all that is ever left out, never steps: a run stays what it is on
 * every machine.
 */
#ifndef LCT_FORECAST_H
#define LCT_FORECAST_H
#include "results.h"

/* Below two seeds nothing is known of what seeds do. */
enum { LCT_FEWEST_SEEDS = 2 };

struct lct_forecast {
    double seed;   /* seconds that each seed takes, of all encodings */
    double once;   /* seconds that do not depend on their number */
    double limit;  /* seconds; 0: none */
    int asked, seeds; /* of the preset; that fit the limit */
};

/* Of 'asked' as many as fit, at least LCT_FEWEST_SEEDS where as many were. */
int lct_forecast_seeds(const struct lct_forecast *f);

/*
 * Time a few steps and passes of every encoding of the plan, side by side as
 * its jobs run, leave out seeds beyond the limit, tell both, and keep them in
 * the store: the same job continued decides the same.  'minutes' 0: the limit
 * of the preset.  Without any limit nothing is left out, and nothing timed but
 * for jobs besides: 'seed' is 0 then.
 */
locant_status lct_forecast(struct lct_forecast *out, struct lct_plan *plan,
                           const locant_report_options *options,
                           locant_store *store, const locant_corpus *corpus);

/* Say how many seeds the exact test of the page needs, if there are fewer. */
locant_status lct_seeds_needed(const struct lct_forecast *f,
                               const struct lct_plan *plan,
                               locant_progress_fn progress, void *context);

/* Say how many would tell the two lowest apart, if they are as far apart as
   seen and there are fewer; nothing of one seed. */
locant_status lct_seeds_for_effect(const struct lct_results *r,
                                   locant_progress_fn progress, void *context);
#endif
