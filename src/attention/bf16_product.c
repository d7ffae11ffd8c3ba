/* bf16_product.c - products of bfloat16, in which weights of 0 add nothing */
#include "bf16_product.h"
#include <string.h>

enum { LOW_HALF = 0xffff };

/*
 * Are all halves of n words finite?  With the sign cleared, adding 1 to an
 * exponent of ones carries into the sign bit.
 */
static bool all_finite(const uint32_t *x, size_t n)
{
    uint32_t carried = 0;

    for (size_t i = 0; i < n; i++)
        carried |= (x[i] & 0x7f807f80) + 0x00800080;
    return (carried & 0x80008000) == 0;
}

bool lct_bf16_product_is_finite(const struct lct_bf16_product *x)
{
    for (size_t k = 0; k < x->k; k++)
        if (!all_finite(x->b + k * x->b_row, x->n))
            return false;
    return true;
}

/* A mask of the halves of a word that are neither 0 nor -0. */
static uint32_t nonzero_halves(uint32_t word)
{
    return ((word & 0x7fff) != 0 ? LOW_HALF : 0) |
           ((word & 0x7fff0000) != 0 ? ~(uint32_t)LOW_HALF : 0);
}

/* The product x, in which weights of 0 contribute nothing even to a NaN. */
static void multiply_guarded(const struct lct_kernels *kernels,
                             const struct lct_bf16_product *x, uint32_t *row)
{
    for (size_t i = 0; i < x->m; i++) {
        struct lct_bf16_product one = *x;

        one.c += i * x->c_row;
        one.m = one.k = 1;
        one.b = row;
        one.rescale = NULL;
        if (x->rescale != NULL)
            for (size_t d = 0; d < x->n; d++)
                one.c[d] *= x->rescale[i];
        for (size_t k = 0; k < x->k; k++) {
            const uint32_t *b = x->b + k * x->b_row;
            uint32_t word, kept;

            one.a = (const char *)x->a + (ptrdiff_t)i * x->a_row +
                    (ptrdiff_t)k * x->a_col;
            memcpy(&word, one.a, sizeof(word));
            kept = nonzero_halves(word); /* NaN is kept */
            for (size_t d = 0; d < x->n; d++)
                row[d] = b[d] & kept;
            if (kept != 0)
                kernels->bf16_matmul(&one);
        }
    }
}

void lct_bf16_product_multiply(const struct lct_kernels *kernels,
                               const struct lct_bf16_product *x, bool guard,
                               uint32_t *row)
{
    if (guard)
        multiply_guarded(kernels, x, row);
    else
        kernels->bf16_matmul(x);
}
