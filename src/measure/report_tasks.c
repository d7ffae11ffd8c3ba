/* report_tasks.c - trains and scores the tasks of a report, in parallel */
#include "report_tasks.h"
#include "jobs.h"

/* Scores are read from the store later, like those of other runs. */
static int ignore_score(const locant_task_score *score, void *context)
{
    (void)score;
    (void)context;
    return 0;
}

static locant_status score(struct lct_job *job,
                           const struct lct_planned_task *task, int64_t run)
{
    locant_task_eval_options o = LOCANT_TASK_EVAL_INIT;

    o.items = task->items;
    o.progress = lct_job_on_score;
    o.context = job;
    lct_job_expect_tokens(job, (double)task->tested);
    return locant_task_evaluate(job->jobs->lab.store, run, &o, ignore_score,
                                NULL);
}

/*
 * Jobs are ordered by seed, so that a report stopped early leaves whole seeds.
 * A run has no score if its loss or its parent's stopped being finite; that
 * does not stop other jobs.
 */
static locant_status train_and_score(struct lct_job *job)
{
    const struct lct_task_plan *plan = job->jobs->state;
    const size_t encodings = plan->report->n, e = job->i % encodings;
    const struct lct_planned_task *task =
        &plan->task[job->i / encodings % plan->n];
    const size_t seed = job->i / encodings / plan->n;
    locant_store *store = job->jobs->lab.store;
    locant_train_options o = task->train;
    int64_t run = 0;

    o.encoding = task->specs[e];
    o.seed = seed + 1;
    if (task->task->info.fine_tune) {
        o.parent = plan->report->runs[seed * encodings + e];
        if (lct_run_failed(store, o.parent))
            return LOCANT_OK;
    }
    LCT_TRY(lct_job_train(&run, job, &o));
    return lct_run_failed(store, run) ? LOCANT_OK : score(job, task, run);
}

locant_status lct_task_plan_run(struct lct_task_plan *plan,
                                const struct lct_lab *lab)
{
    const struct lct_stage stage = {
        train_and_score, plan->n * plan->report->n * (size_t)plan->seeds
    };
    struct lct_jobs jobs = {
        .state = plan,
        .phase = "tasks",
        .lab = *lab,
        .train_cost = (double)(LCT_TRAIN_COST * plan->trained),
        .total_cost = (double)(LCT_TRAIN_COST * plan->trained + plan->tested)
    };

    return lct_jobs_run(&jobs, &stage, 1);
}
