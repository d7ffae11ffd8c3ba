/*
 * statistics.c - how far a mean over few seeds can be trusted.
 *
 * Student's quantile is computed, not tabulated; the bootstrap draws from
 * Philox, so a page repeats to the digit.
 */
#include "lab.h"
#include <math.h>
#include <stdlib.h>

enum { RESAMPLES = 2000 };

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

/* t with P(|T| < t) = 0.95: bisection to the last bit of the angle. */
static double t_quantile(size_t df)
{
    double low = 0, high = acos(-1.0) / 2;

    /* 60 halvings of an interval of 1.6 pass the spacing of doubles in it. */
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;

        if (t_probability(middle, df) < 0.95)
            low = middle;
        else
            high = middle;
    }
    return sqrt((double)df) * tan((low + high) / 2);
}

void lct_t_interval(double *mean, double *half, const double *x, size_t n)
{
    double sum = 0, squares = 0;

    *mean = NAN;
    *half = NAN;
    if (n == 0)
        return;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    *mean = sum / (double)n;
    if (n == 1)
        return;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - *mean) * (x[i] - *mean);
    *half = t_quantile(n - 1) *
            sqrt(squares / (double)(n - 1) / (double)n);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Quantile of sorted values, linear between order statistics. */
static double quantile(const double *sorted, size_t n, double q)
{
    double place = q * (double)(n - 1);
    size_t i = (size_t)place;

    if (i + 1 >= n)
        return sorted[n - 1];
    return sorted[i] + (place - (double)i) * (sorted[i + 1] - sorted[i]);
}

/*
 * One resample.  All seeds are tested on the same blocks, so one draw of blocks
 * holds for all of them: drawn anew for each seed, the blocks' own noise would
 * come out too small.
 */
static double resampled_mean(const double *loss, size_t seeds, size_t blocks,
                             locant_random *random)
{
    /* The draw of blocks is repeated for every seed from a copy. */
    locant_random of_blocks = {.seed = random->seed,
                               .stream = random->stream + 1,
                               .index = random->index};
    double sum = 0;

    for (size_t s = 0; s < seeds; s++) {
        const double *row =
            loss + (size_t)locant_random_below(random, seeds) * blocks;
        locant_random r = of_blocks;

        for (size_t b = 0; b < blocks; b++)
            sum += row[(size_t)locant_random_below(&r, blocks)];
    }
    return sum / ((double)seeds * (double)blocks);
}

void lct_bootstrap(double *low, double *high, const double *loss, size_t seeds,
                   size_t blocks, uint64_t seed)
{
    double means[RESAMPLES];

    *low = NAN;
    *high = NAN;
    if (seeds == 0 || blocks == 0)
        return;
    for (size_t i = 0; i < seeds * blocks; i++)
        if (isnan(loss[i]))
            return;
    for (size_t i = 0; i < RESAMPLES; i++) {
        /* Two streams per resample: "boot" in ASCII, then its number. */
        locant_random random = {
            .seed = seed, .stream = ((uint64_t)0x626f6f74 << 32) + 2 * i};

        means[i] = resampled_mean(loss, seeds, blocks, &random);
    }
    qsort(means, RESAMPLES, sizeof means[0], ascending);
    *low = quantile(means, RESAMPLES, 0.025);
    *high = quantile(means, RESAMPLES, 0.975);
}
