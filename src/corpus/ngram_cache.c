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
#include "tokens.h"
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

/* Predict the bytes of the targets of one block, each after those of C tokens
   of context; *n grows by their number. */
static locant_status predict_block(struct prediction *out, size_t *n,
                                   const struct lct_ngram *fixed,
                                   const struct lct_split *split, size_t end,
                                   int64_t C, int64_t targets)
{
    const size_t from = lct_tokens_offset(split, end - (size_t)C - 1);
    const size_t size = lct_tokens_offset(split, end) - from;
    const size_t before =
        lct_tokens_offset(split, end - (size_t)targets) - from;
    const uint8_t *first = lct_tokens_in_bytes(split)->bytes + from;
    struct lct_ngram *cache;
    locant_status status;

    LCT_TRY(lct_ngram_create(&cache, LCT_CACHE_ORDER, first, before));
    status = LOCANT_OK;
    for (size_t i = before; i < size && status == LOCANT_OK; i++) {
        out[(*n)++] = (struct prediction){
            lct_ngram_probability(fixed, first + i, i, first[i]),
            lct_ngram_probability(cache, first + i, i, first[i]),
            lct_ngram_depth(cache, first + i, i)
        };
        status = lct_ngram_add(cache, first + i, i, first[i]);
    }
    lct_ngram_free(cache);
    return status;
}

static locant_status predict(struct prediction *out, size_t *n,
                             const struct lct_ngram *fixed,
                             const struct lct_split *split, const size_t *ends,
                             size_t blocks, int64_t C, int64_t targets)
{
    *n = 0;
    for (size_t b = 0; b < blocks; b++)
        LCT_TRY(predict_block(out, n, fixed, split, ends[b], C, targets));
    return LOCANT_OK;
}

/* Bytes of the targets of all blocks. */
static size_t count_targets(const struct lct_split *split, const size_t *ends,
                            size_t blocks, int64_t targets)
{
    size_t n = 0;

    for (size_t b = 0; b < blocks; b++)
        n +=
            lct_tokens_bytes(split, ends[b] - (size_t)targets, (size_t)targets);
    return n;
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
   blocks. 'room' is for the predictions of either. */
static locant_status fit_and_score(double *out, const struct lct_split *parts,
                                   const struct lct_ngram *fixed,
                                   const struct lct_cache_job *job,
                                   struct prediction *room, const size_t *valid,
                                   size_t n_valid)
{
    double weight[LCT_CACHE_ORDER + 1];
    size_t n;

    for (size_t k = 0; k < job->n_lengths; k++) {
        LCT_TRY(predict(room, &n, fixed, &parts[LCT_VALID], valid, n_valid,
                        job->lengths[k], job->targets));
        fit(weight, room, n);
        LCT_TRY(predict(room, &n, fixed, &parts[LCT_TEST], job->ends,
                        job->blocks, job->lengths[k], job->targets));
        out[k] = loss_of(weight, room, n);
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

static locant_status no_memory(size_t blocks)
{
    return locant_fail(LOCANT_ERR_NOMEM,
                       "lct_cache_loss: no memory for %zu blocks", blocks);
}

/* Choose the blocks to fit on; 'valid' has room for job->blocks. */
static locant_status measure(double *out, const struct lct_split *parts,
                             const struct lct_cache_job *job, size_t *valid)
{
    const struct lct_split *train = lct_tokens_in_bytes(&parts[LCT_TRAIN]);
    const size_t n =
        lct_choose_blocks(valid, job->blocks, &parts[LCT_VALID], job->seed);
    const size_t a = count_targets(&parts[LCT_VALID], valid, n, job->targets);
    const size_t b =
        count_targets(&parts[LCT_TEST], job->ends, job->blocks, job->targets);
    struct lct_ngram *fixed = NULL;
    struct prediction *room;
    locant_status status;

    if (n == 0)
        return LOCANT_OK;
    room = locant_alloc((a > b ? a : b) * sizeof *room);
    if (room == NULL)
        return no_memory(job->blocks);
    status = lct_ngram_create(&fixed, job->order, train->bytes,
                              job->train_bytes < train->size ? job->train_bytes
                                                             : train->size);
    if (status == LOCANT_OK)
        status = fit_and_score(out, parts, fixed, job, room, valid, n);
    lct_ngram_free(fixed);
    locant_release(room);
    return status;
}

locant_status lct_cache_loss(double *out, const struct lct_split *parts,
                             const struct lct_cache_job *job)
{
    size_t *valid;
    locant_status status;

    for (size_t k = 0; k < job->n_lengths; k++)
        out[k] = NAN;
    LCT_TRY(check(job));
    valid = locant_alloc(job->blocks * sizeof *valid);
    status = valid ? measure(out, parts, job, valid) : no_memory(job->blocks);
    locant_release(valid);
    return status;
}
