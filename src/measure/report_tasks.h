/*
 * report_tasks.h - tasks that a report trains and scores itself.
 *
 * A preset limits the tokens a run trains on and is tested on. Tasks whose
 * recommended options take more get smaller batches, then fewer steps. 'locant
 * train --task' makes the same runs with the same options, and 'locant eval'
 * the same scores, so each command uses what the others have stored.
 */
#ifndef LCT_REPORT_TASKS_H
#define LCT_REPORT_TASKS_H
#include "plan.h"
#include "tasks.h"

enum { LCT_PLANNED_TASKS = 32 }; /* tasks of a report, at most */

struct lct_planned_task {
    const struct lct_task *task;
    locant_train_options train; /* a job sets encoding, seed and parent */
    int64_t items;              /* items of each of its tests */
    int64_t tested;             /* tokens of all its tests, of one run */
    char (*specs)[256];         /* [encodings] resolved at its rows' length */
};

struct lct_task_plan {
    const struct lct_plan *report; /* its runs are parents of fine-tuned ones */
    struct lct_planned_task task[LCT_PLANNED_TASKS];
    size_t n;
    int seeds;
    char (*specs)[256];      /* [n, encodings] */
    int64_t trained, tested; /* tokens of all runs */
    char message[400];       /* tells the user which tasks, and their cost */
};

/*
 * 'ids' are separated by ','; NULL: those of the preset. PARAM if a task cannot
 * be trained with an encoding of the report. To be freed, also after a failure.
 */
locant_status lct_task_plan_create(struct lct_task_plan *out,
                                   const struct lct_plan *report,
                                   const char *ids);
void lct_task_plan_free(struct lct_task_plan *plan);

/* Leave out seeds that the report no longer has: runs of tasks may continue its
   runs. */
void lct_task_plan_fit(struct lct_task_plan *plan);

/*
 * Train and score what the store lacks, in parallel. After a stop or a kill,
 * the same call continues.
 */
locant_status lct_task_plan_run(struct lct_task_plan *plan,
                                const struct lct_lab *lab);
#endif
