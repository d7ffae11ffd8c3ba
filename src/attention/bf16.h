/* bf16.h - the products of a tile by dot products of bfloat16 */
#ifndef LCT_ATTENTION_BF16_H
#define LCT_ATTENTION_BF16_H
#include "arithmetic.h"

extern const struct lct_arithmetic lct_bf16;

/* Write query 'at' = b, h, i, rotated, as a row of words. */
void lct_bf16_load_query(const struct lct_plan *p, uint32_t *to,
                         const int64_t at[3]);

/* s->bf16.v_pairs = the tile's values, rotated, as pairs of rows. */
void lct_bf16_pair_rotated_values(const struct lct_plan *p,
                                  const struct lct_tile *t,
                                  struct lct_scratch *s);

/* Bytes from row to row of the caller's tensor. */
static inline ptrdiff_t lct_bf16_step(const locant_tensor *x)
{
    return (ptrdiff_t)x->stride[2] * (ptrdiff_t)sizeof(uint16_t);
}
#endif
