/*
 * report_part.c - trains one part of the runs of a report, in a store of its
 * own, and writes the plan that all parts follow.
 */
#define _GNU_SOURCE
#include "../store/notice.h"
#include "../store/run_sizes.h"
#include "../store/store_texts.h"
#include "plan.h"
#include "sweep.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a part cannot do: it has not the runs of the others. */
static locant_status check_options(const char *fn,
                                   const locant_report_options *o)
{
    LCT_TRY(lct_check_struct(fn, o->struct_size, sizeof *o));
    if (o->n_runs > 0 || o->with != 0 || o->export_folder != NULL ||
        o->minutes > 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: runs, with, export_folder and minutes are for"
                           " the report on the merged store",
                           fn);
    return LOCANT_OK;
}

static locant_status check_part(int part, int parts)
{
    if (parts >= 1 && parts <= LOCANT_MOST_PARTS && part >= 1 && part <= parts)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "locant_report_part: part %d of %d, expected 1 to %d of"
                       " at most %d",
                       part, parts, parts, LOCANT_MOST_PARTS);
}

/* directory/part-<i>-of-<n> */
static locant_status folder_of(char **out, const char *directory, int part,
                               int parts)
{
    const size_t size = strlen(directory) + 64;

    *out = locant_alloc(size);
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for a path",
                           directory);
    snprintf(*out, size, "%s/part-%d-of-%d", directory, part, parts);
    return LOCANT_OK;
}

/* Make the folder of all parts; the store makes that of its own. */
static locant_status open_part(locant_store **out, const char *folder,
                               const char *directory)
{
    mkdir(directory, 0777); /* if it failed, opening the store says why */
    return locant_store_open_alone(out, folder);
}

static void notify_round(const struct lct_plan *plan,
                         const locant_report_options *o)
{
    if (plan->n_rates == 0 || plan->rates_known)
        return;
    lct_notice("report",
               "this round tries learning rates; when all parts are merged,"
               " --make-plan writes the chosen ones into a plan, and --plan"
               " trains the seeds",
               o->progress, o->context);
}

static locant_status run_part(int64_t *runs, struct lct_plan *plan,
                              const locant_corpus *corpus,
                              const locant_report_options *o)
{
    struct lct_lab lab = { .corpus = corpus,
                           .progress = o->progress,
                           .context = o->context,
                           .optimizer = plan->train.optimizer,
                           .vocabulary = plan->train.vocabulary };
    locant_status status;
    char *folder;

    LCT_TRY(folder_of(&folder, o->directory, plan->part, plan->parts));
    status = open_part(&lab.store, folder, o->directory);
    locant_release(folder);
    LCT_TRY(status);
    locant_store_any_isa(lab.store, o->any_isa);
    notify_round(plan, o);
    status = lct_store_keep_source(lab.store, corpus, o->progress, o->context);
    if (status == LOCANT_OK)
        status = lct_plan_run(plan, &lab);
    locant_store_close(lab.store);
    if (runs != NULL)
        *runs = (int64_t)lct_plan_jobs(plan);
    return status;
}

locant_status locant_report_part(int64_t *runs, const locant_corpus *corpus,
                                 const locant_report_options *options, int part,
                                 int parts)
{
    struct lct_plan plan;
    locant_status status;

    LCT_NOT_NULL(__func__, corpus);
    LCT_NOT_NULL(__func__, options);
    LCT_NOT_NULL(__func__, options->directory);
    LCT_TRY(check_part(part, parts));
    LCT_TRY(check_options(__func__, options));
    LCT_TRY(lct_plan_create(&plan, options));
    plan.part = part;
    plan.parts = parts;
    status = lct_plan_check_text(&plan, corpus);
    if (status == LOCANT_OK)
        status = run_part(runs, &plan, corpus, options);
    lct_plan_free(&plan);
    return status;
}

/* -------------------------------------------------------------------- plan */

/* Choose the learning rates if the store has tried them all. */
static locant_status choose_rates(bool *chosen, struct lct_plan *plan,
                                  const locant_corpus *corpus,
                                  const char *directory)
{
    const char *sha = locant_corpus_info_of(corpus)->sha256;
    locant_store *store;
    locant_status status;
    size_t found;

    *chosen = plan->n_rates == 0;
    if (*chosen || access(directory, F_OK) != 0)
        return LOCANT_OK;
    LCT_TRY(locant_store_open_readonly(&store, directory));
    status = lct_plan_find_tried(&found, plan, store, corpus);
    *chosen = found == plan->n * (size_t)plan->n_rates;
    if (status == LOCANT_OK && *chosen)
        status = lct_choose_rates(plan, store, sha);
    locant_store_close(store);
    return status;
}

locant_status locant_report_make_plan(int *rates_chosen, const char *path,
                                      const locant_corpus *corpus,
                                      const locant_report_options *options)
{
    struct lct_plan plan;
    locant_status status;
    bool chosen = false;

    LCT_NOT_NULL(__func__, path);
    LCT_NOT_NULL(__func__, corpus);
    LCT_NOT_NULL(__func__, options);
    LCT_NOT_NULL(__func__, options->directory);
    LCT_TRY(check_options(__func__, options));
    LCT_TRY(lct_plan_create(&plan, options));
    status = choose_rates(&chosen, &plan, corpus, options->directory);
    if (status == LOCANT_OK)
        status = lct_sweep_write(path, &plan,
                                 locant_corpus_info_of(corpus)->sha256, chosen);
    if (status == LOCANT_OK && rates_chosen != NULL)
        *rates_chosen = chosen;
    lct_plan_free(&plan);
    return status;
}
