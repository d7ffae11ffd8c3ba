/*
 * fire.c - functional interpolation: a small network of the relative distance.
 *
 * Li et al.: Functional Interpolation for Relative Positions Improves Long
 * Context Transformers. 2024. arXiv:2310.04418v2, the equation of b_FIRE:
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

/* f of a query's position and a distance, and its parts. */
struct relative {
    double n, m; /* the distance, and max(L, p_i) */
    double u, v; /* psi(n), and psi(m) + epsilon */
    bool below;  /* p_i is below the threshold L */
};

static double psi(double c, double x)
{
    return log1p(fabs(c * x));
}

/* Derivative of psi with respect to c. */
static double psi_by_c(double c, double x)
{
    return fabs(x) * (c < 0 ? -1 : 1) / (fabs(c * x) + 1);
}

/* Derivative of psi with respect to x > 0. */
static double psi_by_x(double c, double x)
{
    return fabs(c) / (fabs(c) * x + 1);
}

static struct relative relate(const struct lct_call *call, double q, double n)
{
    double threshold = fabs(call->param[L][0] * call->e->value[LENGTH]);
    struct relative r = { .n = n, .m = q };

    r.below = threshold > r.m;
    if (r.below)
        r.m = threshold;
    r.u = psi(call->param[C][0], r.n);
    r.v = psi(call->param[C][0], r.m) + epsilon;
    return r;
}

static double network(const struct lct_call *call, int64_t head,
                      struct relative r)
{
    const double *w1 = call->param[W1], *b1 = call->param[B1];
    const double *w2 = call->param[W2];
    int64_t hidden = (int64_t)call->e->value[HIDDEN];
    double f = r.u / r.v, sum = call->param[B2][head];

    for (int64_t i = 0; i < hidden; i++) {
        double x = w1[i] * f + b1[i];

        if (x > 0)
            sum += w2[i * call->heads + head] * x;
    }
    return sum;
}

static void bias(double *out, const struct lct_call *call, int64_t head,
                 int64_t q_pos, const int64_t *k_pos, size_t count)
{
    for (size_t j = 0; j < count; j++) {
        double n = fabs((double)lct_distance(q_pos, k_pos[j]));

        out[j] = network(call, head, relate(call, (double)q_pos, n));
    }
}

/* dc and dl from df: f = u / v; u = psi(n), v = psi(m) + eps. */
static void relate_backward(double *const *dparam, const struct lct_call *call,
                            const struct relative *r, double df)
{
    double c = call->param[C][0], l = call->param[L][0];
    double u_c = psi_by_c(c, r->n), v_c = psi_by_c(c, r->m);

    dparam[C][0] += df * (u_c * r->v - r->u * v_c) / (r->v * r->v);
    if (r->below)
        dparam[L][0] -= df * r->u / (r->v * r->v) * fabs(c) /
                        (fabs(c) * r->m + 1) * call->e->value[LENGTH] *
                        (l < 0 ? -1 : 1);
}

/* forward: b2 + sum_i w2_i max(0, w1_i f + b1_i); returns the gradient of f.
 * Parameters have none if 'dparam' is NULL. */
static double network_backward(double *const *dparam,
                               const struct lct_call *call, int64_t head,
                               struct relative r, double dout)
{
    const double *w1 = call->param[W1], *b1 = call->param[B1];
    const double *w2 = call->param[W2];
    int64_t hidden = (int64_t)call->e->value[HIDDEN];
    double f = r.u / r.v, df = 0;

    if (dparam != NULL)
        dparam[B2][head] += dout;
    for (int64_t i = 0; i < hidden; i++) {
        double x = w1[i] * f + b1[i];
        double dx = dout * w2[i * call->heads + head];

        if (!(x > 0))
            continue;
        df += dx * w1[i];
        if (dparam == NULL)
            continue;
        dparam[W2][i * call->heads + head] += dout * x;
        dparam[W1][i] += dx * f;
        dparam[B1][i] += dx;
    }
    if (dparam != NULL)
        relate_backward(dparam, call, &r, df);
    return df;
}

static void bias_backward(double *const *dparam, const struct lct_call *call,
                          int64_t head, int64_t q_pos, const int64_t *k_pos,
                          const double *dout, size_t count)
{
    for (size_t j = 0; j < count; j++) {
        double n = fabs((double)lct_distance(q_pos, k_pos[j]));

        if (dout[j] != 0)
            (void)network_backward(dparam, call, head,
                                   relate(call, (double)q_pos, n), dout[j]);
    }
}

static void real_bias(double *out, const struct lct_call *call,
                      const struct lct_real_keys *x)
{
    for (size_t j = 0; j < x->n; j++)
        out[j] = network(call, x->head,
                         relate(call, x->q, fabs(lct_real_distance(x, j))));
}

