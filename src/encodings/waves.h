/*
 * waves.h - Transformer-XL's scores of distances: what its encoding and
 * XLNet's share.
 */
#ifndef LCT_WAVES_H
#define LCT_WAVES_H
#include "content.h"

/* The same places in both rows. */
enum { LCT_WAVES_BASE, LCT_WAVES_CLAMP };                /* keys */
enum { LCT_WAVES_PROJECTION, LCT_WAVES_U, LCT_WAVES_V }; /* parameters */

/* Transformer-XL holds past distances to the clamp, XLNet both signs. */
enum lct_clamp { LCT_CLAMP_PAST, LCT_CLAMP_BOTH };

/*
 * (q + u).k and (q + v).r, where r of a distance is the
 * projected sinusoid.  Its frequencies are the row's schedule, for the width.
 */
void lct_waves_terms(struct lct_products *out, const locant_encoding *e,
                     int64_t low, int64_t high, enum lct_clamp clamp);
locant_status lct_waves_schedule(struct lct_schedule **out,
                                 const locant_encoding *e, const char *fn,
                                 int64_t width, int64_t length);
void lct_waves_basis(double *out, const struct lct_call *c, int64_t m);
void lct_waves_basis_rows(float *out, size_t row, const struct lct_call *c,
                          int64_t m, int64_t n);
#endif
