/*
 * relative.c - a table of vectors by clipped distance, query minus key: the
 * RelativePositionalEncoding of many tutorials, which leave open how to use it.
 *
 * Such a table is often called "T5 style"; T5 has one number for each bucket
 * and head.  It is Shaw's table of keys in reverse order (row m of one is row
 * 2k - m of the other), and is used as that: Shaw et al. 2018,
 * arXiv:1803.02155, eq. (4).  Tutorials start it at N(0, 1) or N(0, 0.02^2);
 * we take the latter, at which scores of unit queries stay small.
 */
#include "content.h"

enum { DISTANCE, SHARE };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "distance", .kind = LCT_INTEGER, .def = 32, .min = 0,
      .max = 1 << 20, .doc = "k: farther keys use the vector of distance k" },
    LCT_SHARE(0, "yes: the same vectors in all layers"),
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "table", .dims = { "rows", "head_dim" }, LCT_NORMAL(0, 0.02),
      .scope = LCT_SHARE_KEY,
      .doc = "row clip(p_i - p_j, -k, k) + k is multiplied with the query" },
    { 0 }
};
/* clang-format on */

static int64_t size(const locant_encoding *e, const char *name,
                    const locant_sizes *sizes)
{
    (void)name; /* always "rows" */
    (void)sizes;
    return 2 * (int64_t)e->value[DISTANCE] + 1;
}

static int64_t row(const locant_encoding *e, int64_t q_pos, int64_t k_pos)
{
    return lct_row_clipped(lct_distance(q_pos, k_pos),
                           (int64_t)e->value[DISTANCE]);
}

static void products(struct lct_products *out, const locant_encoding *e,
                     struct lct_span differences)
{
    (void)differences;
    out->count = 1;
    out->vectors[0] = lct_plain_vectors(LCT_TIMES_QUERY, 0);
    out->vectors[0].row = row;
    out->vectors[0].first = -(int64_t)e->value[DISTANCE];
    out->vectors[0].last = (int64_t)e->value[DISTANCE];
}

const struct lct_encoding lct_enc_relative = {
    .info = {
        .name = "relative",
        .title = "Table of vectors by clipped distance",
        .formula = "s[i,j] = q_i (k_j + table[m]) / sqrt(D), "
                   "m = clip(p_i - p_j, -k, k) + k",
        .gradient = "dq_i = s sum_j dS_ij table[m]; dtable[m] = s sum dS_ij "
                    "q_i",
        .source = "Shaw et al. 2018, arXiv:1803.02155v2, eq. (4), with the "
                  "sign reversed",
        .used_by = "tutorials",
        .pitfalls = "Often labelled T5, whose bias is one number for each "
                    "bucket and head; a table of the model's width does "
                    "not fit a head.",
        .doors = LOCANT_DOOR_CONTENT,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED,
    },
    .keys = keys,
    .params = { .list = params, .size = size },
    .content = { .products = products },
};
