/*
 * statistics.c - Student's t interval and test, and the exact sign-flip test.
 */
#include "statistics.h"
#include "../core/error.h"
#include <math.h>

locant_status lct_check_level(const char *fn, double level)
{
    if (level > 0 && level < 1)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: level is %g, expected between 0 and 1", fn, level);
}

/*
 * P(|T| < t) for 'df' degrees of freedom, t = sqrt(df) tan(angle); Abramowitz
 * and Stegun 26.7.3 (df odd) and 26.7.4 (df even), finite sums.
 */
static double t_probability(double angle, size_t df)
{
    double s = sin(angle), c = cos(angle), sum = 0;
    /* odd: cos + 2/3 cos^3 + ..; even: 1 + 1/2 cos^2 + .. */
    double term = df % 2 ? c : 1;

    for (size_t k = df % 2 + 2; k <= df; k += 2) {
        sum += term;
        /* Later terms are smaller; below this they no longer count. */
        if (term < 1e-18 * sum)
            break;
        term *= (double)(k - 1) / (double)k * c * c;
    }
    return df % 2 ? 2 / acos(-1.0) * (angle + s * sum) : s * sum;
}

/* Bisection to the last bit of the angle. */
double lct_t_quantile(size_t df, double level)
{
    double low = 0, high = acos(-1.0) / 2;

    /* 60 halvings of an interval of 1.6 reach the spacing of doubles. */
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;

        if (t_probability(middle, df) < level)
            low = middle;
        else
            high = middle;
    }
    return sqrt((double)df) * tan((low + high) / 2);
}

double lct_t_p(double t, size_t df)
{
    const double p = 1 - t_probability(atan(fabs(t) / sqrt((double)df)), df);

    return p < 0 ? 0 : p; /* NAN stays NAN */
}

/* Mean and its standard error; both are NAN for n = 0, the error for n = 1. */
static void mean_and_error(double *mean, double *error, const double *x,
                           size_t n)
{
    double sum = 0, squares = 0;

    *mean = NAN;
    *error = NAN;
    if (n == 0)
        return;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    *mean = sum / (double)n;
    if (n == 1)
        return;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - *mean) * (x[i] - *mean);
    *error = sqrt(squares / (double)(n - 1) / (double)n);
}

void lct_t_interval(double *mean, double *half, const double *x, size_t n,
                    double level)
{
    double error;

    mean_and_error(mean, &error, x, n);
    *half = n < 2 ? NAN : lct_t_quantile(n - 1, level) * error;
}

static double t_test(const double *x, size_t n)
{
    double mean, error;

    mean_and_error(&mean, &error, x, n);
    if (n < 2 || isnan(mean))
        return NAN;
    if (mean == 0) /* the error may be 0, too */
        return 1;
    return lct_t_p(mean / error, n - 1);
}

/* Sum of d with the sign of d[i + 1] flipped where bit i is set. */
static double flipped_sum(const double *d, size_t n, uint32_t signs)
{
    double sum = d[0];

    for (size_t i = 1; i < n; i++)
        sum += signs >> (i - 1) & 1 ? -d[i] : d[i];
    return sum;
}

/*
 * Flipping all signs changes only the sign of the sum, so the sign of d[0] is
 * kept and half of the choices give the same share. Two sums of n terms that
 * are equal in exact arithmetic differ by less than 2 n 2^-53 sum |d|, which is
 * below the tolerance of 2^-47 sum |d| for n <= 20.
 */
static double flip_probability(const double *d, size_t n)
{
    /* 0: too many to try, or none */
    const uint32_t choices =
        n < 1 || n > LOCANT_FLIP_MAX ? 0 : (uint32_t)1 << (n - 1);
    double size = 0, least;
    uint32_t hits = 0;

    for (size_t i = 0; i < n; i++)
        size += fabs(d[i]);
    if (choices == 0 || !isfinite(size))
        return NAN;
    least = fabs(flipped_sum(d, n, 0)) - 0x1p-47 * size;
    for (uint32_t signs = 0; signs < choices; signs++)
        hits += fabs(flipped_sum(d, n, signs)) >= least;
    return (double)hits / choices;
}

locant_status locant_paired(locant_difference *out, const double *d, size_t n,
                            double level)
{
    if (out == NULL || (d == NULL && n > 0))
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", __func__,
                           out ? "d" : "out");
    LCT_TRY(lct_check_level(__func__, level));
    lct_t_interval(&out->mean, &out->half, d, n, level);
    out->p = flip_probability(d, n);
    out->t_p = t_test(d, n);
    return LOCANT_OK;
}
