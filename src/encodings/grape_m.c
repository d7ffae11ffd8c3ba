/*
 * grape_m.c - multiplicative GRAPE: rotations exp(p w L) with learned L.
 *
 * Zhang, Chen, Liu, Qin, Yuan, Xu, Yuan, Gu, Yao: Group Representational
 * Position Encoding. 2025. arXiv:2512.07805.
 *
 * Canonical planes: pair c of a head is rotated by -p exp(lambda_c / kappa), as
 * in the authors' code, which learns lambda from rope's frequencies on; kappa
 * only scales the learning rate.  The sign is that of L = a b^T - b a^T on the
 * plane of the first two axes.  With theta=plain the frequencies themselves are
 * the parameter: any list, of every key head if wanted; a pair of frequency 0
 * is copied.
 *
 * Rank 2: one plane of each head, spanned by learned a and b.  With s^2 =
 * (a.a)(b.b) - (a.b)^2 and t = p w s,
 *   exp(p w L) = I + sin(t)/s L + (1 - cos(t))/s^2 L^2,
 * which costs two dot products and two multiples of vectors.
 */
#include "rotate.h"
#include <math.h>
#include <string.h>

enum { BASE, PLANES, HEADS, LEARN, THETA, KAPPA, OMEGA };
enum { CANONICAL, RANK2 };
enum { SHARED, EACH };
enum { EXP, PLAIN };
enum { LAMBDA = 0, VECTOR_A = 0, VECTOR_B };

static const char *const planes_words[] = { "canonical", "rank2", NULL };
static const char *const heads_words[] = { "shared", "each", NULL };
static const char *const theta_words[] = { "exp", "plain", NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_BASE(10000, "canonical: initial frequencies are base^(-2c/D)"),
    { .name = "planes", .kind = LCT_WORD, .def = CANONICAL,
      .words = planes_words,
      .doc = "canonical: channels (c, c + D/2), a frequency each; rank2: one "
             "plane, spanned by two learned vectors" },
    { .name = "heads", .kind = LCT_WORD, .def = SHARED, .words = heads_words,
      .doc = "shared: one rotation for all heads; each: one of every key "
             "head" },
    { .name = "learn", .kind = LCT_SWITCH, .def = 1,
      .doc = "no: parameters stay as they start" },
    { .name = "theta", .kind = LCT_WORD, .def = EXP, .words = theta_words,
      .doc = "canonical: frequencies are exp(lambda / kappa), or plain: lambda "
             "itself, which may be 0 or, for rope's direction, negative" },
    { .name = "kappa", .kind = LCT_NUMBER, .def = 16, .min = 0,
      .min_open = true, .max = 1e6,
      .doc = "canonical: see theta; the larger, the slower they learn" },
    { .name = "omega", .kind = LCT_NUMBER, .def = 1, .min = 0, .max = 1000,
      .doc = "rank2: multiplies positions" },
    { 0 }
};
/* clang-format on */

#define PARAM(called, text, ...)                                               \
    {                                                                          \
        .name = called, .dims = { __VA_ARGS__ }, .scope = LCT_PER_LAYER,       \
        .doc = text                                                            \
    }
#define OF_LAMBDA "frequencies, or kappa times their logarithms"
#define OF_A      "first vector of the plane"
#define OF_B      "second vector of the plane"

static const struct lct_param lists[2][2][3] = {
    [CANONICAL] = { [SHARED] = { PARAM("lambda", OF_LAMBDA, "pairs"), { 0 } },
                    [EACH] = { PARAM("lambda", OF_LAMBDA, "kv_heads", "pairs"),
                               { 0 } } },
    [RANK2] = { [SHARED] = { PARAM("a", OF_A, "head_dim"),
                             PARAM("b", OF_B, "head_dim"),
                             { 0 } },
                [EACH] = { PARAM("a", OF_A, "kv_heads", "head_dim"),
                           PARAM("b", OF_B, "kv_heads", "head_dim"),
                           { 0 } } },
};

static const struct lct_param *list_of(const locant_encoding *e)
{
    return lists[(int)e->value[PLANES]][(int)e->value[HEADS]];
}

