/* report_tasks_plan.c - the tasks of a report, and how much of each */
#include "report_tasks.h"
#include "results_tasks.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * T1 copies from known distances, T12 finds a needle, and T8 is solved by no
 * model of this size. With more time also T2, induction, and T9, flip-flop.
 */
static const struct budget {
    const char *preset, *tasks;
    int seeds;
    int64_t trained, tested; /* tokens a run; 0: as recommended */
} budgets[] = {
    { "smoke", "T1,T12,T8", 1, 48 << 10, 16 << 10 },
    { "quick", "T1,T12,T8", 2, 600 << 10, 240 << 10 },
    { "hour", "T1,T2,T12,T8", 3, 2400 << 10, 1 << 20 },
    { "full", "T1,T2,T9,T12,T8", 5, 0, 0 },
    { "homework", "T1,T12,T8", 2, 600 << 10, 240 << 10 },
};

static const struct budget *budget_of(const struct lct_plan *report)
{
    const size_t n = sizeof budgets / sizeof budgets[0];
    size_t i = 0;

    while (i + 1 < n && strcmp(budgets[i].preset, report->name) != 0)
        i++;
    return &budgets[i];
}

/* --------------------------------------------------------------- how much */

enum { LEAST_BATCH = 16, LEAST_STEPS = 300 };

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Batches are halved before steps are reduced: learning rates are chosen for a
   few hundred steps. */
static void fit_training(locant_train_options *o, int64_t tokens)
{
    if (tokens == 0)
        return;
    while (o->batch >= 2 * LEAST_BATCH &&
           tokens / (o->batch * o->length) < smaller(o->steps, LEAST_STEPS))
        o->batch /= 2;
    o->steps = smaller(o->steps, tokens / (o->batch * o->length));
    o->steps = o->steps > 0 ? o->steps : 1;
}

/* Tokens of one item of every test. */
static int64_t item_tokens(const struct lct_task *task)
{
    int64_t sum = 0;

    for (const locant_task_test *t = task->info.tests; t->length > 0; t++)
        sum += lct_task_size(task, t->length);
    return sum;
}

/* The needle of T12 is at one of eleven depths in rotation, so the number of
   items is a multiple of eleven. */
static int64_t fit_items(const struct lct_task *task, int64_t tokens)
{
    enum { DEPTHS = 11 };
    int64_t items = tokens / item_tokens(task) / DEPTHS * DEPTHS;

    if (tokens == 0)
        return task->info.items;
    return smaller(task->info.items, items > 0 ? items : DEPTHS);
}

/* --------------------------------------------------------------- which ones */

static locant_status add_task(struct lct_task_plan *out, const char *name,
                              size_t bytes, const struct budget *b)
{
    char id[24];
    struct lct_planned_task *t = &out->task[out->n];
    const struct lct_task *task;

    snprintf(id, sizeof id, "%.*s", (int)(bytes < 23 ? bytes : 23), name);
    task = lct_task_find(id);
    if (task == NULL)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_report_run: no task '%s';"
                           " 'locant tasks' names them",
                           id);
    for (size_t i = 0; i < out->n; i++)
        if (out->task[i].task == task)
            return locant_fail(LOCANT_ERR_PARAM,
                               "locant_report_run: task %s is given twice",
                               task->info.id);
    if (out->n == LCT_PLANNED_TASKS)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_report_run: more than %d tasks",
                           LCT_PLANNED_TASKS);
    t->task = task;
    LCT_TRY(locant_task_options(&t->train, task->info.id));
    if (task->info.fine_tune) {
        const locant_train_options *p = &out->report->train;

        t->train.length = p->length;
        t->train.layers = p->layers;
        t->train.width = p->width;
        t->train.heads = p->heads;
        t->train.ff = p->ff;
    }
    t->train.kv_heads = t->train.heads;
    fit_training(&t->train, b->trained);
    t->items = fit_items(task, b->tested);
    t->tested = t->items * item_tokens(task);
    out->n++;
    return LOCANT_OK;
}

