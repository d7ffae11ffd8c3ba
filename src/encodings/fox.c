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
 * query without one.  Scores of keys after the query do not change.  Weights
 * start at N(0, 0.02^2), biases at 0, as in the authors' code.
 */
#include "content.h"

enum { WEIGHT, BIAS };

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_SHARE(0, "yes: the same gates in all layers"),
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "weight", .dims = { "heads", "width" }, LCT_NORMAL(0, 0.02),
      .scope = LCT_SHARE_KEY,
      .doc = "weights of the layer's input in a head's gate" },
    { .name = "bias", .dims = { "heads" }, .scope = LCT_SHARE_KEY,
      .doc = "of the gate: at 0 a token halves the weight of all before it" },
    { 0 }
};
/* clang-format on */

static void products(struct lct_products *out, const locant_encoding *e,
                     struct lct_span differences)
{
    (void)e;
    (void)differences;
    out->gate_weight = WEIGHT;
    out->gate_bias = BIAS;
}

static const locant_variant variants[] = {
    { "fox", "forget gates alone", "FoX (LLaMA) without RoPE" },
    { "rope(base=500000)+fox", "with rotated queries and keys",
      "FoX (LLaMA) with RoPE" },
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
                    "is the case of constant gates.",
        .variants = variants,
        .doors = LOCANT_DOOR_CONTENT,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED |
                  LOCANT_TRAIT_READS_X | LOCANT_TRAIT_CAUSAL,
    },
    .keys = keys,
    .params = { .list = params },
    .content = { .products = products, .scores_only = true },
};
