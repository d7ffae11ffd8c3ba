/* test_positions_random.c - randomized ids, PoSE, CAPE */
#include "testing.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static locant_tensor rows(int64_t B, int64_t T)
{
    return TENSOR(I64, B, T);
}

static locant_random seeded(uint64_t stream)
{
    return (locant_random){ .seed = test_seed(), .stream = stream };
}

/*
 * Are the counts of 'n' draws over equally likely cells near their mean?  By
 * Bernstein's inequality a binomial count of variance v is further off than t
 * with probability at most 2 exp(-t^2 / (2 (v + t/3))); t makes that 1e-10 for
 * each cell.
 */
static void check_even(const int64_t *count, int cells, int64_t n)
{
    double mean = (double)n / cells, v = mean * (1 - 1.0 / cells);
    double x = log(2e10), t = x / 3 + sqrt(x * x / 9 + 2 * x * v);

    CHECK(t < mean / 4); /* or the test would not say much */
    for (int i = 0; i < cells; i++)
        if (!(fabs((double)count[i] - mean) <= t))
            FAIL("cell %d has %lld, expected %g +- %g", i, (long long)count[i],
                 mean, t);
}

/* -------------------------------------------------------------- randomized */

TEST(sets_are_rising_and_below_range)
{
    locant_random r = seeded(1);

    for (int round = 0; round < 300; round++) {
        int64_t B = test_range(0, 3), T = test_range(0, 40);
        int64_t range = T + (round % 3 == 0 ? 0 : test_range(0, 30));
        locant_tensor out = rows(B, T);
        const int64_t *p = out.data;

        if (round % 5 == 0)
            range = INT64_MAX;
        CHECK_OK(locant_positions_randomized(&out, range, &r));
        for (int64_t i = 0; i < B * T; i++) {
            CHECK(p[i] >= 0 && p[i] < range);
            CHECK(i % T == 0 || p[i] > p[i - 1]);
            CHECK(range > T || p[i] == i % T);
        }
        test_tensor_free(&out);
    }
}

/* All 20 sets of 3 of 6, and all 10 of 2 of 5. */
TEST(every_set_is_as_likely)
{
    enum { ROWS = 200000 };
    locant_random r = seeded(2);
    locant_tensor three = rows(ROWS, 3), two = rows(ROWS, 2);
    int64_t count[64] = { 0 }, even[20], n = 0;

    CHECK_OK(locant_positions_randomized(&three, 6, &r));
    CHECK_OK(locant_positions_randomized(&two, 5, &r));
    for (int64_t b = 0; b < ROWS; b++) {
        const int64_t *p = (const int64_t *)three.data + 3 * b;

        count[1 << p[0] | 1 << p[1] | 1 << p[2]]++;
    }
    for (int set = 0; set < 64; set++)
        if (__builtin_popcount((unsigned)set) == 3)
            even[n++] = count[set];
    check_even(even, 20, ROWS);
    memset(count, 0, sizeof(count));
    for (int64_t b = 0; b < ROWS; b++) {
        const int64_t *p = (const int64_t *)two.data + 2 * b;

        count[1 << p[0] | 1 << p[1]]++;
    }
    n = 0;
    for (int set = 0; set < 32; set++)
        if (__builtin_popcount((unsigned)set) == 2)
            even[n++] = count[set];
    check_even(even, 10, ROWS);
    test_tensor_free(&three);
    test_tensor_free(&two);
}

/*
 * Each of 16 equal parts of a range gets its share; drawing without replacement
 * varies less than the binomial the bound is for (Hoeffding 1963, section 6).
 */
TEST(a_wide_range_is_filled_evenly)
{
    static const int64_t ranges[] = { 4096, INT64_C(1) << 62 };
    locant_random r = seeded(3);
    locant_tensor out = rows(100, 1000);

    for (int i = 0; i < 2; i++) {
        int64_t count[16] = { 0 };

        CHECK_OK(locant_positions_randomized(&out, ranges[i], &r));
        for (int64_t k = 0; k < 100000; k++)
            count[((int64_t *)out.data)[k] / (ranges[i] / 16)]++;
        check_even(count, 16, 100000);
    }
    test_tensor_free(&out);
}

/* One call, row by row, or from a saved stream: the same ids. */
TEST(draws_do_not_depend_on_the_batch)
{
    locant_random a = seeded(4), b = a;
    locant_tensor all = rows(7, 20), one = rows(1, 20);

    CHECK_OK(locant_positions_randomized(&all, 64, &a));
    for (int64_t i = 0; i < 7; i++) {
        CHECK_OK(locant_positions_randomized(&one, 64, &b));
        CHECK(memcmp(one.data, (int64_t *)all.data + 20 * i, 160) == 0);
    }
    CHECK(a.index == b.index);
    test_tensor_free(&all);
    test_tensor_free(&one);
}

