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

enum { HIDDEN, LOG, SHARE };
enum { W1, B1, W2, B2, W3, B3 };
enum { MOST_HIDDEN = 512 };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "hidden", .kind = LCT_INTEGER, .def = 32, .min = 1,
      .max = MOST_HIDDEN, .doc = "units of both hidden layers" },
    { .name = "log", .kind = LCT_SWITCH, .def = 0,
      .doc = "yes: the network sees sign(r) ln(1 + |r|)" },
    LCT_SHARE(1, "no: each layer has its own network"),
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
/* clang-format on */

/* Linear layers uniform within 1/sqrt(inputs), as PyTorch makes them. */
static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    double inputs = k == W1 || k == B1 ? 1 : e->value[HIDDEN];

    return lct_fill_uniform(out, info, 1 / sqrt(inputs), r);
}

static double silu(double x)
{
    return x / (1 + exp(-x));
}

static double silu_derivative(double x)
{
    double s = 1 / (1 + exp(-x));

    return s * (1 + x * (1 - s));
}

/* What the network sees of a distance. */
static double input(const struct lct_call *c, double d)
{
    return c->e->value[LOG] == 0 ? d : copysign(log1p(fabs(d)), d);
}

/* Activations of one forward pass. */
struct pass {
    double r; /* what the network sees of the distance */
    double a1[MOST_HIDDEN], a2[MOST_HIDDEN]; /* before SiLU, of both layers */
    double h1[MOST_HIDDEN];                  /* silu(a1) */
};

static void run(struct pass *p, const struct lct_call *c, double d)
{
    int64_t hidden = (int64_t)c->e->value[HIDDEN];

    p->r = input(c, d);
    for (int64_t i = 0; i < hidden; i++) {
        p->a1[i] = c->param[W1][i] * p->r + c->param[B1][i];
        p->a2[i] = c->param[B2][i];
    }
    for (int64_t i = 0; i < hidden; i++) {
        p->h1[i] = silu(p->a1[i]);
        for (int64_t k = 0; k < hidden; k++)
            p->a2[k] += p->h1[i] * c->param[W2][i * hidden + k];
    }
}

/* The biases of 'heads' heads from 'head' on at distance d. */
static void network(double *out, const struct lct_call *c, int64_t head,
                    int64_t heads, double d)
{
    int64_t hidden = (int64_t)c->e->value[HIDDEN];
    struct pass p;

    run(&p, c, d);
    for (int64_t h = 0; h < heads; h++)
        out[h] = c->param[B3][head + h];
    for (int64_t k = 0; k < hidden; k++) {
        double h2 = silu(p.a2[k]);

        for (int64_t h = 0; h < heads; h++)
            out[h] += h2 * c->param[W3][k * c->heads + head + h];
    }
}

static void bias_heads(double *out, const struct lct_call *c, int64_t head,
                       int64_t heads, int64_t q_pos, int64_t k_pos)
{
    network(out, c, head, heads, (double)lct_distance(q_pos, k_pos));
}

/* forward: a2 = b2 + silu(a1) w2, a1 = w1 r + b1; returns the gradient of r.
 * Parameters have none if 'dparam' is NULL. */
static double run_backward(double *const *dparam, const struct pass *p,
                           const struct lct_call *c, const double *da2)
{
    int64_t hidden = (int64_t)c->e->value[HIDDEN];
    double dr = 0;

    if (dparam != NULL)
        for (int64_t k = 0; k < hidden; k++)
            dparam[B2][k] += da2[k];
    for (int64_t i = 0; i < hidden; i++) {
        double da1 = 0;

        for (int64_t k = 0; k < hidden; k++) {
            if (dparam != NULL)
                dparam[W2][i * hidden + k] += da2[k] * p->h1[i];
            da1 += da2[k] * c->param[W2][i * hidden + k];
        }
        da1 *= silu_derivative(p->a1[i]);
        dr += da1 * c->param[W1][i];
        if (dparam == NULL)
            continue;
        dparam[W1][i] += da1 * p->r;
        dparam[B1][i] += da1;
    }
    return dr;
}

/* forward: out[h] = b3 + silu(a2) w3; returns the gradient of d */
static double network_backward(double *const *dparam, const struct lct_call *c,
                               int64_t head, int64_t heads, double d,
                               const double *dout)
{
    int64_t hidden = (int64_t)c->e->value[HIDDEN];
    double da2[MOST_HIDDEN];
    struct pass p;

    run(&p, c, d);
    if (dparam != NULL)
        for (int64_t h = 0; h < heads; h++)
            dparam[B3][head + h] += dout[h];
    for (int64_t k = 0; k < hidden; k++) {
        int64_t at = k * c->heads + head;
        double h2 = silu(p.a2[k]), dh2 = 0;

        for (int64_t h = 0; h < heads; h++) {
            if (dparam != NULL)
                dparam[W3][at + h] += dout[h] * h2;
            dh2 += dout[h] * c->param[W3][at + h];
        }
        da2[k] = dh2 * silu_derivative(p.a2[k]);
    }
    return run_backward(dparam, &p, c, da2) /
           (c->e->value[LOG] == 0 ? 1 : 1 + fabs(d));
}

static void bias_heads_backward(double *const *dparam, const struct lct_call *c,
                                int64_t head, int64_t heads, int64_t q_pos,
                                int64_t k_pos, const double *dout)
{
    (void)network_backward(dparam, c, head, heads,
                           (double)lct_distance(q_pos, k_pos), dout);
}

static void real_bias(double *out, const struct lct_call *c,
                      const struct lct_real_keys *x)
{
    for (size_t j = 0; j < x->n; j++)
        network(out + j, c, x->head, 1, lct_real_distance(x, j));
}

static void real_backward(const struct lct_real_gradients *g,
                          const struct lct_call *c,
                          const struct lct_real_keys *x, const double *dout)
{
    for (size_t j = 0; j < x->n; j++)
        if (dout[j] != 0)
            lct_real_add(g, j,
                         network_backward(g->dparam, c, x->head, 1,
                                          lct_real_distance(x, j), dout + j));
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
        .pitfalls = "Raw distances grow without bound: use log=yes beyond the "
                    "trained length.",
        .gradient = "through the network, summed over equal distances",
        .variants = variants,
        .doors = LOCANT_DOOR_SCORE,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED,
    },
    .keys = keys,
    .params = { .list = params, .fill = fill },
    .positions = { .real = true },
    .score = {
        .bias = lct_bias_of_heads,
        .backward = lct_bias_of_heads_backward,
        .real = { real_bias, real_backward },
        .heads = bias_heads,
        .heads_backward = bias_heads_backward,
    },
};
