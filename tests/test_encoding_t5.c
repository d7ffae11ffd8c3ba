/* test_encoding_t5.c - arXiv:1910.10683v4, section 2.1: buckets and a table. */
#include "oracle/near.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A table [buckets, 1] whose entry is its own bucket. */
static int64_t bucket(const char *spec, int64_t buckets, int64_t q, int64_t k)
{
    double table[256];

    assert_true(buckets <= (int64_t)LEN(table));
    for (int64_t b = 0; b < buckets; b++)
        table[b] = (double)b;
    return (int64_t)near_bias(spec, 1, 0, q, k, VIEW(F64, table, buckets, 1));
}

TEST(first_distances_are_as_printed)
{
    static const int far[] = { 8, 12, 16, 23, 32, 46, 64, 91 };
    static const int causal[] = { 16, 19, 21, 24, 27, 31, 35, 40,
                                  46, 52, 59, 67, 77, 87, 99, 113 };
    const char *both = "t5(bidirectional=yes)";

    for (int n = 0; n < 8; n++)
        CHECK(bucket(both, 32, n, 0) == n);
    for (int b = 0; b < 8; b++) {
        CHECK(bucket(both, 32, far[b], 0) == 8 + b);
        CHECK(bucket(both, 32, far[b] - 1, 0) == 7 + b);
        CHECK(bucket(both, 32, 0, far[b]) == 24 + b);
    }
    for (int n = 0; n < 16; n++)
        CHECK(bucket("t5", 32, n, 0) == n);
    for (int b = 0; b < 16; b++) {
        CHECK(bucket("t5", 32, causal[b], 0) == 16 + b);
        CHECK(bucket("t5", 32, causal[b] - 1, 0) == 15 + b);
    }
}

/* r = key - query -> (bidirectional, causal). */
TEST(buckets_are_as_printed)
{
    static const int rows[][3] = {
        { -128, 15, 31 }, { -91, 15, 29 }, { -90, 14, 29 }, { -64, 14, 26 },
        { -63, 13, 26 },  { -16, 10, 16 }, { -8, 8, 8 },    { -1, 1, 1 },
        { 0, 0, 0 },      { 1, 17, 0 },    { 8, 24, 0 },    { 16, 26, 0 },
        { 64, 30, 0 },    { 128, 31, 0 },
    };

    for (size_t i = 0; i < LEN(rows); i++) {
        CHECK(bucket("t5(bidirectional=yes)", 32, 1000, 1000 + rows[i][0]) ==
              rows[i][1]);
        CHECK(bucket("t5", 32, 1000, 1000 + rows[i][0]) == rows[i][2]);
    }
    for (int j = 0; j < 4; j++) {
        static const int row3[4] = { 3, 2, 1, 0 }, row1[4] = { 1, 0, 17, 18 };

        CHECK(bucket("t5", 32, 3, j) == row3[j]);
        CHECK(bucket("t5(bidirectional=yes)", 32, 1, j) == row1[j]);
    }
}

/*
 * n is in step k of the far half if and only if (n/e)^(B-e) >= (M/e)^k, that is
 *     n^(B-e) e^k >= M^k e^(B-e),
 * which is decided here in integers of any size: no logarithm, no rounding.
 */
enum { LIMBS = 512 };

struct big {
    int n;
    uint32_t limb[LIMBS];
};

static void times_power(struct big *x, int64_t factor, int64_t power)
{
    for (int64_t i = 0; i < power; i++) {
        uint64_t carry = 0;

        for (int j = 0; j < x->n; j++) {
            carry += (uint64_t)x->limb[j] * (uint64_t)factor;
            x->limb[j] = (uint32_t)carry;
            carry >>= 32;
        }
        if (carry == 0)
            continue;
        assert_true(x->n < LIMBS && carry >> 32 == 0);
        x->limb[x->n++] = (uint32_t)carry;
    }
}

