/* test_statistics.c - intervals against closed forms and exact cases */
/* needs: lab */
#include "testing.h"
#include "lab/lab.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------- t interval */

/* Half width of 'n' values of standard deviation one, times sqrt(n): t. */
static double t_of(size_t n)
{
    double x[4096], mean, half;
    double a = sqrt((double)(n - 1) / 2);

    /* Two values off by a, the rest zero: the squares sum to n - 1. */
    memset(x, 0, sizeof x);
    x[0] = a;
    x[1] = -a;
    lct_t_interval(&mean, &half, x, n);
    CHECK(mean == 0);
    return half * sqrt((double)n);
}

/*
 * P(|T| < t) = 0.95 solved by hand: one degree of freedom is the Cauchy
 * distribution, t = tan(0.95 pi/2); two, t/sqrt(2 + t^2) = 0.95; four,
 * s (3 - s^2) / 2 = 0.95 for s = t/sqrt(4 + t^2), a cubic with the root
 * 2 cos(acos(-0.95) / 3 - 2 pi/3).
 * Tolerance: bisection leaves 2^-53 x 1.6 of angle, and dt/dangle is
 * sqrt(df) / cos^2, at most 163 here; sums and functions add a few units.
 */
static void t_matches_closed_forms(void **state)
{
    double pi = acos(-1.0), s = 2 * cos(acos(-0.95) / 3 - 2 * pi / 3);

    (void)state;
    CHECK(fabs(t_of(2) - tan(0.95 * pi / 2)) < 1e-12);
    CHECK(fabs(t_of(3) - 0.95 * sqrt(2 / (1 - 0.95 * 0.95))) < 1e-13);
    CHECK(fabs(t_of(5) - s * sqrt(4 / (1 - s * s))) < 1e-13);
}

/* Fisher and Yates, Statistical Tables, table III: three decimals. */
static void t_matches_tables(void **state)
{
    static const struct {
        size_t df;
        double t;
    } rows[] = {{1, 12.706}, {2, 4.303}, {3, 3.182}, {4, 2.776}, {5, 2.571},
                {6, 2.447},  {7, 2.365}, {8, 2.306}, {9, 2.262}, {10, 2.228},
                {15, 2.131}, {20, 2.086}, {29, 2.045}, {30, 2.042},
                {60, 2.000}, {120, 1.980}};

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++)
        if (fabs(t_of(rows[i].df + 1) - rows[i].t) > 0.00051)
            FAIL("df %zu: got %.5f, want %.3f", rows[i].df,
                 t_of(rows[i].df + 1), rows[i].t);
    /* To the normal quantile z: t - z = (z^3 + z) / 4 df + O(df^-2). */
    CHECK(fabs(t_of(4096) - 1.959963984540054 - 9.489 / 4 / 4095) < 1e-6);
}

static void t_interval_of_few_values(void **state)
{
    static const double x[] = {1, 2, 3}, same[] = {4, 4, 4, 4},
                        hole[] = {1, NAN, 3};
    double mean, half;

    (void)state;
    lct_t_interval(&mean, &half, x, 3);
    /* deviation 1, two degrees of freedom as above */
    CHECK(mean == 2 && fabs(half - 0.95 * sqrt(2 / 0.0975 / 3)) < 1e-13);
    lct_t_interval(&mean, &half, same, 4);
    CHECK(mean == 4 && half == 0);
    lct_t_interval(&mean, &half, x, 1);
    CHECK(mean == 1 && isnan(half));
    lct_t_interval(&mean, &half, x, 0);
    CHECK(isnan(mean) && isnan(half));
    lct_t_interval(&mean, &half, hole, 3);
    CHECK(isnan(mean) && isnan(half));
}

/* 95 of 100 intervals hold the true mean; 4 seeds, normal values. */
static void t_interval_covers(void **state)
{
    enum { TRIALS = 4000 };
    int held = 0;

    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        double x[4], mean, half;

        for (int i = 0; i < 4; i++)
            x[i] = 10 + 3 * test_normal();
        lct_t_interval(&mean, &half, x, 4);
        held += fabs(mean - 10) <= half;
    }
    /* Binomial deviation sqrt(.95 x .05 x 4000) = 13.8; five of them. */
    CHECK(abs(held - TRIALS * 95 / 100) < 69);
}

