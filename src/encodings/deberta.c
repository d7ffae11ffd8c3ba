/*
 * deberta.c - disentangled attention: content to position and position to
 * content.
 *
 * He, Liu, Gao, Chen: DeBERTa: Decoding-enhanced BERT with Disentangled
 * Attention. 2021. arXiv:2006.03654, eq. (3) and (4); version 3: He, Gao, Chen:
 * DeBERTaV3. 2021. arXiv:2111.09543; microsoft/DeBERTa,
 * disentangled_attention.py.
 *
 *     s = (scale q.k + scale (q.Kr[m] + k.Qr[m])) / sqrt(3)
 *     m = clip(f(p_i - p_j) + span, 0, 2 span - 1)
 *     Kr = P key^T (+ key_bias),  Qr = P query^T + query_bias
 *
 * P is the table, in version 3 after a LayerNorm.  f is the identity in version
 * 1, and logarithmic buckets in versions 2 and 3.  The paper writes the row of
 * k.Qr with p_j - p_i; its code, and every checkpoint, uses the same row for
 * both.  In versions 2 and 3 a layer projects P by its own projections of keys
 * and queries (share_att_key).  Attention does not see those projections, so
 * here each layer has parameters of its own for P; copy the projections into
 * them to run a checkpoint.  The model has one table and one norm, each layer
 * its projections.  Weights start at N(0, 0.02^2), biases at 0, the norm at 1
 * and 0, as in the authors' code.
 */
#include "deberta.h"

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "version", .kind = LCT_INTEGER, .def = 1, .min = 1, .max = 3,
      .doc = "1: distances as they are; 2: log buckets; 3: also a norm" },
    { .name = "span", .kind = LCT_INTEGER, .def = 256, .min = 1,
      .max = 1 << 15, .doc = "half of the rows (v1: max_relative_positions; "
      "v2, v3: position_buckets)" },
    { .name = "distance", .kind = LCT_INTEGER, .def = 512, .min = 2,
      .max = 1 << 20, .doc = "v2, v3: from here on all are in the last bucket "
      "(max_relative_positions); v1: not read" },
    { 0 }
};

#define TABLE_PARAM                                                       \
    { .name = "table", .dims = { "rows", "width" }, LCT_NORMAL(0, 0.02),  \
      .scope = LCT_SHARED,                                                \
      .doc = "P: one row for each relative position (rel_embeddings)" }
#define PROJECTION_PARAM(called, said)                                    \
    LCT_PROJECTION(called, LCT_PER_LAYER, said)
#define BIAS_PARAM(called, said)                                          \
    { .name = called, .dims = { "heads", "head_dim" },                    \
      .scope = LCT_PER_LAYER, .doc = said }

static const struct lct_param version1[] = {
    TABLE_PARAM,
    PROJECTION_PARAM("key", "makes Kr of P (pos_proj)"),
    PROJECTION_PARAM("query", "makes Qr of P (pos_q_proj)"),
    BIAS_PARAM("query_bias", "of Qr"),
    { 0 }
};

static const struct lct_param version2[] = {
    TABLE_PARAM,
    PROJECTION_PARAM("key", "makes Kr of P (the layer's key_proj)"),
    PROJECTION_PARAM("query", "makes Qr of P (the layer's query_proj)"),
    BIAS_PARAM("query_bias", "of Qr"),
    BIAS_PARAM("key_bias", "of Kr"),
    { 0 }
};

static const struct lct_param version3[] = {
    TABLE_PARAM,
    PROJECTION_PARAM("key", "makes Kr of P (the layer's key_proj)"),
    PROJECTION_PARAM("query", "makes Qr of P (the layer's query_proj)"),
    BIAS_PARAM("query_bias", "of Qr"),
    BIAS_PARAM("key_bias", "of Kr"),
    { .name = "norm_weight", .dims = { "width" }, LCT_NORMAL(1, 0),
      .scope = LCT_SHARED, .doc = "of the LayerNorm of P" },
    { .name = "norm_bias", .dims = { "width" }, .scope = LCT_SHARED,
      .doc = "of the LayerNorm of P" },
    { 0 }
};
/* clang-format on */

