/* product.h - products of float32 in which weights of 0 contribute nothing */
#ifndef LCT_ATTENTION_PRODUCT_H
#define LCT_ATTENTION_PRODUCT_H
#include "tile.h"

/*
 * The product as the kernel forms it, except that with 'guard', where b holds a
 * NaN or an infinity, coefficients that are 0 contribute nothing.
 */
void lct_product_multiply(const struct lct_kernels *kernels,
                          const struct lct_product *x, bool guard);

/* The same where b does hold one. */
void lct_product_multiply_guarded(const struct lct_kernels *kernels,
                                  const struct lct_product *x);

/* Columns [n, lanes] of the tile's rows, with zeros for lanes of no query. */
void lct_product_columns(const struct lct_plan *p, const struct lct_tile *t,
                         float *columns, const float *rows, int64_t width,
                         int64_t n);
#endif