/* --------------------------------------------------------------- bootstrap */

static void bootstrap_is_deterministic(void **state)
{
    double loss[3 * 40], a[2], b[2], d[2];

    (void)state;
    for (size_t i = 0; i < LEN(loss); i++)
        loss[i] = test_normal();
    lct_bootstrap(&a[0], &a[1], loss, 3, 40, 9);
    lct_bootstrap(&b[0], &b[1], loss, 3, 40, 9);
    lct_bootstrap(&d[0], &d[1], loss, 3, 40, 10);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, d, sizeof a);
    CHECK(a[0] < a[1]);
}

static void bootstrap_of_simple_cases(void **state)
{
    static const double same[6] = {2, 2, 2, 2, 2, 2}, two[2] = {0, 1},
                        hole[4] = {1, 2, NAN, 4};
    double low, high;

    (void)state;
    lct_bootstrap(&low, &high, same, 2, 3, 1);
    CHECK(low == 2 && high == 2);
    lct_bootstrap(&low, &high, same, 1, 1, 1);
    CHECK(low == 2 && high == 2);
    /* Two blocks: means 0, 1/2, 1 with probability 1/4, 1/2, 1/4. */
    lct_bootstrap(&low, &high, two, 1, 2, 1);
    CHECK(low == 0 && high == 1);
    lct_bootstrap(&low, &high, two, 2, 1, 1);
    CHECK(low == 0 && high == 1);
    lct_bootstrap(&low, &high, hole, 2, 2, 1);
    CHECK(isnan(low) && isnan(high));
    lct_bootstrap(&low, &high, same, 0, 3, 1);
    CHECK(isnan(low) && isnan(high));
    lct_bootstrap(&low, &high, same, 3, 0, 1);
    CHECK(isnan(low) && isnan(high));
}

/*
 * Half of the width over 1.96, for losses that are the sum of a seed's effect
 * and a block's.  Both sets of effects have variance one over n as resampled,
 * so the mean has the variance 1/seeds + 1/blocks of the effects' own.
 */
static double bootstrap_deviation(size_t seeds, size_t blocks, double of_seed,
                                  double of_block)
{
    double loss[64 * 64], low, high;

    for (size_t s = 0; s < seeds; s++)
        for (size_t b = 0; b < blocks; b++)
            loss[s * blocks + b] = of_seed * (s % 2 ? 1 : -1) +
                                   of_block * (b % 2 ? 1 : -1);
    lct_bootstrap(&low, &high, loss, seeds, blocks, test_seed());
    return (high - low) / 2 / 1.959964;
}

/*
 * All seeds share the blocks, so more seeds do not average the blocks' effect
 * away, nor more blocks the seeds'.
 * Tolerance: a 2.5 % percentile of 2000 draws has a relative deviation of
 * sqrt(.025 x .975 / 2000) / (1.96 x 0.0584) = 3.1 %, and the means are
 * multiples of 1/32 of 0.125 to 0.177, a quarter of the deviation: at most half
 * such a step off at either end.
 */
static void bootstrap_resamples_seeds_and_blocks(void **state)
{
    double only_blocks = bootstrap_deviation(4, 64, 0, 1);
    double only_seeds = bootstrap_deviation(64, 4, 1, 0);
    double both = bootstrap_deviation(64, 64, 1, 1);

    (void)state;
    CHECK(fabs(only_blocks - 1 / 8.0) < 0.02);
    CHECK(fabs(only_seeds - 1 / 8.0) < 0.02);
    CHECK(fabs(both - sqrt(2) / 8) < 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t_matches_closed_forms),
        cmocka_unit_test(t_matches_tables),
        cmocka_unit_test(t_interval_of_few_values),
        cmocka_unit_test(t_interval_covers),
        cmocka_unit_test(bootstrap_is_deterministic),
        cmocka_unit_test(bootstrap_of_simple_cases),
        cmocka_unit_test(bootstrap_resamples_seeds_and_blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
