/*
 * sinusoids.h - scores of projected sinusoids of the distance, which
 * Transformer-XL, XLNet and Conformer share.
 */
#ifndef LCT_SINUSOIDS_H
#define LCT_SINUSOIDS_H
#include "content.h"

/* Indices that these encodings share. */
enum { LCT_SINUSOIDS_BASE }; /* keys */
enum {                       /* parameters */
       LCT_SINUSOIDS_PROJECTION,
       LCT_SINUSOIDS_U,
       LCT_SINUSOIDS_V
};

/* Transformer-XL clamps distances to the past, XLNet both signs. */
enum lct_clamp { LCT_CLAMP_PAST, LCT_CLAMP_BOTH };

/*
 * The content hooks of (q + u).k and (q + v).r, where r is the projected
 * sinusoid of a distance, whose frequencies are the schedule for the width.
 * Distances are clamped at 'most', 0: not at all.
 */
void lct_sinusoids_products(struct lct_products *out,
                            struct lct_span differences, int64_t most,
                            enum lct_clamp clamp);
locant_status lct_sinusoids_schedule(struct lct_schedule **out,
                                     const struct lct_schedule_use *u);
void lct_sinusoids_basis(double *out, const struct lct_call *c, int64_t m);
void lct_sinusoids_basis_rows(float *out, size_t stride,
                              const struct lct_call *c, int64_t m, int64_t n);
#endif
