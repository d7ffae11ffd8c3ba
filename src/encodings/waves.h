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

size_t lct_waves_memo(const struct lct_content *c);
void lct_waves_begin(const struct lct_content *c);
void lct_waves_content(double *s, const struct lct_content *c,
                       const struct lct_query *q, enum lct_clamp clamp);
void lct_waves_backward(const double *ds, const struct lct_content_gradient *g,
                        const double *s, const struct lct_content *c,
                        const struct lct_query *q, enum lct_clamp clamp);
void lct_waves_end(const struct lct_content_gradient *g,
                   const struct lct_content *c);
#endif
