/*
 * urpe.c - universal relative positional encoding: weights are multiplied by a
 * learned factor of the distance after the softmax.
 *
 * Luo, Li, Zheng, Liu, Wang, He: Your Transformer May Not be as Powerful as You
 * Expect. 2022. arXiv:2205.13401, section 4.  o_i = sum_j p_ij c_h(p_i - p_j)
 * v_j; the weights are not normalised again, so even a constant value tells
 * positions apart, which no bias can do.  As in the authors' code, distances
 * share the signed buckets of T5, and layers share the table.
 */
#include "t5.h"

enum { INIT = LCT_T5_BIDIRECTIONAL + 1 };
enum { ONES, NORMAL };

static const char *const inits[] = { "ones", "normal", NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "buckets", .kind = LCT_INTEGER, .def = 64, .min = 2,
      .max = LCT_T5_MOST, .doc = "rows of the table; even when bidirectional" },
    { .name = "distance", .kind = LCT_INTEGER, .def = 128, .min = 2,
      .max = 1 << 20, .doc = "distances from here on share the last bucket" },
    { .name = "bidirectional", .kind = LCT_SWITCH, .def = 1,
      .doc = "yes: half of the buckets for keys after the query" },
    { .name = "init", .kind = LCT_WORD, .def = ONES, .words = inits,
      .doc = "ones: as without the factor; normal: N(0, 1)" },
    LCT_SHARE(1, "no: each layer has its own table"),
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "table", .dims = { "buckets", "heads" }, LCT_NORMAL(0, 1),
      .rate = 10, .scope = LCT_SHARE_KEY,
      .doc = "factor of each bucket for each head" },
    { 0 }
};
/* clang-format on */

static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    (void)k;
    (void)r;
    if (e->value[INIT] == NORMAL)
        return false;
    for (int64_t n = 0; n < info->shape[0] * info->shape[1]; n++)
        out[n] = 1;
    return true;
}

static void after(double *out, const struct lct_call *c, int64_t head,
                  int64_t q_pos, const int64_t *k_pos, size_t n)
{
    for (size_t j = 0; j < n; j++)
        out[j] =
            c->param[0][lct_t5_bucket(c, q_pos, k_pos[j]) * c->heads + head];
}

static void after_backward(double *const *dparam, const struct lct_call *c,
                           int64_t head, int64_t q_pos, const int64_t *k_pos,
                           const double *dout, size_t n)
{
    for (size_t j = 0; j < n; j++)
        dparam[0][lct_t5_bucket(c, q_pos, k_pos[j]) * c->heads + head] +=
            dout[j];
}

static const locant_variant variants[] = {
    { "urpe+t5(buckets=64,bidirectional=yes)", "beside a bias, as in the paper",
      "the paper" },
    { "urpe+rope", "with rotated queries and keys", "" },
    { 0 }
};

const struct lct_encoding lct_enc_urpe = {
    .info = {
        .name = "urpe",
        .title = "Factor after the softmax (URPE)",
        .formula = "o[h,i] = sum_j p[h,i,j] table[bucket(p_i - p_j), h] v_j, p "
                   "the weights of the softmax",
        .gradient = "dtable[bucket, h] = sum of p_ij (do_i.v_j) over pairs of "
                    "that bucket; dp_ij = table[bucket, h] (do_i.v_j)",
        .source = "Luo et al. 2022, arXiv:2205.13401, section 4",
        .used_by = "research",
        .pitfalls = "Weights no longer sum to 1, which is the point: do not "
                    "normalise them again.",
        .variants = variants,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED,
    },
    .keys = keys,
    .check = lct_t5_check,
    .prepare = lct_t5_prepare,
    .params = { .list = params, .fill = fill },
    .factors = { .after = { .at = after, .backward = after_backward } },
};
