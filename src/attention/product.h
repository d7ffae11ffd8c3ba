/* product.h - products of matrices of float32, and a guard against NaN */
#ifndef LCT_ATTENTION_PRODUCT_H
#define LCT_ATTENTION_PRODUCT_H
#include "tile.h"

/* Rows to write or to add to, 'row' floats apart; at = NULL: not wanted. */
struct lct_product_rows {
    float *at;
    size_t row;
};

/* A factor of a product: entry (i, j) is at[i * row + j * column]. */
struct lct_product_factor {
    const float *at;
    size_t row, column;
};

static inline struct lct_product_factor lct_product_rows_of(const float *at,
                                                            size_t row)
{
    return (struct lct_product_factor){ at, row, 1 };
}

static inline struct lct_product_factor lct_product_transposed(const float *at,
                                                               size_t row)
{
    return (struct lct_product_factor){ at, 1, row };
}

/*
 * Transposed queries lie a tile and a vector apart: a strip of rows that are a
 * multiple of 256 bytes apart competes for a quarter of the first cache.
 */
enum { LCT_COLUMNS_ROW = LCT_TILE + LCT_PAD };

static inline struct lct_product_factor lct_product_columns_of(const float *at)
{
    return lct_product_rows_of(at, LCT_COLUMNS_ROW);
}

/* c [m, n] = a [m, k] b [k, n]; b is not transposed. */
static inline struct lct_product lct_product_of(struct lct_product_rows c,
                                                struct lct_product_factor a,
                                                struct lct_product_factor b,
                                                int64_t m, size_t n, int64_t k)
{
    return (struct lct_product){ .c = c.at,
                                 .c_row = c.row,
                                 .a = a.at,
                                 .a_row = a.row,
                                 .a_col = a.column,
                                 .b = b.at,
                                 .b_row = b.row,
                                 .m = (size_t)m,
                                 .n = n,
                                 .k = (size_t)k };
}

/*
 * Compute product x, with the bits of the kernel.  With 'guard', weights of 0
 * in a contribute nothing, even where b is NaN or infinite.
 */
void lct_product_multiply(const struct lct_kernels *kernels,
                          const struct lct_product *x, bool guard);

/* The same with 'guard', if b is known not to be finite. */
void lct_product_multiply_guarded(const struct lct_kernels *kernels,
                                  const struct lct_product *x);

/*
 * Transpose the tile's rows to [n, lanes], rows LCT_COLUMNS_ROW apart; lanes
 * without a query become 0.
 */
void lct_product_columns(const struct lct_plan *p, const struct lct_tile *t,
                         float *columns, const float *rows, int64_t width,
                         int64_t n);
#endif
