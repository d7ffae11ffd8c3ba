/* test_statistics.c - intervals and tests: closed forms, all cases counted */
/* needs: lab */
#include "testing.h"
#include "measure/statistics.h"
#include "oracle/statistics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------- t interval */

/* Half width of 'n' values of standard deviation one, times sqrt(n): t. */
static double t_of(size_t n, double level)
{
    double x[4096], a = sqrt((double)(n - 1) / 2);
    locant_difference d;

    /* Two values off by a, the rest zero: the squares sum to n - 1. */
    memset(x, 0, sizeof x);
    x[0] = a;
    x[1] = -a;
    CHECK_OK(locant_paired(&d, x, n, level));
    CHECK(d.mean == 0);
    return d.half * sqrt((double)n);
}

/*
 * P(|T| < t) = 0.95 solved by hand: one degree of freedom is the Cauchy
 * distribution, t = tan(0.95 pi/2); two, t/sqrt(2 + t^2) = 0.95; four,
 * s (3 - s^2) / 2 = 0.95 for s = t/sqrt(4 + t^2), a cubic with the root
 * 2 cos(acos(-0.95) / 3 - 2 pi/3).
 * Tolerance: bisection leaves 2^-53 x 1.6 of angle, and dt/dangle is
 * sqrt(df) / cos^2, at most 163 here; sums and functions add a few units.
 */
TEST(t_matches_closed_forms)
{
    double pi = acos(-1.0), s = 2 * cos(acos(-0.95) / 3 - 2 * pi / 3);

    CHECK(fabs(t_of(2, .95) - tan(0.95 * pi / 2)) < 1e-12);
    CHECK(fabs(t_of(3, .95) - 0.95 * sqrt(2 / (1 - 0.95 * 0.95))) < 1e-13);
    CHECK(fabs(t_of(5, .95) - s * sqrt(4 / (1 - s * s))) < 1e-13);
    CHECK(fabs(t_of(2, .5) - 1) < 1e-14); /* quartiles of Cauchy's */
}

/* Fisher and Yates, Statistical Tables, table III: three decimals. */
TEST(t_matches_tables)
{
    static const struct {
        size_t df;
        double t;
    } rows[] = { { 1, 12.706 }, { 2, 4.303 },  { 3, 3.182 },  { 4, 2.776 },
                 { 5, 2.571 },  { 6, 2.447 },  { 7, 2.365 },  { 8, 2.306 },
                 { 9, 2.262 },  { 10, 2.228 }, { 15, 2.131 }, { 20, 2.086 },
                 { 29, 2.045 }, { 30, 2.042 }, { 60, 2.000 }, { 120, 1.980 } };

    for (size_t i = 0; i < LEN(rows); i++)
        if (fabs(t_of(rows[i].df + 1, .95) - rows[i].t) > 0.00051)
            FAIL("df %zu: got %.5f, want %.3f", rows[i].df,
                 t_of(rows[i].df + 1, .95), rows[i].t);
    /* To the normal quantile z: t - z = (z^3 + z) / 4 df + O(df^-2). */
    CHECK(fabs(t_of(4096, .95) - 1.959963984540054 - 9.489 / 4 / 4095) < 1e-6);
}

/* The density, integrated up to t, holds 'level' of the probability. */
TEST(t_inverts_the_integral)
{
    static const double levels[] = { .5, .9, .95, .99, .999 };

    for (size_t df = 1; df <= 40; df += df < 8 ? 1 : 8)
        for (size_t k = 0; k < LEN(levels); k++) {
            double p = oracle_t_probability(t_of(df + 1, levels[k]), df);

            if (fabs(p - levels[k]) > 1e-10)
                FAIL("df %zu: P is %.13f, want %.3f", df, p, levels[k]);
        }
}