static bool frozen(const locant_encoding *e)
{
    return e->value[LEARN] == 0;
}

/* LEARNED if its parameters are. */
static unsigned traits(const locant_encoding *e)
{
    return LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_ISOMETRIC |
           (frozen(e) ? 0 : LOCANT_TRAIT_LEARNED);
}

static int64_t size(const locant_encoding *e, const char *name,
                    const locant_sizes *sizes)
{
    (void)e;
    (void)name;
    return sizes->head_dim / 2;
}

/* The frequency of lambda, and its derivative. */
static double theta_of(double *slope, const locant_encoding *e, double lambda)
{
    double theta = exp(lambda / e->value[KAPPA]);

    if (e->value[THETA] == PLAIN) {
        *slope = 1;
        return lambda;
    }
    *slope = theta / e->value[KAPPA];
    return theta;
}

/* rope's frequencies; a and b of about unit length. */
static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    int64_t last = info->shape[info->rank - 1];
    int64_t n = last * (info->rank > 1 ? info->shape[0] : 1);
    double step = -e->value[KAPPA] * log(e->value[BASE]) / (double)last;
    double deviation = 1 / sqrt((double)last);

    (void)k;
    for (int64_t i = 0; i < n; i++) {
        double lambda = step * (double)(i % last);

        if (e->value[PLANES] == RANK2)
            out[i] = deviation * locant_random_normal(r);
        else
            out[i] = e->value[THETA] == PLAIN ? exp(lambda / e->value[KAPPA])
                                              : lambda;
    }
    return true;
}

static double position_of(const struct lct_point *at)
{
    return at->coords != NULL ? at->coords[0] : (double)at->pos;
}

/* Where the entries of a head begin in a parameter [heads, n] or [n]. */
static int64_t entry_of(const struct lct_call *c, enum lct_role role,
                        int64_t head, int64_t n)
{
    return c->e->value[HEADS] == SHARED ? 0
                                        : n * lct_rotate_kv_head(c, role, head);
}

/* An angle without its whole turns; rounded with them to double, angles of far
 * positions lose digits that differences of positions do not. */
static double reduced(long double angle)
{
    return (double)remainderl(angle, 6.28318530717958647692528676655900576839L);
}

/* --------------------------------------------------------- canonical planes */

/* p theta, for cosine and sine. */
static double angle_of(double p, double theta)
{
    double angle = p * theta;

    return fabs(angle) < 0x1p20 ? angle : reduced((long double)p * theta);
}

/* out = R(-p theta) x */
static void rotate_pairs(double *out, const double *x, const struct lct_call *c,
                         const double *lambda, double p)
{
    int64_t half = c->head_dim / 2;

    for (int64_t i = 0; i < half; i++) {
        double slope, angle = angle_of(p, theta_of(&slope, c->e, lambda[i]));
        double cosine = cos(angle), sine = sin(angle);
        double a = x[i], b = x[half + i];

        out[i] = a * cosine + b * sine;
        out[half + i] = b * cosine - a * sine;
    }
}

/*
 * forward: (a', b') = R(-p theta) (a, b), theta = exp(lambda / kappa).  The
 * gradient of the angle, da' b' - db' a', equals that of the unrotated pairs.
 * Rows that no query sees may hold NaN, so a gradient of 0 is not multiplied.
 */
static void pairs_backward(double *dx, double *dlambda, const double *dout,
                           const double *x, const struct lct_call *c,
                           const double *lambda, double p)
{
    int64_t half = c->head_dim / 2;

    rotate_pairs(dx, dout, c, lambda, -p);
    for (int64_t i = 0; dlambda != NULL && i < half; i++) {
        double slope, dangle = dx[i] * x[half + i] - dx[half + i] * x[i];

        if (dx[i] == 0 && dx[half + i] == 0)
            continue;
        theta_of(&slope, c->e, lambda[i]);
        dlambda[i] += dangle * p * slope;
    }
}

/* ------------------------------------------------------------------ rank 2 */

