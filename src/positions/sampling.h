/* sampling.h - draw numbers without replacement */
#ifndef LCT_POSITIONS_SAMPLING_H
#define LCT_POSITIONS_SAMPLING_H
#include "locant/core.h"
#include <stdbool.h>

/* Scratch for sets of up to n >= 0 numbers; NULL without memory. */
struct lct_sampler *lct_sampler_create(int64_t n);
void lct_sampler_free(struct lct_sampler *s);

/*
 * out [n] = distinct numbers of 0 .. range - 1 in ascending order; all sets are
 * equally likely.  n is at most 'range' and the sampler's n.
 */
void lct_sample(int64_t *out, int64_t n, int64_t range, locant_random *random,
                struct lct_sampler *s);
#endif
