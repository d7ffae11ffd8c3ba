/* product.h - products of float32 in which weights of 0 contribute nothing */
#ifndef LCT_ATTENTION_PRODUCT_H
#define LCT_ATTENTION_PRODUCT_H
#include "tile.h"

/*
 * The product x, with the bits of the kernel.  With 'guard', coefficients of 0
 * contribute nothing, even to a NaN or an infinity in b.
 */
void lct_product_multiply(const struct lct_kernels *kernels,
                          const struct lct_product *x, bool guard);

/* The same if b is known not to be finite. */
void lct_product_multiply_guarded(const struct lct_kernels *kernels,
                                  const struct lct_product *x);

/* Transpose the tile's rows to [n, lanes]; lanes without a query become 0. */
void lct_product_columns(const struct lct_plan *p, const struct lct_tile *t,
                         float *columns, const float *rows, int64_t width,
                         int64_t n);
#endif