static int at_least(const struct big *a, const struct big *b)
{
    if (a->n != b->n)
        return a->n > b->n;
    for (int j = a->n - 1; j >= 0; j--)
        if (a->limb[j] != b->limb[j])
            return a->limb[j] > b->limb[j];
    return 1;
}

static int reached(int64_t n, int64_t e, int64_t M, int64_t steps, int64_t k)
{
    static struct big left, right;

    left = right = (struct big){ .n = 1, .limb = { 1 } };
    times_power(&left, n, steps);
    times_power(&left, e, k);
    times_power(&right, M, k);
    times_power(&right, e, steps);
    return at_least(&left, &right);
}

/* The first n of each step of the far half, remembered for one B and M. */
static const int64_t *thresholds(int64_t B, int64_t M)
{
    static int64_t first[1024], made_B, made_M;
    int64_t e = B / 2;

    if (made_B == B && made_M == M)
        return first;
    assert_true(B - e < (int64_t)LEN(first) && M > e && e > 0);
    for (int64_t k = 0; k < B - e; k++) {
        int64_t low = e, high = M; /* M reaches every step */

        while (low < high) {
            int64_t mid = low + (high - low) / 2;

            if (reached(mid, e, M, B - e, k))
                high = mid;
            else
                low = mid + 1;
        }
        first[k] = low;
    }
    made_B = B;
    made_M = M;
    return first;
}

struct table {
    char spec[96];
    int64_t buckets, distance;
    int bidirectional;
};

/* Bucket of a query at q and a key at k. */
static int64_t exact_bucket(const struct table *c, int64_t q, int64_t k)
{
    int64_t B = c->bidirectional ? c->buckets / 2 : c->buckets;
    int64_t start = c->bidirectional && k > q ? B : 0;
    int64_t n = c->bidirectional ? llabs(q - k) : q > k ? q - k : 0;
    const int64_t *first = thresholds(B, c->distance);
    int64_t b = B / 2;

    if (n < B / 2)
        return start + n;
    while (b + 1 < B && n >= first[b + 1 - B / 2])
        b++;
    return start + b;
}

enum { FAR = 3000 };

/* Buckets of queries q[i] and a key at 0, one call. */
static void buckets_of(double *out, const struct table *c, int64_t *q,
                       int64_t n)
{
    int64_t zero = 0;
    double table[256];
    OWNED(locant_encoding) *e = test_create(c->spec);

    for (int64_t b = 0; b < c->buckets; b++)
        table[b] = (double)b;
    CHECK_OK(locant_encoding_bias(VIEW(F64, out, 1, n, 1), e, VIEW(I64, q, n),
                                  VIEW(I64, &zero, 1),
                                  VIEW(F64, table, c->buckets, 1)));
}

/* -FAR .. FAR, and as many again up to 2^21. */
static void exact_for(struct table *c)
{
    static int64_t q[4 * FAR];
    static double got[4 * FAR];

    for (int i = 0; i < 4 * FAR; i++)
        q[i] = i < 2 * FAR ? i - FAR : test_range(-(1 << 21), 1 << 21);
    q[0] = INT32_MAX;
    buckets_of(got, c, q, 4 * FAR);
    for (int i = 0; i < 4 * FAR; i++) {
        int64_t want = exact_bucket(c, q[i], 0);

        if ((int64_t)got[i] != want)
            FAIL("%s at distance %lld: got %.0f, want %lld", c->spec,
                 (long long)q[i], got[i], (long long)want);
        if (i > FAR && i < 2 * FAR)
            CHECK(got[i] >= got[i - 1]);
    }
    CHECK((int64_t)got[0] ==
          (c->bidirectional ? c->buckets / 2 : c->buckets) - 1);
}

