/* bf16_product.h - products of matrices of bfloat16, and a guard against NaN */
#ifndef LCT_ATTENTION_BF16_PRODUCT_H
#define LCT_ATTENTION_BF16_PRODUCT_H
#include "../kernel/kernels.h"
#include <stdbool.h>

/*
 * Compute product x.  With 'guard', weights of 0 in a contribute nothing, even
 * where b is NaN or infinite, and 'row' is scratch of x->n words.
 */
void lct_bf16_product_multiply(const struct lct_kernels *kernels,
                               const struct lct_bf16_product *x, bool guard,
                               uint32_t *row);
bool lct_bf16_product_is_finite(const struct lct_bf16_product *x);
#endif
