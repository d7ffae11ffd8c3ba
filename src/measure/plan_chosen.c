/*
 * plan_chosen.c - a page of chosen runs: checks that they can be compared, and
 * evaluates what was not yet measured of them. Nothing is trained.
 *
 * Runs are sorted by id, so that the page depends on which runs are chosen and
 * not on the order in which they are named.
 */
#define _POSIX_C_SOURCE 200809L
#include "plan_chosen.h"
#include "jobs.h"
#include "measures.h"
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A run and its options; NULL if an older locant did not store them. */
struct chosen {
    locant_run_info run;
    json_t *options;
};

/* -------------------------------------------------------------- comparable */

/* What two runs differ in, as "steps (600 and 1500)". */
struct difference {
    char text[160];
};

static bool text_differs(struct difference *d, const char *what, const char *a,
                         const char *b, int width)
{
    if (strcmp(a, b) == 0)
        return false;
    snprintf(d->text, sizeof d->text, "%s (%.*s and %.*s)", what, width, a,
             width, b);
    return true;
}

static bool count_differs(struct difference *d, const char *what, int64_t a,
                          int64_t b)
{
    if (a == b)
        return false;
    snprintf(d->text, sizeof d->text, "%s (%" PRId64 " and %" PRId64 ")", what,
             a, b);
    return true;
}

/* Options of which two runs of one study may have different ones. */
static bool may_differ(const char *name)
{
    return strcmp(name, "encoding") == 0 || strcmp(name, "seed") == 0 ||
           strcmp(name, "checkpoint_every") == 0;
}

/* A missing option is one that was left out at its default, 0. */
static bool options_differ(struct difference *d, const json_t *a,
                           const json_t *b)
{
    const char *name;
    json_t *x;

    json_object_foreach((json_t *)a, name, x) {
        const json_t *y = json_object_get(b, name);

        if (may_differ(name) || json_equal(x, y))
            continue;
        if (json_is_string(x) || json_is_string(y))
            snprintf(d->text, sizeof d->text, "%.64s", name);
        else
            snprintf(d->text, sizeof d->text, "%.64s (%g and %g)", name,
                     json_number_value(x), json_number_value(y));
        return true;
    }
    return false;
}

/* The tokens of a model: 256 bytes or those of a vocabulary. */
static int64_t vocabulary_of(const locant_run_info *run)
{
    struct lct_model_config model;

    return lct_model_parse(&model, run->model) == LOCANT_OK ? model.vocab : 0;
}

static bool differ(struct difference *d, const struct chosen *x,
                   const struct chosen *y)
{
    const locant_run_info *a = &x->run, *b = &y->run;

    return text_differs(d, "text", a->corpus_sha256, b->corpus_sha256, 12) ||
           count_differs(d, "vocabulary", vocabulary_of(a), vocabulary_of(b)) ||
           count_differs(d, "trained length", a->length, b->length) ||
           count_differs(d, "steps", a->steps, b->steps) ||
           count_differs(d, "batch", a->batch, b->batch) ||
           text_differs(d, "optimizer", a->optimizer, b->optimizer, 8) ||
           (x->options && y->options &&
            (options_differ(d, x->options, y->options) ||
             options_differ(d, y->options, x->options))) ||
           text_differs(d, "model", a->model, b->model, 64);
}

static locant_status check_run(const locant_run_info *run)
{
    if (strcmp(run->status, "done") != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "run %" PRId64 " is %s, expected a finished run",
                           run->id, run->status);
    if (strcmp(run->source, "text") != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "run %" PRId64 " is on %s, expected a run on text",
                           run->id, run->source);
    if (run->parent != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "run %" PRId64 " begins with the parameters of run "
                           "%" PRId64 ", expected runs that begin anew",
                           run->id, run->parent);
    return LOCANT_OK;
}

/* Check run i against the first one, and that no earlier run is the same. */
static locant_status check_alike(const struct chosen *all, size_t i)
{
    const locant_run_info *run = &all[i].run;
    struct difference d;

    if (differ(&d, &all[0], &all[i]))
        return locant_fail(LOCANT_ERR_PARAM,
                           "runs %" PRId64 " and %" PRId64 " differ in %s, "
                           "expected runs that differ only in encoding and "
                           "seed",
                           all[0].run.id, run->id, d.text);
    for (size_t j = 0; j < i; j++)
        if (run->seed == all[j].run.seed &&
            strcmp(run->encoding, all[j].run.encoding) == 0)
            return locant_fail(LOCANT_ERR_PARAM,
                               "runs %" PRId64 " and %" PRId64 " are both of "
                               "%s with seed %" PRIu64 ", expected one of them",
                               all[j].run.id, run->id, run->encoding,
                               run->seed);
    return LOCANT_OK;
}

