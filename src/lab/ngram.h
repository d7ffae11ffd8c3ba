/* ngram.h - the byte n-gram behind lct_ngram_loss(), open to its tests */
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
#endif
