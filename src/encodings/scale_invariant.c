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

/* ln(1 + |d| / tau), and its derivative by d. */
static double octaves(const struct lct_call *c, double d)
{
    return log1p(fabs(d) / c->e->value[TAU]);
}

static double octaves_slope(const struct lct_call *c, double d)
{
    return lct_sign(d) / (c->e->value[TAU] + fabs(d));
}

static double gain_at(const struct lct_call *c, double d)
{
    return sqrt(1 + 2 * octaves(c, d));
}

static double bias_at(const struct lct_call *c, double d)
{
    return 0 - 2 * octaves(c, d); /* never -0 */
}

static void gain(double *out, const struct lct_call *c, int64_t head,
                 int64_t q_pos, const int64_t *k_pos, size_t n)
{
    (void)head;
    for (size_t j = 0; j < n; j++)
        out[j] = gain_at(c, (double)lct_distance(q_pos, k_pos[j]));
}

static void real_gain(double *out, const struct lct_call *c,
                      const struct lct_real_keys *x)
{
    for (size_t j = 0; j < x->n; j++)
        out[j] = gain_at(c, lct_real_distance(x, j));
}

/* forward: out[j] = sqrt(1 + 2 octaves) */
static void real_gain_backward(const struct lct_real_gradients *g,
                               const struct lct_call *c,
                               const struct lct_real_keys *x,
                               const double *dout)
{
    for (size_t j = 0; j < x->n; j++) {
        double d = lct_real_distance(x, j);

        lct_real_add(g, j, dout[j] * octaves_slope(c, d) / gain_at(c, d));
    }
}

/* The same for all heads. */
static void bias_heads(double *out, const struct lct_call *c, int64_t head,
                       int64_t heads, int64_t q_pos, int64_t k_pos)
{
    double bias = bias_at(c, (double)lct_distance(q_pos, k_pos));

    (void)head;
    for (int64_t h = 0; h < heads; h++)
        out[h] = bias;
}

static void real_bias(double *out, const struct lct_call *c,
                      const struct lct_real_keys *x)
{
    for (size_t j = 0; j < x->n; j++)
        out[j] = bias_at(c, lct_real_distance(x, j));
}

static void real_bias_backward(const struct lct_real_gradients *g,
                               const struct lct_call *c,
                               const struct lct_real_keys *x,
                               const double *dout)
{
    for (size_t j = 0; j < x->n; j++)
        lct_real_add(g, j,
                     -2 * dout[j] * octaves_slope(c, lct_real_distance(x, j)));
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
    .positions = { .real = true },
    .score = {
        .bias = lct_bias_of_heads,
        .heads = bias_heads,
        .real = { real_bias, real_bias_backward },
    },
    .factors = {
        .gain = {
            .at = gain,
            .real = { real_gain, real_gain_backward },
            .alike = true,
        },
    },
};