TEST(paired_of_few_values)
{
    static const double x[] = { 1, 2, 3 }, same[] = { 4, 4, 4, 4 },
                        hole[] = { 1, NAN, 3 };
    locant_difference d;

    CHECK_OK(locant_paired(&d, x, 3, .95));
    /* deviation 1, two degrees of freedom as above; +++ and --- of 8 */
    CHECK(d.mean == 2 && fabs(d.half - 0.95 * sqrt(2 / 0.0975 / 3)) < 1e-13);
    CHECK(d.p == .25);
    /* T = 2 sqrt 3: P(|T| < t) = t / sqrt(2 + t^2) of two degrees of freedom */
    CHECK(fabs(d.t_p - (1 - sqrt(12. / 14))) < 1e-14);
    CHECK_OK(locant_paired(&d, same, 4, .95));
    CHECK(d.mean == 4 && d.half == 0 && d.p == .125 && d.t_p < 1e-15);
    CHECK_OK(locant_paired(&d, x, 2, .95));
    CHECK(d.mean == 1.5 && d.p == .5);
    CHECK_OK(locant_paired(&d, x, 1, .95));
    CHECK(d.mean == 1 && isnan(d.half) && d.p == 1 && isnan(d.t_p));
    CHECK_OK(locant_paired(&d, NULL, 0, .95));
    CHECK(isnan(d.mean) && isnan(d.half) && isnan(d.p));
    CHECK_OK(locant_paired(&d, hole, 3, .95));
    CHECK(isnan(d.mean) && isnan(d.half) && isnan(d.p) && isnan(d.t_p));
}

/* p is the level of the interval that ends at 0. */
TEST(t_test_agrees_with_its_interval)
{
    for (int trial = 0; trial < 50; trial++) {
        const size_t n = (size_t)test_range(2, 12);
        locant_difference d;
        double x[12];

        for (size_t i = 0; i < n; i++)
            x[i] = .5 + test_normal();
        CHECK_OK(locant_paired(&d, x, n, .95));
        CHECK_OK(locant_paired(&d, x, n, 1 - d.t_p));
        /* the quantile of 1 - p: dt/dp is large where p is small */
        if (d.t_p > 1e-6 && fabs(fabs(d.mean) - d.half) > 1e-6 * d.half)
            FAIL("n %zu: mean %g, half %g at 1 - p", n, d.mean, d.half);
    }
}

/* ------------------------------------------------------------ seeds needed */

TEST(exact_tests_need_so_many_seeds)
{
    /* of seven comparisons: 7/32 = .22 at six seeds, 7/256 = .027 at nine */
    CHECK(locant_flip_seeds(7, .05) == 9);
    CHECK(locant_flip_seeds(7, 7 / 32.) == 7 &&
          locant_flip_seeds(7, .219) == 6);
    CHECK(locant_flip_seeds(1, .05) == 6 && locant_flip_seeds(8, .05) == 9);
    CHECK(locant_flip_seeds(28, .05) == 11);
    CHECK(locant_flip_seeds(0, .05) == 1 && locant_flip_seeds(1, 0) == 0);
    CHECK(locant_flip_seeds(1 << 20, .05) == 0);
}

/*
 * Cohen's table for paired differences, two-sided .05: a power of .8 takes 34,
 * 15 and 199 pairs where the mean is .5, .8 and .2 deviations.
 */
TEST(power_matches_tables)
{
    CHECK(locant_power_seeds(.5, 1, .05, .8, 1000) == 34);
    CHECK(locant_power_seeds(-.8, 1, .05, .8, 1000) == 15);
    CHECK(locant_power_seeds(.4, 2, .05, .8, 1000) == 199);
    CHECK(locant_power_seeds(.4, 2, .05, .8, 198) == 0);
    CHECK(fabs(locant_power(0, 1, 7, .03) - .03) < 1e-4);
    CHECK(isnan(locant_power(1, 1, 1, .05)));
    CHECK(isnan(locant_power(1, 0, 5, .05)));
    CHECK(isnan(locant_power(1, 1, 5, 1)));
}

/* As often as that, p is that small. */
TEST(power_is_how_often_p_is_small)
{
    enum { TRIALS = 2000, N = 4 };
    const double want = locant_power(1.5, 1, N, .05);
    int found = 0;

    for (int trial = 0; trial < TRIALS; trial++) {
        locant_difference d;
        double x[N];

        for (int i = 0; i < N; i++)
            x[i] = 1.5 + test_normal();
        CHECK_OK(locant_paired(&d, x, N, .95));
        found += d.t_p <= .05;
    }
    /* binomial: deviation at most sqrt(1 / 4 / 2000) = .0112; five of them */
    CHECK(fabs((double)found / TRIALS - want) < .056);
}

/* 95 of 100 intervals hold the true mean; 4 seeds, normal values. */
TEST(t_interval_covers)
{
    enum { TRIALS = 4000 };
    int held = 0;

    for (int trial = 0; trial < TRIALS; trial++) {
        locant_difference d;
        double x[4];

        for (int i = 0; i < 4; i++)
            x[i] = 10 + 3 * test_normal();
        CHECK_OK(locant_paired(&d, x, 4, .95));
        held += fabs(d.mean - 10) <= d.half;
    }
    /* Binomial deviation sqrt(.95 x .05 x 4000) = 13.8; five of them. */
    CHECK(abs(held - TRIALS * 95 / 100) < 69);
}

