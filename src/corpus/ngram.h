/* ngram.h - byte n-grams, the references that a model has to beat */
#ifndef LCT_NGRAM_H
#define LCT_NGRAM_H
#include "corpus.h"

enum { LCT_NGRAM_MAX_ORDER = 6 }; /* bytes of context */

struct lct_ngram;

/* Count 'size' bytes for contexts of 0 .. order bytes. */
locant_status lct_ngram_create(struct lct_ngram **out, int order,
                               const uint8_t *text, size_t size);
void lct_ngram_free(struct lct_ngram *m);

/* Probability of 'next' after the 'n' bytes that end at 'end'. */
double lct_ngram_probability(const struct lct_ngram *m, const uint8_t *end,
                             size_t n, uint8_t next);

/* Count 'next' after the 'n' bytes that end at 'end'. */
locant_status lct_ngram_add(struct lct_ngram *m, const uint8_t *end, size_t n,
                            uint8_t next);

/* The length of the longest context that ends at 'end' and was counted; 0 ..
   order. */
int lct_ngram_depth(const struct lct_ngram *m, const uint8_t *end, size_t n);

/*
 * Mean loss (nats per byte) of an interpolated byte n-gram of that order
 * (order 0: unigram; Witten-Bell weights, Moffat 1990) counted on the first
 * 'train_bytes' of the training split and scored on the P1 targets: the bytes
 * of the last 'targets' tokens of each block. parts [3] are a corpus in bytes
 * or in tokens, of which ends[b] are indices into the test split.
 */
locant_status lct_ngram_loss(double *out, const struct lct_split *parts,
                             int order, size_t train_bytes, const size_t *ends,
                             size_t blocks, int64_t targets);

/* ------------------------------------------------------------------- cache */

enum { LCT_CACHE_ORDER = 5 };

/* Probability (1 - w) fixed + w cache, with w = weight[depth]. */
double lct_cache_mix(const double weight[LCT_CACHE_ORDER + 1], double fixed,
                     double cache, int depth);

/* What a mixture is counted, fitted and scored on. */
struct lct_cache_job {
    int order; /* of the n-gram of the training text */
    size_t train_bytes;
    const int64_t *lengths; /* [n_lengths] of context in tokens, targets ..
                               2048 */
    size_t n_lengths;
    const size_t *ends; /* [blocks] of the test split */
    size_t blocks;
    int64_t targets; /* tokens scored at the end of each block */
    uint64_t seed;   /* chooses at most as many blocks to fit on */
};

/*
 * out[k]: mean loss (nats per byte) of the n-gram of order 'order' mixed with
 * one of the bytes of the last lengths[k] tokens. The weights are fitted on the
 * validation split; out[k] is NAN if no file of it is long enough for a block.
 */
locant_status lct_cache_loss(double *out, const struct lct_split *parts,
                             const struct lct_cache_job *job);
#endif
