/* test_context_use.c - intervals over few seeds, and what they show of the use
   of context */
/* needs: lab */
#include "testing.h"
#include "measure/context_use.h"
#include <math.h>

enum { MOST = 7, SEEDS = 2, BLOCKS = 96 };
static const size_t two[MOST] = { 2, 2, 2, 2, 2, 2, 2 };

/* ------------------------------------------------------------- intervals */

/* Two seeds that differ by 2 d, blocks by 2 e: errors d and e / sqrt(B - 1) of
   2 x 4 losses, whose degrees of freedom are 1 and 3. */
TEST(intervals_match_their_definition)
{
    const double d = .01, e = .3, a = d * d, b = e * e / 3;
    const size_t df = (size_t)((a + b) * (a + b) / (a * a + b * b / 3));
    double x[2][4], half = sqrt(a + b) * lct_t_quantile(df, .95);
    locant_interval out;

    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 4; k++)
            x[s][k] = 1 + (s ? d : -d) + (k % 2 ? e : -e);
    assert_int_equal(df, 3);
    lct_crossed_intervals(&out, x[0], two, 1, 2, 4, .95);
    CHECK(fabs(out.mean - 1) < 1e-14);
    CHECK(fabs(out.seed_error - d) < 1e-14);
    CHECK(fabs(out.data_error - sqrt(b)) < 1e-14);
    CHECK(fabs(out.low - (1 - half)) < 1e-12);
    CHECK(fabs(out.high - (1 + half)) < 1e-12);
}

/* Seeds that agree by chance have the error of all encodings. */
TEST(seeds_that_agree_do_not_narrow_it)
{
    double x[2][2][2] = { { { 1, 1 }, { 1, 1 } }, { { 0, 0 }, { 2, 2 } } };
    locant_interval out[2];

    lct_crossed_intervals(out, x[0][0], two, 2, 2, 2, .95);
    /* variances of seeds 0 and 2, pooled 1; each with two degrees of freedom */
    CHECK(fabs(out[0].high - (1 + sqrt(.5) * lct_t_quantile(2, .95))) < 1e-12);
    CHECK(fabs(out[1].high - (1 + lct_t_quantile(2, .95))) < 1e-11);
    CHECK(out[0].seed_error == 0 && out[1].seed_error == 1);
    lct_crossed_intervals(out, x[0][0], two, 1, 2, 2, .95);
    CHECK(out[0].low == 1 && out[0].high == 1);
}

TEST(what_is_missing_has_no_interval)
{
    static const size_t runs[] = { 1, 2, 0, 2 };
    double x[4][2][2] = { { { 1, 2 }, { 9, 9 } },
                          { { 1, 2 }, { NAN, 3 } },
                          { { 1, 2 }, { 3, 4 } },
                          { { 1, 2 }, { 3, 4 } } };
    locant_interval out[4];

    lct_crossed_intervals(out, x[0][0], runs, 4, 2, 2, .95);
    CHECK(out[0].mean == 1.5 && isnan(out[0].low) && isnan(out[0].high));
    CHECK(isnan(out[1].mean) && isnan(out[1].low));
    CHECK(isnan(out[2].mean) && isnan(out[2].low));
    CHECK(out[3].mean == 2.5 && out[3].low < 2.5);
    lct_crossed_intervals(out, x[3][0], two, 1, 2, 1, .95);
    CHECK(isnan(out[0].low)); /* one block */
}

/* How often intervals of encodings with two seeds each miss the mean. */
static double share_missed(double of_seeds, double of_blocks, int repeats)
{
    static double x[MOST][SEEDS][BLOCKS];
    int missed = 0;

    for (int i = 0; i < repeats; i++) {
        locant_interval out[MOST];

        for (int g = 0; g < MOST; g++) {
            double block[BLOCKS];

            for (int b = 0; b < BLOCKS; b++)
                block[b] = of_blocks * test_normal();
            for (int s = 0; s < SEEDS; s++) {
                const double seed = of_seeds * test_normal();

                for (int b = 0; b < BLOCKS; b++)
                    x[g][s][b] = seed + block[b] + .3 * test_normal();
            }
        }
        lct_crossed_intervals(out, x[0][0], two, MOST, SEEDS, BLOCKS, .95);
        for (int g = 0; g < MOST; g++)
            missed += !(out[g].low <= 0 && 0 <= out[g].high);
    }
    return missed / (double)(repeats * MOST);
}

/* At 5 %, of 1050 intervals 52.5 +- 7.1 would miss; pooling correlates those
   of a repeat, so allow six deviations. */
TEST(intervals_of_two_seeds_hold_the_mean)
{
    static const double of_seeds[] = { 0, .05, .2 };

    for (size_t i = 0; i < LEN(of_seeds); i++) {
        double missed = share_missed(of_seeds[i], .4, 150);

        if (missed > .09)
            FAIL("seeds of %g: %.3f of the intervals miss the mean",
                 of_seeds[i], missed);
    }
}

/* ---------------------------------------------------------------- judgement */

TEST(judges_by_the_interval)
{
    static const struct {
        double mean, low;
        enum lct_use use;
    } rows[] = {
        { .3, .21, LCT_USE_SHOWN },        { .3, .2, LCT_USE_NOT_SHOWN },
        { .3, .19, LCT_USE_NOT_SHOWN },    { -.1, -.2, LCT_USE_NOT_SHOWN },
        { .3, NAN, LCT_USE_UNKNOWN },      { NAN, NAN, LCT_USE_UNKNOWN },
        { INFINITY, NAN, LCT_USE_UNKNOWN }
    };

    for (size_t i = 0; i < LEN(rows); i++) {
        const locant_interval cost = { .mean = rows[i].mean,
                                       .low = rows[i].low };

        if (lct_context_judge(&cost) != rows[i].use)
            FAIL("row %zu: got %d", i, (int)lct_context_judge(&cost));
    }
}

TEST(the_ngram_gains_by_its_cache)
{
    struct lct_results r = { .ngram = { 2.2, 1.9 },
                             .ngram_order = { 2, 3 },
                             .cache = { 1.6 },
                             .cache_order = 3 };

    CHECK(fabs(lct_context_ngram_gain(&r) - .3) < 1e-12);
    r.cache[0] = NAN;
    CHECK(isnan(lct_context_ngram_gain(&r)));
    r.cache[0] = 1.6;
    r.cache_order = 0;
    CHECK(isnan(lct_context_ngram_gain(&r)));
}
