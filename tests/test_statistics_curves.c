/* test_statistics_curves.c - the bootstrap against its exact law; ranks */
/* needs: lab */
#include "testing.h"
#include "locant/statistics.h"
#include "oracle/statistics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------- bootstrap */

static locant_interval bootstrap(const double *loss, size_t seeds,
                                 size_t blocks, uint64_t seed)
{
    locant_interval e;

    CHECK_OK(locant_bootstrap(&e, loss, seeds, blocks, .95, seed));
    return e;
}

TEST(bootstrap_is_deterministic)
{
    double loss[3 * 40];
    locant_interval a, b, c;

    for (size_t i = 0; i < LEN(loss); i++)
        loss[i] = test_normal();
    a = bootstrap(loss, 3, 40, 9);
    b = bootstrap(loss, 3, 40, 9);
    c = bootstrap(loss, 3, 40, 10);
    assert_memory_equal(&a, &b, sizeof a);
    CHECK(a.low != c.low && a.high != c.high && a.mean == c.mean);
    CHECK(a.low < a.mean && a.mean < a.high);
}

static int is_undefined(const locant_interval *e)
{
    return isnan(e->mean) && isnan(e->low) && isnan(e->high) &&
           isnan(e->seed_error) && isnan(e->data_error);
}

TEST(bootstrap_of_simple_cases)
{
    static const double same[6] = { 2, 2, 2, 2, 2, 2 }, two[2] = { 0, 1 };
    static const double hole[4] = { 1, 2, NAN, 4 }, far[2] = { 1, INFINITY };
    locant_interval e;

    e = bootstrap(same, 2, 3, 1);
    CHECK(e.mean == 2 && e.low == 2 && e.high == 2);
    CHECK(e.seed_error == 0 && e.data_error == 0);
    e = bootstrap(same, 1, 1, 1);
    CHECK(e.mean == 2 && e.low == 2 && e.high == 2);
    CHECK(isnan(e.seed_error) && isnan(e.data_error));
    /* Two blocks: means 0, 1/2, 1 with probability 1/4, 1/2, 1/4. */
    e = bootstrap(two, 1, 2, 1);
    CHECK(e.mean == .5 && e.low == 0 && e.high == 1);
    CHECK(isnan(e.seed_error) && fabs(e.data_error - .5) < 1e-15);
    e = bootstrap(two, 2, 1, 1);
    CHECK(e.mean == .5 && e.low == 0 && e.high == 1);
    CHECK(isnan(e.data_error) && fabs(e.seed_error - .5) < 1e-15);
    e = bootstrap(hole, 2, 2, 1);
    CHECK(is_undefined(&e));
    e = bootstrap(far, 2, 1, 1);
    CHECK(is_undefined(&e));
    e = bootstrap(same, 0, 3, 1);
    CHECK(is_undefined(&e));
    e = bootstrap(same, 3, 0, 1);
    CHECK(is_undefined(&e));
}

/* Quantile of the law: the value the first 'q' of the cases stay below. */
static double law_at(const struct oracle_law *law, double q)
{
    double place = q * (double)law->n;

    if (place < 0)
        return -INFINITY;
    return place >= (double)law->n ? INFINITY : law->value[(size_t)place];
}

/*
 * Against every choice there is.  The share of 2000 draws below a quantile q
 * has the deviation sqrt(q (1 - q) / 2000), so the quantile found lies between
 * those of the law five deviations to either side.
 */
TEST(bootstrap_follows_its_law)
{
    static const double levels[] = { .5, .8, .95 };

    for (int trial = 0; trial < 30; trial++) {
        size_t seeds = (size_t)test_range(1, 4);
        size_t blocks = (size_t)test_range(seeds == 1 ? 2 : 1, 4);
        double loss[16], level = levels[trial % 3], q = (1 - level) / 2;
        double off = 5 * sqrt(q * (1 - q) / 2000);
        struct oracle_law law;
        locant_interval e;

        for (size_t i = 0; i < LEN(loss); i++)
            loss[i] = test_normal();
        law = oracle_bootstrap(loss, seeds, blocks);
        CHECK_OK(locant_bootstrap(&e, loss, seeds, blocks, level, test_seed()));
        if (e.low < law_at(&law, q - off) || e.low > law_at(&law, q + off) ||
            e.high < law_at(&law, 1 - q - off) ||
            e.high > law_at(&law, 1 - q + off))
            FAIL("%zu x %zu, %.2f: %.4f .. %.4f, law %.4f .. %.4f", seeds,
                 blocks, level, e.low, e.high, law_at(&law, q),
                 law_at(&law, 1 - q));
        free(law.value);
    }
}

/*
 * Losses that are a seed's effect plus a block's, +-1 in equal numbers: the
 * seeds' means have the variance n / (n - 1) of effects that are +-1.
 */
static locant_interval of_effects(size_t seeds, size_t blocks, double of_seed,
                                  double of_block)
{
    double loss[64 * 64];

    for (size_t s = 0; s < seeds; s++)
        for (size_t b = 0; b < blocks; b++)
            loss[s * blocks + b] =
                100 + of_seed * (s % 2 ? 1 : -1) + of_block * (b % 2 ? 1 : -1);
    return bootstrap(loss, seeds, blocks, test_seed());
}

