/*
 * fire.c - functional interpolation: a small network of the relative distance.
 *
 * Li et al.: Functional Interpolation for Relative Positions Improves Long
 * Context Transformers. 2024. arXiv:2310.04418, eq. (9) and section 4.
 * f = psi(n) / (psi(max(L, p_i)) + eps), psi(x) = ln(|c x| + 1), and a network
 * 1 -> hidden -> heads with ReLU.
 */
#include "encoding.h"
#include <math.h>

enum { HIDDEN, LENGTH, SHARE };
enum { C, L, W1, B1, W2, B2 };

static const double epsilon = 1e-6; /* the authors' */

static const struct lct_key keys[] = {
    { .name = "hidden", .kind = LCT_INTEGER, .def = 32, .min = 1, .max = 4096,
      .doc = "units of the network" },
    { .name = "length", .kind = LCT_INTEGER, .def = 512, .min = 1,
      .max = 1 << 30, .doc = "threshold L at the start of training; positions "
      "below it are normalised as if they were at it" },
    { .name = "share", .kind = LCT_SWITCH, .def = 0,
      .doc = "yes: one network for all layers (FIRE-S)" },
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "c", .dims = { "1" }, .scope = LCT_SHARE_KEY,
      .doc = "scale inside the logarithm" },
    { .name = "l", .dims = { "1" }, .scope = LCT_SHARE_KEY,
      .doc = "the threshold is |l length|" },
    { .name = "w1", .dims = { "hidden" }, .init = LCT_INIT_UNIFORM, .a = -1,
      .b = 1, .scope = LCT_SHARE_KEY, .doc = "weights of the first layer" },
    { .name = "b1", .dims = { "hidden" }, .init = LCT_INIT_UNIFORM, .a = -1,
      .b = 1, .scope = LCT_SHARE_KEY, .doc = "biases of the first layer" },
    { .name = "w2", .dims = { "hidden", "heads" }, .rate = 10,
      .scope = LCT_SHARE_KEY, .doc = "weights of the second layer" },
    { .name = "b2", .dims = { "heads" }, .rate = 10, .scope = LCT_SHARE_KEY,
      .doc = "biases of the second layer" },
    { 0 }
};

/* c 0.1, l 1, and linear layers uniform within 1/sqrt(inputs). */
static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    double bound = 1 / sqrt(e->value[HIDDEN]);
    int64_t n = info->shape[0] * (info->rank == 2 ? info->shape[1] : 1);

    if (k == W1 || k == B1)
        return false;
    for (int64_t i = 0; i < n; i++) {
        double u = locant_random_uniform(r);

        out[i] = k == C ? 0.1 : k == L ? 1 : bound * (2 * u - 1);
    }
    return true;
}

/* What f is made of at one pair of positions. */
struct relative {
    double n, m;   /* distance, and what normalises it */
    double u, v;   /* psi of both; v with epsilon */
    bool at_least; /* m is the threshold */
};

static double psi(double c, double x)
{
    return log1p(fabs(c * x));
}

static struct relative relate(const struct lct_call *s, int64_t q_pos,
                              int64_t k_pos)
{
    double threshold = fabs(s->param[L][0] * s->e->value[LENGTH]);
    struct relative r = { .n = fabs((double)lct_distance(q_pos, k_pos)),
                          .m = (double)q_pos };

    r.at_least = threshold > r.m;
    if (r.at_least)
        r.m = threshold;
    r.u = psi(s->param[C][0], r.n);
    r.v = psi(s->param[C][0], r.m) + epsilon;
    return r;
}

static void bias(double *out, const struct lct_call *s, int64_t head,
                 int64_t q_pos, const int64_t *k_pos, size_t count)
{
    const double *w1 = s->param[W1], *b1 = s->param[B1], *w2 = s->param[W2];
    int64_t hidden = (int64_t)s->e->value[HIDDEN];

    for (size_t j = 0; j < count; j++) {
        struct relative r = relate(s, q_pos, k_pos[j]);
        double f = r.u / r.v, sum = s->param[B2][head];

        for (int64_t i = 0; i < hidden; i++) {
            double x = w1[i] * f + b1[i];

            if (x > 0)
                sum += w2[i * s->heads + head] * x;
        }
        out[j] = sum;
    }
}

/* dc and dl from df: f = u / v; u = psi(n), v = psi(m) + eps. */
static void relate_backward(double *const *dparam, const struct lct_call *s,
                            const struct relative *r, double df)
{
    double c = s->param[C][0], l = s->param[L][0], sign = c < 0 ? -1 : 1;
    double u_c = r->n * sign / (fabs(c * r->n) + 1);
    double v_c = fabs(r->m) * sign / (fabs(c * r->m) + 1);

    dparam[C][0] += df * (u_c * r->v - r->u * v_c) / (r->v * r->v);
    if (r->at_least)
        dparam[L][0] -= df * r->u / (r->v * r->v) * fabs(c) /
                        (fabs(c) * r->m + 1) *
                        s->e->value[LENGTH] * (l < 0 ? -1 : 1);
}

/* forward: out[j] = b2 + sum_i w2_i max(0, w1_i f + b1_i) */
static void bias_backward(double *const *dparam, const struct lct_call *s,
                          int64_t head, int64_t q_pos, const int64_t *k_pos,
                          const double *dout, size_t count)
{
    const double *w1 = s->param[W1], *b1 = s->param[B1], *w2 = s->param[W2];
    int64_t hidden = (int64_t)s->e->value[HIDDEN];

    for (size_t j = 0; j < count; j++) {
        struct relative r;
        double f, df = 0;

        if (dout[j] == 0)
            continue;
        r = relate(s, q_pos, k_pos[j]);
        f = r.u / r.v;
        dparam[B2][head] += dout[j];
        for (int64_t i = 0; i < hidden; i++) {
            double x = w1[i] * f + b1[i];
            double dx = dout[j] * w2[i * s->heads + head];

            if (!(x > 0))
                continue;
            dparam[W2][i * s->heads + head] += dout[j] * x;
            dparam[W1][i] += dx * f;
            dparam[B1][i] += dx;
            df += dx * w1[i];
        }
        relate_backward(dparam, s, &r, df);
    }
}

static const locant_variant variants[] = {
    { "fire(share=yes)", "FIRE-S: one network for all layers",
      "the paper's shared form" },
    { 0 }
};

const struct lct_encoding lct_enc_fire = {
    .info = {
        .name = "fire",
        .title = "Functional interpolation for relative positions (FIRE)",
        .formula = "s[h,i,j] += MLP_h(psi(n) / (psi(max(L, p_i)) + 1e-6)), "
                   "n = |p_i - p_j|, psi(x) = ln(|c x| + 1)",
        .source = "Li et al. 2024, arXiv:2310.04418v2, eq. (9), section 4",
        .used_by = "length-extrapolation studies",
        .traps = "The normaliser belongs to the query's position: a cached "
                 "bias row of one query serves no other.",
        .gradient = "through the network; dc = (u_c v - u v_c) / v^2; dL = "
                    "-u psi'(L) / v^2 only where L > p_i",
        .variants = variants,
        .doors = LOCANT_DOOR_SCORE,
        .traits = LOCANT_TRAIT_LEARNED,
    },
    .keys = keys,
    .params = params,
    .fill = fill,
    .bias = bias,
    .bias_backward = bias_backward,
};
