/* test_angle.c - locant_angles(): symmetry, extremes, recipes, refusals */
#include "angle/schedule.h"
#include "testing.h"
#include <math.h>
#include <string.h>

enum {
    MOST_PAIRS = 70,
    MOST_ROWS = TEST_SANITIZED ? 150 : 400,
    MIRRORS = TEST_SANITIZED ? 10 : 50,
    RUNS = TEST_SANITIZED ? 6 : 20 /* each number of threads, both starts */
};

/* One call; out [T, pairs, 2] ends at an unmapped page. */
static float *angles(const void *positions, locant_dtype dtype, int64_t rows,
                     int64_t pairs, double base, locant_angle_mode mode)
{
    size_t bytes = (size_t)(rows * pairs) * 2 * sizeof(float);
    float *data = test_guarded(bytes);
    int64_t shape[] = { rows, pairs, 2 };
    locant_tensor out = locant_dense(data, LOCANT_F32, 3, shape);
    locant_tensor at =
        locant_dense((void *)(uintptr_t)positions, dtype, 1, shape);

    CHECK_OK(locant_angles(&out, &at, base, mode));
    return data;
}

static void drop(float *data, int64_t rows, int64_t pairs)
{
    test_guarded_free(data, (size_t)(rows * pairs) * 2 * sizeof(float));
}

static int same(float a, float b)
{
    return memcmp(&a, &b, sizeof(a)) == 0;
}

static int64_t any_position(void)
{
    int64_t p = (int64_t)(test_rand() >> test_range(0, 63));

    return p == INT64_MIN ? 0 : p;
}

/* cos(-p) = cos(p) and sin(-p) = -sin(p), to the bit. */
static void opposite_positions_mirror(void)
{
    for (int round = 0; round < MIRRORS; round++) {
        int64_t pairs = test_range(1, MOST_PAIRS);
        int64_t rows = test_range(1, 30);
        int64_t p[30], minus[30];
        float *a, *b;

        p[0] = any_position();
        for (int64_t t = 0; t < rows; t++) {
            if (t > 0)
                p[t] = test_range(0, 2) && p[t - 1] < INT64_MAX
                           ? p[t - 1] + 1
                           : any_position();
            if (p[t] == INT64_MIN)
                p[t] = 0;
            minus[t] = -p[t];
        }
        a = angles(p, LOCANT_I64, rows, pairs, 1e4, LOCANT_ANGLES_EXACT);
        b = angles(minus, LOCANT_I64, rows, pairs, 1e4, LOCANT_ANGLES_EXACT);
        for (int64_t k = 0; k < rows * pairs; k++)
            if (!same(a[2 * k], b[2 * k]) ||
                (p[k / pairs] != 0 && !same(a[2 * k + 1], -b[2 * k + 1])))
                FAIL("position %lld, pair %lld: %a %a and %a %a",
                     (long long)p[k / pairs], (long long)(k % pairs),
                     (double)a[2 * k], (double)a[2 * k + 1], (double)b[2 * k],
                     (double)b[2 * k + 1]);
        drop(a, rows, pairs);
        drop(b, rows, pairs);
    }
}

TEST(minus_p_mirrors_p)
{
    test_each_isa(opposite_positions_mirror);
}