/* ------------------------------------------------------------------ memory */

/*
 * At most 4 T places of 8 bytes, T being 1000 (the table is at least half
 * empty and its size a power of two), however large the range.
 */
TEST(memory_grows_with_tokens_alone)
{
    locant_random r = seeded(5);
    locant_tensor out = rows(1, 1000);

    test_memory_fail(0);
    CHECK_OK(locant_positions_randomized(&out, INT64_MAX, &r));
    CHECK(test_memory_largest() > 0 &&
          test_memory_largest() <= 4 * 1000 * 8 + 256);
    test_memory_fail(0);
    CHECK_OK(locant_positions_pose(&out, 10, INT64_MAX, &r));
    CHECK(test_memory_largest() > 0 &&
          test_memory_largest() <= 4 * 10 * 8 + 256);
    test_memory_end();
    test_tensor_free(&out);
}

TEST(no_memory_changes_nothing)
{
    locant_random r = seeded(6), before = r;
    locant_tensor out = rows(1, 10);

    ((int64_t *)out.data)[3] = 77;
    test_memory_fail_from(1);
    REFUSES(NOMEM, locant_positions_randomized(&out, 20, &r),
            "no memory to draw 10 numbers");
    REFUSES(NOMEM, locant_positions_pose(&out, 3, 20, &r),
            "no memory to draw 3 numbers");
    test_memory_fail_from(2);
    REFUSES(NOMEM, locant_positions_pose(&out, 3, 20, &r),
            "no memory for 3 chunks");
    test_memory_end();
    CHECK(r.index == before.index && ((int64_t *)out.data)[3] == 77);
    test_tensor_free(&out);
}

/* ------------------------------------------------------------------ spaced */

TEST(spaced_ids_reach_both_ends)
{
    for (int round = 0; round < 300; round++) {
        int64_t T = test_range(1, 50), range = T + test_range(0, 5000);
        locant_tensor out = rows(2, T);
        const int64_t *p = out.data;

        CHECK_OK(locant_positions_spaced(&out, range));
        for (int64_t i = 0; i < 2 * T; i++) {
            int64_t t = i % T;

            CHECK(p[i] == (T == 1 ? 0 : t * (range - 1) / (T - 1)));
            CHECK(t == 0 || p[i] > p[i - 1]);
        }
        CHECK_OK(locant_positions_spaced(&out, INT64_MAX));
        CHECK(p[0] == 0 && (T == 1 || p[T - 1] == INT64_MAX - 1));
        test_tensor_free(&out);
    }
}

/* -------------------------------------------------------------------- PoSE */

TEST(pose_rises_and_skips_at_most_chunks_times)
{
    locant_random r = seeded(7);

    for (int round = 0; round < 300; round++) {
        int64_t T = test_range(1, 30), chunks = test_range(1, T);
        int64_t range = T + test_range(0, 100);
        locant_tensor out = rows(2, T);
        const int64_t *p = out.data;

        CHECK_OK(locant_positions_pose(&out, chunks, range, &r));
        for (int64_t b = 0; b < 2; b++, p += T) {
            int64_t skips = 0;

            CHECK(p[0] == 0 && p[T - 1] < range);
            for (int64_t t = 1; t < T; t++) {
                CHECK(p[t] > p[t - 1]);
                skips += p[t] > p[t - 1] + 1;
            }
            CHECK(skips < chunks);
        }
        test_tensor_free(&out);
    }
}

/*
 * Two chunks of 4 tokens below 10: 1 or 2 tokens first, a skip of 0 .. 6.  The
 * cut is seen unless the skip is 0, so that is one cell of double weight.
 */
TEST(pose_draws_cut_and_skip_evenly)
{
    enum { ROWS = 140000 };
    locant_random r = seeded(8);
    locant_tensor out = rows(ROWS, 4);
    int64_t count[2][7] = { { 0 } }, cell[14];

    CHECK_OK(locant_positions_pose(&out, 2, 10, &r));
    for (int64_t b = 0; b < ROWS; b++) {
        const int64_t *p = (const int64_t *)out.data + 4 * b;

        CHECK(p[3] - 3 >= 0 && p[3] - 3 <= 6);
        CHECK(p[1] == 1 || p[1] == p[3] - 2); /* never cut after 3 */
        CHECK(p[2] == p[3] - 1);
        count[p[1] == 1][p[3] - 3]++;
    }
    for (int i = 0; i < 14; i++)
        cell[i] = count[i / 7][i % 7];
    cell[7] /= 2; /* skip 0: both cuts look like no cut at all */
    CHECK(cell[0] == 0);
    cell[0] = cell[7];
    check_even(cell, 14, ROWS);
    test_tensor_free(&out);
}

