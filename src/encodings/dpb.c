/*
 * dpb.c - dynamic position bias: a network of the signed distance.
 *
 * Wang et al.: CrossFormer: A Versatile Vision Transformer Hinging on
 * Cross-scale Attention. 2022. arXiv:2108.00154, section 3.2, in the form for
 * sequences that x-transformers gives it: 1 -> hidden -> hidden -> heads with
 * SiLU, of r or of sign(r) ln(1 + |r|).
 */
#include "encoding.h"
#include <math.h>

enum { HIDDEN, LOG, SHARE, MOST = 512 };
enum { W1, B1, W2, B2, W3, B3 };

static const struct lct_key keys[] = {
    { .name = "hidden", .kind = LCT_INTEGER, .def = 32, .min = 1, .max = MOST,
      .doc = "units of both hidden layers" },
    { .name = "log", .kind = LCT_SWITCH, .def = 0,
      .doc = "yes: the network sees sign(r) ln(1 + |r|)" },
    { .name = "share", .kind = LCT_SWITCH, .def = 1,
      .doc = "no: each layer has its own network" },
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "w1", .dims = { "hidden" }, .scope = LCT_SHARE_KEY,
      .doc = "weights of the first layer" },
    { .name = "b1", .dims = { "hidden" }, .scope = LCT_SHARE_KEY,
      .doc = "biases of the first layer" },
    { .name = "w2", .dims = { "hidden", "hidden" }, .scope = LCT_SHARE_KEY,
      .doc = "weights of the second layer, [in, out]" },
    { .name = "b2", .dims = { "hidden" }, .scope = LCT_SHARE_KEY,
      .doc = "biases of the second layer" },
    { .name = "w3", .dims = { "hidden", "heads" }, .rate = 10,
      .scope = LCT_SHARE_KEY, .doc = "weights of the last layer" },
    { .name = "b3", .dims = { "heads" }, .rate = 10, .scope = LCT_SHARE_KEY,
      .doc = "biases of the last layer" },
    { 0 }
};

/* Linear layers uniform within 1/sqrt(inputs), as PyTorch makes them. */
static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    double bound = k == W1 || k == B1 ? 1 : 1 / sqrt(e->value[HIDDEN]);
    int64_t n = info->shape[0] * (info->rank == 2 ? info->shape[1] : 1);

    for (int64_t i = 0; i < n; i++)
        out[i] = bound * (2 * locant_random_uniform(r) - 1);
    return true;
}

static double silu(double x)
{
    return x / (1 + exp(-x));
}

static double silu_slope(double x)
{
    double s = 1 / (1 + exp(-x));

    return s * (1 + x * (1 - s));
}

static double input(const struct lct_call *s, int64_t q_pos, int64_t k_pos)
{
    double r = (double)lct_distance(q_pos, k_pos);

    return s->e->value[LOG] == 0 ? r : copysign(log1p(fabs(r)), r);
}

/* Sums before the activations of both layers. */
static void hidden_sums(double *a1, double *a2, const struct lct_call *s,
                        double r)
{
    int64_t hidden = (int64_t)s->e->value[HIDDEN];

    for (int64_t i = 0; i < hidden; i++) {
        a1[i] = s->param[W1][i] * r + s->param[B1][i];
        a2[i] = s->param[B2][i];
    }
    for (int64_t i = 0; i < hidden; i++) {
        double h = silu(a1[i]);

        for (int64_t k = 0; k < hidden; k++)
            a2[k] += h * s->param[W2][i * hidden + k];
    }
}

static void bias(double *out, const struct lct_call *s, int64_t head,
                 int64_t q_pos, const int64_t *k_pos, size_t n)
{
    int64_t hidden = (int64_t)s->e->value[HIDDEN];
    double a1[MOST], a2[MOST];

    for (size_t j = 0; j < n; j++) {
        hidden_sums(a1, a2, s, input(s, q_pos, k_pos[j]));
        out[j] = s->param[B3][head];
        for (int64_t k = 0; k < hidden; k++)
            out[j] += silu(a2[k]) * s->param[W3][k * s->heads + head];
    }
}

/* forward: out = b3 + silu(a2) w3, a2 = b2 + silu(a1) w2, a1 = w1 r + b1 */
static void bias_backward(double *const *dparam, const struct lct_call *s,
                          int64_t head, int64_t q_pos, const int64_t *k_pos,
                          const double *dout, size_t n)
{
    int64_t hidden = (int64_t)s->e->value[HIDDEN];
    double a1[MOST], a2[MOST], d1[MOST];

    for (size_t j = 0; j < n; j++) {
        double r = input(s, q_pos, k_pos[j]);

        if (dout[j] == 0)
            continue;
        hidden_sums(a1, a2, s, r);
        dparam[B3][head] += dout[j];
        for (int64_t i = 0; i < hidden; i++)
            d1[i] = 0;
        for (int64_t k = 0; k < hidden; k++) {
            double d2 = dout[j] * s->param[W3][k * s->heads + head] *
                        silu_slope(a2[k]);

            dparam[W3][k * s->heads + head] += dout[j] * silu(a2[k]);
            dparam[B2][k] += d2;
            for (int64_t i = 0; i < hidden; i++) {
                dparam[W2][i * hidden + k] += d2 * silu(a1[i]);
                d1[i] += d2 * s->param[W2][i * hidden + k];
            }
        }
        for (int64_t i = 0; i < hidden; i++) {
            dparam[W1][i] += d1[i] * silu_slope(a1[i]) * r;
            dparam[B1][i] += d1[i] * silu_slope(a1[i]);
        }
    }
}

static const locant_variant variants[] = {
    { "dpb(log=yes)", "Dynamic position bias of log distances",
      "x-transformers (log_distance)" },
    { 0 }
};

const struct lct_encoding lct_enc_dpb = {
    .info = {
        .name = "dpb",
        .title = "Dynamic position bias",
        .formula = "s[h,i,j] += MLP_h(p_i - p_j), 1 -> hidden -> hidden -> H "
                   "with SiLU",
        .source = "Wang et al. 2022, arXiv:2108.00154v2, section 3.2; "
                  "x-transformers for the form on sequences",
        .used_by = "CrossFormer; x-transformers",
        .traps = "Raw distances grow without bound: use log=yes beyond the "
                 "trained length.",
        .gradient = "through the network, summed over equal distances",
        .variants = variants,
        .doors = LOCANT_DOOR_SCORE,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED,
    },
    .keys = keys,
    .params = params,
    .fill = fill,
    .bias = bias,
    .bias_backward = bias_backward,
};
