/*
 * report_parts.h - the parts of a report that take long: the runs it compares,
 * extension, surface and tasks. Each is created, forecast, reduced to the seeds
 * there is time for, and run.
 */
#ifndef LCT_REPORT_PARTS_H
#define LCT_REPORT_PARTS_H
#include "extension.h"
#include "report_tasks.h"
#include "results.h"
#include "surface.h"

struct lct_report_parts {
    struct lct_plan plan;
    const struct lct_extension_plan *extension; /* NULL: not asked for */
    struct lct_surface *surface;                /* NULL: not asked for */
    struct lct_task_plan tasks;                 /* n 0: not asked for */
};

enum { LCT_REPORT_PARTS = 4 };

/* Fails if a part cannot be run. To be freed, also after a failure. */
locant_status lct_report_parts_create(struct lct_report_parts *out,
                                      const locant_report_options *options);
void lct_report_parts_free(struct lct_report_parts *parts);

/* Leave out seeds that the plan no longer has. */
void lct_report_parts_fit(struct lct_report_parts *parts);

/*
 * Forecast the seconds of each part, 0 if it was not asked for, from those of
 * one seed of the plan. The time of a token is assumed to be proportional to
 * the number of weights of the model.
 */
void lct_report_parts_forecast(double seconds[LCT_REPORT_PARTS],
                               const struct lct_report_parts *parts,
                               double seed_seconds);

/* Report, before the first step, what the tasks are and the forecast seconds of
   all parts but the plan. */
void lct_report_parts_announce(const struct lct_report_parts *parts,
                               const double seconds[LCT_REPORT_PARTS],
                               locant_progress_fn progress, void *context);

/* Train and measure what the store lacks, and collect the results in *r. */
locant_status lct_report_parts_run(struct lct_results *r,
                                   struct lct_report_parts *parts,
                                   const struct lct_lab *lab);
#endif
