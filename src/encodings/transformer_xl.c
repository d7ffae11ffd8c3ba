/*
 * transformer_xl.c - relative scores of Transformer-XL.
 *
 * Dai et al.: Transformer-XL: Attentive Language Models beyond a Fixed-Length
 * Context. 2019. arXiv:1901.02860, section 3.3.
 *
 *     s = scale [(q + u).k + (q + v).(projection R_n)],  n = p_i - p_j
 *
 * R_n is a fixed sinusoid of the model's width.  Its projection (W_R, without
 * bias) and both vectors are learned.  All start at N(0, 0.02^2), as in the
 * authors' code, which shares u and v among layers unless untie_r is set
 * (mem_transformer.py).  The memory of an earlier segment is passed as keys at
 * smaller positions; the caller decides whether a gradient flows into it.
 */
#include "sinusoids.h"

enum { CLAMP = LCT_SINUSOIDS_BASE + 1 };

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_BASE(10000, "of the sinusoid's frequencies base^(-2c/width)"),
    { .name = "clamp", .kind = LCT_INTEGER, .def = 0, .min = 0,
      .max = 1 << 30, .doc = "longer distances count as this; 0: none" },
    LCT_SHARE(0, "yes: the same parameters in all layers"),
    { 0 }
};

static const struct lct_param params[] = {
    LCT_PROJECTION("projection", LCT_SHARE_KEY,
                   "W_R: projects the sinusoid for each head"),
    LCT_HEAD_VECTOR("u",
                    "added to queries in products with keys (r_w_bias)"),
    LCT_HEAD_VECTOR("v",
                    "added to queries in products with distances (r_r_bias)"),
    { 0 }
};
/* clang-format on */

static void products(struct lct_products *out, const locant_encoding *e,
                     struct lct_span differences)
{
    lct_sinusoids_products(out, differences, (int64_t)e->value[CLAMP],
                           LCT_CLAMP_PAST);
}

static const locant_variant variants[] = {
    { "transformer-xl(share=yes)",
      "biases and projection tied among layers; "
      "the authors tie u and v only",
      "Transformer-XL, untie_r=False" },
    { "transformer-xl(clamp=1000)", "evaluation of the WikiText-103 model",
      "Transformer-XL, clamp_len=1000" },
    { 0 }
};

const struct lct_encoding lct_enc_transformer_xl = {
    .info = {
        .name = "transformer-xl",
        .title = "Transformer-XL relative scores",
        .formula = "s[i,j] = [(q_i + u) k_j + (q_i + v) W_R R_n] / sqrt(D), "
                   "R_n = [sin(n f_c) | cos(n f_c)], n = p_i - p_j",
        .gradient = "dq_i = s sum dS (k_j + r_n); du = s sum dS k_j; dv = s "
                    "sum dS r_n; dW_R = s sum dS (q_i + v) R_n^T; dk_j = s "
                    "sum dS (q_i + u)",
        .source = "Dai et al. 2019, arXiv:1901.02860v3, section 3.3; "
                  "kimiyoung/transformer-xl, mem_transformer.py",
        .used_by = "Transformer-XL; the form of XLNet and Conformer",
        .pitfalls = "R is fixed, not learned; the relative shift leaves "
                    "garbage above the diagonal; W_R R is needed for each "
                    "distance, [range, width], not for each pair, "
                    "[L, L, width]; positions above 2048 are not exact in "
                    "float16.",
        .variants = variants,
        .doors = LOCANT_DOOR_CONTENT,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED,
    },
    .keys = keys,
    .params = { .list = params },
    .schedule = { .create = lct_sinusoids_schedule },
    .content = {
        .products = products,
        .basis = lct_sinusoids_basis,
        .basis_rows = lct_sinusoids_basis_rows,
    },
};
