/* arithmetic.c - choose float32 or dot products of bfloat16 */
#include "arithmetic.h"
#include "bf16.h"
#include "f32.h"

enum lct_arithmetic_bf16 lct_arithmetic_bf16 = LCT_BF16_FAST;

const struct lct_arithmetic *lct_arithmetic_choose(const struct lct_plan *p)
{
    const struct lct_request *r = p->request;
    bool dots =
        lct_arithmetic_bf16 == LCT_BF16_ALWAYS ||
        (lct_arithmetic_bf16 == LCT_BF16_FAST && p->kernels->has_bf16_dot);

    return dots && r->q.dtype == LOCANT_BF16 && r->content == NULL &&
                   r->relations == NULL && !r->general_map &&
                   r->k.dtype != LOCANT_U8
               ? &lct_bf16
               : &lct_f32;
}
