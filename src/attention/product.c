/* product.c - products of float32 in which weights of 0 contribute nothing */
#include "product.h"
#include <string.h>

void lct_product_multiply_guarded(const struct lct_kernels *kernels,
                                  const struct lct_product *x)
{
    for (size_t i = 0; i < x->m; i++) {
        struct lct_product one = *x;

        one.c += i * x->c_row;
        one.m = one.k = 1;
        one.add = true;
        one.rescale = NULL;
        if (x->rescale != NULL)
            for (size_t j = 0; j < x->n; j++)
                one.c[j] *= x->rescale[i];
        if (!x->add)
            memset(one.c, 0, x->n * sizeof(*one.c));
        for (size_t k = 0; k < x->k; k++) {
            one.a = x->a + i * x->a_row + k * x->a_col;
            one.b = x->b + k * x->b_row;
            if (*one.a != 0) /* true for a NaN */
                kernels->matmul(&one);
        }
    }
}

void lct_product_multiply(const struct lct_kernels *kernels,
                          const struct lct_product *x, bool guard)
{
    if (!guard || kernels->all_finite(x->b, x->b_row, x->k, x->n))
        kernels->matmul(x);
    else
        lct_product_multiply_guarded(kernels, x);
}

void lct_product_columns(const struct lct_plan *p, const struct lct_tile *t,
                         float *columns, const float *rows, int64_t width,
                         int64_t n)
{
    size_t lanes = t->lanes, real = (size_t)t->rows;

    p->kernels->transpose(columns, LCT_COLUMNS_ROW, rows, (size_t)width, real,
                          (size_t)n);
    if (real == lanes)
        return;
    for (int64_t d = 0; d < n; d++)
        memset(columns + d * LCT_COLUMNS_ROW + real, 0,
               (lanes - real) * sizeof(*columns));
}
