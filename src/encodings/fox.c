/*
 * fox.c - the Forgetting Transformer: a forget gate of each token and head
 * weakens everything before it.
 *
 * Lin, Nikishin, He, Courville: Forgetting Transformer: Softmax Attention with
 * a Forget Gate. 2025. arXiv:2503.02130, section 3.
 *
 *     f_t = sigmoid(w_h.x_t + b_h),  s_ij += sum over t in (j, i] of ln f_t
 *
 * summed over the keys that the query sees, so padding, other documents and
 * later keys do not count.  Of equal positions the later one in memory comes
 * later.  The query's own token is the key at its position; attention refuses a
 * query without one.  Weights start at N(0, 0.02^2), biases at 0, as in the
 * authors' code.
 *
 * both=yes is for bidirectional attention: gates of their own weaken keys after
 * the query, s_ij += sum over t in (i, j] of ln f'_t, as the data-dependent
 * ALiBi of x-transformers does, whose biases start at 5.
 */
#include "content.h"

enum { BOTH, INIT };
enum { WEIGHT, BIAS, AFTER_WEIGHT, AFTER_BIAS };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "both", .kind = LCT_SWITCH, .def = 0,
      .doc = "yes: other gates for keys after the query" },
    { .name = "init", .kind = LCT_NUMBER, .def = 0, .min = -100, .max = 100,
      .doc = "bias of the gates at the start" },
    LCT_SHARE(0, "yes: the same gates in all layers"),
    { 0 }
};

#define WEIGHT_PARAM(called, text)                                        \
    { .name = called, .dims = { "heads", "width" }, LCT_NORMAL(0, 0.02),  \
      .scope = LCT_SHARE_KEY, .doc = text }
#define BIAS_PARAM(called, text)                                          \
    { .name = called, .dims = { "heads" }, .scope = LCT_SHARE_KEY,        \
      .doc = text }

static const struct lct_param past[] = {
    WEIGHT_PARAM("weight", "weights of the layer's input in a head's gate"),
    BIAS_PARAM("bias", "of the gate: at 0 a token halves the weight of all "
               "before it"),
    { 0 }
};

static const struct lct_param both[] = {
    WEIGHT_PARAM("weight", "weights of the layer's input in a head's gate"),
    BIAS_PARAM("bias", "of the gate: at 0 a token halves the weight of all "
               "before it"),
    WEIGHT_PARAM("after_weight", "of the gate for keys after the query"),
    BIAS_PARAM("after_bias", "of the gate for keys after the query"),
    { 0 }
};
/* clang-format on */

static const struct lct_param *params_of(const locant_encoding *e)
{
    return e->value[BOTH] != 0 ? both : past;
}

static unsigned traits(const locant_encoding *e)
{
    return LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED | LOCANT_TRAIT_READS_X |
           (e->value[BOTH] != 0 ? 0 : LOCANT_TRAIT_CAUSAL);
}

static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    (void)r;
    if (k != BIAS && k != AFTER_BIAS)
        return false;
    for (int64_t h = 0; h < info->shape[0]; h++)
        out[h] = e->value[INIT];
    return true;
}

static void products(struct lct_products *out, const locant_encoding *e,
                     struct lct_span differences)
{
    (void)differences;
    out->gate_weight = WEIGHT;
    out->gate_bias = BIAS;
    if (e->value[BOTH] == 0)
        return;
    out->after_weight = AFTER_WEIGHT;
    out->after_bias = AFTER_BIAS;
}

static const locant_variant variants[] = {
    { "fox", "forget gates alone", "FoX (LLaMA) without RoPE" },
    { "rope(base=500000)+fox", "with rotated queries and keys",
      "FoX (LLaMA) with RoPE" },
    { "fox(both=yes,init=5)", "gates for both directions",
      "data-dependent ALiBi of x-transformers" },
    { 0 }
};

const struct lct_encoding lct_enc_fox = {
    .info = {
        .name = "fox",
        .title = "Forget gates (Forgetting Transformer)",
        .formula = "s[h,i,j] += sum over t in (j, i] of ln f_t, f_t = "
                   "sigmoid(w_h.x_t + b_h)",
        .gradient = "dln f_t = sum of dS_ij over j < t <= i; dz_t = (1 - f_t) "
                    "dln f_t; dw = sum dz_t x_t; db = sum dz_t; dx_t += dz_t w",
        .source = "Lin et al. 2025, arXiv:2503.02130v2, section 3; "
                  "zhixuan-lin/forgetting-transformer",
        .used_by = "Forgetting Transformer",
        .pitfalls = "The key's own gate does not change its score, the query's "
                    "does; gates and their sums need float32 or better; ALiBi "
                    "is the case of constant gates, Cable that of the other "
                    "sign before the sigmoid.",
        .variants = variants,
        .doors = LOCANT_DOOR_CONTENT,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED |
                  LOCANT_TRAIT_READS_X | LOCANT_TRAIT_CAUSAL,
    },
    .keys = keys,
    .traits = traits,
    .params = { .list = past, .list_of = params_of, .fill = fill },
    .content = { .products = products, .scores_only = true },
};
