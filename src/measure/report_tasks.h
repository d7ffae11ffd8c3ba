/*
 * report_tasks.h - tasks that a report trains and scores itself: which, how
 * much of each, and getting it done.
 *
 * A preset has so many tokens a run to train on and so many to be tested on:
 * what takes more, as recommended, gets smaller batches, then fewer steps.
 * Runs are those that 'locant train --task' makes with the same options, and
 * scores those of 'locant eval', so that each finds what the other has left.
 */
#ifndef LCT_REPORT_TASKS_H
#define LCT_REPORT_TASKS_H
#include "plan.h"
#include "tasks.h"

enum { LCT_PLANNED_TASKS = 32 };

struct lct_planned_task {
    const struct lct_task *task;
    locant_train_options train; /* encoding, seed and parent are of the job */
    int64_t items;              /* of each of its tests */
    int64_t tested;             /* tokens of them all, a run */
    char (*specs)[256];         /* [encodings] resolved at its row */
};

struct lct_task_plan {
    const struct lct_plan *plan; /* of the report; its runs are parents */
    struct lct_planned_task task[LCT_PLANNED_TASKS];
    size_t n;
    int seeds;
    char (*specs)[256];  /* of all tasks */
    int64_t trained;     /* tokens of all runs */
    int64_t tested;
    char sentence[400];  /* what it is and costs, for the user */
};

/*
 * 'list' has ids with ',' between them; NULL: the preset's.  What a task cannot
 * be trained with is found out now: PARAM.  To be freed, also after a failure.
 */
locant_status lct_task_plan_create(struct lct_task_plan *out,
                                   const struct lct_plan *plan,
                                   const char *list);
void lct_task_plan_free(struct lct_task_plan *plan);

/* The report's plan has lost seeds: those of tasks go on from its runs. */
void lct_task_plan_fit(struct lct_task_plan *plan);

/*
 * Train and score what the store lacks, side by side.  Stopped or killed, the
 * same call continues.
 */
locant_status lct_task_plan_run(struct lct_task_plan *plan, locant_store *store,
                                locant_progress_fn progress, void *context);
#endif
