/*
 * kerple.c - kernelised relative positions: logarithmic and power biases.
 *
 * Chi, Fan, Ramadge, Rudnicky:  KERPLE:  Kernelized Relative Positional
 * Embedding for Length Extrapolation. 2022. arXiv:2205.09921, section 4.2.
 * With n = |p_i - p_j|:  log: -p ln(1 + a n);  power: -a n^p.  The bias is
 * added after the 1/sqrt(D) scale, as in the authors' code (their eq. (1)
 * scales it too).  Projection after each step keeps p and a at 0.01 or above
 * and the exponent at 2 or below, where the kernel is conditionally positive
 * definite.
 */
#include "encoding.h"
#include <math.h>

enum { KIND, SHARE };
enum { LOG, POWER };
enum { P, A };

static const char *const kinds[] = { "log", "power", NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "kind", .kind = LCT_WORD, .def = LOG, .words = kinds,
      .doc = "log: -p ln(1 + a n); power: -a n^p" },
    LCT_SHARE(1, "no: each layer has its own scalars"),
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "p", .dims = { "heads" }, LCT_UNIFORM(0, 2), .rate = 10,
      .scope = LCT_SHARE_KEY,
      .doc = "log: strength; power: exponent, at most 2" },
    { .name = "a", .dims = { "heads" }, LCT_UNIFORM(0, 1), .rate = 10,
      .scope = LCT_SHARE_KEY,
      .doc = "log: scale of distance; power: strength" },
    { 0 }
};
/* clang-format on */

static double project(const locant_encoding *e, int k, double value)
{
    if (!(value >= 0.01))
        return 0.01;
    if (k == P && e->value[KIND] == POWER && value > 2)
        return 2;
    return value;
}

/* The bias at distance n. */
static double value(const struct lct_call *c, int64_t head, double n)
{
    double p = c->param[P][head], a = c->param[A][head];

    /* never -0 */
    return 0 - (c->e->value[KIND] == LOG ? p * log1p(a * n) : a * pow(n, p));
}

/* Its derivative by n, taken as 0 at n = 0. */
static double slope(const struct lct_call *c, int64_t head, double n)
{
    double p = c->param[P][head], a = c->param[A][head];

    if (n == 0)
        return 0;
    return c->e->value[KIND] == LOG ? -p * a / (1 + a * n)
                                    : -a * p * pow(n, p - 1);
}

/* forward: log -p ln(1 + a n); power -a n^p, whose d/dp is 0 at n = 0 */
static void value_backward(double sum[2], const struct lct_call *c,
                           int64_t head, double n, double dout)
{
    double p = c->param[P][head], a = c->param[A][head];

    if (n == 0)
        return;
    if (c->e->value[KIND] == LOG) {
        sum[P] -= dout * log1p(a * n);
        sum[A] -= dout * p * n / (1 + a * n);
    } else {
        double power = pow(n, p);

        sum[P] -= dout * a * power * log(n);
        sum[A] -= dout * power;
    }
}

static void bias(double *out, const struct lct_call *c, int64_t head,
                 int64_t q_pos, const int64_t *k_pos, size_t count)
{
    for (size_t j = 0; j < count; j++)
        out[j] = value(c, head, fabs((double)lct_distance(q_pos, k_pos[j])));
}

static void bias_backward(double *const *dparam, const struct lct_call *c,
                          int64_t head, int64_t q_pos, const int64_t *k_pos,
                          const double *dout, size_t count)
{
    double sum[2] = { 0 };

    for (size_t j = 0; j < count; j++)
        value_backward(sum, c, head,
                       fabs((double)lct_distance(q_pos, k_pos[j])), dout[j]);
    dparam[P][head] += sum[P];
    dparam[A][head] += sum[A];
}

static void real_bias(double *out, const struct lct_call *c,
                      const struct lct_real_keys *x)
{
    for (size_t j = 0; j < x->n; j++)
        out[j] = value(c, x->head, fabs(lct_real_distance(x, j)));
}

static void real_backward(const struct lct_real_gradients *g,
                          const struct lct_call *c,
                          const struct lct_real_keys *x, const double *dout)
{
    double sum[2] = { 0 };

    for (size_t j = 0; j < x->n; j++) {
        double d = lct_real_distance(x, j);

        if (dout[j] == 0)
            continue;
        value_backward(sum, c, x->head, fabs(d), dout[j]);
        lct_real_add(g, j, dout[j] * slope(c, x->head, fabs(d)) * lct_sign(d));
    }
    if (g->dparam == NULL)
        return;
    g->dparam[P][x->head] += sum[P];
    g->dparam[A][x->head] += sum[A];
}

static const locant_variant variants[] = {
    { "kerple(kind=power)", "KERPLE, power form", "the paper" },
    { "kerple(share=no)", "KERPLE of each layer", "DAPE's fork" },
    { 0 }
};

const struct lct_encoding lct_enc_kerple = {
    .info = {
        .name = "kerple",
        .title = "Kernelised relative positions (KERPLE)",
        .formula = "s[h,i,j] += -p_h ln(1 + a_h |p_i - p_j|)  or  "
                   "-a_h |p_i - p_j|^p_h",
        .source = "Chi et al. 2022, arXiv:2205.09921v2, section 4.2",
        .used_by = "length-extrapolation studies; base of DAPE",
        .pitfalls = "Distances in half precision are exact only to 2048; the "
                    "paper's eq. (1) puts the bias inside 1/sqrt(D), its code "
                    "outside.",
        .gradient = "log: dp = -ln(1 + a n), da = -p n / (1 + a n); power: "
                    "da = -n^p, dp = -a n^p ln n",
        .variants = variants,
        .doors = LOCANT_DOOR_SCORE,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED |
                  LOCANT_TRAIT_MONOTONE,
    },
    .keys = keys,
    .params = { .list = params, .project = project },
    .positions = { .real = true },
    .score = {
        .bias = bias,
        .backward = bias_backward,
        .real = { real_bias, real_backward },
    },
};