static const struct lct_param *params_of(const locant_encoding *e)
{
    static const struct lct_param *const versions[] = { version1, version2,
                                                        version3 };

    return versions[(int)e->value[LCT_DEBERTA_VERSION] - 1];
}

static int64_t size(const locant_encoding *e, const char *name,
                    const locant_sizes *sizes)
{
    (void)name; /* always "rows" */
    (void)sizes;
    return lct_deberta_rows(e);
}

static locant_status check(const locant_encoding *e)
{
    double span = e->value[LCT_DEBERTA_SPAN];
    double distance = e->value[LCT_DEBERTA_DISTANCE];

    if (e->value[LCT_DEBERTA_VERSION] == 1)
        return LOCANT_OK;
    if (span < 2)
        return LCT_REFUSE(
            "span of deberta is %.0f, expected at least 2 in version %.0f: "
            "half of the buckets hold one distance each",
            span, e->value[LCT_DEBERTA_VERSION]);
    if (distance - 1 <= floor(span / 2))
        return LCT_REFUSE(
            "distance of deberta is %.0f, expected more than %.0f, one beyond "
            "the buckets that hold one distance each",
            distance, floor(span / 2) + 1);
    return LOCANT_OK;
}

static void products(struct lct_products *out, const locant_encoding *e,
                     struct lct_span differences)
{
    bool first = e->value[LCT_DEBERTA_VERSION] == 1;
    int64_t most =
        (int64_t)e->value[first ? LCT_DEBERTA_SPAN : LCT_DEBERTA_DISTANCE];

    (void)differences;
    out->factor = 1 / sqrt(3);
    out->count = 2;
    out->vectors[0] = lct_plain_vectors(LCT_TIMES_QUERY, -1);
    out->vectors[0].matrix = LCT_DEBERTA_KEY;
    out->vectors[0].bias = first ? -1 : LCT_DEBERTA_KEY_BIAS;
    out->vectors[1] = lct_plain_vectors(LCT_TIMES_KEY, -1);
    out->vectors[1].matrix = LCT_DEBERTA_QUERY;
    out->vectors[1].bias = LCT_DEBERTA_QUERY_BIAS;
    for (int n = 0; n < 2; n++) {
        out->vectors[n].row = lct_deberta_row;
        out->vectors[n].first = -most;
        out->vectors[n].last = most;
    }
}

static const locant_variant variants[] = {
    { "deberta(span=512)", "version 1: distances clipped at 512",
      "DeBERTa base, large, xlarge" },
    { "deberta(version=2)", "256 log buckets, distances to 512",
      "DeBERTa v2 without norm_rel_ebd" },
    { "deberta(version=3)", "also a LayerNorm of the table",
      "DeBERTa v2 xlarge and xxlarge, DeBERTa v3" },
    { 0 }
};

const struct lct_encoding lct_enc_deberta = {
    .info = {
        .name = "deberta",
        .title = "Disentangled attention (DeBERTa)",
        .formula = "s[i,j] = (q_i k_j + q_i Kr[m] + k_j Qr[m]) / sqrt(3 D), "
                   "m = clip(f(p_i - p_j) + span, 0, 2 span - 1)",
        .gradient = "with d = dS / sqrt(3 D): dq_i = sum d (k_j + Kr[m]), dk_j "
                    "= sum d (q_i + Qr[m]), dKr[m] = sum d q_i, dQr[m] = sum d "
                    "k_j; then through the projections (and the norm) to P",
        .source = "He et al. 2021, arXiv:2006.03654v6, eq. (3), (4); "
                  "microsoft/DeBERTa, disentangled_attention.py",
        .used_by = "DeBERTa, DeBERTa v2, DeBERTa v3, mDeBERTa",
        .pitfalls = "Code and checkpoints use one row for both terms; the "
                    "paper has p_j - p_i in the second.  Distances beyond -max "
                    "use row 0 in Transformers, row 1 in Microsoft's code.",
        .variants = variants,
        .doors = LOCANT_DOOR_CONTENT,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED,
    },
    .keys = keys,
    .check = check,
    .prepare = lct_deberta_prepare,
    .params = { .list = version1, .list_of = params_of, .size = size },
    .content = {
        .products = products,
        .basis = lct_deberta_basis,
        .basis_backward = lct_deberta_basis_backward,
    },
};