static locant_status add_tasks(struct lct_task_plan *out, const char *ids,
                               const struct budget *b)
{
    while (*ids != '\0') {
        const size_t bytes = strcspn(ids, ",");

        LCT_TRY(add_task(out, ids, bytes, b));
        ids += bytes + (ids[bytes] == ',');
    }
    if (out->n == 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_report_run: no task is"
                           " named; 'locant tasks' names them");
    return LOCANT_OK;
}

/* --------------------------------------------------------------- encodings */

/*
 * Resolve an encoding of the report at the length of the task's rows. A length
 * that the user left out is the trained one, of the report or of the task.
 */
static locant_status resolve(char out[256], const struct lct_planned_task *t,
                             const char *spec, int64_t trained)
{
    char plain[256];
    locant_status status;

    lct_without_length(plain, spec, trained);
    status = lct_plan_resolve(out, plain, &t->train);
    if (status != LOCANT_OK)
        status =
            locant_fail(status, "locant_report_run: task %s with %.80s: %.280s",
                        t->task->info.id, spec, locant_last_error());
    return status;
}

static locant_status resolve_all(struct lct_task_plan *out)
{
    const struct lct_plan *report = out->report;

    out->specs = locant_alloc(out->n * report->n * sizeof *out->specs);
    if (out->specs == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_report_run: no memory for %zu tasks",
                           out->n);
    for (size_t i = 0; i < out->n; i++) {
        struct lct_planned_task *t = &out->task[i];

        t->specs = out->specs + i * report->n;
        for (size_t e = 0; e < report->n; e++)
            LCT_TRY(resolve(t->specs[e], t, report->specs[e],
                            report->train.length));
    }
    return LOCANT_OK;
}

/* -------------------------------------------------------------------- cost */

static void add_costs(struct lct_task_plan *out)
{
    const struct lct_plan *report = out->report;
    const locant_train_options *o = &report->train;
    const int64_t runs = (int64_t)report->n * out->seeds;
    const int64_t own = (int64_t)report->n * (report->seeds + report->n_rates) *
                        o->steps * o->batch * o->length;
    char names[160] = "";
    size_t used = 0;

    out->trained = out->tested = 0;
    for (size_t i = 0; i < out->n; i++) {
        const struct lct_planned_task *t = &out->task[i];

        out->trained +=
            runs * t->train.steps * t->train.batch * t->train.length;
        out->tested += runs * t->tested;
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     i ? ", " : "", t->task->info.id);
    }
    snprintf(out->message, sizeof out->message,
             "tasks %s: %" PRId64 " more run%s (%zu encoding%s, %d seed%s),"
             " trained on %.1f M tokens and tested on %.1f M; the report itself"
             " trains on %.1f M",
             names, runs * (int64_t)out->n,
             runs * (int64_t)out->n == 1 ? "" : "s", report->n,
             report->n == 1 ? "" : "s", out->seeds, out->seeds == 1 ? "" : "s",
             (double)out->trained / 1e6, (double)out->tested / 1e6,
             (double)own / 1e6);
}

locant_status lct_task_plan_create(struct lct_task_plan *out,
                                   const struct lct_plan *report,
                                   const char *ids)
{
    const struct budget *b = budget_of(report);

    *out = (struct lct_task_plan){ .report = report };
    out->seeds = b->seeds < report->seeds ? b->seeds : report->seeds;
    LCT_TRY(add_tasks(out, ids ? ids : b->tasks, b));
    LCT_TRY(resolve_all(out));
    add_costs(out);
    return LOCANT_OK;
}

void lct_task_plan_fit(struct lct_task_plan *plan)
{
    if (plan->n > 0 && plan->seeds > plan->report->seeds) {
        plan->seeds = plan->report->seeds;
        add_costs(plan);
    }
}

void lct_task_plan_free(struct lct_task_plan *plan)
{
    locant_release(plan->specs);
    *plan = (struct lct_task_plan){ 0 };
}