/* Runs, chunks, threads and single calls: one position, one pair of bits. */
TEST(a_row_does_not_depend_on_its_neighbours)
{
    const int threads = locant_threads();

    for (int round = 0; round < RUNS; round++) {
        int64_t pairs = test_range(1, MOST_PAIRS);
        int64_t rows = test_range(1, MOST_ROWS);
        int64_t p[MOST_ROWS];
        float *all;

        p[0] = round % 2 ? -rows / 2 : any_position() / 2;
        for (int64_t t = 1; t < rows; t++)
            p[t] = test_range(0, 9) ? p[t - 1] + 1 : any_position() / 2;
        CHECK_OK(locant_set_threads(round % 3 + 1));
        all = angles(p, LOCANT_I64, rows, pairs, 5e5, LOCANT_ANGLES_EXACT);
        for (int64_t t = 0; t < rows; t++) {
            float *one =
                angles(&p[t], LOCANT_I64, 1, pairs, 5e5, LOCANT_ANGLES_EXACT);

            if (memcmp(one, all + 2 * t * pairs,
                       (size_t)pairs * 2 * sizeof(float)) != 0)
                FAIL("row %lld of %lld, position %lld, %lld pairs",
                     (long long)t, (long long)rows, (long long)p[t],
                     (long long)pairs);
            drop(one, 1, pairs);
        }
        drop(all, rows, pairs);
    }
    CHECK_OK(locant_set_threads(threads));
}

static void check_extremes(void)
{
    static const int64_t p[] = { INT64_MIN, INT64_MIN + 1, -1,       0,
                                 1,         INT64_MAX - 1, INT64_MAX };
    float *x = angles(p, LOCANT_I64, LEN(p), 20, 1e4, LOCANT_ANGLES_EXACT);

    for (size_t t = 0; t < LEN(p); t++) {
        for (int64_t i = 0; i < 20; i++) {
            const float *pair = x + 2 * (t * 20 + (size_t)i);
            double c, s;

            lct_angle(&c, &s, lct_phase_of(1e4, i, 40), p[t]);
            /* half a unit, and 2^-10 of one (see test_angle_mpfr.c) */
            if (!(test_ulp(pair[0], c) <= 0.501 &&
                  test_ulp(pair[1], s) <= 0.501))
                FAIL("position %lld, pair %lld: %a %a, want %a %a",
                     (long long)p[t], (long long)i, (double)pair[0],
                     (double)pair[1], c, s);
            if (p[t] == 0)
                CHECK(same(pair[0], 1) && same(pair[1], 0));
        }
    }
    drop(x, LEN(p), 20);
}

TEST(takes_every_int64)
{
    test_each_isa(check_extremes);
}

/* 2^63 mod 1 turn, from the frequency's own bits: an independent look. */
TEST(the_least_int64_is_half_the_last_bits)
{
    struct lct_phase f = lct_phase_of(1e4, 3, 64);
    double turns = (double)(f.hi << 63 | f.lo >> 1) * 0x1p-64;
    double c, s;

    lct_angle(&c, &s, f, INT64_MIN);
    /* the double of 'turns' is off by 2^-53 turn, 2^-50.3 radian */
    CHECK(fabs(c - cos(2 * acos(-1) * turns)) < 0x1p-42);
    CHECK(fabs(s + sin(2 * acos(-1) * turns)) < 0x1p-42);
}

TEST(whole_reals_equal_integers)
{
    int64_t whole[40];
    double real[40];
    float *a, *b;

    for (size_t t = 0; t < LEN(whole); t++) {
        real[t] = (double)(any_position() / 2);
        whole[t] = (int64_t)real[t];
    }
    real[0] = -0.0;
    whole[0] = 0;
    a = angles(whole, LOCANT_I64, 40, 33, 1e4, LOCANT_ANGLES_EXACT);
    b = angles(real, LOCANT_F64, 40, 33, 1e4, LOCANT_ANGLES_EXACT);
    CHECK(memcmp(a, b, 40 * 33 * 2 * sizeof(float)) == 0);
    drop(a, 40, 33);
    drop(b, 40, 33);
}