/* -------------------------------------------------------------------- read */

static locant_status read_run(struct chosen *out, locant_store *store,
                              int64_t id)
{
    char *text;

    LCT_TRY(locant_store_run(&out->run, store, id));
    LCT_TRY(check_run(&out->run));
    LCT_TRY(lct_store_read_run_options(&text, store, id));
    out->options = text ? json_loads(text, 0, NULL) : NULL;
    locant_release(text);
    return LOCANT_OK;
}

static int compare_ids(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Read the runs in order of id. *read counts those whose options are to be
   released. */
static locant_status read_runs(struct chosen *out, size_t *read,
                               locant_store *store, int64_t *ids, size_t n)
{
    qsort(ids, n, sizeof *ids, compare_ids);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && ids[i] == ids[i - 1])
            return locant_fail(LOCANT_ERR_PARAM,
                               "run %" PRId64 " is chosen twice", ids[i]);
        out[i].options = NULL;
        ++*read;
        LCT_TRY(read_run(&out[i], store, ids[i]));
        LCT_TRY(check_alike(out, i));
    }
    return LOCANT_OK;
}

/* ----------------------------------------------------------------- arrange */

/* The index of a spec in the plan, which gets it if it lacks it. */
static size_t index_of(struct lct_plan *plan, const char *spec)
{
    size_t e = 0;

    while (e < plan->n && strcmp(plan->specs[e], spec) != 0)
        e++;
    if (e == plan->n)
        snprintf(plan->specs[plan->n++], sizeof plan->specs[0], "%s", spec);
    return e;
}

/* Number of runs of a spec. */
static size_t runs_of(const char *spec, const struct chosen *all, size_t n)
{
    size_t found = 0;

    for (size_t i = 0; i < n; i++)
        found += strcmp(all[i].run.encoding, spec) == 0;
    return found;
}

/* The place of run i among those of its encoding, by seed. */
static size_t place_of(size_t i, const struct chosen *all, size_t n)
{
    size_t place = 0;

    for (size_t j = 0; j < n; j++)
        place += all[j].run.seed < all[i].run.seed &&
                 strcmp(all[j].run.encoding, all[i].run.encoding) == 0;
    return place;
}

static locant_status allocate(struct lct_plan *plan, const struct chosen *all,
                              size_t n)
{
    size_t most = 0;

    for (size_t i = 0; i < n; i++)
        most = (size_t)fmax((double)most,
                            (double)runs_of(all[i].run.encoding, all, n));
    plan->seeds = (int)most;
    plan->specs = locant_alloc(n * sizeof *plan->specs);
    plan->runs = locant_alloc(n * most * sizeof *plan->runs);
    plan->rate = locant_alloc(n * sizeof *plan->rate);
    if (!plan->specs || !plan->runs || !plan->rate)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_report_run: no memory for %zu runs", n);
    return LOCANT_OK;
}

/* Set the options of the runs, as far as a page states them. */
static locant_status set_options(struct lct_plan *plan, const struct chosen *c)
{
    const locant_run_info *run = &c->run;
    locant_train_options *o = &plan->train;
    struct lct_model_config model;

    LCT_TRY(lct_model_parse(&model, run->model));
    *o = (locant_train_options)LOCANT_TRAIN_INIT;
    lct_set_sizes(o, &model);
    o->vocabulary = model.vocab > LCT_VOCAB ? (int)model.vocab : 0;
    o->batch = run->batch;
    o->length = run->length;
    o->steps = run->steps;
    o->learning_rate =
        json_number_value(json_object_get(c->options, "learning_rate"));
    return LOCANT_OK;
}

/* The most blocks that any of the runs was evaluated on; 0: none was. */
static locant_status most_blocks(int64_t *most, locant_store *store,
                                 const struct chosen *all, size_t n)
{
    *most = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t blocks;

        LCT_TRY(lct_evaluated_blocks(&blocks, store, &all[i].run));
        *most = blocks > *most ? blocks : *most;
    }
    return LOCANT_OK;
}

