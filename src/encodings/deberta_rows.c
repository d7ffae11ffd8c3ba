/*
 * deberta_rows.c - which row of the table a distance has, and the rows as the
 * heads of a layer see them.  For papers see deberta.c.
 */
#include "deberta.h"
#include <string.h>

static const double norm_epsilon = 1e-7; /* layer_norm_eps of all checkpoints */

/* ----------------------------------------------------------------- buckets */

/*
 * Bucket of a distance n >= 0: n itself up to mid = span / 2, beyond it
 * ceil(ln(n / mid) / ln((distance - 1) / mid) (mid - 1)) + mid.  Where the
 * quotient is a whole number, rounding must not carry it over the next.
 */
static double bucket(double n, double mid, double distance)
{
    double x;

    if (n <= mid)
        return n;
    x = log(n / mid) / log((distance - 1) / mid) * (mid - 1);
    return (fabs(x - nearbyint(x)) < 1e-10 ? nearbyint(x) : ceil(x)) + mid;
}

/* e->state: the buckets of 0 .. distance - 1, held to span. */
locant_status lct_deberta_prepare(locant_encoding *e)
{
    double span = e->value[LCT_DEBERTA_SPAN];
    double distance = e->value[LCT_DEBERTA_DISTANCE];
    int64_t *of;

    if (e->value[LCT_DEBERTA_VERSION] == 1)
        return LOCANT_OK;
    of = locant_alloc((size_t)distance * sizeof(*of));
    if (of == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_encoding_create: no "
                           "memory for the buckets of deberta");
    for (int64_t n = 0; n < (int64_t)distance; n++)
        of[n] = (int64_t)fmin(bucket((double)n, floor(span / 2), distance),
                              span);
    e->state = of;
    return LOCANT_OK;
}

int64_t lct_deberta_row(const locant_encoding *e, int64_t q_pos, int64_t k_pos)
{
    int64_t n = lct_distance(q_pos, k_pos), far = n < 0 ? -n : n;
    int64_t span = (int64_t)e->value[LCT_DEBERTA_SPAN];
    double distance = e->value[LCT_DEBERTA_DISTANCE];
    const int64_t *of = e->state;

    if (of != NULL && far < (int64_t)distance)
        far = of[far];
    else if (of != NULL)
        far = (int64_t)fmin(bucket((double)far, (double)(span / 2), distance),
                            (double)span);
    far = far < span ? far : span;
    return n < 0 ? span - far : far < span ? span + far : 2 * span - 1;
}

/* -------------------------------------------------------------------- memo */

static int64_t positions_size(const struct lct_content *c)
{
    return c->call.e->value[LCT_DEBERTA_VERSION] == 3
               ? lct_deberta_rows(c->call.e) * c->call.width
               : 0;
}

double *lct_deberta_key(const struct lct_content *c, double *memo, int64_t head,
                        int64_t m)
{
    return memo + positions_size(c) +
           (head * lct_deberta_rows(c->call.e) + m) * c->call.head_dim;
}

double *lct_deberta_query(const struct lct_content *c, double *memo,
                          int64_t head, int64_t m)
{
    return lct_deberta_key(c, memo, c->call.heads + head, m);
}

size_t lct_deberta_memo(const struct lct_content *c)
{
    return (size_t)(positions_size(c) + 2 * c->call.heads *
                                            lct_deberta_rows(c->call.e) *
                                            c->call.head_dim);
}

/* Mean and 1 / deviation of a row. */
static void moments(double *mean, double *inverse, const double *x, int64_t n)
{
    double sum = 0, squares = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    *mean = sum / (double)n;
    for (int64_t i = 0; i < n; i++)
        squares += (x[i] - *mean) * (x[i] - *mean);
    *inverse = 1 / sqrt(squares / (double)n + norm_epsilon);
}

/* Row m of the table after the norm. */
static void normalise(double *out, const struct lct_call *c, int64_t m)
{
    const double *x = c->param[LCT_DEBERTA_TABLE] + m * c->width;
    double mean, inverse;

    moments(&mean, &inverse, x, c->width);
    for (int64_t i = 0; i < c->width; i++)
        out[i] = (x[i] - mean) * inverse *
                     c->param[LCT_DEBERTA_NORM_WEIGHT][i] +
                 c->param[LCT_DEBERTA_NORM_BIAS][i];
}

/* Row m of P as it is projected. */
static const double *position(const struct lct_content *c, int64_t m)
{
    return (positions_size(c) > 0 ? c->memo
                                  : c->call.param[LCT_DEBERTA_TABLE]) +
           m * c->call.width;
}

void lct_deberta_begin(const struct lct_content *c)
{
    int64_t W = c->call.width, D = c->call.head_dim;
    const double *key_bias = c->call.e->value[LCT_DEBERTA_VERSION] == 1
                                 ? NULL
                                 : c->call.param[LCT_DEBERTA_KEY_BIAS];

    for (int64_t m = 0; m < lct_deberta_rows(c->call.e); m++) {
        if (positions_size(c) > 0)
            normalise(c->memo + m * W, &c->call, m);
        for (int64_t i = 0; i < c->call.heads * D; i++) {
            double *k = lct_deberta_key(c, c->memo, i / D, m) + i % D;
            double *q = lct_deberta_query(c, c->memo, i / D, m) + i % D;

            *k = lct_dot(c->call.param[LCT_DEBERTA_KEY] + i * W,
                         position(c, m), W) +
                 (key_bias != NULL ? key_bias[i] : 0);
            *q = lct_dot(c->call.param[LCT_DEBERTA_QUERY] + i * W,
                         position(c, m), W) +
                 c->call.param[LCT_DEBERTA_QUERY_BIAS][i];
        }
    }
}

