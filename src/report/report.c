/* report.c - runs the report job, from options to page */
#define _GNU_SOURCE
#include "../measure/forecast.h"
#include "../measure/gates.h"
#include "../measure/numbers.h"
#include "../measure/plan_chosen.h"
#include "../measure/properties.h"
#include "../measure/results_tasks.h"
#include "../measure/study.h"
#include "../measure/report_parts.h"
#include "../measure/sweep.h"
#include "../store/clock.h"
#include "../store/store_texts.h"
#include "export.h"
#include "gate_text.h"
#include "page.h"
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Check early, before hours of work, that the page can be written. */
static locant_status check_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;
    char *folder = locant_alloc(n + 2);
    int refused;
    struct stat st;

    if (folder == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", path);
    memcpy(folder, path, n);
    if (n == 0)
        folder[0] = slash ? '/' : '.';
    refused = access(folder, W_OK | X_OK) != 0 ? errno : 0;
    locant_release(folder);
    if (refused)
        return locant_fail(LOCANT_ERR_IO, "%s: cannot be written: %s", path,
                           strerror(refused));
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return locant_fail(LOCANT_ERR_IO, "%s: is a folder, expected a file",
                           path);
    return LOCANT_OK;
}

/* The document as text, allocated with locant_alloc(). */
static locant_status write_json(char **out, const struct lct_results *r)
{
    const size_t flags = JSON_COMPACT;
    size_t bytes = json_dumpb(r->numbers, NULL, 0, flags);

    *out = bytes > 0 ? locant_alloc(bytes + 1) : NULL;
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_report_run: no memory for %zu bytes of"
                           " numbers",
                           bytes);
    (*out)[json_dumpb(r->numbers, *out, bytes, flags)] = 0;
    return LOCANT_OK;
}

static locant_status fill_report(locant_report *out,
                                 const struct lct_results *r)
{
    *out = (locant_report){ 0 };
    LCT_TRY(write_json(&out->json, r));
    out->rows = locant_alloc(r->n * sizeof *out->rows);
    if (out->rows == NULL) {
        locant_report_free(out);
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_report_run: no memory for %zu rows", r->n);
    }
    out->n_rows = r->n;
    for (size_t i = 0; i < r->n; i++)
        lct_report_row_of(&out->rows[i], &r->groups[i]);
    memcpy(out->gates, r->gates, sizeof out->gates);
    out->corpus = r->corpus;
    out->seconds = r->seconds;
    out->vocabulary = r->vocabulary;
    return LOCANT_OK;
}

static locant_status write_page(locant_report *out, struct lct_results *r,
                                const locant_report_options *o, double begun)
{
    snprintf(r->commit, sizeof r->commit, "%s",
             o->commit ? o->commit : locant_version());
    LCT_TRY(lct_properties_gate(r));
    LCT_TRY(lct_gates_check(r));
    for (int i = 0; i < LCT_PAGE_GATES; i++)
        lct_gate_text_say(&r->gates[i]);
    r->seconds = lct_clock() - begun;
    LCT_TRY(lct_numbers_create(&r->numbers, r));
    LCT_TRY(lct_page_write(o->path, r));
    if (o->export_folder != NULL)
        LCT_TRY(lct_export_write(o->export_folder, r));
    LCT_TRY(lct_forecast_notify_effect(r, o->progress, o->context));
    return out ? fill_report(out, r) : LOCANT_OK;
}

/* The caller's progress callback, and the total that it was last given. */
struct listener {
    locant_progress_fn progress;
    void *context;
    int64_t total;
};

static int forward_progress(const locant_progress *p, void *context)
{
    struct listener *to = context;

    to->total = p->total;
    return to->progress ? to->progress(p, to->context) : 0;
}

/* Probing comes after all counted work, which it therefore reports as done. */
static int forward_probing(const locant_progress *p, void *context)
{
    const struct listener *to = context;
    locant_progress whole = *p;

    whole.done = whole.total = to->total > 0 ? to->total : 1;
    return to->progress ? to->progress(&whole, to->context) : 0;
}

/* Decides how many seeds fit the time limit, and announces all the work. */
static locant_status forecast(struct lct_forecast *f,
                              struct lct_report_parts *parts,
                              locant_store *store, const locant_corpus *corpus,
                              const locant_report_options *o)
{
    double seconds[LCT_REPORT_PARTS];

    LCT_TRY(lct_forecast(f, &parts->plan, o, store, corpus));
    lct_report_parts_fit(parts);
    lct_report_parts_forecast(seconds, parts, f->seconds_per_seed);
    lct_report_parts_announce(parts, seconds, o->progress, o->context);
    return LOCANT_OK;
}

static void keep_forecast(struct lct_results *r, const struct lct_forecast *f)
{
    r->forecast = f->total;
    r->limit = f->limit;
    r->seeds_asked = f->asked;
}

/* Train and evaluate what the store lacks, and collect the results. */
static locant_status train(struct lct_results *r,
                           struct lct_report_parts *parts,
                           const struct lct_lab *lab,
                           const locant_report_options *o)
{
    struct lct_forecast estimate;

    LCT_TRY(forecast(&estimate, parts, lab->store, lab->corpus, o));
    LCT_TRY(lct_report_parts_run(r, parts, lab));
    keep_forecast(r, &estimate);
    return LOCANT_OK;
}

