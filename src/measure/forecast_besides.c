/*
 * forecast_besides.c - how long the jobs beside a report take, from what its
 * own models take a token: as much more or less as theirs have weights.
 */
#include "../store/notice.h"
#include "job_waves.h"
#include "extension.h"
#include "forecast.h"
#include "measures.h"
#include "surface.h"
#include <stdio.h>

/* Multiplications a token but for attention. */
static double weights(int64_t layers, int64_t width, int64_t ff)
{
    return (double)(layers * (4 * width * width + 2 * width * ff) +
                    LCT_VOCAB * width);
}

/* Tokens of a seed of the plan, trained ones thrice. */
static double cost_of(const struct lct_plan *plan)
{
    const locant_train_options *o = &plan->train;
    double sum = 0;

    for (size_t i = 0; i < plan->n; i++)
        sum += (double)(LCT_TRAIN_COST * o->steps * o->batch * o->length +
                        lct_evaluation_tokens(plan->blocks, o->length) +
                        lct_more_tokens(plan->blocks, plan->specs[i],
                                        o->length));
    return sum;
}

static double cost_of_tasks(const struct lct_task_plan *tasks)
{
    double sum = 0;

    for (size_t i = 0; i < tasks->n; i++) {
        const struct lct_planned_task *t = &tasks->task[i];
        const locant_train_options *o = &t->train;

        sum += (double)tasks->plan->n * tasks->seeds *
               weights(o->layers, o->width, o->ff) *
               (double)(LCT_TRAIN_COST * o->steps * o->batch * o->length +
                        t->tested);
    }
    return sum;
}

void lct_forecast_besides(struct lct_besides *out, const struct lct_forecast *f,
                          const struct lct_plan *plan,
                          const struct lct_extension_plan *extension,
                          const struct lct_surface *surface,
                          const struct lct_task_plan *tasks)
{
    const locant_train_options *o = &plan->train;
    const double token = f->seed / cost_of(plan);
    const double weight = token / weights(o->layers, o->width, o->ff);

    *out = (struct lct_besides){0};
    if (extension)
        out->extension = weight * lct_extension_cost(extension) *
                         weights(extension->layers, extension->width,
                                 extension->ff);
    if (surface)
        out->surface = token * lct_surface_cost(surface);
    out->tasks = weight * cost_of_tasks(tasks);
}

void lct_besides_tell(const struct lct_besides *x, locant_progress_fn progress,
                      void *context)
{
    const struct { const char *name; double seconds; } all[] = {
        {"extension", x->extension}, {"surface", x->surface},
        {"tasks", x->tasks}};
    char sentence[256];
    int n = 0;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].seconds > 0)
            n += snprintf(sentence + n, sizeof sentence - (size_t)n,
                          all[i].seconds < 60 ? "%s%s less than a minute"
                                              : "%s%s about %.1f minutes",
                          n ? ", " : "besides that, ", all[i].name,
                          all[i].seconds / 60);
    if (n > 0) {
        snprintf(sentence + n, sizeof sentence - (size_t)n,
                 ", less what the store has already");
        lct_notice("report", sentence, progress, context);
    }
}
