/* results.c - reads what a page shows from store and checkpoints */
#define _GNU_SOURCE
#include "../group/build.h"
#include "../store/speed.h"
#include "../store/store_texts.h"
#include "../train/load_trained.h"
#include "extension.h"
#include "measures.h"
#include "probe.h"
#include "surface.h"
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ----------------------------------------------------------------- machine */

/* "model name" of /proc/cpuinfo, or the name of the architecture. */
static void read_cpu(char *out, size_t size)
{
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");

    snprintf(out, size, "unknown CPU");
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');

        if (strncmp(line, "model name", 10) != 0 || colon == NULL)
            continue;
        colon[1 + strcspn(colon + 1, "\n")] = 0;
        snprintf(out, size, "%s", colon + 1 + strspn(colon + 1, " "));
        break;
    }
    if (f)
        fclose(f);
}

static void set_provenance(struct lct_results *r)
{
    read_cpu(r->cpu, sizeof r->cpu);
    snprintf(r->isa, sizeof r->isa, "%s", locant_isa());
    snprintf(r->compiler, sizeof r->compiler, "%s", lct_compiler());
    lct_store_now(r->date);
    r->threads = locant_threads();
}

/* --------------------------------------------------------------------- runs */

static void set_undefined(locant_evaluation *e)
{
    for (int i = 0; i < LOCANT_EVAL_LENGTHS; i++) {
        e->length[i] = INT64_C(128) << i;
        e->same_targets[i] = NAN;
    }
    for (int i = 0; i < LOCANT_EVAL_BUCKETS; i++)
        e->by_position[i] = NAN;
    e->own_window = e->valid = NAN;
    e->shuffled = e->replaced = e->truncated = NAN;
    e->causality = e->tokens_per_second = NAN;
}

static locant_status read_evaluation(struct lct_result *out, int64_t blocks,
                                     locant_store *store, const char *sha)
{
    bool found = false;

    set_undefined(&out->eval);
    if (blocks == 0 || strcmp(out->run.status, "done") != 0)
        return LOCANT_OK;
    LCT_TRY(lct_store_load_evaluation(&out->eval, &out->block_loss, &found,
                                      store, out->run.id, sha, blocks));
    if (!found)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_report_run: run %" PRId64 " was evaluated,"
                           " but its evaluation is gone from the store",
                           out->run.id);
    return lct_measures_read(out, store, blocks);
}

static locant_status read_curve(struct lct_result *out, locant_store *store)
{
    struct lct_metric *m;
    size_t n;

    LCT_TRY(lct_store_read_metrics(&m, &n, store, out->run.id));
    out->step = locant_alloc(4 * (n + 1) * sizeof *out->step);
    if (out->step == NULL) {
        locant_release(m);
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_report_run: no memory for %zu steps", n);
    }
    out->step_loss = out->step + n;
    out->step_norm = out->step_loss + n;
    out->step_own_norm = out->step_norm + n;
    for (size_t i = 0; i < n; i++) {
        out->step[i] = (double)m[i].step;
        out->step_loss[i] = m[i].loss;
        out->step_norm[i] = m[i].grad_norm;
        out->step_own_norm[i] = m[i].encoding_norm;
    }
    out->n_steps = n;
    locant_release(m);
    return LOCANT_OK;
}

locant_status lct_read_result(struct lct_result *out, int64_t blocks,
                              locant_store *store, int64_t id, const char *sha)
{
    struct lct_run_extra extra;
    struct lct_speed speed;

    LCT_TRY(locant_store_run(&out->run, store, id));
    LCT_TRY(lct_store_read_run_extra(&extra, store, id));
    memcpy(out->batch_checksum, extra.batch_checksum,
           sizeof out->batch_checksum);
    out->bytes = extra.bytes;
    LCT_TRY(lct_speed_read(&speed, store, id));
    out->forward_ms = speed.forward;
    out->backward_ms = speed.backward;
    LCT_TRY(read_evaluation(out, blocks, store, sha));
    return read_curve(out, store);
}

/* ------------------------------------------------------- learned parameters */

