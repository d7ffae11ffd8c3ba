/*
 * fire.c - functional interpolation: a small network of the relative distance.
 *
 * Li et al.: Functional Interpolation for Relative Positions Improves Long
 * Context Transformers. 2024. arXiv:2310.04418, eq. (9) and section 4.
 * f = psi(n) / (psi(max(L, p_i)) + eps), psi(x) = ln(|c x| + 1), and a network
 * 1 -> hidden -> heads with ReLU.
 */
#include "piecewise.h"
#include "encoding.h"
#include <math.h>
#include <stdlib.h>

enum { HIDDEN, LENGTH, SHARE };
enum { C, L, W1, B1, W2, B2 };

static const double epsilon = 1e-6; /* as in the authors' code */

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "hidden", .kind = LCT_INTEGER, .def = 32, .min = 1, .max = 4096,
      .doc = "units of the network" },
    { .name = "length", .kind = LCT_INTEGER, .def = 512, .min = 1,
      .max = 1 << 30, .doc = "threshold L at the start of training; positions "
      "below it are normalised as if they were at it" },
    LCT_SHARE(0, "yes: one network for all layers (FIRE-S)"),
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "c", .dims = { "1" }, .scope = LCT_SHARE_KEY,
      .doc = "scale inside the logarithm" },
    { .name = "l", .dims = { "1" }, .scope = LCT_SHARE_KEY,
      .doc = "the threshold is |l length|" },
    { .name = "w1", .dims = { "hidden" }, LCT_UNIFORM(-1, 1),
      .scope = LCT_SHARE_KEY, .doc = "weights of the first layer" },
    { .name = "b1", .dims = { "hidden" }, LCT_UNIFORM(-1, 1),
      .scope = LCT_SHARE_KEY, .doc = "biases of the first layer" },
    { .name = "w2", .dims = { "hidden", "heads" }, .rate = 10,
      .scope = LCT_SHARE_KEY, .doc = "weights of the second layer" },
    { .name = "b2", .dims = { "heads" }, .rate = 10, .scope = LCT_SHARE_KEY,
      .doc = "biases of the second layer" },
    { 0 }
};
/* clang-format on */

/* c starts at 0.1, l at 1, linear layers uniform within 1/sqrt(inputs). */
static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    if (k == W1 || k == B1)
        return false;
    if (k != C && k != L)
        return lct_fill_uniform(out, info, 1 / sqrt(e->value[HIDDEN]), r);
    out[0] = k == C ? 0.1 : 1;
    return true;
}

/* f at one pair of positions, and its parts. */
struct relative {
    double n, m; /* the distance, and the position it is divided by */
    double u, v; /* psi of both; v with epsilon */
    bool below;  /* the position is below the threshold, which m is */
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

