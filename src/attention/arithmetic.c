/* arithmetic.c - the two arithmetics, and the choice between them */
#include "arithmetic.h"
#include "bf16.h"
#include "decode_bf16.h"
#include "decode_f32.h"
#include "f32.h"

static const struct lct_arithmetic f32 = {
    .layout_queries  = lct_f32_layout_queries,
    .layout_keys     = lct_f32_layout_keys,
    .load_queries    = lct_f32_load_queries,
    .load_dout       = lct_f32_load_dout,
    .load_keys       = lct_f32_load_keys,
    .scores          = lct_f32_scores,
    .scores_backward = lct_f32_scores_backward,
    .values          = lct_f32_values,
    .values_backward = lct_f32_values_backward,
    .decode          = &lct_decode_f32,
};

static const struct lct_arithmetic bf16 = {
    .layout_queries  = lct_bf16_layout_queries,
    .layout_keys     = lct_bf16_layout_keys,
    .load_queries    = lct_bf16_load_queries,
    .load_dout       = lct_bf16_load_dout,
    .load_keys       = lct_bf16_load_keys,
    .scores          = lct_bf16_scores,
    .scores_backward = lct_bf16_scores_backward,
    .values          = lct_bf16_values,
    .values_backward = lct_bf16_values_backward,
    .decode          = &lct_decode_bf16,
};

enum lct_arithmetic_bf16 lct_arithmetic_bf16 = LCT_BF16_FAST;

const struct lct_arithmetic *lct_arithmetic_choose(const struct lct_plan *p)
{
    const struct lct_request *r = p->request;
    bool dots = lct_arithmetic_bf16 == LCT_BF16_ALWAYS ||
                (lct_arithmetic_bf16 == LCT_BF16_FAST && p->kernels->dots);

    return dots && r->q.dtype == LOCANT_BF16 && r->content == NULL &&
                   !r->general_map
               ? &bf16
               : &f32;
}