/* ------------------------------------------------------------------- signs */

/* All signs turned, in whole numbers, so that equal sums are equal. */
TEST(flips_are_all_counted)
{
    for (int trial = 0; trial < 300; trial++) {
        size_t n = (size_t)test_range(1, 11);
        long whole[11];
        double d[11];
        locant_difference got;

        for (size_t i = 0; i < n; i++) {
            whole[i] = (long)test_range(-4, 9);
            /* 0.1 is no double: equal sums are not equal in bits */
            d[i] = 0.1 * (double)whole[i];
        }
        CHECK_OK(locant_paired(&got, d, n, .95));
        if (got.p != oracle_flips(whole, n))
            FAIL("trial %d, n %zu: p is %.10f, want %.10f", trial, n, got.p,
                 oracle_flips(whole, n));
    }
}

TEST(smallest_p_is_known)
{
    double d[LOCANT_FLIP_MAX + 1];
    locant_difference got;

    for (size_t n = 1; n <= LEN(d); n++) {
        d[n - 1] = 1 + test_uniform() / 2;
        CHECK_OK(locant_paired(&got, d, n, .95));
        if (n <= LOCANT_FLIP_MAX)
            CHECK(got.p == ldexp(1, 1 - (int)n));
        else
            CHECK(isnan(got.p));
    }
}

/*
 * Six normal values around 0 have p <= .05 only where all signs agree, in one
 * of 32 cases: 125 of 4000, deviation sqrt(4000 x 31) / 32 = 11.
 */
TEST(flips_hold_their_level)
{
    enum { TRIALS = 4000 };
    int rejected = 0;

    for (int trial = 0; trial < TRIALS; trial++) {
        locant_difference d;
        double x[6];

        for (int i = 0; i < 6; i++)
            x[i] = test_normal();
        CHECK_OK(locant_paired(&d, x, 6, .95));
        rejected += d.p <= .05;
    }
    CHECK(abs(rejected - TRIALS / 32) < 55);
}

/* -------------------------------------------------------------------- Holm */

TEST(holm_steps_down)
{
    /* by hand: 4 x .01, 3 x .02 = .06, 2 x .03 = .06, 1 x .2 */
    static const double p[] = { .2, .01, .03, .02 },
                        want[] = { .2, .04, .06, .06 };
    static const double holes[] = { .02, NAN, .04 };
    double got[7], random[7], slow[7];

    CHECK_OK(locant_holm(got, p, 4));
    for (size_t i = 0; i < 4; i++)
        CHECK(fabs(got[i] - want[i]) < 1e-15);
    CHECK_OK(locant_holm(got, holes, 3)); /* two comparisons */
    CHECK(got[0] == .04 && isnan(got[1]) && got[2] == .04);
    CHECK_OK(locant_holm(NULL, NULL, 0));
    for (int trial = 0; trial < 1000; trial++) {
        size_t n = (size_t)test_range(1, 7);

        for (size_t i = 0; i < n; i++) /* few values: many ties */
            random[i] = (double)test_range(0, 16) / (trial % 2 ? 16 : 128);
        CHECK_OK(locant_holm(got, random, n));
        oracle_holm(slow, random, n);
        CHECK(memcmp(got, slow, n * sizeof *got) == 0);
    }
}

/*
 * Of 8 true hypotheses with uniform p, one or more is rejected at .05 in
 * 1 - (1 - .05/8)^8 = 4.89 % of cases: 195.7 of 4000, deviation 13.6.
 */
TEST(holm_holds_its_level)
{
    enum { TRIALS = 4000 };
    int rejected = 0;

    for (int trial = 0; trial < TRIALS; trial++) {
        double p[8], adjusted[8], least = 1;

        for (int i = 0; i < 8; i++)
            p[i] = (test_uniform() + 1) / 2;
        CHECK_OK(locant_holm(adjusted, p, 8));
        for (int i = 0; i < 8; i++)
            least = fmin(least, adjusted[i]);
        rejected += least <= .05;
    }
    CHECK(abs(rejected - 196) < 68);
}

/* ------------------------------------------------------------------ Wilson */

