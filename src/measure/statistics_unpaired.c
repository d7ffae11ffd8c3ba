/* statistics_unpaired.c - Welch's test of two groups of runs that share no
   seeds, and how far two orders agree */
#include "statistics.h"
#include <math.h>

/* Mean and variance of the mean; NAN if undefined. */
static void describe(double *mean, double *variance, const double *x, size_t n)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    *mean = n > 0 ? sum / (double)n : NAN;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - *mean) * (x[i] - *mean);
    *variance = n > 1 ? squares / (double)(n - 1) / (double)n : NAN;
}

/*
 * Welch and Satterthwaite: a, b are variances of the two means. The sum is
 * rounded down to a whole number, which makes interval and p larger, but not
 * below the lesser of the two, which it never is.
 */
static size_t freedom(double a, size_t n, double b, size_t m)
{
    const size_t least = n < m ? n - 1 : m - 1;
    const double terms = a * a / (double)(n - 1) + b * b / (double)(m - 1);
    const double all = terms > 0 ? (a + b) * (a + b) / terms : 0;

    return all > (double)least ? (size_t)all : least;
}

void lct_welch(locant_difference *out, const double *x, size_t n,
               const double *y, size_t m, double level)
{
    double mean, other, a, b, error;
    size_t df;

    describe(&mean, &a, x, n);
    describe(&other, &b, y, m);
    *out = (locant_difference){ mean - other, NAN, NAN, NAN };
    error = sqrt(a + b);
    if (!isfinite(out->mean) || !isfinite(error))
        return;
    df = freedom(a, n, b, m);
    out->half = lct_t_quantile(df, level) * error;
    out->t_p = out->mean == 0 ? 1 : lct_t_p(out->mean / error, df);
}

double lct_kendall(size_t *swapped, const double *x, const double *y, size_t n)
{
    double sum = 0;

    *swapped = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            const double sign = (x[i] - x[j]) * (y[i] - y[j]);

            sum += (sign > 0) - (sign < 0);
            *swapped += sign < 0;
        }
    return n > 1 ? sum / lct_pair_count(n) : NAN;
}
