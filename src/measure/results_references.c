/*
 * results_references.c - what models are compared with: n-grams of the same
 * text. They depend on no run, so the store keeps them.
 */
#define _POSIX_C_SOURCE 200809L
#include "../corpus/ngram.h"
#include "evaluate.h"
#include "probe.h"
#include "results.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static locant_status count_cache(struct lct_results *r,
                                 const locant_corpus *corpus, size_t seen,
                                 const size_t *ends, size_t n)
{
    int64_t lengths[LOCANT_EVAL_LENGTHS];
    const struct lct_cache_job job = { .order = r->cache_order,
                                       .train_bytes = seen,
                                       .lengths = lengths,
                                       .n_lengths = LOCANT_EVAL_LENGTHS,
                                       .ends = ends,
                                       .blocks = n,
                                       .targets = LCT_EVAL_TARGETS,
                                       .seed = LCT_EVAL_SEED };

    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
        lengths[k] = INT64_C(128) << k;
    return lct_cache_loss(r->cache, corpus, &job);
}

/* Count the n-grams on as many bytes as a model was trained on. */
static locant_status count(struct lct_results *r, const struct lct_plan *plan,
                           const locant_corpus *corpus, size_t seen)
{
    size_t n;
    size_t *ends = locant_alloc((size_t)plan->blocks * sizeof *ends);
    locant_status status = LOCANT_OK;

    if (ends == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_report_run: no memory for the blocks");
    n = lct_choose_test_blocks(ends, (size_t)plan->blocks, corpus,
                               LCT_EVAL_SEED);
    for (int i = 0; i < 2 && status == LOCANT_OK; i++)
        status = lct_ngram_loss(&r->ngram[i], corpus, r->ngram_order[i], seen,
                                ends, n, LCT_EVAL_TARGETS);
    if (status == LOCANT_OK)
        status = count_cache(r, corpus, seen, ends, n);
    locant_release(ends);
    return status;
}

/* --------------------------------------------------------------------- kept */

enum { VALUES = 2 + LOCANT_EVAL_LENGTHS };

/* Loss i of those that the store keeps: the two n-grams, then the cache. */
static double *loss_at(struct lct_results *r, int i)
{
    return i < 2 ? &r->ngram[i] : &r->cache[i - 2];
}

/* Parse stored losses, null as NAN; false if locant did not write this
   text. */
static bool parse_losses(struct lct_results *r, const char *text)
{
    json_t *list = json_loads(text, 0, NULL);
    bool valid = json_array_size(list) == VALUES;

    for (int i = 0; i < VALUES && valid; i++) {
        const json_t *loss = json_array_get(list, (size_t)i);

        valid = json_is_real(loss) || json_is_null(loss);
        *loss_at(r, i) = json_is_real(loss) ? json_real_value(loss) : NAN;
    }
    json_decref(list);
    return valid;
}

static locant_status store_losses(struct lct_results *r, locant_store *store,
                                  const char *key)
{
    json_t *list = json_array();
    char text[32 * VALUES], *kept = NULL;
    locant_status status;
    size_t n;

    for (int i = 0; i < VALUES; i++)
        json_array_append_new(list, lct_real_json(*loss_at(r, i)));
    n = json_dumpb(list, text, sizeof text - 1, JSON_COMPACT);
    json_decref(list);
    if (n == 0 || n >= sizeof text)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_report_run: no memory for the references");
    text[n] = '\0';
    status = lct_store_keep_plan(&kept, store, key, text);
    locant_release(kept);
    return status;
}

locant_status lct_results_read_references(struct lct_results *r,
                                          const struct lct_plan *plan,
                                          locant_store *store,
                                          const locant_corpus *corpus)
{
    const locant_train_options *o = &plan->train;
    const size_t train_bytes = lct_corpus_split(corpus, LCT_TRAIN)->size;
    size_t seen = (size_t)(o->steps * o->batch * o->length);
    char key[192], *kept;
    bool found;

    if (seen > train_bytes)
        seen = train_bytes;
    for (int i = 0; i < 2; i++)
        r->ngram_order[i] = plan->ngram_order[i];
    r->cache_order = r->ngram_order[0] > r->ngram_order[1] ? r->ngram_order[0]
                                                           : r->ngram_order[1];
    snprintf(key, sizeof key,
             "references;1;%s;train=%zu,%zu;orders=%d,%d;"
             "blocks=%" PRId64,
             r->corpus.sha256, r->corpus.train_bytes, seen, r->ngram_order[0],
             r->ngram_order[1], plan->blocks);
    LCT_TRY(lct_store_read_plan(&kept, store, key));
    found = kept != NULL && parse_losses(r, kept);
    locant_release(kept);
    if (found)
        return LOCANT_OK;
    LCT_TRY(count(r, plan, corpus, seen));
    return store_losses(r, store, key);
}
