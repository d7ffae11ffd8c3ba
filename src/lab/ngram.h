/* ngram.h - the byte n-gram of lct_ngram_loss() and the cache, for tests too */
#ifndef LCT_NGRAM_H
#define LCT_NGRAM_H
#include "lab.h"

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

/* How many of the bytes that end at 'end' were seen together; 0 .. order. */
int lct_ngram_depth(const struct lct_ngram *m, const uint8_t *end, size_t n);

/* ------------------------------------------------------------------- cache */

enum { LCT_CACHE_ORDER = 5 };

/* Probability of the mixture, for a target whose last 'depth' bytes the cache
   has seen. */
double lct_cache_mix(const double weight[LCT_CACHE_ORDER + 1], double fixed,
                     double cache, int depth);
#endif
