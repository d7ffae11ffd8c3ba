/*
 * xpos.c - rotary embedding with exponential decay.
 *
 * Sun et al.: A Length-Extrapolatable Transformer. 2022. arXiv:2212.10554,
 * section 2.2 and algorithm 1; torchscale, xpos_relative_position.py.
 * Pair c of a query is multiplied by zeta_c^e, of a key by zeta_c^-e, with
 * e = (p - center) / scale: a score decays by zeta_c^((p_i - p_j)/scale).
 * Either factor alone grows without bound; positions where one passes 1e35 are
 * refused, long before float32 overflows.
 */
#include "encoding.h"
#include "rotate.h"
#include <inttypes.h>
#include <math.h>

enum { BASE, GAMMA, SCALE, CENTER };

static const double LN_1E35 = 80.59047825479156;

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_BASE(10000, "longest wavelength / 2 pi, nearly"),
    { .name = "gamma", .kind = LCT_NUMBER, .def = 0.4, .min = 0,
      .min_open = true, .max = 1e6, .doc = "the larger, the slower the decay" },
    { .name = "scale", .kind = LCT_NUMBER, .def = 512, .min = 0,
      .min_open = true, .max = 1e12, .doc = "positions for one power of zeta" },
    { .name = "center", .kind = LCT_INTEGER, .def = 0, .min = -1e12,
      .max = 1e12, .doc = "position of power 0; must be that of cached keys" },
    { 0 }
};
/* clang-format on */

static locant_status positions(const locant_encoding *e, const char *fn,
                               const int64_t *pos, size_t n,
                               const locant_tensor *params)
{
    double gamma = e->value[GAMMA];
    double reach = LN_1E35 * e->value[SCALE] / log((1 + gamma) / gamma);

    (void)params;
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)pos[i] - e->value[CENTER]) <= reach))
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: position %" PRId64
                               " (index %zu), expected at most %.0f from the "
                               "center of xpos, %.0f: its factors overflow",
                               fn, pos[i], i, floor(reach), e->value[CENTER]);
    return LOCANT_OK;
}

static locant_status schedule(struct lct_schedule **out,
                              const struct lct_schedule_use *u)
{
    *out = NULL;
    LCT_TRY(lct_rotate_check_pairs(u->fn, u->dim));
    LCT_TRY(lct_schedule_make(out, u, u->e->value[BASE], u->dim / 2));
    (*out)->pairing = LCT_INTERLEAVED;
    return LOCANT_OK;
}

/* out = zeta^(power e) R(sign f) x */
static void apply(double *out, const double *x, const struct lct_call *c,
                  const struct lct_point *at, int power, int sign)
{
    double gamma = c->e->value[GAMMA], width = (double)c->head_dim, p, e;
    const struct lct_schedule *s = lct_schedule_kept(c->e, c->head_dim);

    p = at->coords != NULL ? at->coords[0] : (double)at->pos;
    e = power * (p - c->e->value[CENTER]) / c->e->value[SCALE];
    for (int64_t i = 0; i < s->pairs; i++) {
        double zeta = (2 * (double)i + gamma * width) / ((1 + gamma) * width);
        double factor = pow(zeta, e), a = x[2 * i], b = x[2 * i + 1];
        double cosine, sine;

        lct_rotate_angle(&cosine, &sine, s->frequency[i], at);
        cosine *= factor;
        sine *= sign * factor;
        out[2 * i] = a * cosine - b * sine;
        out[2 * i + 1] = a * sine + b * cosine;
    }
}

static int power_of(enum lct_role role)
{
    return role == LCT_KEY ? -1 : 1;
}

static void map(double *out, const double *x, const struct lct_call *c,
                enum lct_role role, int64_t head, const struct lct_point *at)
{
    (void)head;
    apply(out, x, c, at, power_of(role), 1);
}

static void inverse(double *out, const double *x, const struct lct_call *c,
                    enum lct_role role, int64_t head,
                    const struct lct_point *at)
{
    (void)head;
    apply(out, x, c, at, -power_of(role), -1);
}

/* forward: out = m R x, so dx = m R^T dout */
static void backward(double *dx, double *const *dparam, const double *dout,
                     const double *x, const struct lct_call *c,
                     enum lct_role role, int64_t head,
                     const struct lct_point *at)
{
    (void)dparam;
    (void)x;
    (void)head;
    apply(dx, dout, c, at, power_of(role), -1);
}

const struct lct_encoding lct_enc_xpos = {
    .info = {
        .name = "xpos",
        .title = "Rotary embedding with exponential decay (xPos)",
        .formula = "q_c zeta_c^e e^(i p f_c), k_c zeta_c^-e e^(i p f_c), "
                   "e = (p - center)/scale, zeta_c = (2c + gamma D)/"
                   "((1 + gamma) D)",
        .source = "Sun et al. 2022, arXiv:2212.10554v1, section 2.2, "
                  "algorithm 1",
        .used_by = "LEX, Kosmos-1, RetNet (its ancestor)",
        .pitfalls = "Queries and keys need the same center, so keys cached "
                    "with another are wrong; scores grow for keys after the "
                    "query; factors overflow beyond 32937 positions from the "
                    "center.",
        .doors = LOCANT_DOOR_ROTATE,
        .traits = LOCANT_TRAIT_RELATIVE,
        .gradient = "dx = zeta^(+-e) R(-f) dy",
    },
    .keys = keys,
    .positions = { .check = positions },
    .schedule = { .create = schedule },
    .rotate = { .map = map, .inverse = inverse, .backward = backward },
};