/* forward: f = u / v, u = psi(|q - k|), v = psi(max(L, q)) + epsilon */
static void real_backward(const struct lct_real_gradients *g,
                          const struct lct_call *call,
                          const struct lct_real_keys *x, const double *dout)
{
    double c = call->param[C][0];

    for (size_t j = 0; j < x->n; j++) {
        struct relative r;
        double df;

        if (dout[j] == 0)
            continue;
        r = relate(call, x->q, fabs(lct_real_distance(x, j)));
        df = network_backward(g->dparam, call, x->head, r, dout[j]);
        lct_real_add(g, j,
                     df / r.v * psi_by_x(c, r.n) *
                         lct_sign(lct_real_distance(x, j)));
        if (!r.below)
            *g->dq -= df * r.u / (r.v * r.v) * psi_by_x(c, r.m);
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
static double switch_of(const struct lct_call *call, int64_t i, bool *on)
{
    double w1 = call->param[W1][i], b1 = call->param[B1][i], at = -b1 / w1;

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
static int64_t piece_at(const double *start, int64_t count, double at)
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

/* Slope and value of head h in each piece: the changes at its start, summed. */
static void sum_units(double *slope, double *value, const double *start,
                      int64_t count, const struct lct_call *call, int64_t h)
{
    int64_t hidden = (int64_t)call->e->value[HIDDEN];
    bool on;

    for (int64_t r = 0; r < count; r++)
        slope[r] = value[r] = 0;
    value[0] = call->param[B2][h];
    for (int64_t i = 0; i < hidden; i++) {
        double at = switch_of(call, i, &on);
        double w2 = call->param[W2][i * call->heads + h];
        int64_t r = at != 0 ? piece_at(start, count, at) : 0;

        if (on) {
            slope[0] += w2 * call->param[W1][i];
            value[0] += w2 * call->param[B1][i];
        }
        if (at != 0) {
            slope[r] += (on ? -w2 : w2) * call->param[W1][i];
            value[r] += (on ? -w2 : w2) * call->param[B1][i];
        }
    }
    for (int64_t r = 1; r < count; r++) {
        slope[r] += slope[r - 1];
        value[r] += value[r - 1];
    }
}

static int64_t find(double *start, double *slope, double *value, int64_t row,
                    const struct lct_call *call)
{
    int64_t hidden = (int64_t)call->e->value[HIDDEN], count = 1;
    bool on;

    start[0] = -INFINITY;
    for (int64_t i = 0; i < hidden; i++) {
        double at = switch_of(call, i, &on);

        if (at != 0)
            start[count++] = at;
    }
    qsort(start + 1, (size_t)(count - 1), sizeof(*start), ascend);
    for (int64_t h = 0; h < call->heads; h++)
        sum_units(slope + h * row, value + h * row, start, count, call, h);
    return count;
}

static void distance(double out[2], const struct lct_call *call, double n)
{
    double c = call->param[C][0];

    out[0] = psi(c, n);
    out[1] = psi_by_c(c, n);
}

static void query(double out[3], const struct lct_call *call, int64_t q_pos)
{
    double c = call->param[C][0], l = call->param[L][0];
    struct relative r = relate(call, (double)q_pos, 0);

    out[0] = 1 / r.v;
    out[1] = -psi_by_c(c, r.m) / r.v;
    out[2] = r.below ? -fabs(c) / (fabs(c) * r.m + 1) * call->e->value[LENGTH] *
                           (l < 0 ? -1 : 1) / r.v
                     : 0;
}

/* forward: b2 + sum_i w2_i max(0, w1_i f + b1_i), by the pieces of each unit */
static void pieces_backward(double *const *dparam, const struct lct_call *call,
                            int64_t head, const double *start, int64_t count,
                            const double *sum, const double *sum_f,
                            const double dshape[2])
{
    int64_t hidden = (int64_t)call->e->value[HIDDEN];
    bool on;

    for (int64_t r = 0; r < count; r++)
        dparam[B2][head] += sum[r];
    for (int64_t i = 0; i < hidden; i++) {
        double at = switch_of(call, i, &on), total = 0, total_f = 0;
        int64_t w2 = i * call->heads + head, from = count, end;

        if (at != 0)
            from = piece_at(start, count, at); /* where the unit switches */
        end = on ? from : count;
        for (int64_t r = on ? 0 : from; r < end; r++) {
            total += sum[r];
            total_f += sum_f[r];
        }
        dparam[B1][i] += call->param[W2][w2] * total;
        dparam[W1][i] += call->param[W2][w2] * total_f;
        dparam[W2][w2] +=
            call->param[W1][i] * total_f + call->param[B1][i] * total;
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
        .source = "Li et al. 2024, arXiv:2310.04418v2, equation of b_FIRE",
        .used_by = "length-extrapolation studies",
        .pitfalls = "The normaliser belongs to the query's position: a cached "
                    "bias row of one query cannot serve another.",
        .gradient = "through the network; dc = (u_c v - u v_c) / v^2; dL = "
                    "-u psi'(L) / v^2 only where L > p_i",
        .variants = variants,
        .doors = LOCANT_DOOR_SCORE,
        .traits = LOCANT_TRAIT_LEARNED,
    },
    .keys = keys,
    .params = { .list = params, .fill = fill },
    .positions = { .real = true },
    .score = {
        .bias = bias,
        .backward = bias_backward,
        .real = { real_bias, real_backward },
        .fast = { .piecewise = &form },
    },
};
