/* works.c - the table of the long jobs that make up a report */
#include "works.h"
#include "../store/notice.h"
#include "jobs.h"
#include <math.h>
#include <stdio.h>

/* The arguments of lct_works_run(), passed to each job. */
struct setting {
    struct lct_results *r;
    struct lct_works *works;
    locant_store *store;
    const locant_corpus *corpus;
    locant_progress_fn progress;
    void *context;
};

/* Multiplications per token, without attention. */
static double weights(int64_t layers, int64_t width, int64_t ff)
{
    return (double)(layers * (4 * width * width + 2 * width * ff) +
                    LCT_VOCAB * width);
}

/* -------------------------------------------------------------------- plan */

static locant_status create_plan(struct lct_works *w,
                                 const locant_report_options *o)
{
    return lct_plan_create(&w->plan, o);
}

static double plan_weights(const struct lct_works *w)
{
    const locant_train_options *o = &w->plan.train;

    return weights(o->layers, o->width, o->ff);
}

static double plan_effort(const struct lct_works *w)
{
    return w->plan.seeds * lct_plan_cost(&w->plan) * plan_weights(w);
}

static locant_status run_plan(const struct setting *s)
{
    struct lct_plan *plan = &s->works->plan;

    LCT_TRY(lct_plan_run(plan, s->store, s->corpus, s->progress, s->context));
    return lct_results_collect(s->r, plan, s->store, s->corpus);
}

/* --------------------------------------------------------------- extension */

static locant_status create_extension(struct lct_works *w,
                                      const locant_report_options *o)
{
    w->extension = lct_extension_plan(o->preset);
    return LOCANT_OK;
}

static double extension_effort(const struct lct_works *w)
{
    const struct lct_extension_plan *p = w->extension;

    return p ? lct_extension_cost(p) * weights(p->layers, p->width, p->ff) : 0;
}

static locant_status run_extension(const struct setting *s)
{
    return lct_extension_run(&s->r->extension, s->works->extension, s->store,
                             s->corpus, s->progress, s->context);
}

/* ----------------------------------------------------------------- surface */

static locant_status create_surface(struct lct_works *w,
                                    const locant_report_options *o)
{
    return lct_surface_create(&w->surface, &w->plan, o);
}

static double surface_effort(const struct lct_works *w)
{
    return w->surface ? lct_surface_cost(w->surface) * plan_weights(w) : 0;
}

static locant_status run_surface(const struct setting *s)
{
    struct lct_surface *x = s->works->surface;

    LCT_TRY(lct_surface_run(x, &s->works->plan, s->store, s->corpus,
                            s->progress, s->context));
    s->r->surface = x;
    s->works->surface = NULL;
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- tasks */

static locant_status create_tasks(struct lct_works *w,
                                  const locant_report_options *o)
{
    return lct_task_plan_create(&w->tasks, &w->plan, o->tasks);
}

static double tasks_effort(const struct lct_works *w)
{
    double sum = 0;

    for (size_t i = 0; i < w->tasks.n; i++) {
        const struct lct_planned_task *t = &w->tasks.task[i];
        const locant_train_options *o = &t->train;

        sum += (double)w->plan.n * w->tasks.seeds *
               weights(o->layers, o->width, o->ff) *
               (double)(LCT_TRAIN_COST * o->steps * o->batch * o->length +
                        t->tested);
    }
    return sum;
}

static locant_status run_tasks(const struct setting *s)
{
    return lct_task_plan_run(&s->works->tasks, s->store, s->progress,
                             s->context);
}

/* --------------------------------------------------------------------- all */

static const struct work {
    const char *name;
    unsigned with; /* flag of --with; 0: part of every report */
    locant_status (*create)(struct lct_works *w,
                            const locant_report_options *o);
    double (*effort)(const struct lct_works *w); /* multiplications */
    locant_status (*run)(const struct setting *s);
} table[LCT_WORKS] = {
    { "report", 0, create_plan, plan_effort, run_plan },
    { "extension", LOCANT_WITH_EXTENSION, create_extension, extension_effort,
      run_extension },
    { "surface", LOCANT_WITH_SURFACE, create_surface, surface_effort,
      run_surface },
    { "tasks", LOCANT_WITH_TASKS, create_tasks, tasks_effort, run_tasks },
};

locant_status lct_works_create(struct lct_works *out,
                               const locant_report_options *options)
{
    *out = (struct lct_works){ .surface = NULL };
    for (int i = 0; i < LCT_WORKS; i++)
        if (table[i].with == 0 || options->with & table[i].with)
            LCT_TRY(table[i].create(out, options));
    return LOCANT_OK;
}

void lct_works_free(struct lct_works *works)
{
    lct_task_plan_free(&works->tasks);
    lct_surface_free(works->surface);
    lct_plan_free(&works->plan);
}

void lct_works_fit(struct lct_works *works)
{
    lct_task_plan_fit(&works->tasks);
    if (works->surface)
        lct_surface_fit(works->surface, &works->plan);
}

void lct_works_forecast(double seconds[LCT_WORKS],
                        const struct lct_works *works, double seed)
{
    const double each = seed * works->plan.seeds / plan_effort(works);

    for (int i = 0; i < LCT_WORKS; i++)
        seconds[i] = each * table[i].effort(works);
}

void lct_works_announce(const struct lct_works *works,
                        const double seconds[LCT_WORKS],
                        locant_progress_fn progress, void *context)
{
    char text[256];
    int n = 0;

    if (works->tasks.n > 0)
        lct_notice("tasks", works->tasks.message, progress, context);
    for (int i = 1; i < LCT_WORKS; i++)
        if (seconds[i] > 0)
            n += snprintf(text + n, sizeof text - (size_t)n,
                          seconds[i] < 60 ? "%s%s less than a minute"
                                          : "%s%s about %.1f minutes",
                          n ? ", " : "in addition, ", table[i].name,
                          seconds[i] / 60);
    if (n == 0)
        return;
    snprintf(text + n, sizeof text - (size_t)n,
             ", minus what the store already has");
    lct_notice("report", text, progress, context);
}

locant_status lct_works_run(struct lct_results *r, struct lct_works *works,
                            locant_store *store, const locant_corpus *corpus,
                            locant_progress_fn progress, void *context)
{
    const struct setting s = { r, works, store, corpus, progress, context };

    for (int i = 0; i < LCT_WORKS; i++)
        if (table[i].effort(works) > 0)
            LCT_TRY(table[i].run(&s));
    return LOCANT_OK;
}
