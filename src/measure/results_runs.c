/* results_runs.c - results of runs chosen by id, without a plan */
#include "results.h"
#include "../files/html.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

locant_status lct_evaluated_blocks(int64_t *blocks, locant_store *store,
                                   const locant_run_info *run)
{
    bool found;

    *blocks = 0;
    return lct_store_read(
        &found, store,
        "SELECT want FROM evaluations WHERE run = ?1 AND corpus_sha256 = ?2"
        " AND encoding = '' AND policy = '' AND lengths = ''"
        " ORDER BY id DESC LIMIT 1",
        "is>i", run->id, run->corpus_sha256, blocks);
}

/* Runs can stand in one figure if they differ only in encoding and seed. */
static locant_status check_alike(const locant_run_info *a,
                                 const locant_run_info *b)
{
    const char *what = strcmp(a->model, b->model) != 0           ? "models"
                       : a->length != b->length                  ? "lengths"
                       : a->steps != b->steps                    ? "steps"
                       : a->batch != b->batch                    ? "batches"
                       : strcmp(a->optimizer, b->optimizer) != 0 ? "optimizers"
                       : strcmp(a->corpus_sha256, b->corpus_sha256) != 0
                           ? "corpora"
                           : NULL;

    if (what)
        return locant_fail(LOCANT_ERR_PARAM,
                           "runs %" PRId64 " and %" PRId64 " are of different "
                           "%s, expected runs that differ in encoding and seed",
                           a->id, b->id, what);
    return LOCANT_OK;
}

/* The group of the run's encoding, created on first use, with room for n
   runs. */
static locant_status group_of(struct lct_group **out, struct lct_results *r,
                              const locant_store *s, const locant_run_info *run,
                              size_t n)
{
    struct lct_group *g = r->groups;
    for (size_t i = 0; i < r->n; i++, g++)
        if (strcmp(g->spec, run->encoding) == 0) {
            *out = g;
            return LOCANT_OK;
        }
    *g = (struct lct_group){ .n = 0 };
    LCT_TRY(lct_store_blame(lct_group_set(g, run->encoding), s, "run %" PRId64,
                            run->id));
    g->results = locant_alloc(n * sizeof *g->results);
    if (g->results == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for %zu runs", n);
    r->n++;
    *out = g;
    return LOCANT_OK;
}

static locant_status add_run(struct lct_results *r, locant_store *store,
                             int64_t id, const locant_run_info *first, size_t n,
                             bool ended)
{
    struct lct_group *g = NULL;
    locant_run_info run;
    int64_t blocks;

    LCT_TRY(locant_store_run(&run, store, id));
    if (ended && strcmp(run.status, "done") != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "run %" PRId64 " is %s, expected a finished run", id,
                           run.status);
    LCT_TRY(check_alike(first, &run));
    LCT_TRY(lct_evaluated_blocks(&blocks, store, &run));
    LCT_TRY(group_of(&g, r, store, &run, n));
    /* count the result before reading it, so that it is released if that
       fails */
    g->results[g->n] = (struct lct_result){ .bytes = 0 };
    g->n++;
    return lct_read_result(&g->results[g->n - 1], blocks, store, id,
                           run.corpus_sha256);
}

locant_status lct_results_of_runs(struct lct_results *r, locant_store *store,
                                  const int64_t *runs, size_t n, bool ended)
{
    struct lct_model_config model;
    locant_run_info first;

    *r = (struct lct_results){ .preset = "" };
    if (store->version < 2)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: a store of version "
                           "%" PRId64 ", expected 2 or later; commands that "
                           "write to it, such as 'locant report', upgrade it",
                           store->path, store->version);
    if (n == 0 || n > 4096)
        return locant_fail(LOCANT_ERR_PARAM, "%zu runs, expected 1 to 4096", n);
    LCT_TRY(locant_store_run(&first, store, runs[0]));
    LCT_TRY(lct_model_parse(&model, first.model));
    r->layers = model.layers;
    r->heads = model.heads;
    r->width = model.width;
    r->trained_length = first.length;
    r->vocabulary = model.vocab > LCT_VOCAB ? (int)model.vocab : 0;
    r->groups = locant_alloc(n * sizeof *r->groups);
    if (r->groups == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for %zu runs", n);
    for (size_t i = 0; i < n; i++)
        LCT_TRY(add_run(r, store, runs[i], &first, n, ended));
    if (!ended)
        return LOCANT_OK;
    LCT_TRY(lct_results_probe(r, store, false, NULL, NULL));
    return lct_read_params(&r->groups[0], store);
}

/* -------------------------------------------------------------------- list */

static int compare_ids(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Print increasing ids; three or more in sequence as a range. */
static void print_ids(struct lct_html *to, const int64_t *id, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t last = i;

        while (last + 1 < n && id[last + 1] == id[last] + 1)
            last++;
        if (last == i + 1)
            last = i;
        lct_html_format(to, "%s%" PRId64, i > 0 ? "," : "", id[i]);
        if (last > i)
            lct_html_format(to, "-%" PRId64, id[last]);
        i = last + 1;
    }
}

locant_status lct_results_list_runs(char **out, const struct lct_results *r)
{
    struct lct_html text = { .data = NULL };
    size_t n = 0, size;
    int64_t *id;

    *out = NULL;
    for (size_t i = 0; i < r->n; i++)
        n += r->groups[i].n;
    id = locant_alloc((n + 1) * sizeof *id);
    if (id == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for %zu runs", n);
    n = 0;
    for (size_t i = 0; i < r->n; i++)
        for (size_t s = 0; s < r->groups[i].n; s++)
            id[n++] = r->groups[i].results[s].run.id;
    qsort(id, n, sizeof *id, compare_ids);
    print_ids(&text, id, n);
    locant_release(id);
    return lct_html_finish(out, &size, &text, LOCANT_OK);
}