/* exp(n L) x = x + (S r + C (g r - bb p)) a + (C (g p - aa r) - S p) b with
 * p = a.x, r = b.x; aa, bb, g are the dot products of a and b. */
struct plane {
    const double *a, *b;
    double pos, omega;
    double aa, bb, g;
    double S, C;   /* sin(t)/s and (1 - cos t)/s^2, t = n s, n = pos omega */
    double dS, dC; /* their derivatives by s^2 */
};

static double dot(const double *x, const double *y, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/*
 * The derivatives cancel near t = 0: below 0.05 their series are used, where
 * the first term left out is 1e-13 of the sum, as large as the error of the
 * quotients there.
 */
static void set_factors(struct plane *l)
{
    double square = fmax(l->aa * l->bb - l->g * l->g, 0);
    double n = l->pos * l->omega;
    double t = n * sqrt(square), half, tt = t * t;

    if (fabs(t) >= 0.05)
        t = reduced((long double)l->pos * l->omega * sqrt(square));
    half = sin(t / 2);
    if (tt < 0.05 * 0.05) {
        l->S = n * (1 - tt / 6 * (1 - tt / 20 * (1 - tt / 42)));
        l->C = n * n * (0.5 - tt / 24 * (1 - tt / 30 * (1 - tt / 56)));
        l->dS = n * n * n * (-1.0 / 6 + tt / 60 - tt * tt / 1680);
        l->dC = n * n * n * n * (-1.0 / 24 + tt / 360 - tt * tt / 13440);
        return;
    }
    l->S = sin(t) / sqrt(square);
    l->C = 2 * half * half / square;
    l->dS = (n * cos(t) - l->S) / (2 * square);
    l->dC = (n * l->S - 2 * l->C) / (2 * square);
}

static struct plane plane_of(const struct lct_call *c, int64_t entry, double p)
{
    int64_t D = c->head_dim;
    struct plane l = { .a = c->param[VECTOR_A] + entry,
                       .b = c->param[VECTOR_B] + entry,
                       .pos = p,
                       .omega = c->e->value[OMEGA] };

    l.aa = dot(l.a, l.a, D);
    l.bb = dot(l.b, l.b, D);
    l.g = dot(l.a, l.b, D);
    set_factors(&l);
    return l;
}

static void rotate_plane(double *out, const double *x, const struct plane *l,
                         int64_t D)
{
    double p = dot(l->a, x, D), r = dot(l->b, x, D);
    double of_a = l->S * r + l->C * (l->g * r - l->bb * p);
    double of_b = l->C * (l->g * p - l->aa * r) - l->S * p;

    for (int64_t i = 0; i < D; i++)
        out[i] = x[i] + of_a * l->a[i] + of_b * l->b[i];
}

static bool is_zero(const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (x[i] != 0)
            return false;
    return true;
}

/* Each line is the reverse of one of rotate_plane() and set_factors(), with dy
 * = dout and P = a.dy, R = b.dy, the gradients of of_a and of_b. */
static void plane_gradient(double *da, double *db, const double *dy,
                           const double *x, const struct plane *l, int64_t D)
{
    double p = dot(l->a, x, D), r = dot(l->b, x, D);
    double P = dot(l->a, dy, D), R = dot(l->b, dy, D);
    double u = l->g * r - l->bb * p, v = l->g * p - l->aa * r;
    double of_a = l->S * r + l->C * u, of_b = l->C * v - l->S * p;
    double dp = R * (l->C * l->g - l->S) - P * l->C * l->bb;
    double dr = P * (l->S + l->C * l->g) - R * l->C * l->aa;
    double dsquare = (P * r - R * p) * l->dS + (P * u + R * v) * l->dC;
    double daa = dsquare * l->bb - R * l->C * r;
    double dbb = dsquare * l->aa - P * l->C * p;
    double dg = l->C * (P * r + R * p) - 2 * l->g * dsquare;

    for (int64_t i = 0; i < D; i++) {
        da[i] += of_a * dy[i] + dp * x[i] + 2 * daa * l->a[i] + dg * l->b[i];
        db[i] += of_b * dy[i] + dr * x[i] + 2 * dbb * l->b[i] + dg * l->a[i];
    }
}

/* --------------------------------------------------------------------- door */

static void apply(double *out, const double *x, const struct lct_call *c,
                  enum lct_role role, int64_t head, double p)
{
    int64_t D = c->head_dim;
    struct plane l;

    if (c->e->value[PLANES] == CANONICAL) {
        rotate_pairs(out, x, c,
                     c->param[LAMBDA] + entry_of(c, role, head, D / 2), p);
        return;
    }
    l = plane_of(c, entry_of(c, role, head, D), p);
    rotate_plane(out, x, &l, D);
}

static void map(double *out, const double *x, const struct lct_call *c,
                enum lct_role role, int64_t head, const struct lct_point *at)
{
    apply(out, x, c, role, head, position_of(at));
}

static void inverse(double *out, const double *x, const struct lct_call *c,
                    enum lct_role role, int64_t head,
                    const struct lct_point *at)
{
    apply(out, x, c, role, head, -position_of(at));
}

static void backward(double *dx, double *const *dparam, const double *dout,
                     const double *x, const struct lct_call *c,
                     enum lct_role role, int64_t head,
                     const struct lct_point *at)
{
    int64_t D = c->head_dim, entry;
    double p = position_of(at);
    struct plane l;

    if (c->e->value[PLANES] == CANONICAL) {
        entry = entry_of(c, role, head, D / 2);
        pairs_backward(dx,
                       dparam[LAMBDA] == NULL ? NULL : dparam[LAMBDA] + entry,
                       dout, x, c, c->param[LAMBDA] + entry, p);
        return;
    }
    entry = entry_of(c, role, head, D);
    l = plane_of(c, entry, -p);
    rotate_plane(dx, dout, &l, D);
    if (dparam[VECTOR_A] == NULL || is_zero(dout, D))
        return;
    l = plane_of(c, entry, p);
    plane_gradient(dparam[VECTOR_A] + entry, dparam[VECTOR_B] + entry, dout, x,
                   &l, D);
}

static const locant_variant variants[] = {
    { "grape-m", "frequencies shared by the heads",
      "GRAPE (the authors' code)" },
    { "grape-m(heads=each)", "frequencies of every head",
      "GRAPE (the authors' code)" },
    { "grape-m(heads=each,theta=plain,learn=no)",
      "fixed lists of frequencies, one of every head",
      "heads without positions, as in DoPE (Xiong et al. 2025)" },
    { "grape-m(planes=rank2,heads=each)", "one learned plane of every head",
      "the paper's generator of rank 2" },
    { NULL, NULL, NULL }
};

const struct lct_encoding lct_enc_grape_m = {
    .info = {
        .name = "grape-m",
        .title = "Multiplicative GRAPE: learned rotations",
        .formula = "canonical: (a, b) of pair c at p -> (a cos f + b sin f, "
                   "b cos f - a sin f), f = p exp(lambda_c/kappa); rank2: "
                   "x + sin(p w s)/s L x + (1 - cos(p w s))/s^2 L^2 x, "
                   "L = a b^T - b a^T, s^2 = (a.a)(b.b) - (a.b)^2",
        .source = "Zhang et al. 2025, arXiv:2512.07805",
        .used_by = "GRAPE",
        .pitfalls = "Canonical planes rotate by minus rope's angle; parameters "
                    "are of key heads, so the query heads of a group share "
                    "them; keys rotated with other parameters are stale.",
        .doors = LOCANT_DOOR_ROTATE,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_ISOMETRIC |
                  LOCANT_TRAIT_LEARNED,
        .gradient = "dx = G(-p) dy; canonical: dtheta = sum p (da' b' - "
                    "db' a'), dlambda = theta/kappa dtheta; rank2: da, db by "
                    "the chain through a.x, b.x, a.a, b.b, a.b",
        .variants = variants,
    },
    .keys = keys,
    .traits = traits,
    .params = { .list_of = list_of, .frozen = frozen, .size = size,
                .fill = fill },
    .rotate = { .map = map, .inverse = inverse, .backward = backward },
};