    r.below = threshold > r.m;
    if (r.below)
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
    if (r->below)
        dparam[L][0] -= df * r->u / (r->v * r->v) * fabs(c) /
                        (fabs(c) * r->m + 1) * s->e->value[LENGTH] *
                        (l < 0 ? -1 : 1);
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

/* --------------------------------------------------------- piecewise linear */

static int64_t pieces(const locant_encoding *e)
{
    return 1 + (int64_t)e->value[HIDDEN];
}

/*
 * The f > 0 at which unit i switches on or off as f grows from 0: the start of
 * a piece.  0: it never switches, and *on says whether it is on.  A unit with a
 * weight or bias of NaN is always off.
 */
static double switch_of(const struct lct_call *s, int64_t i, bool *on)
{
    double w1 = s->param[W1][i], b1 = s->param[B1][i], at = -b1 / w1;

    *on = b1 > 0 && !isnan(w1);
    if (w1 > 0 && b1 <= 0)
        return at > 0 ? at : 0x1p-1022; /* least normal f */
    return w1 < 0 && b1 > 0 ? at : 0;
}

static int ascend(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The first piece that starts at 'at' or later. */
static int64_t rank(const double *start, int64_t count, double at)
{
    int64_t low = 0, high = count;

    while (high - low > 1) {
        int64_t middle = (low + high) / 2;

        if (start[middle] < at)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static int64_t find(double *start, double *slope, double *value, int64_t row,
                    const struct lct_call *s)
{
    int64_t hidden = (int64_t)s->e->value[HIDDEN], count = 1;
    bool on;

    start[0] = -INFINITY;
    for (int64_t i = 0; i < hidden; i++) {
        double at = switch_of(s, i, &on);

        if (at != 0)
            start[count++] = at;
    }
    qsort(start + 1, (size_t)(count - 1), sizeof(*start), ascend);
    for (int64_t h = 0; h < s->heads; h++) {
        double *slopes = slope + h * row, *values = value + h * row;

        for (int64_t r = 0; r < count; r++)
            slopes[r] = values[r] = 0;
        values[0] = s->param[B2][h];
        for (int64_t i = 0; i < hidden; i++) {
            double at = switch_of(s, i, &on);
            double w2 = s->param[W2][i * s->heads + h];
            int64_t r = at != 0 ? rank(start, count, at) : 0;

            if (on) {
                slopes[0] += w2 * s->param[W1][i];
                values[0] += w2 * s->param[B1][i];
            }
            if (at != 0) {
                slopes[r] += (on ? -w2 : w2) * s->param[W1][i];
                values[r] += (on ? -w2 : w2) * s->param[B1][i];
            }
        }
        for (int64_t r = 1; r < count; r++) {
            slopes[r] += slopes[r - 1];
            values[r] += values[r - 1];
        }
    }
    return count;
}

static void distance(double out[2], const struct lct_call *s, double n)
{
    double c = s->param[C][0];

    out[0] = psi(c, n);
    out[1] = n * (c < 0 ? -1 : 1) / (fabs(c * n) + 1);
}

static void query(double out[3], const struct lct_call *s, int64_t q_pos)
{
    double c = s->param[C][0], l = s->param[L][0];
    struct relative r = relate(s, q_pos, q_pos);

    out[0] = 1 / r.v;
    out[1] = -fabs(r.m) * (c < 0 ? -1 : 1) / (fabs(c * r.m) + 1) / r.v;
    out[2] = r.below ? -fabs(c) / (fabs(c) * r.m + 1) * s->e->value[LENGTH] *
                           (l < 0 ? -1 : 1) / r.v
                     : 0;
}

/* forward: b2 + sum_i w2_i max(0, w1_i f + b1_i), by the pieces of each unit */
static void pieces_backward(double *const *dparam, const struct lct_call *s,
                            int64_t head, const double *start, int64_t count,
                            const double *sum, const double *sum_f,
                            const double dshape[2])
{
    int64_t hidden = (int64_t)s->e->value[HIDDEN];
    bool on;

    for (int64_t r = 0; r < count; r++)
        dparam[B2][head] += sum[r];
    for (int64_t i = 0; i < hidden; i++) {
        double at = switch_of(s, i, &on), total = 0, total_f = 0;
        int64_t w2 = i * s->heads + head, from = count, end;

        if (at != 0)
            from = rank(start, count, at); /* the unit changes at this piece */
        end = on ? from : count;
        for (int64_t r = on ? 0 : from; r < end; r++) {
            total += sum[r];
            total_f += sum_f[r];
        }
        dparam[B1][i] += s->param[W2][w2] * total;
        dparam[W1][i] += s->param[W2][w2] * total_f;
        dparam[W2][w2] += s->param[W1][i] * total_f + s->param[B1][i] * total;
    }
    dparam[C][0] += dshape[0];
    dparam[L][0] += dshape[1];
}

static const struct lct_piecewise form = {
    .pieces = pieces,
    .find = find,
    .distance = distance,
    .query = query,
    .backward = pieces_backward,
};

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
        .pitfalls = "The normaliser belongs to the query's position: a cached "
                    "bias row of one query serves no other.",
        .gradient = "through the network; dc = (u_c v - u v_c) / v^2; dL = "
                    "-u psi'(L) / v^2 only where L > p_i",
        .variants = variants,
        .doors = LOCANT_DOOR_SCORE,
        .traits = LOCANT_TRAIT_LEARNED,
    },
    .keys = keys,
    .params = { .list = params, .fill = fill },
    .score = {
        .bias = bias,
        .backward = bias_backward,
        .fast = { .piecewise = &form },
    },
};