/* A scale is applied before the one rounding to float32. */
TEST(magnitude_is_rounded_once)
{
    const double magnitude = 1.2079441541679836; /* YaRN, factor 8 */
    FREED_BY(release_memory)
    struct lct_schedule *s = lct_schedule_create(1e4, 21, 42);
    double real = 12345.678;
    int64_t p = -1234567;
    float c[21], sn[21];

    CHECK(s != NULL);
    s->magnitude = magnitude;
    for (int kind = 0; kind < 2; kind++) {
        if (kind == 0)
            lct_schedule_angles(c, sn, s, &p, 1);
        else
            lct_schedule_angles_real(c, sn, s, &real, 1);
        for (int i = 0; i < 21; i++) {
            double x, y;

            lct_angle_real(&x, &y, s->frequency[i],
                           kind == 0 ? (double)p : real);
            CHECK(test_ulp(c[i], x * magnitude) <= 0.501);
            CHECK(test_ulp(sn[i], y * magnitude) <= 0.501);
        }
    }
}

/* transformers: 1.0 / (base ** (arange(0, d, 2).float() / d)) */
TEST(hf_computes_what_transformers_does)
{
    static const int64_t p[] = {
        0, 1, 2, 4095, 131071, 16777217, -3, INT64_MAX
    };
    const int64_t pairs = 48;
    float *x = angles(p, LOCANT_I64, LEN(p), pairs, 5e5, LOCANT_ANGLES_HF);

    for (size_t t = 0; t < LEN(p); t++) {
        for (int64_t i = 0; i < pairs; i++) {
            float exponent = (float)(2 * i) / 96.0f;
            float inv_freq = 1.0f / powf(500000.0f, exponent);
            float angle = (float)p[t] * inv_freq;
            const float *pair = x + 2 * ((int64_t)t * pairs + i);

            CHECK(same(pair[0], cosf(angle)) && same(pair[1], sinf(angle)));
        }
    }
    drop(x, LEN(p), pairs);
}

/* ggml: theta = pos; per pair cos(theta), sin(theta), theta *= scale */
TEST(ggml_computes_what_ggml_does)
{
    static const double p[] = { 0, 1, 2.5, 4095, 131071, 16777217, -3 };
    const int64_t pairs = 64;
    float *x = angles(p, LOCANT_F64, LEN(p), pairs, 1e4, LOCANT_ANGLES_GGML);

    for (size_t t = 0; t < LEN(p); t++) {
        const float scale = powf(10000.0f, -2.0f / 128);
        float theta = (float)p[t];

        for (int64_t i = 0; i < pairs; i++) {
            const float *pair = x + 2 * ((int64_t)t * pairs + i);

            CHECK(same(pair[0], cosf(theta)) && same(pair[1], sinf(theta)));
            theta *= scale;
        }
    }
    drop(x, LEN(p), pairs);
}

/* HF is off by 6e-3 at 1e5, as angles.h says. */
TEST(exact_and_hf_part_at_long_positions)
{
    static const int64_t p[] = { 100003 };
    float *a = angles(p, LOCANT_I64, 1, 64, 1e4, LOCANT_ANGLES_EXACT);
    float *b = angles(p, LOCANT_I64, 1, 64, 1e4, LOCANT_ANGLES_HF);
    float most = 0;

    for (int k = 0; k < 128; k++)
        most = fmaxf(most, fabsf(a[k] - b[k]));
    CHECK(most > 1e-3f && most < 2e-2f);
    drop(a, 1, 64);
    drop(b, 1, 64);
}

TEST(writes_through_strides)
{
    float data[4 * 100], *want;
    int64_t p[4] = { 7, 8, 9, 1000 };
    locant_tensor out = DENSE(F32, data, 4, 5, 2);

    out.stride[0] = 3; /* [5, 4, 3] in memory, one float of each 3 untouched */
    out.stride[1] = 12;
    for (size_t i = 0; i < LEN(data); i++)
        data[i] = 5;
    CHECK_OK(locant_angles(&out, VIEW(I64, p, 4), 1e4, LOCANT_ANGLES_EXACT));
    want = angles(p, LOCANT_I64, 4, 5, 1e4, LOCANT_ANGLES_EXACT);
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < 5; i++) {
            const float *got = data + 3 * t + 12 * i;

            CHECK(memcmp(got, want + 2 * (5 * t + i), 2 * sizeof(float)) == 0);
            CHECK(same(got[2], 5));
        }
    drop(want, 4, 5);
}

