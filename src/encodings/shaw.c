/*
 * shaw.c - relative position representations: a learned vector for each clipped
 * distance, added to the keys and to the values.
 *
 * Shaw, Uszkoreit, Vaswani: Self-Attention with Relative Position
 * Representations. 2018. arXiv:1803.02155, eq. (3) to (5).
 * The sign is key minus query.  Vectors are shared by the heads of a layer.
 * They start uniform within sqrt(6 / (rows + D)), TensorFlow's default, as in
 * the authors' code (tensor2tensor, common_attention.py).
 */
#include "content.h"

enum { DISTANCE, VALUES, SHARE };
enum { KEYS, VALUE_ROWS };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "distance", .kind = LCT_INTEGER, .def = 16, .min = 0,
      .max = 1 << 20, .doc = "k: farther keys use the vector of distance k" },
    { .name = "values", .kind = LCT_SWITCH, .def = 1,
      .doc = "yes: vectors for values too" },
    LCT_SHARE(0, "yes: the same vectors in all layers"),
    { 0 }
};

#define VECTORS_OF_KEYS                                                       \
    { .name = "keys", .dims = { "rows", "head_dim" }, .scope = LCT_SHARE_KEY, \
      .doc = "row clip(p_j - p_i, -k, k) + k is added to the key" }

static const struct lct_param params[] = {
    VECTORS_OF_KEYS,
    { .name = "values", .dims = { "rows", "head_dim" }, .scope = LCT_SHARE_KEY,
      .doc = "the same for the value" },
    { 0 }
};

static const struct lct_param only_keys[] = { VECTORS_OF_KEYS, { 0 } };
/* clang-format on */

static const struct lct_param *params_of(const locant_encoding *e)
{
    return e->value[VALUES] != 0 ? params : only_keys;
}

static int64_t size(const locant_encoding *e, const char *name,
                    const locant_sizes *sizes)
{
    (void)name; /* always "rows" */
    (void)sizes;
    return 2 * (int64_t)e->value[DISTANCE] + 1;
}

static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    double bound = sqrt(6.0 / (double)(info->shape[0] + info->shape[1]));

    (void)e;
    (void)k;
    return lct_fill_uniform(out, info, bound, r);
}

static int64_t row(const locant_encoding *e, int64_t q_pos, int64_t k_pos)
{
    return lct_row_clipped(lct_distance(k_pos, q_pos),
                           (int64_t)e->value[DISTANCE]);
}

static void products(struct lct_products *out, const locant_encoding *e,
                     struct lct_span differences)
{
    (void)differences;
    out->count = e->value[VALUES] != 0 ? 2 : 1;
    out->vectors[0] = lct_plain_vectors(LCT_TIMES_QUERY, KEYS);
    out->vectors[1] = lct_plain_vectors(LCT_TIMES_WEIGHT, VALUE_ROWS);
    for (int n = 0; n < out->count; n++) {
        out->vectors[n].row = row;
        out->vectors[n].first = -(int64_t)e->value[DISTANCE];
        out->vectors[n].last = (int64_t)e->value[DISTANCE];
    }
}

static const locant_variant variants[] = {
    { "shaw(distance=16)", "the paper's base model", "relative Transformer" },
    { "shaw(values=no)", "keys only: nearly as good in the paper",
      "T2T dot_product_attention_relative without values" },
    { "shaw(distance=64,values=no)", "as BERT's relative_key, with clipping",
      "BERT position_embedding_type=relative_key" },
    { 0 }
};

const struct lct_encoding lct_enc_shaw = {
    .info = {
        .name = "shaw",
        .title = "Relative position representations (Shaw)",
        .formula = "s[i,j] = q_i (k_j + keys[m]) / sqrt(D), o_i = sum_j a_ij "
                   "(v_j + values[m]), m = clip(p_j - p_i, -k, k) + k",
        .gradient = "dq_i = s sum_j dS_ij (k_j + keys[m]); dkeys[m] = s sum "
                    "dS_ij q_i; dvalues[m] = sum a_ij do_i; da_ij = <do_i, "
                    "v_j + values[m]>",
        .source = "Shaw et al. 2018, arXiv:1803.02155v2, eq. (3) to (5)",
        .used_by = "relative Transformer (T2T), BERT with relative_key",
        .pitfalls = "The sign is key minus query; BERT's relative_key takes "
                    "query minus key, without clipping.  A gathered [T, S, D] "
                    "array is never needed.",
        .variants = variants,
        .doors = LOCANT_DOOR_CONTENT,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED,
    },
    .keys = keys,
    .params = {
        .list = params,
        .list_of = params_of,
        .size = size,
        .fill = fill,
    },
    .content = { .products = products },
};
