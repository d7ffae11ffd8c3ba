/*
 * deberta_rows.c - the table row of a distance, and rows after LayerNorm.  The
 * papers are in deberta.c.
 */
#include "deberta.h"
#include <string.h>

static const double norm_epsilon = 1e-7; /* layer_norm_eps of all checkpoints */

/* ----------------------------------------------------------------- buckets */

/*
 * Bucket of a distance n >= 0: n itself up to mid = span / 2, beyond it
 * ceil(ln(n / mid) / ln((distance - 1) / mid) (mid - 1)) + mid.  Where the
 * argument of ceil is a whole number, rounding must not lift it above.
 */
static double bucket_of(double n, double mid, double distance)
{
    double x;

    if (n <= mid)
        return n;
    x = log(n / mid) / log((distance - 1) / mid) * (mid - 1);
    return (fabs(x - nearbyint(x)) < 1e-10 ? nearbyint(x) : ceil(x)) + mid;
}

/* e->state: the buckets of distances 0 .. distance - 1, at most span. */
locant_status lct_deberta_prepare(locant_encoding *e)
{
    double span = e->value[LCT_DEBERTA_SPAN];
    double distance = e->value[LCT_DEBERTA_DISTANCE];
    int64_t *buckets;

    if (e->value[LCT_DEBERTA_VERSION] == 1)
        return LOCANT_OK;
    buckets = locant_alloc((size_t)distance * sizeof(*buckets));
    if (buckets == NULL)
        return locant_fail(
            LOCANT_ERR_NOMEM,
            "locant_encoding_create: no memory for the buckets of deberta");
    for (int64_t n = 0; n < (int64_t)distance; n++)
        buckets[n] = (int64_t)fmin(
            bucket_of((double)n, floor(span / 2), distance), span);
    e->state = buckets;
    return LOCANT_OK;
}

int64_t lct_deberta_row(const locant_encoding *e, int64_t q_pos, int64_t k_pos)
{
    int64_t n = lct_distance(q_pos, k_pos), bucket = n < 0 ? -n : n;
    int64_t span = (int64_t)e->value[LCT_DEBERTA_SPAN];
    double distance = e->value[LCT_DEBERTA_DISTANCE];
    const int64_t *buckets = e->state; /* NULL in version 1 */

    if (buckets != NULL && bucket < (int64_t)distance)
        bucket = buckets[bucket];
    else if (buckets != NULL)
        bucket = (int64_t)fmin(
            bucket_of((double)bucket, (double)(span / 2), distance),
            (double)span);
    bucket = bucket < span ? bucket : span;
    if (n < 0)
        return span - bucket;
    return bucket < span ? span + bucket : 2 * span - 1;
}

/* ------------------------------------------------------------------- basis */

/* Mean of a row, and 1 / deviation. */
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

void lct_deberta_basis(double *out, const struct lct_call *c, int64_t m)
{
    const double *x = c->param[LCT_DEBERTA_TABLE] + m * c->width;
    double mean, inverse;

    memcpy(out, x, (size_t)c->width * sizeof(*out));
    if (c->e->value[LCT_DEBERTA_VERSION] != 3)
        return;
    moments(&mean, &inverse, x, c->width);
    for (int64_t i = 0; i < c->width; i++)
        out[i] =
            (x[i] - mean) * inverse * c->param[LCT_DEBERTA_NORM_WEIGHT][i] +
            c->param[LCT_DEBERTA_NORM_BIAS][i];
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

void lct_deberta_basis_backward(double *const *dparam, const double *drow,
                                const struct lct_call *c, int64_t m)
{
    if (c->e->value[LCT_DEBERTA_VERSION] == 3)
        normalise_backward(dparam, drow, c, m);
    else
        lct_accumulate(dparam[LCT_DEBERTA_TABLE] + m * c->width, 1, drow,
                       c->width);
}
