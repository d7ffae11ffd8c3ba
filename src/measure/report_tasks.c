/* report_tasks.c - the tasks of a report trained and scored, side by side */
#define _POSIX_C_SOURCE 200809L
#include "report_tasks.h"
#include "job_waves.h"
#include <math.h>

struct job {
    const struct lct_task_plan *plan;
    locant_store *store;
    struct lct_job waves;
};

/* Job i: by seed first, so that a report stopped early leaves whole seeds. */
struct place {
    const struct lct_planned_task *task;
    size_t encoding, seed;
};

static struct place place_of(const struct lct_task_plan *plan, size_t i)
{
    const size_t encodings = plan->plan->n;

    return (struct place){&plan->task[i / encodings % plan->n], i % encodings,
                          i / encodings / plan->n};
}

/* Scores are read from the store, like those of other runs. */
static int ignore(const locant_task_score *score, void *context)
{
    (void)score;
    (void)context;
    return 0;
}

static locant_status score(struct lct_task_in_wave *t,
                           const struct lct_planned_task *task, int64_t run)
{
    const struct job *j = t->waves->job;
    locant_task_eval_options o = LOCANT_TASK_EVAL_INIT;

    o.items = task->items;
    o.progress = lct_wave_on_score;
    o.context = t;
    t->cost += (double)task->tested;
    t->last = 0;
    return locant_task_evaluate(j->store, run, &o, ignore, NULL);
}

/*
 * A run whose loss stopped being finite, or whose parent's did, has no score
 * and does not stop the others.
 */
static locant_status do_one(struct lct_task_in_wave *t, size_t i)
{
    const struct job *j = t->waves->job;
    const struct place at = place_of(j->plan, i);
    locant_train_options o = at.task->train;
    int64_t run = 0;

    o.encoding = at.task->specs[at.encoding];
    o.seed = at.seed + 1;
    if (at.task->task->info.fine_tune) {
        o.parent = j->plan->plan->runs[at.seed * j->plan->plan->n +
                                       at.encoding];
        if (lct_run_failed(j->store, o.parent))
            return LOCANT_OK;
    }
    LCT_TRY(lct_wave_train(&run, t, j->store, NULL, &o));
    if (lct_run_failed(j->store, run))
        return LOCANT_OK;
    return score(t, at.task, run);
}

void lct_task_plan_announce(const struct lct_task_plan *plan,
                            locant_progress_fn progress, void *context)
{
    const locant_progress p = {
        .phase = "tasks", .loss = NAN, .rate = NAN, .left = NAN,
        .notice = plan->sentence,
        .total = LCT_TRAIN_COST * plan->trained + plan->tested};

    if (plan->n > 0 && progress)
        (void)progress(&p, context); /* asks again when work begins */
}

locant_status lct_task_plan_run(const struct lct_task_plan *plan,
                                locant_store *store,
                                locant_progress_fn progress, void *context)
{
    struct job j = {.plan = plan, .store = store};
    locant_status status;

    lct_job_begin(&j.waves, &j, "tasks",
                  LCT_TRAIN_COST * (double)plan->trained +
                      (double)plan->tested, progress, context);
    status = lct_wave(&j.waves, do_one,
                      plan->n * plan->plan->n * (size_t)plan->seeds);
    lct_job_end(&j.waves);
    return status;
}
