/*
 * scale_invariant.c - scores and a bias that give each octave of distance the
 * same weight.
 *
 * Anson, Wang, Aitchison: Scale-invariant Attention. 2025. arXiv:2505.17083.
 * With n = |p_i - p_j|:
 *
 *     s <- a(n) s + m(n),  a = sqrt(1 + 2 ln(1 + n / tau)),
 *                          m = -2 ln(1 + n / tau)
 *
 * If scores are distributed as N(0, 1), the expected exp(s) is then
 * e^(1/2) / (1 + n / tau), and the expected share of s in it is 1 at each n.
 */
#include "encoding.h"
#include <math.h>

enum { TAU };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "tau", .kind = LCT_NUMBER, .def = 10, .min = 1e-3, .max = 1e9,
      .doc = "distance up to which scores hardly change" },
    { 0 }
};
/* clang-format on */

/* ln(1 + n / tau) */
static double octaves(const struct lct_call *c, int64_t q_pos, int64_t k_pos)
{
    double n = fabs((double)lct_distance(q_pos, k_pos));

    return log1p(n / c->e->value[TAU]);
}

static void gain(double *out, const struct lct_call *c, int64_t head,
                 int64_t q_pos, const int64_t *k_pos, size_t n)
{
    (void)head;
    for (size_t j = 0; j < n; j++)
        out[j] = sqrt(1 + 2 * octaves(c, q_pos, k_pos[j]));
}

/* The same for all heads. */
static void bias_heads(double *out, const struct lct_call *c, int64_t head,
                       int64_t heads, int64_t q_pos, int64_t k_pos)
{
    double bias = 0 - 2 * octaves(c, q_pos, k_pos); /* never -0 */

    (void)head;
    for (int64_t h = 0; h < heads; h++)
        out[h] = bias;
}

static const locant_variant variants[] = { { "scale-invariant+rope",
                                             "with rotated queries and keys",
                                             "the paper, with p-RoPE" },
                                           { 0 } };

const struct lct_encoding lct_enc_scale_invariant = {
    .info = {
        .name = "scale-invariant",
        .title = "Scale-invariant attention",
        .formula = "s[h,i,j] <- sqrt(1 + 2 L) s[h,i,j] - 2 L, L = ln(1 + "
                   "|p_i - p_j| / tau)",
        .gradient = "ds <- sqrt(1 + 2 L) ds",
        .source = "Anson et al. 2025, arXiv:2505.17083",
        .used_by = "long-context research",
        .pitfalls = "The factor multiplies q.k, so a constant added to all "
                    "products of a query no longer cancels in the softmax.",
        .variants = variants,
        .doors = LOCANT_DOOR_SCORE,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_MONOTONE,
    },
    .keys = keys,
    .score = { .bias = lct_bias_of_heads, .heads = bias_heads },
    .factors = { .gain = { .at = gain, .alike = true } },
};