TEST(components_are_told_apart)
{
    locant_interval e = of_effects(4, 16, .3, .5);

    /* sums of numbers around 100: a few units of 2^-53 x 100 */
    CHECK(fabs(e.mean - 100) < 1e-12);
    CHECK(fabs(e.seed_error - .3 / sqrt(3)) < 1e-12);
    CHECK(fabs(e.data_error - .5 / sqrt(15)) < 1e-12);
    e = of_effects(64, 2, 0, 1);
    CHECK(e.seed_error < 1e-12 && fabs(e.data_error - 1) < 1e-12);
}

/* Half of the width over 1.96: the deviation of the mean as resampled. */
static double deviation(size_t seeds, size_t blocks, double of_seed,
                        double of_block)
{
    locant_interval e = of_effects(seeds, blocks, of_seed, of_block);

    return (e.high - e.low) / 2 / 1.959964;
}

/*
 * All seeds share the blocks, so more seeds do not average the blocks' effect
 * away, nor more blocks the seeds'.
 * Tolerance: a 2.5 % percentile of 2000 draws has a relative deviation of
 * sqrt(.025 x .975 / 2000) / (1.96 x 0.0584) = 3.1 %, and the means are
 * multiples of 1/32 of 0.125 to 0.177, a quarter of the deviation: at most half
 * such a step off at either end.
 */
TEST(bootstrap_resamples_seeds_and_blocks)
{
    CHECK(fabs(deviation(4, 64, 0, 1) - 1 / 8.0) < 0.02);
    CHECK(fabs(deviation(64, 4, 1, 0) - 1 / 8.0) < 0.02);
    CHECK(fabs(deviation(64, 64, 1, 1) - sqrt(2) / 8) < 0.03);
}

/*
 * More blocks than are drawn at a time, which have no effect: a resample of two
 * seeds is -1, 0, or 1, with probability 1/4, 1/2, 1/4, and nothing between.
 */
TEST(one_draw_of_seeds_serves_all_blocks)
{
    double loss[2 * 300];
    locant_interval e;

    for (int b = 0; b < 300; b++) {
        loss[b] = -1;
        loss[300 + b] = 1;
    }
    CHECK_OK(locant_bootstrap(&e, loss, 2, 300, .7, test_seed()));
    CHECK(e.mean == 0 && e.low == -1 && e.high == 1 && e.data_error == 0);
}

/*
 * Normal effects of 8 seeds and 12 blocks.  The bootstrap sees 7/8 and 11/12 of
 * the variances and takes the normal's quantile for Student's, so it holds the
 * true mean a little less often than 95 %: with the larger of both faults,
 * P(|T_7| < 1.96 sqrt(7/8)) = 89.1 %; better than that with both effects.
 * The deviation of 300 trials is 1.8 %: three of them below, five above.
 */
TEST(bootstrap_covers)
{
    enum { TRIALS = TEST_SANITIZED ? 40 : 300, SEEDS = 8, BLOCKS = 12 };
    int held = 0;

    for (int trial = 0; trial < TRIALS; trial++) {
        double loss[SEEDS * BLOCKS], of_block[BLOCKS];
        locant_interval e;

        for (int b = 0; b < BLOCKS; b++)
            of_block[b] = test_normal();
        for (int s = 0; s < SEEDS; s++) {
            double of_seed = test_normal();

            for (int b = 0; b < BLOCKS; b++)
                loss[s * BLOCKS + b] = 5 + of_seed + of_block[b];
        }
        e = bootstrap(loss, SEEDS, BLOCKS, (uint64_t)trial);
        held += e.low <= 5 && 5 <= e.high;
    }
    CHECK(held > TRIALS * (TEST_SANITIZED ? 70 : 83) / 100);
    CHECK(TEST_SANITIZED || held < TRIALS * 98 / 100);
}

/* ------------------------------------------------------------------- ranks */

static void check_ranks(const double *loss, size_t n, size_t seeds,
                        size_t blocks, const int *want)
{
    int got[8];

    CHECK_OK(locant_ranks(got, loss, n, seeds, blocks, .95));
    for (size_t i = 0; i < n; i++)
        if (got[i] != want[i])
            FAIL("encoding %zu: rank %d, want %d", i, got[i], want[i]);
}

/*
 * Three seeds, one block.  Differences from the first: second +.1 at every seed
 * with deviation .01; third mean +.05, deviation .05: cannot be told from the
 * first.  The fourth has no value at one seed.  Three pairs: t with
 * P(|T| < t) = 1 - .05/3 is 7.65, half widths .044 and .22.
 */
