/*
 * xlnet.c - relative scores of XLNet: Transformer-XL's and a term of segments.
 *
 * Yang et al.: XLNet: Generalized Autoregressive Pretraining for Language
 * Understanding. 2019. arXiv:1906.08237, sections 2.4 and 2.5; the authors'
 * modeling.py (rel_attn_core).
 *
 *     s = scale [(q + u).k + (q + v).(projection R_n)
 *                + (q + segment_bias).segments[same ? 0 : 1]]
 *
 * Distances of both signs are clamped.  Two tokens are in the same segment if
 * both or neither of them lie before position 'segment'.  All parameters start
 * at N(0, 0.02^2), as in the authors' code.
 */
#include "sinusoids.h"

enum { CLAMP = LCT_SINUSOIDS_BASE + 1, SEGMENT };
enum { SEGMENT_BIAS = LCT_SINUSOIDS_V + 1, SEGMENTS };

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_BASE(10000, "of the sinusoid's frequencies base^(-2c/width)"),
    { .name = "clamp", .kind = LCT_INTEGER, .def = 0, .min = 0, .max = 1 << 30,
      .doc = "longer distances of either sign count as it; 0: none" },
    { .name = "segment", .kind = LCT_INTEGER, .def = 0, .min = 0,
      .max = 1 << 30,
      .doc = "first position of the second segment; 0: one segment" },
    LCT_SHARE(0, "yes: the same parameters in all layers"),
    { 0 }
};

static const struct lct_param params[] = {
    LCT_PROJECTION("projection", LCT_SHARE_KEY,
                   "projects the sinusoid for each head (r)"),
    LCT_HEAD_VECTOR("u",
                    "added to queries in products with keys (r_w_bias)"),
    LCT_HEAD_VECTOR("v",
                    "added to queries in products with distances (r_r_bias)"),
    LCT_HEAD_VECTOR("segment_bias",
                    "added to queries in products with segments (r_s_bias)"),
    { .name = "segments", .dims = { "2", "heads", "head_dim" },
      LCT_NORMAL(0, 0.02), .scope = LCT_SHARE_KEY,
      .doc = "of the same segment, and of another (seg_embed)" },
    { 0 }
};
/* clang-format on */

static unsigned traits(const locant_encoding *e)
{
    return LOCANT_TRAIT_LEARNED |
           (e->value[SEGMENT] == 0 ? LOCANT_TRAIT_RELATIVE : 0);
}

/* 1 if the tokens are of different segments, else 0. */
static int64_t segment_row(const locant_encoding *e, int64_t q_pos,
                           int64_t k_pos)
{
    int64_t second = (int64_t)e->value[SEGMENT];

    return second != 0 && (q_pos < second) != (k_pos < second);
}

static void products(struct lct_products *out, const locant_encoding *e,
                     struct lct_span differences)
{
    lct_sinusoids_products(out, differences, (int64_t)e->value[CLAMP],
                           LCT_CLAMP_BOTH);
    out->count = 2;
    out->vectors[1] = lct_plain_vectors(LCT_TIMES_QUERY, SEGMENTS);
    out->vectors[1].by_head = true;
    out->vectors[1].added = SEGMENT_BIAS;
    out->vectors[1].row = segment_row;
    out->vectors[1].pairs = e->value[SEGMENT] == 0 ? 0 : 2;
}

static const locant_variant variants[] = {
    { "xlnet", "one segment", "XLNet pretraining of single texts" },
    { "xlnet(clamp=512)", "distances clamped to +-512",
      "XLNet with clamp_len=512" },
    { "xlnet(share=yes)", "one set of biases for all layers",
      "XLNet, untie_r=False" },
    { 0 }
};

const struct lct_encoding lct_enc_xlnet = {
    .info = {
        .name = "xlnet",
        .title = "XLNet relative scores with segments",
        .formula = "s[i,j] = [(q_i + u) k_j + (q_i + v) W_R R_n + (q_i + b) "
                   "e_m] / sqrt(D), m: same or other segment",
        .gradient = "as transformer-xl; de_m = s sum dS (q_i + b); db = s sum "
                    "dS e_m",
        .source = "Yang et al. 2019, arXiv:1906.08237v2, sections 2.4 and 2.5; "
                  "zihangdai/xlnet, modeling.py",
        .used_by = "XLNet",
        .pitfalls = "Its relative shift pads no zero column, and its distances "
                    "run from klen to -qlen; the segment vector only tells "
                    "whether two tokens share a segment.",
        .variants = variants,
        .doors = LOCANT_DOOR_CONTENT,
        .traits = LOCANT_TRAIT_LEARNED | LOCANT_TRAIT_RELATIVE,
    },
    .keys = keys,
    .traits = traits,
    .params = { .list = params },
    .schedule = { .create = lct_sinusoids_schedule },
    .content = {
        .products = products,
        .basis = lct_sinusoids_basis,
        .basis_rows = lct_sinusoids_basis_rows,
    },
};
