/*
 * pope.c - polar coordinate position embedding.
 *
 * Gopalakrishnan, Csordas, Schmidhuber, Mozer: Decoupling the "What" and
 * "Where" With Polar Coordinate Positional Embeddings. 2025. arXiv:2509.10534,
 * section 3.
 * A channel x at position p becomes a vector of length mu = softplus(x) and
 * angle p f_c; a score is sum_c mu_q mu_k cos((p_i - p_j) f_c - delta_c).
 */
#include "content.h"
#include "rotate.h"
#include <math.h>

enum { BASE };

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_BASE(10000, "f_c = base^(-c/D), a frequency for each channel"),
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "phase", .dims = { "kv_heads", "head_dim" },
      .init = LCT_INIT_ZERO, .rate = 10, .scope = LCT_PER_LAYER,
      .doc = "delta, added to the angle of keys; -2 pi .. 0" },
    { 0 }
};
/* clang-format on */

static double project(const locant_encoding *e, int k, double value)
{
    (void)e;
    (void)k;
    return fmin(fmax(value, -6.283185307179586), 0);
}

static int64_t width(const locant_encoding *e, int64_t head_dim)
{
    (void)e;
    return 2 * head_dim;
}

static locant_status schedule(struct lct_schedule **out,
                              const struct lct_schedule_use *u)
{
    return lct_schedule_make(out, u, u->e->value[BASE], u->dim);
}

/* Cosine and sine of channel i, with the phase of keys. */
static void direction(double *cosine, double *sine,
                      const struct lct_schedule *s, const struct lct_call *c,
                      enum lct_role role, int64_t head, int64_t i,
                      const struct lct_point *at)
{
    double x, y, phase;

    lct_rotate_angle(&x, &y, s->frequency[i], at);
    *cosine = x;
    *sine = y;
    if (role != LCT_KEY)
        return;
    phase = c->param[0][head * c->head_dim + i];
    *cosine = x * cos(phase) - y * sin(phase);
    *sine = x * sin(phase) + y * cos(phase);
}

static void map(double *out, const double *x, const struct lct_call *c,
                enum lct_role role, int64_t head, const struct lct_point *at)
{
    const struct lct_schedule *s = lct_schedule_kept(c->e, c->head_dim);

    for (int64_t i = 0; i < c->head_dim; i++) {
        double mu = lct_softplus(x[i]), cosine, sine;

        direction(&cosine, &sine, s, c, role, head, i, at);
        out[i] = mu * cosine;
        out[c->head_dim + i] = mu * sine;
    }
}

/*
 * forward: out = [mu cos | mu sin], mu = softplus(x), angle p f + delta.  Rows
 * that no query sees may hold NaN, so a gradient of 0 is not multiplied.
 */
static void backward(double *dx, double *const *dparam, const double *dout,
                     const double *x, const struct lct_call *c,
                     enum lct_role role, int64_t head,
                     const struct lct_point *at)
{
    const struct lct_schedule *s = lct_schedule_kept(c->e, c->head_dim);

    for (int64_t i = 0; i < c->head_dim; i++) {
        double da = dout[i], db = dout[c->head_dim + i], cosine, sine;

        dx[i] = 0;
        if (da == 0 && db == 0)
            continue;
        direction(&cosine, &sine, s, c, role, head, i, at);
        if (role == LCT_KEY && dparam[0] != NULL)
            dparam[0][head * c->head_dim + i] +=
                lct_softplus(x[i]) * (db * cosine - da * sine);
        dx[i] = (da * cosine + db * sine) * lct_sigmoid(x[i]); /* softplus' */
    }
}

const struct lct_encoding lct_enc_pope = {
    .info = {
        .name = "pope",
        .title = "Polar coordinate position embedding (PoPE)",
        .formula = "[mu cos(p f_c + delta_c) | mu sin(p f_c + delta_c)], "
                   "mu = softplus(x_c), f_c = base^(-c/D), delta of keys only",
        .source = "Gopalakrishnan et al. 2025, arXiv:2509.10534v1, section 3",
        .used_by = "research; x-transformers",
        .pitfalls = "Queries, keys and their cache become twice as wide, but "
                    "the scale stays 1/sqrt(D); there are D frequencies, not "
                    "D/2.",
        .doors = LOCANT_DOOR_ROTATE,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED,
        .gradient = "dx = sigmoid(x) (da cos + db sin); ddelta = mu (db cos - "
                    "da sin)",
    },
    .keys = keys,
    .params = { .list = params, .project = project },
    .schedule = { .create = schedule },
    .rotate = { .width = width, .map = map, .backward = backward },
};
