/*
 * test_ids.c - positions of tokens that follow each other: in order, but where
 * an encoding draws them for training or spreads them out for evaluation.
 */
#include "oracle/draw.h"
#include "oracle/oracle.h"
#include <math.h>
#include <string.h>

enum { B = 3, T = 12 };

static void ask(int64_t *ids, const char *spec, uint64_t seed, int training)
{
    OWNED(locant_encoding) *e = test_create(spec);

    CHECK_OK(locant_encoding_ids(VIEW(I64, ids, B, T), e, seed, training));
}

TEST(most_encodings_count)
{
    static const char *const specs[] = {
        "none", "rope", "alibi", "sinusoidal", "learned(length=12)", "fox"
    };
    int64_t ids[B * T];

    for (size_t n = 0; n < 2 * LEN(specs); n++) {
        ask(ids, specs[n / 2], 5, (int)n % 2);
        for (int i = 0; i < B * T; i++)
            CHECK(ids[i] == i % T);
    }
}

/* Rising, within 0 .. length - 1. */
static void check_rising(const int64_t *ids, int64_t length)
{
    for (int i = 0; i < B * T; i++) {
        CHECK(ids[i] >= 0 && ids[i] < length);
        if (i % T > 0)
            CHECK(ids[i] > ids[i - 1]);
    }
}

TEST(drawn_ids_rise_and_repeat_by_seed)
{
    static const char *const specs[] = { "randomized(length=40)",
                                         "randomized(length=40)+rope",
                                         "pose(length=40)",
                                         "pose(length=40,chunks=4)+alibi" };
    int64_t a[B * T], b[B * T], seen = 0;

    for (size_t n = 0; n < LEN(specs); n++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            ask(a, specs[n], seed, 1);
            ask(b, specs[n], seed, 1);
            check_rising(a, 40);
            CHECK(memcmp(a, b, sizeof(a)) == 0);
            ask(b, specs[n], seed + 1, 1);
            seen += memcmp(a, b, sizeof(a)) != 0 &&
                    memcmp(a, a + T, sizeof(a) / B) != 0;
        }
    /* Seeds differ, and so do rows: two draws alike are rare. */
    CHECK(seen > 60);
}

/* All ids are drawn: those of 12 out of 13 leave out each one at times. */
TEST(every_set_of_ids_is_drawn)
{
    int64_t ids[B * T], count[13] = { 0 };

    for (uint64_t seed = 0; seed < 400; seed++) {
        ask(ids, "randomized(length=13)", seed, 1);
        for (int i = 0; i < B * T; i++)
            count[ids[i]]++;
    }
    /* 1200 rows: each id is missing in 92 of them, deviation 9.2. */
    for (int i = 0; i < 13; i++)
        CHECK(fabs((double)(1200 - count[i]) - 92.3) < 5 * 9.3);
}

/* One chunk after another, each contiguous, skips never falling. */
TEST(pose_moves_chunks)
{
    int64_t ids[B * T];
    int breaks;

    for (uint64_t seed = 0; seed < 50; seed++) {
        ask(ids, "pose(length=64)", seed, 1);
        for (int b = 0; b < B; b++) {
            breaks = 0;
            CHECK(ids[b * T] == 0);
            for (int t = 1; t < T; t++)
                breaks += ids[b * T + t] != ids[b * T + t - 1] + 1;
            CHECK(breaks <= 1);
        }
    }
}

/* Without training there is no chance in it. */
TEST(evaluation_is_the_same_for_every_seed)
{
    static const char *const specs[] = { "randomized(length=40)",
                                         "pose(length=40)" };
    int64_t a[B * T], b[B * T];

    for (size_t n = 0; n < LEN(specs); n++) {
        ask(a, specs[n], 1, 0);
        ask(b, specs[n], 2, 0);
        check_rising(a, 40);
        CHECK(memcmp(a, b, sizeof(a)) == 0);
        CHECK(memcmp(a, a + T, sizeof(a) / B) == 0);
    }
}

/*
 * CAPE: (t - mean + shift + jitter) times a scale; with shift 2, jitter 0.25
 * and scale 1.5 a token is within (5.5 + 2.25) 1.5 of 0, and neighbours are 0.5
 * to 1.5 apart before scaling.
 */
TEST(cape_moves_within_bounds)
{
    double ids[B * T], first[B];
    locant_tensor out = DENSE(F64, ids, B, T);
    OWNED(locant_encoding) *e =
        test_create("cape(shift=2,jitter=0.25,scale=1.5)");

    for (uint64_t seed = 0; seed < 50; seed++) {
        CHECK_OK(locant_encoding_ids(&out, e, seed, 1));
        for (int i = 0; i < B * T; i++) {
            double step = i % T > 0 ? ids[i] - ids[i - 1] : 1;

            CHECK(fabs(ids[i]) <= 7.75 * 1.5 + 1e-9);
            CHECK(step >= 0.5 / 1.5 - 1e-9 && step <= 1.5 * 1.5 + 1e-9);
        }
        for (int b = 0; b < B; b++)
            first[b] = ids[b * T];
        CHECK(first[0] != first[1] && first[1] != first[2]);
    }
    CHECK_OK(locant_encoding_ids(&out, e, 3, 0));
    for (int i = 0; i < B * T; i++)
        CHECK(ids[i] == i % T - 5.5);
}

TEST(bad_calls_are_refused)
{
    int64_t ids[B * T] = { 7 };
    locant_tensor out = DENSE(I64, ids, B, T);
    locant_encoding *e = test_create("randomized(length=11)");

    CHECK(locant_encoding_ids(&out, e, 1, 1) == LOCANT_ERR_PARAM);
    CHECK(locant_encoding_ids(NULL, e, 1, 1) == LOCANT_ERR_NULL);
    CHECK(locant_encoding_ids(&out, NULL, 1, 1) == LOCANT_ERR_NULL);
    locant_encoding_free(e);
    e = test_create("cape");
    CHECK(locant_encoding_ids(&out, e, 1, 1) == LOCANT_ERR_DTYPE);
    locant_encoding_free(e);
    CHECK(ids[0] == 7);
}
