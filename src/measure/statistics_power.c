/*
 * statistics_power.c - how many seeds are needed: for the sign-flip test to
 * reach a level, and for the t test to reach a power.
 */
#include "statistics.h"
#include <math.h>

size_t locant_flip_seeds(size_t comparisons, double alpha)
{
    if (!(alpha > 0 && alpha <= 1))
        return 0;
    for (int n = 1; n <= LOCANT_FLIP_MAX; n++)
        if (ldexp((double)comparisons, 1 - n) < alpha)
            return (size_t)n;
    return 0;
}

/* P(Z < x) of a normal Z. */
static double normal(double x)
{
    return erfc(-x / sqrt(2.0)) / 2;
}

/*
 * T = (Z + shift) / s, where df s^2 is chi-squared, so P(|T| > t) is the mean
 * over s of P(Z > t s - shift) + P(Z < -t s - shift). The density of s is
 * proportional to s^(df - 1) exp(-df s^2 / 2); all but 1e-6 of it lies within 9
 * / sqrt(df) of 1. The midpoint rule gives both integrals: of the density times
 * the probability, and of the density.
 */
double locant_power(double mean, double deviation, size_t n, double alpha)
{
    enum { POINTS = 2000 };
    const double df = (double)n - 1;
    double t, shift, low, step, power = 0, all = 0;

    if (n < 2 || !(deviation > 0) || !(alpha > 0 && alpha < 1))
        return NAN;
    t = lct_t_quantile(n - 1, 1 - alpha);
    shift = mean / deviation * sqrt((double)n);
    low = fmax(0, 1 - 9 / sqrt(df));
    step = (1 + 9 / sqrt(df) - low) / POINTS;
    for (int i = 0; i < POINTS; i++) {
        const double s = low + (i + .5) * step;
        const double weight = exp((df - 1) * log(s) - df * (s * s - 1) / 2);

        all += weight;
        power += weight * (normal(shift - t * s) + normal(-shift - t * s));
    }
    return power / all;
}

/* Bisection: power rises with n. */
size_t locant_power_seeds(double mean, double deviation, double alpha,
                          double power, size_t most)
{
    size_t low = 1, high = most;

    if (most < 2 || !(locant_power(mean, deviation, most, alpha) >= power))
        return 0;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (locant_power(mean, deviation, middle, alpha) >= power)
            high = middle;
        else
            low = middle;
    }
    return high;
}