/* Both ends solve (k/n - x)^2 = z^2 x (1 - x) / n. */
TEST(wilson_ends_are_roots)
{
    static const struct {
        double level, z; /* z: Abramowitz and Stegun, table 26.5 */
    } at[] = { { .5, .674489750196082 },
               { .9, 1.644853626951473 },
               { .95, 1.959963984540054 },
               { .99, 2.575829303548901 } };

    for (size_t l = 0; l < LEN(at); l++)
        for (size_t n = 1; n < 40; n += 3)
            for (size_t k = 0; k <= n; k++) {
                double end[2], share = (double)k / (double)n;

                CHECK_OK(locant_wilson(&end[0], &end[1], k, n, at[l].level));
                CHECK(end[0] <= share && share <= end[1]);
                CHECK(end[0] >= 0 && end[1] <= 1);
                for (int i = 0; i < 2; i++) {
                    double x = end[i];
                    double off = (share - x) * (share - x) -
                                 at[l].z * at[l].z * x * (1 - x) / (double)n;

                    /* a few roundings of numbers up to z^2 = 6.6 */
                    CHECK(fabs(off) < 1e-14);
                }
            }
}

/* Robert Newcombe, Statist. Med. 17 (1998), table I, method 3. */
TEST(wilson_matches_the_literature)
{
    double low, high;

    CHECK_OK(locant_wilson(&low, &high, 81, 263, .95));
    CHECK(fabs(low - .2553) < 5e-5 && fabs(high - .3662) < 5e-5);
    CHECK_OK(locant_wilson(&low, &high, 15, 148, .95));
    CHECK(fabs(low - .0624) < 5e-5 && fabs(high - .1605) < 5e-5);
    CHECK_OK(locant_wilson(&low, &high, 0, 20, .95));
    CHECK(low == 0 && fabs(high - .1611) < 5e-5);
    CHECK_OK(locant_wilson(&low, &high, 0, 0, .95));
    CHECK(low == 0 && high == 1);
}

/*
 * The chance that the interval of 20 draws holds the chance x of each, summed
 * exactly over x: Wilson's is right on average over x to half a percent, though
 * single x are as low as 83 % (Brown, Cai, DasGupta, Statist. Sci. 16, 2001).
 */
TEST(wilson_covers_on_average)
{
    enum { N = 20, POINTS = 999 };
    double low[N + 1], high[N + 1], covered = 0;

    for (size_t k = 0; k <= N; k++)
        CHECK_OK(locant_wilson(&low[k], &high[k], k, N, .95));
    for (int i = 1; i <= POINTS; i++) {
        double x = (double)i / (POINTS + 1), own = 0;

        for (size_t k = 0; k <= N; k++)
            if (low[k] <= x && x <= high[k])
                own += oracle_binomial(k, N, x) - oracle_binomial(k + 1, N, x);
        CHECK(own > .83);
        covered += own / POINTS;
    }
    CHECK(fabs(covered - .95) < .005);
}

TEST(share_counts)
{
    static const double x[] = { .9, .95, NAN, .1, .8999 };

    CHECK(locant_share(x, 5, .9) == .4);
    CHECK(locant_share(x, 2, .9) == 1);
    CHECK(isnan(locant_share(x, 0, .9)) && isnan(locant_share(NULL, 3, .9)));
}

/* --------------------------------------------------------------- arguments */

TEST(refuses_bad_arguments)
{
    static const double p[] = { .5, 1.5 };
    locant_difference d = { 1, 2, 3, 4 };
    double low = 7, high = 8, out[2];

    REFUSES(NULL, locant_paired(NULL, p, 2, .95), "out is NULL");
    REFUSES(NULL, locant_paired(&d, NULL, 2, .95), "d is NULL");
    REFUSES(PARAM, locant_paired(&d, p, 2, 95),
            "level is 95, expected between 0 and 1");
    CHECK(locant_paired(&d, p, 2, NAN) == LOCANT_ERR_PARAM);
    CHECK(d.mean == 1 && d.half == 2 && d.p == 3);
    REFUSES(PARAM, locant_holm(out, p, 2), "p[1] is 1.5, expected 0 .. 1");
    REFUSES(NULL, locant_holm(NULL, p, 1), "adjusted is NULL");
    REFUSES(NULL, locant_holm(out, NULL, 1), "p is NULL");
    REFUSES(PARAM, locant_wilson(&low, &high, 3, 2, .95),
            "3 hits of 2, expected at most as many");
    REFUSES(NULL, locant_wilson(&low, NULL, 1, 2, .95), "high is NULL");
    CHECK(locant_wilson(&low, &high, 1, 2, 1) == LOCANT_ERR_PARAM);
    CHECK(low == 7 && high == 8);
}