/* Many sizes, near and far distances, exact. */
TEST(buckets_are_exact_for_other_sizes)
{
    static const struct {
        int buckets, distance, both;
    } sizes[] = {
        { 2, 2, 0 },    { 4, 5, 0 },    { 4, 8, 1 },      { 8, 100, 1 },
        { 6, 64, 0 },   { 8, 5, 0 },    { 16, 9, 0 },     { 32, 17, 0 },
        { 32, 20, 1 },  { 32, 512, 1 }, { 32, 4096, 0 },  { 34, 128, 0 },
        { 64, 256, 1 }, { 64, 33, 0 },  { 100, 1000, 1 }, { 128, 65536, 0 },
    };

    for (size_t i = 0; i < LEN(sizes); i++) {
        struct table c = { .buckets = sizes[i].buckets,
                           .distance = sizes[i].distance,
                           .bidirectional = sizes[i].both };

        snprintf(c.spec, sizeof(c.spec),
                 "t5(buckets=%d,distance=%d,bidirectional=%s)",
                 sizes[i].buckets, sizes[i].distance,
                 sizes[i].both ? "yes" : "no");
        exact_for(&c);
    }
}

TEST(extremes_share_the_last_bucket)
{
    const char *both = "t5(bidirectional=yes)";

    CHECK(bucket("t5", 32, INT64_MAX, INT64_MIN) == 31);
    CHECK(bucket("t5", 32, INT64_MIN, INT64_MAX) == 0);
    CHECK(bucket(both, 32, INT64_MAX, INT64_MIN) == 15);
    CHECK(bucket(both, 32, INT64_MIN, INT64_MAX) == 31);
    CHECK(bucket(both, 32, 0, INT64_MIN) == 15);
    CHECK(bucket(both, 32, INT64_MIN, 0) == 31);
}

TEST(registry_row_is_right)
{
    OWNED(locant_encoding) *e =
        test_create("t5(bidirectional=no,distance=128,buckets=32)");
    const locant_sizes sizes = { .width = 64, .heads = 4 };
    locant_param_info info;

    CHECK(strcmp(locant_encoding_spec(e), "t5") == 0);
    CHECK(locant_encoding_param(&info, e, 0, &sizes) == 1);
    CHECK(strcmp(info.name, "table") == 0);
    CHECK(strcmp(info.dims, "[buckets, heads]") == 0);
}

TEST(refuses_bad_arguments)
{
    int64_t shape[3] = { 2, 1, 1 }, one = 1, pos[1] = { 0 };
    int64_t size[2] = { 32, 2 };
    float data[2] = { 7, 7 }, table[64] = { 0 };
    locant_encoding *e = test_create("t5"), *none = NULL;
    locant_tensor out = locant_dense(data, LOCANT_F32, 3, shape);
    locant_tensor p = DENSE(I64, pos, one);
    locant_tensor t = locant_dense(table, LOCANT_F32, 2, size);

    REFUSES(NULL, locant_encoding_bias(&out, e, &p, &p, NULL),
            "t5 has a learned parameter 'table' [buckets, heads], none was "
            "given");
    t.shape[1] = 1;
    REFUSES(SHAPE, locant_encoding_bias(&out, e, &p, &p, &t),
            "table has size 1 in dimension 1, expected 2");
    t.shape[1] = 2;
    t.dtype = LOCANT_F16;
    REFUSES(DTYPE, locant_encoding_bias(&out, e, &p, &p, &t),
            "table is f16, expected f32 or f64");
    CHECK(data[0] == 7 && data[1] == 7);
    REFUSES(PARAM, locant_encoding_create(&none, "t5(buckets=0)"),
            "key 'buckets' of 't5': '0' at byte 11 should be an integer 2 .. "
            "1024");
    REFUSES(PARAM,
            locant_encoding_create(&none, "t5(buckets=31,bidirectional=yes)"),
            "buckets of t5 is 31, expected an even number of at least 4 when "
            "bidirectional");
    REFUSES(PARAM, locant_encoding_create(&none, "t5(distance=16)"),
            "distance of t5 is 16, expected more than 16, the buckets that "
            "hold one distance each");
    REFUSES(PARAM,
            locant_encoding_create(&none, "t5(buckets=2,bidirectional=yes)"),
            "buckets of t5 is 2, expected an even number of at least 4 when "
            "bidirectional");
    locant_encoding_free(e);
}