static locant_status copy_param(locant_tensor *out, const locant_tensor *t)
{
    size_t n = 1;

    for (int i = 0; i < t->rank; i++)
        n *= (size_t)t->shape[i];
    *out = *t;
    out->data = locant_alloc(n * locant_dtype_size(t->dtype));
    if (out->data == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_report_run: no memory for a parameter");
    memcpy(out->data, t->data, n * locant_dtype_size(t->dtype));
    return LOCANT_OK;
}

static locant_status copy_params(struct lct_group *g, struct lct_model *model)
{
    locant_tensor view[LCT_GROUP_PARAMS];
    const int n = lct_view_params(view, model);

    for (; g->n_params < n; g->n_params++)
        LCT_TRY(copy_param(&g->params[g->n_params], &view[g->n_params]));
    return LOCANT_OK;
}

locant_status lct_read_params(struct lct_group *g, locant_store *store)
{
    const locant_run_info *run = &g->results[0].run;
    struct lct_model *model = NULL;
    locant_encoding *e = NULL;
    locant_status status;

    if (strcmp(run->status, "done") != 0)
        return LOCANT_OK;
    status = lct_load_trained(&model, &e, store, run, 1);
    if (status == LOCANT_OK)
        status = copy_params(g, model);
    lct_model_free(model);
    locant_encoding_free(e);
    return status;
}

/* ------------------------------------------------------------------- groups */

locant_status lct_group_set(struct lct_group *g, const char *spec)
{
    locant_encoding *e;

    LCT_TRY(locant_encoding_create(&e, spec));
    snprintf(g->spec, sizeof g->spec, "%s", spec);
    g->info = locant_encoding_info_of(e);
    g->doors = locant_encoding_doors(e);
    g->traits = locant_encoding_traits(e);
    g->reach = locant_encoding_length_limit(e);
    locant_encoding_free(e);
    return LOCANT_OK;
}

static locant_status read_group(struct lct_group *g, size_t index,
                                const struct lct_plan *plan,
                                locant_store *store, const char *sha)
{
    LCT_TRY(lct_group_set(g, plan->specs[index]));
    g->rate = plan->rate[index];
    for (int k = 0; k < plan->n_rates; k++)
        g->valid[k] = plan->valid[(size_t)k * plan->n + index];
    g->results = locant_alloc((size_t)plan->seeds * sizeof *g->results);
    if (g->results == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_report_run: no memory for %d seeds",
                           plan->seeds);
    for (size_t s = 0; s < (size_t)plan->seeds; s++) {
        const int64_t run = plan->runs[s * plan->n + index];

        if (run == 0) /* other encodings have more seeds */
            continue;
        g->n++; /* so that what was read is released after a failure */
        LCT_TRY(lct_read_result(&g->results[g->n - 1], plan->blocks, store, run,
                                sha));
    }
    return lct_read_params(g, store);
}

locant_status lct_results_collect(struct lct_results *r,
                                  const struct lct_plan *plan,
                                  locant_store *store,
                                  const locant_corpus *corpus)
{
    *r = (struct lct_results){ 0 };
    r->preset = plan->name;
    r->layers = plan->train.layers;
    r->heads = plan->train.heads;
    r->width = plan->train.width;
    r->trained_length = plan->train.length;
    r->judged = plan->judged;
    r->n_rates = plan->n_rates;
    memcpy(r->rates, plan->rates, sizeof r->rates);
    r->corpus = *locant_corpus_info_of(corpus);
    r->text_kept = lct_store_keeps_text(corpus);
    r->n_folders = lct_corpus_folders(r->folders, corpus);
    set_provenance(r);
    r->groups = locant_alloc(plan->n * sizeof *r->groups);
    if (r->groups == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_report_run: no memory for %zu encodings",
                           plan->n);
    r->n = plan->n;
    for (size_t i = 0; i < plan->n; i++)
        LCT_TRY(read_group(&r->groups[i], i, plan, store, r->corpus.sha256));
    return lct_results_read_references(r, plan, store, corpus);
}

static void free_group(struct lct_group *g)
{
    for (size_t s = 0; s < g->n; s++) {
        locant_release(g->results[s].block_loss);
        for (int m = 0; m < LCT_MEASURES; m++)
            locant_release(g->results[s].more[m]);
        locant_release(g->results[s].step);
    }
    for (int i = 0; i < g->n_params; i++)
        locant_release(g->params[i].data);
    json_decref(g->probe);
    locant_release(g->results);
}

void lct_results_free(struct lct_results *r)
{
    for (size_t i = 0; i < r->n; i++)
        free_group(&r->groups[i]);
    locant_release(r->groups);
    lct_extension_free(r->extension);
    lct_surface_free(r->surface);
    locant_release(r->tasks);
    json_decref(r->numbers);
    *r = (struct lct_results){ 0 };
}

/* --------------------------------------------------------------------- rows */

/* Mean and half width of the interval over seeds; NAN if a seed has no loss. */
static void interval(double *mean, double *half, const struct lct_group *g,
                     int k)
{
    double x[1000];
    size_t n = 0;

    for (size_t s = 0; s < g->n && n < sizeof x / sizeof x[0]; s++)
        x[n++] = g->results[s].eval.same_targets[k];
    *mean = *half = NAN;
    if (n > 0)
        lct_t_interval(mean, half, x, n, .95);
}

void lct_report_row_of(locant_report_row *row, const struct lct_group *g)
{
    const int last = LOCANT_EVAL_LENGTHS - 1;
    double n = (double)g->n;

    *row = (locant_report_row){ .seeds = (int)g->n };
    memcpy(row->encoding, g->spec, sizeof row->encoding);
    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++) {
        row->length[k] = g->results[0].eval.length[k];
        interval(&row->loss[k], &row->half_width[k], g, k);
    }
    row->parameters = g->results[0].run.parameters;
    row->encoding_parameters = g->results[0].run.encoding_parameters;
    row->bytes = g->results[0].bytes;
    for (size_t s = 0; s < g->n; s++) {
        const struct lct_result *r = &g->results[s];

        row->gain += (r->eval.own_window - r->eval.same_targets[last]) / n;
        row->train_tokens_per_second += r->run.tokens_per_second / n;
        row->eval_tokens_per_second += r->eval.tokens_per_second / n;
        row->seconds += r->run.seconds / n;
    }
}
