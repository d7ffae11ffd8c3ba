/*
 * results_references.c - what models are compared with: n-grams of the same
 * text. They depend on no run, so the store keeps them.
 */
#define _POSIX_C_SOURCE 200809L
#include "../corpus/ngram.h"
#include "../corpus/tokens.h"
#include "evaluate.h"
#include "probe.h"
#include "results.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static locant_status count_cache(struct lct_results *r,
                                 const struct lct_split *parts, size_t seen,
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
    return lct_cache_loss(r->cache, parts, &job);
}

/* Count the n-grams on as many bytes as a model was trained on. */
static locant_status count(struct lct_results *r, const struct lct_split *parts,
                           size_t seen, const size_t *ends, size_t n)
{
    for (int i = 0; i < 2; i++)
        LCT_TRY(lct_ngram_loss(&r->ngram[i], parts, r->ngram_order[i], seen,
                               ends, n, LCT_EVAL_TARGETS));
    return count_cache(r, parts, seen, ends, n);
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

/* Bytes that a model is trained on, at most those of the training part. */
static size_t bytes_seen(const locant_train_options *o,
                         const struct lct_split *train)
{
    const size_t all = lct_tokens_in_bytes(train)->size;
    const size_t tokens = (size_t)(o->steps * o->batch * o->length);

    if (tokens >= train->size)
        return all;
    return train->ids
               ? (size_t)((double)tokens * (double)all / (double)train->size)
               : tokens;
}

/* Read the losses from the store, or count and store them. */
static locant_status find(struct lct_results *r, const struct lct_plan *plan,
                          locant_store *store, const struct lct_split *parts,
                          const size_t *ends, size_t n)
{
    const size_t seen = bytes_seen(&plan->train, &parts[LCT_TRAIN]);
    char key[224], *kept;
    bool found;
    int used = snprintf(key, sizeof key,
                        "references;1;%s;train=%zu,%zu;orders=%d,%d;"
                        "blocks=%" PRId64,
                        r->corpus.sha256, r->corpus.train_bytes, seen,
                        r->ngram_order[0], r->ngram_order[1], plan->blocks);

    if (r->vocabulary)
        snprintf(key + used, sizeof key - (size_t)used, ";vocabulary=%d",
                 r->vocabulary);
    LCT_TRY(lct_store_read_plan(&kept, store, key));
    found = kept != NULL && parse_losses(r, kept);
    locant_release(kept);
    if (found)
        return LOCANT_OK;
    LCT_TRY(count(r, parts, seen, ends, n));
    return store_losses(r, store, key);
}

locant_status lct_results_read_references(struct lct_results *r,
                                          const struct lct_plan *plan,
                                          locant_store *store,
                                          const locant_corpus *corpus)
{
    size_t *ends = locant_alloc((size_t)plan->blocks * sizeof *ends), n;
    const struct lct_split *parts, *test;
    const struct lct_vocabulary *v;
    locant_status status;

    if (ends == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_report_run: no memory for the blocks");
    for (int i = 0; i < 2; i++)
        r->ngram_order[i] = plan->ngram_order[i];
    r->cache_order = r->ngram_order[0] > r->ngram_order[1] ? r->ngram_order[0]
                                                           : r->ngram_order[1];
    r->vocabulary = plan->train.vocabulary;
    status = lct_tokens_vocabulary(&v, corpus, r->vocabulary);
    if (status == LOCANT_OK)
        status = lct_tokens_of(&parts, corpus, v);
    if (status == LOCANT_OK) {
        test = &parts[LCT_TEST];
        n = lct_choose_blocks(ends, (size_t)plan->blocks, test, LCT_EVAL_SEED);
        for (size_t b = 0; b < n; b++)
            r->scored_bytes += (int64_t)lct_tokens_bytes(
                test, ends[b] - LCT_EVAL_TARGETS, LCT_EVAL_TARGETS);
        if (r->vocabulary)
            r->bytes_per_token =
                (double)r->corpus.test_bytes / (double)test->size;
        status = find(r, plan, store, parts, ends, n);
    }
    locant_release(ends);
    return status;
}
