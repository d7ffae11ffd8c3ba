/*
 * forecast_seeds.c - reports how many seeds are needed: before the first step
 * for the exact test of the page, and with the results for the effect found.
 */
#include "../store/notice.h"
#include "claims.h"
#include "forecast.h"
#include "losses.h"
#include <stdio.h>

/* Count the comparisons of the exact test: one for each encoding that is
   defined at the declared length. */
static locant_status count_comparisons(size_t *out, const struct lct_plan *plan)
{
    const struct lct_results r = { .judged = plan->judged };
    const int64_t length = plan->train.length << lct_losses_declared_index(&r);

    *out = 0;
    for (size_t i = 0; i < plan->n; i++) {
        locant_encoding *e;

        LCT_TRY(locant_encoding_create(&e, plan->specs[i]));
        *out += locant_encoding_length_limit(e) >= length;
        locant_encoding_free(e);
    }
    return LOCANT_OK;
}

locant_status lct_forecast_notify_seeds(const struct lct_forecast *f,
                                        const struct lct_plan *plan,
                                        locant_progress_fn progress,
                                        void *context)
{
    size_t comparisons, needed;
    char message[256];
    int n;

    LCT_TRY(count_comparisons(&comparisons, plan));
    needed = locant_flip_seeds(comparisons, LCT_ALPHA);
    if (comparisons == 0 || needed <= (size_t)f->seeds)
        return LOCANT_OK;
    n = snprintf(message, sizeof message,
                 "the exact test, corrected for %zu comparison%s, needs %zu "
                 "seeds for p below %g; this report has %d",
                 comparisons, comparisons == 1 ? "" : "s", needed, LCT_ALPHA,
                 f->seeds);
    if (f->seconds_per_seed > 0)
        snprintf(message + n, sizeof message - (size_t)n,
                 "; --seeds %zu takes about %.1f minutes", needed,
                 (f->fixed_seconds + (double)needed * f->seconds_per_seed) /
                     60);
    lct_notice("report", message, progress, context);
    return LOCANT_OK;
}

static void notify_order(const struct lct_claims *claims,
                         const struct lct_test *test,
                         const struct lct_order *order,
                         locant_progress_fn progress, void *context)
{
    const struct lct_results *r = claims->r;
    const struct lct_test *t = &test[order->next];
    const double alpha = LCT_ALPHA / (double)claims->tested;
    const size_t seeds = locant_power_seeds(t->mean, t->deviation, alpha,
                                            LCT_POWER, LCT_MOST_SEEDS);
    char message[800], option[48];

    if (seeds <= t->seeds)
        return;
    snprintf(option, sizeof option, " (--seeds %zu)", seeds);
    snprintf(message, sizeof message,
             "at %lld bytes %s and %s differ by"
             " %.3f +- %.3f; if that is the true difference, %zu seeds"
             "%s are needed to distinguish them with power %g",
             (long long)lct_length(r, lct_losses_ranked_index(r)),
             r->groups[order->first].spec, r->groups[order->next].spec, t->mean,
             t->half, seeds, r->preset ? option : "", LCT_POWER);
    lct_notice("report", message, progress, context);
}

locant_status lct_forecast_notify_effect(const struct lct_results *r,
                                         locant_progress_fn progress,
                                         void *context)
{
    struct lct_test *test = locant_alloc((r->n + 1) * sizeof *test);
    struct lct_claims claims = { .r = NULL };
    struct lct_order order;
    locant_status status;

    if (test == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "report: no memory to test %zu encodings", r->n);
    status = lct_claims_create(&claims, r);
    if (status == LOCANT_OK)
        status =
            lct_claims_order(test, &order, &claims, lct_losses_ranked_index(r));
    if (status == LOCANT_OK && order.next < r->n)
        notify_order(&claims, test, &order, progress, context);
    lct_claims_free(&claims);
    locant_release(test);
    return status;
}