/*
 * forward: y = w (x - mean) r + b, r = 1 / deviation.  With z = (x - mean) r
 * and dz = w dy: dx = r (dz - mean(dz) - z mean(z dz)), dw = z dy, db = dy.
 */
static void normalise_backward(double *const *dparam, const double *dy,
                               const struct lct_call *c, int64_t m)
{
    const double *x = c->param[LCT_DEBERTA_TABLE] + m * c->width;
    const double *w = c->param[LCT_DEBERTA_NORM_WEIGHT];
    double *dx = dparam[LCT_DEBERTA_TABLE] + m * c->width;
    double mean, r, sum = 0, along = 0;
    int64_t W = c->width;

    moments(&mean, &r, x, W);
    for (int64_t i = 0; i < W; i++) {
        double z = (x[i] - mean) * r;

        sum += w[i] * dy[i] / (double)W;
        along += z * w[i] * dy[i] / (double)W;
        dparam[LCT_DEBERTA_NORM_WEIGHT][i] += z * dy[i];
        dparam[LCT_DEBERTA_NORM_BIAS][i] += dy[i];
    }
    for (int64_t i = 0; i < W; i++)
        dx[i] += r * (w[i] * dy[i] - sum - (x[i] - mean) * r * along);
}

/* Row m has no gradient: no pair of tokens was that far apart. */
static bool is_unused(const struct lct_content_gradient *g,
                      const struct lct_content *c, int64_t m)
{
    int64_t D = c->call.head_dim;

    for (int64_t i = 0; i < 2 * c->call.heads * D; i++)
        if (lct_deberta_key(c, g->dmemo, i / D, m)[i % D] != 0)
            return false;
    return true;
}

/*
 * forward: Kr[m] = key P[m] + key_bias: dkey = dKr P^T, dP = key^T dKr,
 * dkey_bias = dKr; the same of Qr.
 */
void lct_deberta_end(const struct lct_content_gradient *g,
                     const struct lct_content *c)
{
    int64_t W = c->call.width, D = c->call.head_dim, n = c->call.heads * D;
    bool norm = positions_size(c) > 0;

    for (int64_t m = 0; m < lct_deberta_rows(c->call.e); m++) {
        double *dp = (norm ? g->dmemo : g->dparam[LCT_DEBERTA_TABLE]) + m * W;

        if (is_unused(g, c, m))
            continue;
        for (int64_t i = 0; i < n; i++) {
            double dk = lct_deberta_key(c, g->dmemo, i / D, m)[i % D];
            double dq = lct_deberta_query(c, g->dmemo, i / D, m)[i % D];

            lct_accumulate(g->dparam[LCT_DEBERTA_KEY] + i * W, dk,
                           position(c, m), W);
            lct_accumulate(g->dparam[LCT_DEBERTA_QUERY] + i * W, dq,
                           position(c, m), W);
            lct_accumulate(dp, dk, c->call.param[LCT_DEBERTA_KEY] + i * W, W);
            lct_accumulate(dp, dq, c->call.param[LCT_DEBERTA_QUERY] + i * W, W);
            g->dparam[LCT_DEBERTA_QUERY_BIAS][i] += dq;
            if (c->call.e->value[LCT_DEBERTA_VERSION] != 1)
                g->dparam[LCT_DEBERTA_KEY_BIAS][i] += dk;
        }
        if (norm)
            normalise_backward(g->dparam, dp, &c->call, m);
    }
}

/* ---------------------------------------------------------------- products */

void lct_deberta_basis(float *out, size_t row, const struct lct_call *c,
                       int64_t m, int64_t n)
{
    bool norm = c->e->value[LCT_DEBERTA_VERSION] == 3;

    for (int64_t r = 0; r < n; r++) {
        const double *x = c->param[LCT_DEBERTA_TABLE] + (m + r) * c->width;
        float *to = out + (size_t)r * row;
        double mean = 0, inverse = 1;

        if (norm)
            moments(&mean, &inverse, x, c->width);
        for (int64_t i = 0; i < c->width; i++) {
            double y = (x[i] - mean) * inverse;

            if (norm)
                y = y * c->param[LCT_DEBERTA_NORM_WEIGHT][i] +
                    c->param[LCT_DEBERTA_NORM_BIAS][i];
            to[i] = (float)y;
        }
        memset(to + c->width, 0, (row - (size_t)c->width) * sizeof(*to));
    }
}

void lct_deberta_basis_backward(double *const *dparam, const double *drow,
                                const struct lct_call *c, int64_t m)
{
    if (c->e->value[LCT_DEBERTA_VERSION] == 3)
        normalise_backward(dparam, drow, c, m);
    else
        lct_accumulate(dparam[LCT_DEBERTA_TABLE] + m * c->width, 1, drow,
                       c->width);
}
