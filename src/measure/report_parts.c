/* report_parts.c - the table of the parts of a report that take long */
#include "report_parts.h"
#include "../store/notice.h"
#include "jobs.h"
#include <math.h>
#include <stdio.h>

/* Multiplications per token, without attention: the number of weights. */
static double multiplications(const locant_train_options *o)
{
    const struct lct_model_config c = lct_train_config(o, NULL);

    return (double)(c.layers * (4 * c.width * c.width + 2 * c.width * c.ff) +
                    c.vocab * c.width);
}

/* -------------------------------------------------------------------- plan */

static locant_status create_plan(struct lct_report_parts *parts,
                                 const locant_report_options *o)
{
    return lct_plan_create(&parts->plan, o);
}

static double plan_weights(const struct lct_report_parts *parts)
{
    return multiplications(&parts->plan.train);
}

static double plan_effort(const struct lct_report_parts *parts)
{
    return parts->plan.seeds * lct_plan_cost(&parts->plan) *
           plan_weights(parts);
}

static locant_status run_plan(struct lct_results *r,
                              struct lct_report_parts *parts,
                              const struct lct_lab *lab)
{
    LCT_TRY(lct_plan_run(&parts->plan, lab));
    return lct_results_collect(r, &parts->plan, lab->store, lab->corpus);
}

/* --------------------------------------------------------------- extension
   */
static locant_status create_extension(struct lct_report_parts *parts,
                                      const locant_report_options *o)
{
    parts->extension = lct_extension_plan(o->preset);
    return LOCANT_OK;
}
static double extension_effort(const struct lct_report_parts *parts)
{
    const struct lct_extension_plan *p = parts->extension;
    locant_train_options o;

    if (p == NULL)
        return 0;
    o = lct_extension_options(p);
    o.vocabulary = parts->plan.train.vocabulary;
    return lct_extension_cost(p) * multiplications(&o);
}
static locant_status run_extension(struct lct_results *r,
                                   struct lct_report_parts *parts,
                                   const struct lct_lab *lab)
{
    return lct_extension_run(&r->extension, parts->extension, lab);
} /*
   ----------------------------------------------------------------- surface */

static locant_status create_surface(struct lct_report_parts *parts,
                                    const locant_report_options *o)
{
    return lct_surface_create(&parts->surface, &parts->plan, o);
}

static double surface_effort(const struct lct_report_parts *parts)
{
    return parts->surface
               ? lct_surface_cost(parts->surface) * plan_weights(parts)
               : 0;
}

static locant_status run_surface(struct lct_results *r,
                                 struct lct_report_parts *parts,
                                 const struct lct_lab *lab)
{
    LCT_TRY(lct_surface_run(parts->surface, &parts->plan, lab));
    r->surface = parts->surface;
    parts->surface = NULL;
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- tasks */

static locant_status create_tasks(struct lct_report_parts *parts,
                                  const locant_report_options *o)
{
    return lct_task_plan_create(&parts->tasks, &parts->plan, o->tasks);
}

static double tasks_effort(const struct lct_report_parts *parts)
{
    double sum = 0;

    for (size_t i = 0; i < parts->tasks.n; i++) {
        const struct lct_planned_task *t = &parts->tasks.task[i];
        const locant_train_options *o = &t->train;

        sum += (double)parts->plan.n * parts->tasks.seeds * multiplications(o) *
               (double)(LCT_TRAIN_COST * o->steps * o->batch * o->length +
                        t->tested);
    }
    return sum;
}

static locant_status run_tasks(struct lct_results *r,
                               struct lct_report_parts *parts,
                               const struct lct_lab *lab)
{
    (void)r; /* scores are read from the store later */
    return lct_task_plan_run(&parts->tasks, lab);
}

/* --------------------------------------------------------------------- all */

static const struct part {
    const char *name;
    unsigned with; /* LOCANT_WITH_..; 0: part of every report */
    locant_status (*create)(struct lct_report_parts *parts,
                            const locant_report_options *o);
    double (*effort)(
        const struct lct_report_parts *parts); /* multiplications */
    locant_status (*run)(struct lct_results *r, struct lct_report_parts *parts,
                         const struct lct_lab *lab);
} table[LCT_REPORT_PARTS] = {
    { "report", 0, create_plan, plan_effort, run_plan },
    { "extension", LOCANT_WITH_EXTENSION, create_extension, extension_effort,
      run_extension },
    { "surface", LOCANT_WITH_SURFACE, create_surface, surface_effort,
      run_surface },
    { "tasks", LOCANT_WITH_TASKS, create_tasks, tasks_effort, run_tasks },
};

locant_status lct_report_parts_create(struct lct_report_parts *out,
                                      const locant_report_options *options)
{
    *out = (struct lct_report_parts){ .surface = NULL };
    for (int i = 0; i < LCT_REPORT_PARTS; i++)
        if (table[i].with == 0 || options->with & table[i].with)
            LCT_TRY(table[i].create(out, options));
    return LOCANT_OK;
}

void lct_report_parts_free(struct lct_report_parts *parts)
{
    lct_task_plan_free(&parts->tasks);
    lct_surface_free(parts->surface);
    lct_plan_free(&parts->plan);
}

void lct_report_parts_fit(struct lct_report_parts *parts)
{
    lct_task_plan_fit(&parts->tasks);
    if (parts->surface)
        lct_surface_fit(parts->surface, &parts->plan);
}

void lct_report_parts_forecast(double seconds[LCT_REPORT_PARTS],
                               const struct lct_report_parts *parts,
                               double seed_seconds)
{
    const double per_multiplication =
        seed_seconds * parts->plan.seeds / plan_effort(parts);

    for (int i = 0; i < LCT_REPORT_PARTS; i++)
        seconds[i] = per_multiplication * table[i].effort(parts);
}

void lct_report_parts_announce(const struct lct_report_parts *parts,
                               const double seconds[LCT_REPORT_PARTS],
                               locant_progress_fn progress, void *context)
{
    char text[256];
    int n = 0;

    if (parts->tasks.n > 0)
        lct_notice("tasks", parts->tasks.message, progress, context);
    for (int i = 1; i < LCT_REPORT_PARTS; i++)
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

locant_status lct_report_parts_run(struct lct_results *r,
                                   struct lct_report_parts *parts,
                                   const struct lct_lab *lab)
{
    for (int i = 0; i < LCT_REPORT_PARTS; i++)
        if (table[i].effort(parts) > 0)
            LCT_TRY(table[i].run(r, parts, lab));
    return LOCANT_OK;
}