static locant_status arrange(struct lct_plan *plan, locant_store *store,
                             const struct chosen *all, size_t n)
{
    int64_t blocks;

    LCT_TRY(most_blocks(&blocks, store, all, n));
    plan->blocks = blocks > 0 ? blocks : plan->blocks;
    LCT_TRY(set_options(plan, &all[0]));
    LCT_TRY(allocate(plan, all, n));
    for (size_t i = 0; i < n; i++)
        (void)index_of(plan, all[i].run.encoding);
    for (size_t k = 0; k < plan->n * (size_t)plan->seeds; k++)
        plan->runs[k] = 0;
    for (size_t i = 0; i < n; i++)
        plan->runs[place_of(i, all, n) * plan->n +
                   index_of(plan, all[i].run.encoding)] = all[i].run.id;
    for (size_t e = 0; e < plan->n; e++)
        plan->rate[e] = plan->train.learning_rate;
    return LOCANT_OK;
}

/* What remains of the plan of a preset; its arrays are released. */
static void keep_protocol(struct lct_plan *plan)
{
    const struct lct_plan old = *plan;
    struct lct_plan new = { .blocks = old.blocks, .judged = old.judged };

    memcpy(new.ngram_order, old.ngram_order, sizeof new.ngram_order);
    lct_plan_free(plan);
    *plan = new;
}

static locant_status check_text(const locant_run_info *run,
                                const locant_corpus *corpus)
{
    const char *sha = locant_corpus_info_of(corpus)->sha256;

    if (strcmp(run->corpus_sha256, sha) != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "run %" PRId64 " was trained on another text "
                           "(SHA-256 %.12s.., not %.12s..)",
                           run->id, run->corpus_sha256, sha);
    return LOCANT_OK;
}

locant_status lct_plan_choose(struct lct_plan *plan, locant_store *store,
                              const locant_corpus *corpus,
                              const locant_report_options *options)
{
    const size_t n = options->n_runs;
    struct chosen *all;
    int64_t *ids;
    size_t read = 0;
    locant_status status = LOCANT_OK;

    if (n == 0 || n > LCT_MOST_CHOSEN)
        return locant_fail(LOCANT_ERR_PARAM, "%zu runs, expected 1 to %d", n,
                           LCT_MOST_CHOSEN);
    all = locant_alloc(n * sizeof *all);
    ids = locant_alloc(n * sizeof *ids);
    if (all == NULL || ids == NULL)
        status = locant_fail(LOCANT_ERR_NOMEM, "no memory for %zu runs", n);
    if (status == LOCANT_OK) {
        memcpy(ids, options->runs, n * sizeof *ids);
        status = read_runs(all, &read, store, ids, n);
    }
    if (status == LOCANT_OK)
        status = check_text(&all[0].run, corpus);
    if (status == LOCANT_OK) {
        keep_protocol(plan);
        status = arrange(plan, store, all, n);
    }
    for (size_t i = 0; i < read; i++)
        json_decref(all[i].options);
    locant_release(ids);
    locant_release(all);
    return status;
}

/* ---------------------------------------------------------------- evaluate */

static locant_status evaluate(struct lct_job *job)
{
    const struct lct_jobs *all = job->jobs;
    const struct lct_plan *plan = all->state;
    const size_t e = job->i % plan->n;
    const int64_t run = plan->runs[job->i];
    locant_evaluation unused;

    if (run == 0) /* other encodings have more seeds */
        return LOCANT_OK;
    job->encoding = plan->specs[e];
    job->steps = plan->train.steps;
    lct_job_expect_tokens(job, lct_plan_evaluation_tokens(plan, e));
    LCT_TRY(lct_evaluate(&unused, all->lab.store, run, all->lab.corpus,
                         plan->blocks, lct_job_on_tick, job));
    return lct_measures_evaluate(all->lab.store, run, all->lab.corpus,
                                 plan->blocks, lct_job_on_tick, job);
}

locant_status lct_plan_evaluate(struct lct_plan *plan,
                                const struct lct_lab *lab)
{
    const struct lct_stage stage = { evaluate, plan->n * (size_t)plan->seeds };
    struct lct_jobs jobs = { .state = plan, .phase = "evaluate", .lab = *lab };

    for (size_t k = 0; k < stage.n; k++)
        if (plan->runs[k] != 0)
            jobs.total_cost += lct_plan_evaluation_tokens(plan, k % plan->n);
    return lct_jobs_run(&jobs, &stage, 1);
}