/*
 * Three chunks of 5 tokens below 2^40: the two cuts are seen (two skips agree
 * with probability below 2^-30), and all 6 pairs of them are as likely.
 */
TEST(pose_cuts_three_chunks_evenly)
{
    enum { ROWS = 60000 };
    locant_random r = seeded(9);
    locant_tensor out = rows(ROWS, 5);
    int64_t count[16] = { 0 }, cell[6], n = 0, blurred = 0;

    CHECK_OK(locant_positions_pose(&out, 3, INT64_C(1) << 40, &r));
    for (int64_t b = 0; b < ROWS; b++) {
        const int64_t *p = (const int64_t *)out.data + 5 * b;
        unsigned cuts = 0;

        for (int t = 1; t < 5; t++)
            cuts |= (p[t] > p[t - 1] + 1 ? 1u : 0u) << (t - 1);
        blurred += __builtin_popcount(cuts) != 2;
        count[cuts]++;
    }
    CHECK(blurred <= 1);
    for (int set = 0; set < 16; set++)
        if (__builtin_popcount((unsigned)set) == 2)
            cell[n++] = count[set];
    check_even(cell, 6, ROWS);
    test_tensor_free(&out);
}

/* -------------------------------------------------------------------- CAPE */

/* From the draws the header lists: one shift, T jitters, one scale a row. */
TEST(cape_is_what_its_formula_says)
{
    enum { B = 3, T = 17 };
    locant_cape c = LOCANT_CAPE_INIT;
    locant_random r = seeded(10), again = r;
    OWNED(locant_tensor) out = TENSOR(F64, B, T);

    c.step = 0.25;
    c.global_shift = 5;
    c.local_shift = 0.5;
    c.max_scale = 2;
    CHECK_OK(locant_positions_cape(&out, &c, &r));
    for (int b = 0; b < B; b++) {
        const double *x = (const double *)out.data + b * T;
        double shift = 5 * (2 * locant_random_uniform(&again) - 1), e[T], l;

        for (int t = 0; t < T; t++)
            e[t] = 2 * locant_random_uniform(&again) - 1;
        l = pow(2, 2 * locant_random_uniform(&again) - 1);
        for (int t = 0; t < T; t++) {
            double want = (0.25 * (t - 8) + shift + e[t] * 0.125) * l;

            /* terms below 8 with three roundings, then exp, log, pow and a
               product within 4 ulp */
            CHECK(fabs(x[t] - want) <= 8 * l * 8 * 0x1p-52);
        }
    }
    CHECK(r.index == again.index);
}

TEST(cape_without_draws_is_plain)
{
    locant_cape c = LOCANT_CAPE_INIT;
    OWNED(locant_tensor) out = TENSOR(F64, 2, 4);
    const double *x = out.data;

    c.global_shift = 5; /* of training only */
    CHECK_OK(locant_positions_cape(&out, &c, NULL));
    for (int i = 0; i < 8; i++)
        CHECK(x[i] == i % 4 - 1.5);
    c.centred = 0;
    CHECK_OK(locant_positions_cape(&out, &c, NULL));
    for (int i = 0; i < 8; i++)
        CHECK(x[i] == i % 4);
    c.max_scale = 0.5;
    REFUSES(PARAM, locant_positions_cape(&out, &c, NULL),
            "max_scale is 0.5, expected a number of at least 1 and at most "
            "1e+30");
    c.step = 0;
    REFUSES(PARAM, locant_positions_cape(&out, &c, NULL),
            "step is 0, expected a number above 0 and at most 1e+30");
    c.max_scale = 1;
    c.step = 1e308; /* the ends of the row would be infinite */
    CHECK(locant_positions_cape(&out, &c, NULL) == LOCANT_ERR_PARAM);
    CHECK(locant_positions_cape(&out, NULL, NULL) == LOCANT_ERR_NULL);
}

TEST(random_refusals)
{
    locant_random r = seeded(11);
    locant_tensor out = rows(1, 5);

    REFUSES(PARAM, locant_positions_randomized(&out, 4, &r),
            "range is 4, expected at least the 5 tokens of a row");
    REFUSES(NULL, locant_positions_randomized(&out, 8, NULL), "random is NULL");
    REFUSES(PARAM, locant_positions_pose(&out, 6, 8, &r),
            "chunks is 6, expected 1 to 5, the tokens of a row");
    REFUSES(PARAM, locant_positions_spaced(&out, 4),
            "range is 4, expected at least the 5 tokens of a row");
    CHECK(r.index == 0);
    test_tensor_free(&out);
}
