/*
 * ssmax.c - Scalable-Softmax: scores grow with the logarithm of the number of
 * keys, so that attention does not fade over long contexts.
 *
 * Nakanishi: Scalable-Softmax Is Superior for Attention. 2025.
 * arXiv:2501.19399, section 2.  s_h is learned for each head and layer, N_i is
 * the number of keys that query i sees:
 *
 *     softmax(s_h ln N_i z_ij), z the scaled scores;  bias=yes: s_h ln N_i + b_h
 *
 * Keys are counted after all masks, so windows, padding and documents count,
 * positions do not.  The factor multiplies queries, so a bias that another
 * encoding adds is not multiplied.
 */
#include "encoding.h"
#include <math.h>

enum { INIT, BIAS, SHARE };
enum { S, B };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "init", .kind = LCT_NUMBER, .def = 0.43, .min = 0, .max = 1e3,
      .doc = "what s starts from" },
    { .name = "bias", .kind = LCT_SWITCH, .def = 0,
      .doc = "yes: s ln N + b, b starts from 0" },
    LCT_SHARE(0, "yes: all layers have the same scalars"),
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "s", .dims = { "heads" }, .rate = 10, .scope = LCT_SHARE_KEY,
      .doc = "factor of ln N" },
    { .name = "b", .dims = { "heads" }, .rate = 10, .scope = LCT_SHARE_KEY,
      .doc = "added to it" },
    { 0 }
};
static const struct lct_param without_bias[] = {
    { .name = "s", .dims = { "heads" }, .rate = 10, .scope = LCT_SHARE_KEY,
      .doc = "factor of ln N" },
    { 0 }
};
/* clang-format on */

static const struct lct_param *list_of(const locant_encoding *e)
{
    return e->value[BIAS] != 0 ? params : without_bias;
}

static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    (void)r;
    for (int64_t h = 0; h < info->shape[0]; h++)
        out[h] = k == S ? e->value[INIT] : 0;
    return true;
}

static double factor(const struct lct_call *c, int64_t head, int64_t count)
{
    double s = c->param[S][head] * log((double)count);

    return c->e->value[BIAS] != 0 ? s + c->param[B][head] : s;
}

static void factor_backward(double *const *dparam, const struct lct_call *c,
                            int64_t head, int64_t count, double dout)
{
    dparam[S][head] += dout * log((double)count);
    if (c->e->value[BIAS] != 0)
        dparam[B][head] += dout;
}

static const locant_variant variants[] = {
    { "ssmax+rope", "with rotated queries and keys", "the paper" },
    { "ssmax(bias=yes)+rope", "with an offset, which the paper drops",
      "the paper, section 2" },
    { 0 }
};

const struct lct_encoding lct_enc_ssmax = {
    .info = {
        .name = "ssmax",
        .title = "Scalable-Softmax (SSMax)",
        .formula = "q_i <- s_h ln(N_i) q_i, N_i = the number of keys that "
                   "query i sees",
        .gradient = "ds_h = sum_i ln(N_i) sum_j dS_ij z_ij, z the scaled "
                    "scores before the factor; dq_i <- s_h ln(N_i) dq_i",
        .source = "Nakanishi 2025, arXiv:2501.19399, section 2",
        .used_by = "long-context research",
        .pitfalls = "N_i is the number of visible keys of the row: a padded "
                    "length, or the length of the whole text, is another "
                    "model.  A query that sees one key has factor 0.",
        .variants = variants,
        .traits = LOCANT_TRAIT_LEARNED,
    },
    .keys = keys,
    .params = { .list_of = list_of, .fill = fill },
    .factors = { .row = factor, .row_backward = factor_backward },
};
