/*
 * works.h - the long jobs ("works") of a report: the runs it compares,
 * extension, surface and tasks. All are created, reduced to the seeds there is
 * time for, forecast and run in the same way.
 */
#ifndef LCT_WORKS_H
#define LCT_WORKS_H
#include "extension.h"
#include "report_tasks.h"
#include "results.h"
#include "surface.h"

struct lct_works {
    struct lct_plan plan;
    const struct lct_extension_plan *extension; /* NULL: not asked for */
    struct lct_surface *surface;                /* NULL: not asked for */
    struct lct_task_plan tasks;                 /* no task, if not asked for */
};

enum { LCT_WORKS = 4 };

/* Fails if some work cannot be done. To be freed, also after a failure. */
locant_status lct_works_create(struct lct_works *out,
                               const locant_report_options *options);
void lct_works_free(struct lct_works *works);

/* Leave out seeds that the plan no longer has. */
void lct_works_fit(struct lct_works *works);

/*
 * Seconds of each work, 0 if it was not asked for, computed from the seconds of
 * one seed of the plan. The time of a token is assumed to be proportional to
 * the weights of a model.
 */
void lct_works_forecast(double seconds[LCT_WORKS],
                        const struct lct_works *works, double seed);

/* Before the first step, report the seconds of the works other than the plan,
   and the tasks. */
void lct_works_announce(const struct lct_works *works,
                        const double seconds[LCT_WORKS],
                        locant_progress_fn progress, void *context);

/* Train and measure what the store lacks, and collect the results in *r. */
locant_status lct_works_run(struct lct_results *r, struct lct_works *works,
                            locant_store *store, const locant_corpus *corpus,
                            locant_progress_fn progress, void *context);
#endif
