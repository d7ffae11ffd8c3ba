/*
 * waves.h - Transformer-XL's scores of distances: what its encoding and
 * XLNet's share.
 */
#ifndef LCT_WAVES_H
#define LCT_WAVES_H
#include "content.h"
#include "terms.h"

/* The same places in both rows. */
enum { LCT_WAVES_BASE, LCT_WAVES_CLAMP };                /* keys */
enum { LCT_WAVES_PROJECTION, LCT_WAVES_U, LCT_WAVES_V }; /* parameters */

/* Transformer-XL holds past distances to the clamp, XLNet both signs. */
enum lct_clamp { LCT_CLAMP_PAST, LCT_CLAMP_BOTH };

size_t lct_waves_memo(const struct lct_content *c);
void lct_waves_begin(const struct lct_content *c);
void lct_waves_content(double *s, const struct lct_content *c,
                       const struct lct_query *q, enum lct_clamp clamp);
void lct_waves_backward(const double *ds, const struct lct_content_gradient *g,
                        const double *s, const struct lct_content *c,
                        const struct lct_query *q, enum lct_clamp clamp);
void lct_waves_end(const struct lct_content_gradient *g,
                   const struct lct_content *c);

/*
 * The same as products: (q + u).k and (q + v).r, where r of a distance is the
 * projected sinusoid.  Its frequencies are the row's schedule, for the width.
 */
void lct_waves_terms(struct lct_terms *out, const locant_encoding *e,
                     int64_t low, int64_t high, enum lct_clamp clamp);
locant_status lct_waves_schedule(struct lct_schedule **out,
                                 const locant_encoding *e, const char *fn,
                                 int64_t width, int64_t length);
void lct_waves_basis(float *out, size_t row, const struct lct_call *c,
                     int64_t m, int64_t n);
#endif
