/*
 * ngram_cache.c - a byte n-gram mixed with one of the context: the reference
 * for how much a longer context can help.
 *
 * Kuhn and De Mori 1990, "A cache-based natural language model for speech
 * recognition", IEEE TPAMI 12(6), with bytes for words:
 *
 *     p(c | h) = (1 - w_d) p_fixed(c | h) + w_d p_cache(c | h)
 *
 * p_fixed is the interpolated n-gram of the training text; p_cache is one of
 * order 5, counted only on the bytes that a model with C bytes of context sees
 * before the target.  d, 0 .. 5, is the length of the longest end of the
 * context that the cache has seen before.  The six weights w_d are fitted for
 * each C on the validation text alone, by expectation maximisation (Jelinek and
 * Mercer 1980, "Interpolated estimation of Markov source parameters from sparse
 * data"):
 *
 *     w_d <- mean over targets of w_d p_cache / p,    starting at 1/2
 *
 * A mixture of two distributions with weights that sum to one sums to one.
 */
#include "ngram.h"
#include "../core/size.h"
#include <inttypes.h>
#include <math.h>

enum { ITERATIONS = 60, LONGEST = 2048 };

/* Probabilities of one target by both n-grams; depth is d. */
struct prediction {
    double fixed, cache;
    int depth;
};

double lct_cache_mix(const double weight[LCT_CACHE_ORDER + 1], double fixed,
                     double cache, int depth)
{
    return (1 - weight[depth]) * fixed + weight[depth] * cache;
}

/* Predict the targets of one block, each after C bytes of context. */
static locant_status predict_block(struct prediction *out,
                                   const struct lct_ngram *fixed,
                                   const uint8_t *bytes, size_t end, int64_t C,
                                   int64_t targets)
{
    const uint8_t *first = bytes + end - (size_t)C - 1;
    const size_t before = (size_t)(C - targets) + 1;
    struct lct_ngram *cache;
    locant_status status;

    LCT_TRY(lct_ngram_create(&cache, LCT_CACHE_ORDER, first, before));
    status = LOCANT_OK;
    for (size_t i = before; i <= (size_t)C && status == LOCANT_OK; i++) {
        *out++ = (struct prediction){
            lct_ngram_probability(fixed, first + i, i, first[i]),
            lct_ngram_probability(cache, first + i, i, first[i]),
            lct_ngram_depth(cache, first + i, i)
        };
        status = lct_ngram_add(cache, first + i, i, first[i]);
    }
    lct_ngram_free(cache);
    return status;
}

static locant_status predict(struct prediction *out,
                             const struct lct_ngram *fixed,
                             const struct lct_split *split, const size_t *ends,
                             size_t blocks, int64_t C, int64_t targets)
{
    for (size_t b = 0; b < blocks; b++)
        LCT_TRY(predict_block(out + b * (size_t)targets, fixed, split->bytes,
                              ends[b], C, targets));
    return LOCANT_OK;
}

/* Expectation maximisation; the likelihood is concave in each weight. */
static void fit(double weight[LCT_CACHE_ORDER + 1], const struct prediction *x,
                size_t n)
{
    for (int d = 0; d <= LCT_CACHE_ORDER; d++)
        weight[d] = .5;
    for (int i = 0; i < ITERATIONS; i++) {
        double share[LCT_CACHE_ORDER + 1] = { 0 };
        double targets[LCT_CACHE_ORDER + 1] = { 0 };

        for (size_t t = 0; t < n; t++) {
            const int d = x[t].depth;

            share[d] += weight[d] * x[t].cache /
                        lct_cache_mix(weight, x[t].fixed, x[t].cache, d);
            targets[d]++;
        }
        for (int d = 0; d <= LCT_CACHE_ORDER; d++)
            weight[d] = targets[d] > 0 ? share[d] / targets[d] : 0;
    }
}

static double loss_of(const double weight[LCT_CACHE_ORDER + 1],
                      const struct prediction *x, size_t n)
{
    double sum = 0;

    for (size_t t = 0; t < n; t++)
        sum -= log(lct_cache_mix(weight, x[t].fixed, x[t].cache, x[t].depth));
    return sum / (double)n;
}

/* For each length fit the weights on the blocks 'valid', then score the test
   blocks. 'room' is for the predictions of job->blocks blocks. */
static locant_status fit_and_score(double *out, const locant_corpus *corpus,
                                   const struct lct_ngram *fixed,
                                   const struct lct_cache_job *job,
                                   struct prediction *room, const size_t *valid,
                                   size_t n_valid)
{
    const size_t targets = (size_t)job->targets;
    double weight[LCT_CACHE_ORDER + 1];

    for (size_t k = 0; k < job->n_lengths; k++) {
        LCT_TRY(predict(room, fixed, lct_corpus_split(corpus, LCT_VALID), valid,
                        n_valid, job->lengths[k], job->targets));
        fit(weight, room, n_valid * targets);
        LCT_TRY(predict(room, fixed, lct_corpus_split(corpus, LCT_TEST),
                        job->ends, job->blocks, job->lengths[k], job->targets));
        out[k] = loss_of(weight, room, job->blocks * targets);
    }
    return LOCANT_OK;
}

static locant_status check(const struct lct_cache_job *job)
{
    if (job->blocks == 0 || job->targets < 1)
        return locant_fail(LOCANT_ERR_PARAM,
                           "lct_cache_loss: %zu blocks of %" PRId64
                           " targets, expected at least one of each",
                           job->blocks, job->targets);
    for (size_t k = 0; k < job->n_lengths; k++)
        if (job->lengths[k] < job->targets || job->lengths[k] > LONGEST)
            return locant_fail(LOCANT_ERR_PARAM,
                               "lct_cache_loss: length %zu is"
                               " %" PRId64 ", expected %" PRId64 " to %d",
                               k, job->lengths[k], job->targets, LONGEST);
    return LOCANT_OK;
}

locant_status lct_cache_loss(double *out, const locant_corpus *corpus,
                             const struct lct_cache_job *job)
{
    const struct lct_split *train = lct_corpus_split(corpus, LCT_TRAIN);
    struct lct_ngram *fixed = NULL;
    struct prediction *room = NULL;
    size_t *valid = locant_alloc((job->blocks + 1) * sizeof *valid);
    size_t n_valid = 0, bytes;
    locant_status status = check(job);

    for (size_t k = 0; k < job->n_lengths; k++)
        out[k] = NAN;
    if (status == LOCANT_OK &&
        lct_mul(&bytes, job->blocks * sizeof *room, (size_t)job->targets))
        room = locant_alloc(bytes);
    if (status == LOCANT_OK && (valid == NULL || room == NULL))
        status = locant_fail(LOCANT_ERR_NOMEM,
                             "lct_cache_loss: no memory for "
                             "%zu blocks",
                             job->blocks);
    if (status == LOCANT_OK)
        n_valid =
            lct_choose_blocks(valid, job->blocks, corpus, LCT_VALID, job->seed);
    if (n_valid > 0)
        status = lct_ngram_create(
            &fixed, job->order, train->bytes,
            job->train_bytes < train->size ? job->train_bytes : train->size);
    if (n_valid > 0 && status == LOCANT_OK)
        status = fit_and_score(out, corpus, fixed, job, room, valid, n_valid);
    lct_ngram_free(fixed);
    locant_release(room);
    locant_release(valid);
    return status;
}
