/*
 * decode_rows.h - rows of keys and values that kernels read in place.
 *
 * Kernels widen quantised rows in registers, with the bits of dequantised
 * copies; what they cannot widen is dequantised first.
 */
#ifndef LCT_ATTENTION_DECODE_ROWS_H
#define LCT_ATTENTION_DECODE_ROWS_H
#include "decode.h"

/*
 * Can kernels widen the quantised keys or values of t as they read them?  They
 * do not know the NaN of E4M3.
 */
bool lct_decode_rows_widen(const struct lct_plan *p, const struct lct_tile *t,
                           enum lct_decode_rows of);

/* How 'rows', which are the caller's or dequantised, are stored. */
void lct_decode_rows_set(const struct lct_plan *p, struct lct_product *x,
                         const locant_tensor *rows);

/*
 * x->b = the caller's keys or values of t, tile i of the run, or a copy of
 * those of a paged cache; x->ahead = the rows needed next.  false: kernels
 * cannot read these rows in place.
 */
bool lct_decode_rows_in_place(const struct lct_plan *p,
                              const struct lct_decode_task *f,
                              const struct lct_tile *t, enum lct_decode_rows of,
                              int64_t i, struct lct_product *x);
#endif
