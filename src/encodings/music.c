/*
 * music.c - the Music Transformer's vectors, one for each past distance.
 *
 * Huang et al.: Music Transformer: Generating Music with Long-Term Structure.
 * 2018. arXiv:1809.04281, section 3.4. The authors skew Q E^T to align it with
 * the scores; indexing gives the same. Distances beyond the table use its first
 * row, as padding does in the authors' code (tensor2tensor).  Scores of keys
 * after the query are undefined in their code and do not change here; a causal
 * mask must hide them. The table starts at N(0, 1/D), as in their code.
 */
#include "content.h"

enum { LENGTH, SHARE };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "length", .kind = LCT_INTEGER, .def = NAN, .min = 1,
      .max = 1 << 30, .doc = "rows of the table: distances 0 .. length - 1; "
      "left out: the trained length" },
    LCT_SHARE(0, "yes: the same table in all layers"),
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "table", .dims = { "length", "head_dim" }, .scope = LCT_SHARE_KEY,
      .doc = "row length - 1 - n is multiplied with the query at distance n" },
    { 0 }
};
/* clang-format on */

static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    double deviation = 1 / sqrt((double)info->shape[1]);

    (void)e;
    (void)k;
    for (int64_t i = 0; i < info->shape[0] * info->shape[1]; i++)
        out[i] = deviation * locant_random_normal(r);
    return true;
}

/* Any position is allowed, but the length must be known to find rows. */
static locant_status check_length(const locant_encoding *e, const char *fn,
                                  const int64_t *pos, size_t n,
                                  const locant_tensor *given)
{
    (void)pos;
    (void)n;
    (void)given;
    if (isnan(e->value[LENGTH]))
        return locant_fail(
            LOCANT_ERR_PARAM,
            "%s: music has no length, expected one as in music(length=1024)",
            fn);
    return LOCANT_OK;
}

static int64_t row(const locant_encoding *e, int64_t q_pos, int64_t k_pos)
{
    int64_t n = lct_distance(q_pos, k_pos);
    int64_t last = (int64_t)e->value[LENGTH] - 1;

    return n < 0 ? -1 : n > last ? 0 : last - n;
}

/* Keys after the query are hidden, so differences start at 0. */
static void products(struct lct_products *out, const locant_encoding *e,
                     struct lct_span differences)
{
    (void)differences;
    out->count = 1;
    out->vectors[0] = lct_plain_vectors(LCT_TIMES_QUERY, 0);
    out->vectors[0].row = row;
    out->vectors[0].first = 0;
    out->vectors[0].last = (int64_t)e->value[LENGTH];
}

static const locant_variant variants[] = {
    { "music(length=2048)", "the paper's longest relative distance",
      "Music Transformer" },
    { "music(length=512,share=yes)", "one table for all layers",
      "small models" },
    { 0 }
};

const struct lct_encoding lct_enc_music = {
    .info = {
        .name = "music",
        .title = "Music Transformer relative attention",
        .formula = "s[i,j] = q_i (k_j + table[max(length - 1 - n, 0)]) / "
                   "sqrt(D), n = p_i - p_j >= 0",
        .gradient = "dq_i = s sum_j dS_ij table[m]; dtable[m] = s sum dS_ij "
                    "q_i",
        .source = "Huang et al. 2018, arXiv:1809.04281v3, section 3.4",
        .used_by = "Music Transformer, tensor2tensor dot_product_relative_v2",
        .pitfalls = "The skewed matrix is right at and below the diagonal "
                    "only; the unmasked form of tensor2tensor has 2L - 1 rows "
                    "and another padding.  Row length - 1 is distance 0.",
        .variants = variants,
        .doors = LOCANT_DOOR_CONTENT,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED |
                  LOCANT_TRAIT_CAUSAL,
    },
    .keys = keys,
    .params = { .list = params, .fill = fill },
    .positions = { .check = check_length },
    .content = { .products = products },
};