TEST(ranks_by_paired_seeds)
{
    static const double loss[] = { 1, 5,    9,    1.09, 5.10, 9.11,
                                   1, 5.05, 9.10, 0,    NAN,  0 };

    check_ranks(loss, 4, 3, 1, (const int[]){ 1, 2, 1, 0 });
    /* Unpaired, seeds are 4 apart and nothing could be told: the pairs count.
       With two seeds it counts whether both runs are above. */
    check_ranks((const double[]){ 1, 5, 1.09, 5.10 }, 2, 2, 1,
                (const int[]){ 1, 2 });
    check_ranks((const double[]){ 1, 5, 1.2, 4.9 }, 2, 2, 1,
                (const int[]){ 1, 1 });
    /* one value each: equal or not */
    check_ranks((const double[]){ 3, 1, 2, 1, NAN }, 5, 1, 1,
                (const int[]){ 4, 1, 3, 1, 0 });
}

/* Told at three seeds by 95 %, but not by what corrects for all pairs. */
TEST(ranks_are_corrected_for_pairs)
{
    static const double loss[] = { 1, 1, 1, 1.05, 1.06, 1.07, 9, 9.1,
                                   9, 9, 9, 9.1,  8,    9,    10 };

    /* .06, deviation .01: half width .025 alone, of ten pairs
       t(2; .995) = 14.09, .081 */
    check_ranks(loss, 2, 3, 1, (const int[]){ 1, 2 });
    check_ranks(loss, 5, 3, 1, (const int[]){ 1, 1, 3, 3, 1 });
}

/* With three seeds or more the noise of blocks is no evidence. */
TEST(ranks_do_not_count_blocks_as_seeds)
{
    double loss[2][3][50];

    for (int s = 0; s < 3; s++)
        for (int b = 0; b < 50; b++) {
            loss[0][s][b] = 1;
            loss[1][s][b] = s == 0 ? 1.3 : s == 1 ? 1.02 : 1.01;
        }
    /* always above, so every resample is; but .11 +- .41 by Student */
    check_ranks(&loss[0][0][0], 2, 3, 50, (const int[]){ 1, 1 });
    for (int b = 0; b < 50; b++)
        for (int s = 0; s < 3; s++)
            loss[1][s][b] = 1.3 + .1 * s;
    check_ranks(&loss[0][0][0], 2, 3, 50, (const int[]){ 1, 2 });
}

/* The order in which encodings are given does not matter, nor a constant. */
TEST(ranks_follow_the_encodings)
{
    enum { N = 6, EACH = 4 * 3 };

    for (int trial = 0; trial < 100; trial++) {
        double loss[N * EACH], moved[N * EACH];
        int rank[N], other[N], by = (int)test_range(1, N - 1), worst = 0;

        for (int i = 0; i < N; i++)
            for (int k = 0; k < EACH; k++)
                loss[i * EACH + k] = .3 * i + test_normal() / 8;
        for (int i = 0; i < N; i++)
            for (int k = 0; k < EACH; k++)
                moved[(i + by) % N * EACH + k] = 4 + loss[i * EACH + k];
        CHECK_OK(locant_ranks(rank, loss, N, 4, 3, .95));
        CHECK_OK(locant_ranks(other, moved, N, 4, 3, .95));
        for (int i = 0; i < N; i++) {
            CHECK(rank[i] == other[(i + by) % N]);
            worst = rank[i] > worst ? rank[i] : worst;
        }
        CHECK(worst > 1 && worst <= N);
    }
}

TEST(reciprocal_ranks_are_averaged)
{
    static const int rank[] = { 1, 2, 0, 4, 1, 1 };
    double mrr[3];

    CHECK_OK(locant_mean_reciprocal_rank(mrr, rank, 3, 2));
    CHECK(mrr[0] == .625 && mrr[1] == .75 && mrr[2] == .5);
    CHECK_OK(locant_mean_reciprocal_rank(mrr, NULL, 3, 0));
    CHECK(isnan(mrr[0]) && isnan(mrr[2]));
}

TEST(refuses_bad_arguments)
{
    static const double loss[] = { 1, 2 };
    locant_interval e;
    double mrr;
    int rank[2];

    REFUSES(NULL, locant_bootstrap(NULL, loss, 1, 2, .95, 1), "out is NULL");
    REFUSES(NULL, locant_bootstrap(&e, NULL, 1, 2, .95, 1), "loss is NULL");
    REFUSES(PARAM, locant_bootstrap(&e, loss, 1, 2, 1, 1),
            "level is 1, expected between 0 and 1");
    REFUSES(NULL, locant_ranks(NULL, loss, 2, 1, 1, .95), "rank is NULL");
    REFUSES(NULL, locant_ranks(rank, NULL, 2, 1, 1, .95), "loss is NULL");
    REFUSES(PARAM, locant_ranks(rank, loss, 2, 1, 1, 0),
            "level is 0, expected between 0 and 1");
    CHECK(locant_ranks(rank, loss, SIZE_MAX / 4, 1, 1, .95) ==
          LOCANT_ERR_NOMEM);
    CHECK_OK(locant_ranks(NULL, NULL, 0, 1, 1, .95));
    REFUSES(NULL, locant_mean_reciprocal_rank(NULL, rank, 2, 1), "out is NULL");
    REFUSES(NULL, locant_mean_reciprocal_rank(&mrr, NULL, 1, 1),
            "rank is NULL");
}
