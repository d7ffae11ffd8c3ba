/*
 * cosine.c - cosine attention of Swin Transformer V2: scores are cosines of
 * queries and keys times a learned factor of the head.
 *
 * Liu et al.: Swin Transformer V2: Scaling Up Capacity and Resolution. 2022.
 * arXiv:2111.09883, section 3.2, eq. (2), and the authors' code.
 *
 *     s_ij = e^min(l_h, ln 100) <q_i, k_j> / (|q_i| |k_j|)
 *
 * Norms below 1e-12 count as 1e-12, as in normalize() of PyTorch.  The factor
 * takes the place of the scale of scores; with a scale of 0 scores are 0.  As a
 * map of queries and keys it allows a cache of normalised keys.  Outside of
 * attention the map is that of the scale 1/sqrt(head_dim).
 */
#include "content.h"

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "most", .kind = LCT_NUMBER, .def = 100, .min = 0,
      .min_open = true, .max = 1e30, .doc = "largest factor" },
    { .name = "init", .kind = LCT_NUMBER, .def = 10, .min = 0,
      .min_open = true, .max = 1e30, .doc = "factor at the start" },
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "log_scale", .dims = { "heads" }, .scope = LCT_PER_LAYER,
      .doc = "l: logarithm of the factor of each head (logit_scale)" },
    { 0 }
};
/* clang-format on */

enum { MOST, INIT };

static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    (void)k;
    (void)r;
    for (int64_t h = 0; h < info->shape[0]; h++)
        out[h] = log(e->value[INIT]);
    return true;
}

static double norm(const double *x, int64_t n)
{
    return fmax(sqrt(lct_dot(x, x, n)), 1e-12);
}

/* What a unit row is multiplied by: attention multiplies scores by c->scale. */
static double factor(const struct lct_call *c, enum lct_role role, int64_t head)
{
    if (role == LCT_KEY)
        return 1;
    if (c->scale == 0)
        return 0;
    return fmin(exp(c->param[0][head]), c->e->value[MOST]) / c->scale;
}

static void map(double *out, const double *x, const struct lct_call *c,
                enum lct_role role, int64_t head, const struct lct_point *at)
{
    double by = factor(c, role, head) / norm(x, c->head_dim);

    (void)at;
    for (int64_t d = 0; d < c->head_dim; d++)
        out[d] = by * x[d];
}

/*
 * forward: out = f r, r = x / |x|: dx = f (dout - r <r, dout>) / |x|, where the
 * norm is not clamped; f = e^l / scale: dl = f <r, dout>, where l is not
 * clamped.  Rows that no query sees may hold NaN and are not read.
 */
static void backward(double *dx, double *const *dparam, const double *dout,
                     const double *x, const struct lct_call *c,
                     enum lct_role role, int64_t head,
                     const struct lct_point *at)
{
    int64_t D = c->head_dim;
    double f = factor(c, role, head), n = norm(x, D), along = 0;
    bool any = false;

    (void)at;
    for (int64_t d = 0; d < D; d++) {
        any |= dout[d] != 0;
        dx[d] = 0;
    }
    if (!any)
        return;
    along = lct_dot(x, dout, D) / n;
    for (int64_t d = 0; d < D; d++)
        dx[d] = f * (dout[d] - (n > 1e-12 ? along * x[d] / n : 0)) / n;
    if (role == LCT_QUERY && dparam[0] != NULL &&
        exp(c->param[0][head]) < c->e->value[MOST])
        dparam[0][head] += f * along;
}

static const locant_variant variants[] = {
    { "swinv2+cosine", "attention of Swin v2", "Swin Transformer v2" }, { 0 }
};

const struct lct_encoding lct_enc_cosine = {
    .info = {
        .name = "cosine",
        .title = "Cosine attention (Swin v2)",
        .formula = "s[h,i,j] = min(e^l_h, 100) <q_i, k_j> / (|q_i| |k_j|)",
        .gradient = "dq = f (dr - r <r, dr>) / |q|, r = q / |q|, dr = sum dS "
                    "k_j / |k_j|; dk alike; dl = sum dS s where it is not "
                    "clamped",
        .source = "Liu et al. 2022, arXiv:2111.09883v2, section 3.2, eq. (2)",
        .used_by = "Swin Transformer v2",
        .pitfalls = "The factor replaces 1/sqrt(D).  It says nothing about "
                    "positions: add a bias.",
        .variants = variants,
        .doors = LOCANT_DOOR_ROTATE,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED,
    },
    .keys = keys,
    .params = { .list = params, .fill = fill },
    .rotate = { .map = map, .backward = backward },
};
