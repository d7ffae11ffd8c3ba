/*
 * test_angle_hash.c - ten million angles have one hash, on every instruction
 * set, compiler and C library: each is the float nearest to the exact value.
 */
#include "angle/schedule.h"
#include "testing.h"
#include <string.h>

enum { PAIRS = 67, RUN = 61, RUNS = 627, BASES = 2 }; /* 67: with tails */

/*
 * 2 x 627 x 61 x 67 x 2 = 10 250 196 outputs.  That they are right is
 * test_angle_mpfr's business; this is where they may not drift.
 */
#define WANT UINT64_C(0x640472a0c7561eb2)

/* FNV-1a over 32-bit words. */
static uint64_t hash(uint64_t h, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t word;

        memcpy(&word, &x[i], sizeof(word));
        h = (h ^ word) * UINT64_C(0x100000001b3);
    }
    return h;
}

/* Runs that start anywhere in int64, half of them below 2^32; some cross 0. */
static void fill(int64_t *positions, locant_random *r)
{
    uint64_t start = (uint64_t)locant_random_word(r) << 32;
    uint64_t places;

    start |= locant_random_word(r);
    places = locant_random_below(r, 2) ? locant_random_below(r, 64)
                                       : 32 + locant_random_below(r, 32);
    start >>= places;
    if (start > INT64_MAX - RUN)
        start = INT64_MAX - RUN;
    for (int k = 0; k < RUN; k++)
        positions[k] = (int64_t)start + k;
    if (locant_random_below(r, 4) == 0) /* backwards through the negative */
        for (int k = 0; k < RUN; k++)
            positions[k] = RUN / 2 - positions[k];
    if (locant_random_below(r, 4) == 0)
        for (int k = 0; k < RUN; k++)
            positions[k] = k - RUN / 2;
}

static uint64_t hash_of_all(void)
{
    static const double bases[BASES] = { 1e4, 5e5 };
    static float c[RUN * PAIRS], s[RUN * PAIRS];
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (int b = 0; b < BASES; b++) {
        struct lct_schedule *schedule =
            lct_schedule_create(bases[b], PAIRS, 2 * PAIRS);
        locant_random r = { .seed = 20211, .stream = (uint64_t)b };

        CHECK(schedule != NULL);
        for (int n = 0; n < RUNS; n++) {
            int64_t positions[RUN];

            fill(positions, &r);
            lct_schedule_angles(c, s, schedule, positions, RUN);
            h = hash(h, c, LEN(c));
            h = hash(h, s, LEN(s));
        }
        locant_release(schedule);
    }
    return h;
}

static void check_hash(void)
{
    uint64_t got = hash_of_all();

    if (got != WANT)
        FAIL("hash %#llx, want %#llx", (unsigned long long)got,
             (unsigned long long)WANT);
}

TEST(same_bits_on_every_isa)
{
    test_each_isa(check_hash);
}
