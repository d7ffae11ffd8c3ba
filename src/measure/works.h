/*
 * works.h - the long works of a report, one row each: the runs it compares, and
 * beside them extension, surface and tasks.  All are created, fitted to the
 * seeds there is time for, forecast and run in the same way.
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
    struct lct_task_plan tasks;                 /* of none, if not asked for */
};

enum { LCT_WORKS = 4 };

/* What cannot be done is found out here.  To be freed, also after a failure. */
locant_status lct_works_create(struct lct_works *out,
                               const locant_report_options *options);
void lct_works_free(struct lct_works *works);

/* The plan has lost seeds: the works have no more of them. */
void lct_works_fit(struct lct_works *works);

/*
 * Seconds of each, 0 where it was not asked for: from those that a seed of the
 * plan takes, as much more or less a token as its models have weights.
 */
void lct_works_forecast(double seconds[LCT_WORKS],
                        const struct lct_works *works, double seed);

/* Say those beside the plan, and what tasks are, before the first step. */
void lct_works_announce(const struct lct_works *works,
                        const double seconds[LCT_WORKS],
                        locant_progress_fn progress, void *context);

/* Train and measure what the store lacks, and gather it in *r. */
locant_status lct_works_run(struct lct_results *r, struct lct_works *works,
                            locant_store *store, const locant_corpus *corpus,
                            locant_progress_fn progress, void *context);
#endif
