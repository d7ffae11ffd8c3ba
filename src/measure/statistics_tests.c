/* statistics_tests.c - Holm's correction, Wilson's interval, shares */
#include "../core/error.h"
#include "statistics.h"
#include <math.h>

/* Holm's (n - j + 1) p_j, at most 1, where j is the rank of the first p
   equal to p_j. */
static double holm_term(const double *p, size_t n, double p_j)
{
    size_t least = 0; /* number of p >= p_j, with p_j itself, without NANs */

    for (size_t k = 0; k < n; k++)
        least += p[k] >= p_j;
    return fmin(1, (double)least * p_j);
}

locant_status locant_holm(double *adjusted, const double *p, size_t n)
{
    if ((adjusted == NULL || p == NULL) && n > 0)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", __func__,
                           p ? "adjusted" : "p");
    for (size_t i = 0; i < n; i++)
        if (p[i] < 0 || p[i] > 1)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: p[%zu] is %g, expected 0 .. 1", __func__, i,
                               p[i]);
    for (size_t i = 0; i < n; i++)
        adjusted[i] = isnan(p[i]) ? NAN : holm_term(p, n, p[i]);
    /* Take the maximum over the smaller p. It does not matter whether
       adjusted[j] is final: neither value is above that maximum. */
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (p[j] <= p[i])
                adjusted[i] = fmax(adjusted[i], adjusted[j]);
    return LOCANT_OK;
}

/* z with P(|Z| < z) = level for a normal Z. */
static double normal_quantile(double level)
{
    double low = 0, high = 40; /* erfc(40 / sqrt 2) is 0 in double */

    /* 1 - level by erfc: close to 1, erf has no bits left */
    for (int i = 0; i < 70; i++) {
        double middle = (low + high) / 2;

        if (erfc(middle / sqrt(2.0)) > 1 - level)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

locant_status locant_wilson(double *low, double *high, size_t hits, size_t n,
                            double level)
{
    double k = (double)hits, all = (double)n, z, middle, half;

    LCT_NOT_NULL(__func__, low);
    LCT_NOT_NULL(__func__, high);
    LCT_TRY(lct_check_level(__func__, level));
    if (hits > n)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: %zu hits of %zu, expected at most as many",
                           __func__, hits, n);
    z = normal_quantile(level);
    middle = (k + z * z / 2) / (all + z * z);
    half = z / (all + z * z) * sqrt(k * (all - k) / fmax(all, 1) + z * z / 4);
    /* exact ends, which the formula misses by a rounding */
    *low = hits == 0 ? 0 : middle - half;
    *high = hits == n ? 1 : middle + half;
    return LOCANT_OK;
}

double locant_share(const double *x, size_t n, double least)
{
    size_t reached = 0;

    if (x == NULL || n == 0)
        return NAN;
    for (size_t i = 0; i < n; i++)
        reached += x[i] >= least;
    return (double)reached / (double)n;
}