/* Evaluate what the store lacks of the chosen runs, and collect the results. */
static locant_status compare(struct lct_results *r, struct lct_plan *plan,
                             const struct lct_lab *lab)
{
    LCT_TRY(lct_plan_evaluate(plan, lab));
    return lct_results_collect(r, plan, lab->store, lab->corpus);
}

static locant_status make(locant_report *out, struct lct_report_parts *parts,
                          const locant_corpus *corpus,
                          const locant_report_options *o)
{
    double begun = lct_clock();
    struct listener to = { o->progress, o->context, 0 };
    struct lct_lab lab = { .corpus = corpus,
                           .progress = forward_progress,
                           .context = &to,
                           .optimizer = parts->plan.train.optimizer,
                           .task_optimizer =
                               o->optimizer == LOCANT_OF_PRESET
                                   ? LOCANT_ADAMW
                                   : (locant_optimizer)o->optimizer,
                           .vocabulary = parts->plan.train.vocabulary };
    struct lct_results results = { 0 };
    locant_status status;

    LCT_TRY(locant_store_open(&lab.store, o->directory));
    locant_store_any_isa(lab.store, o->any_isa);
    /* before a text is kept that may not be that of the runs */
    status = o->n_runs > 0 ? lct_plan_choose(&parts->plan, lab.store, corpus, o)
                           : LOCANT_OK;
    if (status == LOCANT_OK)
        status =
            lct_store_keep_source(lab.store, corpus, o->progress, o->context);
    if (status == LOCANT_OK)
        status = o->n_runs > 0 ? compare(&results, &parts->plan, &lab)
                               : train(&results, parts, &lab, o);
    if (status == LOCANT_OK)
        status = lct_results_read_tasks(&results, lab.store);
    if (status == LOCANT_OK)
        status = lct_results_probe(&results, lab.store,
                                   o->preset != LOCANT_PRESET_SMOKE,
                                   forward_probing, &to);
    if (status == LOCANT_OK)
        status = write_page(out, &results, o, begun);
    if (status == LOCANT_OK) {
        status = lct_sections_keep(lab.store, &results);
        if (status == LOCANT_OK)
            status = lct_study_keep(lab.store, &results, corpus, o);
        if (status != LOCANT_OK)
            locant_report_free(out);
    }
    lct_results_free(&results);
    locant_store_close(lab.store);
    return status;
}

/* Chosen runs decide what is compared, and nothing is trained. */
static locant_status check_chosen(const locant_report_options *o)
{
    if (o->n_runs > 0 && o->runs == NULL)
        return locant_fail(LOCANT_ERR_NULL,
                           "locant_report_run: runs is NULL, expected %zu runs",
                           o->n_runs);
    if (o->n_runs > 0 && (o->encodings || o->seeds || o->minutes || o->with ||
                          o->tasks || o->optimizer != LOCANT_OF_PRESET ||
                          o->vocabulary != LOCANT_OF_PRESET || o->plan))
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_report_run: runs were chosen, so encodings, "
                           "seeds, minutes, with, tasks, optimizer, vocabulary "
                           "and plan should be left out");
    return LOCANT_OK;
}

/* What a plan decides; the number of seeds then has no time limit. */
static locant_status adopt_plan(locant_report_options *o)
{
    struct lct_sweep sweep;

    if (o->plan == NULL)
        return LOCANT_OK;
    LCT_TRY(lct_sweep_open(&sweep, o->plan));
    o->preset = sweep.preset;
    lct_sweep_free(&sweep);
    return LOCANT_OK;
}

/* Check what can be checked before a store is made. */
static locant_status check(const struct lct_report_parts *parts,
                           const locant_corpus *corpus,
                           const locant_report_options *o)
{
    LCT_TRY(lct_plan_check_text(&parts->plan, corpus));
    LCT_TRY(check_path(o->path));
    return o->export_folder != NULL ? lct_export_check(o->export_folder)
                                    : LOCANT_OK;
}

locant_status locant_report_run(locant_report *out, const locant_corpus *corpus,
                                const locant_report_options *options)
{
    struct lct_report_parts parts;
    locant_report_options o;
    locant_status status;

    LCT_NOT_NULL(__func__, corpus);
    LCT_NOT_NULL(__func__, options);
    LCT_NOT_NULL(__func__, options->directory);
    LCT_NOT_NULL(__func__, options->path);
    LCT_TRY(lct_check_struct(__func__, options->struct_size, sizeof o));
    LCT_TRY(check_chosen(options));
    o = *options;
    LCT_TRY(adopt_plan(&o));
    status = lct_report_parts_create(&parts, &o);
    if (status == LOCANT_OK)
        status = check(&parts, corpus, &o);
    if (o.plan != NULL)
        o.seeds = parts.plan.seeds;
    if (status == LOCANT_OK)
        status = make(out, &parts, corpus, &o);
    lct_report_parts_free(&parts);
    return status;
}

void locant_report_free(locant_report *report)
{
    if (report == NULL)
        return;
    locant_release(report->rows);
    locant_release(report->json);
    *report = (locant_report){ 0 };
}