TEST(nothing_to_do_is_done)
{
    int64_t p[3] = { 1, 2, 3 };
    locant_tensor at = DENSE(I64, p, 0);
    locant_tensor out = DENSE(F32, NULL, 0, 4, 2);

    CHECK_OK(locant_angles(&out, &at, 1e4, LOCANT_ANGLES_EXACT));
    out = DENSE(F32, NULL, 3, 0, 2);
    at = DENSE(I64, p, 3);
    CHECK_OK(locant_angles(&out, &at, 1e4, LOCANT_ANGLES_EXACT));
}

TEST(refuses_bad_arguments)
{
    float data[3 * 4 * 2] = { 0 };
    double p[3] = { 1, NAN, 2 };
    int64_t shape[] = { 3, 4, 2 };
    locant_tensor out = locant_dense(data, LOCANT_F32, 3, shape);
    locant_tensor at = locant_dense(p, LOCANT_F64, 1, shape);
    locant_tensor bad;

    REFUSES(PARAM, locant_angles(&out, &at, 1e4, 0),
            "position 1 is nan, expected a finite number below 2^63 in "
            "magnitude");
    p[1] = -0x1p63;
    REFUSES(PARAM, locant_angles(&out, &at, 1e4, 0),
            "position 1 is -9.22337e+18, expected a finite number below 2^63 "
            "in magnitude");
    p[1] = 1;
    REFUSES(PARAM, locant_angles(&out, &at, 0, 0),
            "base is 0, expected a finite number above 0");
    REFUSES(PARAM, locant_angles(&out, &at, -1, 0),
            "base is -1, expected a finite number above 0");
    REFUSES(PARAM, locant_angles(&out, &at, (double)NAN, 0),
            "base is nan, expected a finite number above 0");
    REFUSES(PARAM, locant_angles(&out, &at, (double)INFINITY, 0),
            "base is inf, expected a finite number above 0");
    REFUSES(PARAM, locant_angles(&out, &at, 0.5, 0),
            "base is 0.5, expected at least 1 for real positions");
    REFUSES(PARAM, locant_angles(&out, &at, 1e4, (locant_angle_mode)3),
            "mode is 3, expected 0 (exact), 1 (hf) or 2 (ggml)");
    REFUSES(NULL, locant_angles(NULL, &at, 1e4, 0), "out is NULL");
    REFUSES(NULL, locant_angles(&out, NULL, 1e4, 0), "positions is NULL");
    bad = out;
    bad.dtype = LOCANT_F64;
    REFUSES(DTYPE, locant_angles(&bad, &at, 1e4, 0),
            "out is f64, expected f32");
    bad = out;
    bad.shape[2] = 3;
    REFUSES(SHAPE, locant_angles(&bad, &at, 1e4, 0),
            "out has size 3 in dimension 2, expected 2");
    bad = out;
    bad.rank = 2;
    REFUSES(SHAPE, locant_angles(&bad, &at, 1e4, 0),
            "out has rank 2, expected 3");
    bad = at;
    bad.shape[0] = 2;
    REFUSES(SHAPE, locant_angles(&out, &bad, 1e4, 0),
            "positions has size 2 in dimension 0, expected 3");
    bad = at;
    bad.dtype = LOCANT_I32;
    REFUSES(DTYPE, locant_angles(&out, &bad, 1e4, 0),
            "positions is i32, expected f64 or i64");
    bad = at;
    bad.data = data;
    REFUSES(ALIAS, locant_angles(&out, &bad, 1e4, 0),
            "an output overlaps an input");
    for (size_t i = 0; i < LEN(data); i++)
        CHECK(same(data[i], 0)); /* refusals write nothing */
}
