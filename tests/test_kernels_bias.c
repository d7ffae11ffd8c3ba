/* test_kernels_bias.c - the kernels of biases, against plain loops */
#include "kernel/kernels.h"
#include "testing.h"
#include <math.h>
#include <string.h>

enum { MOST = 64 };

static uint32_t bits(float x)
{
    uint32_t out;

    memcpy(&out, &x, sizeof(out));
    return out;
}

static float *floats(size_t n)
{
    float *x = test_guarded(n * sizeof(*x));

    for (size_t i = 0; i < n; i++)
        x[i] = (float)test_uniform();
    return x;
}

/* Four strands of rows, as kernels.h says: the same bits everywhere. */
static void check_diagonals(void)
{
    const struct lct_kernels *kernels = lct_kernels();
    size_t keys = (size_t)test_range(1, MOST);
    size_t lanes = LCT_PAD * (size_t)test_range(1, MOST / LCT_PAD);
    size_t count = (keys + lanes + LCT_PAD - 1) / LCT_PAD * LCT_PAD;
    float *x = floats(keys * lanes), *sum = floats(count);

    x[test_range(0, (int64_t)(keys * lanes) - 1)] = NAN;
    kernels->sum_diagonals(sum, x, keys, lanes);
    for (size_t d = 0; d < keys + lanes - 1; d++) {
        float strand[4] = { 0 }, want;

        for (size_t j = 0; j < keys; j++) {
            int64_t i = (int64_t)(d + j) - (int64_t)keys + 1;

            if (i >= 0 && i < (int64_t)lanes)
                strand[j % 4] += x[j * lanes + (size_t)i];
        }
        want = (strand[0] + strand[1]) + (strand[2] + strand[3]);
        CHECK(isnan(want) ? isnan(sum[d]) : bits(sum[d]) == bits(want));
    }
    test_guarded_free(x, keys * lanes * sizeof(*x));
    test_guarded_free(sum, count * sizeof(*sum));
}

/* Keys anywhere, or each one entry before the key before it. */
static void check_added_rows(void)
{
    enum { KEYS = 20, RANGE = 90 };
    size_t keys = (size_t)test_range(1, KEYS);
    size_t lanes = LCT_PAD * (size_t)test_range(1, MOST / LCT_PAD);
    float *s = floats(keys * lanes), *table = floats(RANGE);
    float before[KEYS * MOST];
    int64_t at[KEYS], last = RANGE - (int64_t)lanes;
    int diagonals = test_rand() % 2;

    memcpy(before, s, keys * lanes * sizeof(*s));
    for (size_t j = 0; j < keys; j++)
        at[j] = j > 0 && diagonals ? at[j - 1] - 1
                                   : test_range(diagonals ? KEYS : 0, last);
    lct_kernels()->add_bias_rows(s, keys, lanes, table, at);
    for (size_t n = 0; n < keys * lanes; n++)
        CHECK(bits(s[n]) ==
              bits(before[n] + table[at[n / lanes] + (int64_t)(n % lanes)]));
    test_guarded_free(s, keys * lanes * sizeof(*s));
    test_guarded_free(table, RANGE * sizeof(*table));
}

/* Biases by pair, by key, and by rows of keys; -infinity hides a NaN. */
static void check_dense(void)
{
    size_t keys = (size_t)test_range(1, MOST);
    size_t lanes = LCT_PAD * (size_t)test_range(1, MOST / LCT_PAD);
    size_t row = keys + (size_t)test_range(0, 3), n = keys * lanes;
    size_t sizes[3] = { n, keys, (lanes - 1) * row + keys };
    float *s = floats(n), before[MOST * MOST];

    for (int kind = 0; kind < 3; kind++) {
        float *bias = floats(sizes[kind]);
        bool hides = test_rand() % 2, got;

        s[0] = hides ? NAN : s[0];
        bias[0] = hides ? -INFINITY : bias[0];
        memcpy(before, s, n * sizeof(*s));
        got = kind == 0 ? lct_kernels()->add_dense_columns(s, bias, lanes, keys,
                                                           lanes)
              : kind == 1
                  ? lct_kernels()->add_dense_keys(s, bias, keys, lanes)
                  : lct_kernels()->add_dense_rows(s, bias, row, keys, lanes);
        CHECK(got == hides);
        for (size_t j = 0; j < keys; j++)
            for (size_t i = 0; i < lanes; i++) {
                float b = bias[kind == 0   ? j * lanes + i
                               : kind == 1 ? j
                                           : i * row + j];
                float x = b == -INFINITY ? b : before[j * lanes + i] + b;

                CHECK(bits(s[j * lanes + i]) == bits(x));
            }
        s[0] = 0;
        test_guarded_free(bias, sizes[kind] * sizeof(*bias));
        for (size_t i = 0; i < n; i++)
            s[i] = (float)test_uniform();
    }
    test_guarded_free(s, n * sizeof(*s));
}

static void check_levers(void)
{
    size_t n = LCT_PAD * (size_t)test_range(1, MOST / LCT_PAD);
    float *s = floats(n), before[MOST];
    double *levers = test_guarded(n * sizeof(*levers));
    double slope = exp2((double)test_range(-40, 4)) * test_uniform();

    memcpy(before, s, n * sizeof(*s));
    for (size_t j = 0; j < n; j++)
        levers[j] = -(double)test_range(0, INT64_C(1) << 30);
    levers[0] = -0x1p62;
    lct_kernels()->add_linear_bias(s, levers, slope, n);
    for (size_t j = 0; j < n; j++)
        CHECK(bits(s[j]) == bits(before[j] + (float)(slope * levers[j])));
    test_guarded_free(s, n * sizeof(*s));
    test_guarded_free(levers, n * sizeof(*levers));
}

/* Either any entries, or those of consecutive positions. */
static void choose_entries(int64_t *at, int keys, int64_t most, bool diagonal)
{
    for (int j = 0; j < keys; j++)
        at[j] = diagonal ? most - j : test_range(0, most);
}

/* Sums of at most 20 terms below 2, each rounded a few times. */
static void check_bends(void)
{
    enum { KEYS = 20, MOST_LANES = 64, MOST_PIECES = 5, RANGE = 128 };
    const float starts[MOST_PIECES] = { -INFINITY, 0.1f, 0.1f, 0.4f, 0.6f };
    size_t lanes = LCT_PAD * (size_t)test_range(1, MOST_LANES / LCT_PAD);
    int pieces = (int)test_range(1, MOST_PIECES), chosen, n;
    float *s = floats(KEYS * lanes), *u = floats(RANGE), *du = floats(RANGE);
    float *inverse = floats(lanes), *slope = floats((size_t)pieces);
    float *value = floats((size_t)pieces), *sum = floats(3 * lanes);
    float *start = floats((size_t)pieces), before[KEYS * MOST_LANES];
    int64_t at[KEYS];
    struct lct_pwl_bias x = { u,     du,    at,    inverse,
                              start, slope, value, (size_t)pieces };
    double want[3 * MOST_LANES] = { 0 };
    float end;

    choose_entries(at, KEYS, RANGE - (int64_t)lanes, test_range(0, 1) == 1);
    memcpy(before, s, KEYS * lanes * sizeof(*s));
    memcpy(start, starts, (size_t)pieces * sizeof(*start));
    chosen = (int)test_range(0, pieces - 1);
    end = chosen + 1 < pieces ? start[chosen + 1] : INFINITY;
    lct_kernels()->sum_pwl_gradient(sum, s, KEYS, lanes, &x, start[chosen],
                                    end);
    lct_kernels()->add_pwl_bias(s, KEYS, lanes, &x);
    for (n = 0; n < KEYS * (int)lanes; n++) {
        int lane = n % (int)lanes, piece = 0;
        int64_t entry = at[n / (int)lanes] + lane;
        float f = u[entry] * inverse[lane];

        while (piece + 1 < pieces && f > start[piece + 1])
            piece++;
        CHECK(fabs((double)s[n] - ((double)before[n] + (double)value[piece] +
                                   (double)slope[piece] * (double)f)) < 1e-6);
        if (piece != chosen)
            continue;
        want[lane] += (double)before[n];
        want[(int)lanes + lane] += (double)before[n] * (double)f;
        want[2 * (int)lanes + lane] += (double)before[n] * (double)du[entry];
    }
    for (n = 0; n < 3 * (int)lanes; n++)
        CHECK(fabs((double)sum[n] - want[n]) < 1e-5);
    test_guarded_free(s, KEYS * lanes * sizeof(*s));
    test_guarded_free(u, RANGE * sizeof(*u));
    test_guarded_free(du, RANGE * sizeof(*du));
    test_guarded_free(inverse, lanes * sizeof(*inverse));
    test_guarded_free(start, (size_t)pieces * sizeof(*start));
    test_guarded_free(slope, (size_t)pieces * sizeof(*slope));
    test_guarded_free(value, (size_t)pieces * sizeof(*value));
    test_guarded_free(sum, 3 * lanes * sizeof(*sum));
}

/* As check_added_rows(), a product. */
static void check_multiplied_rows(void)
{
    enum { KEYS = 20, RANGE = 90 };
    size_t keys = (size_t)test_range(1, KEYS);
    size_t lanes = LCT_PAD * (size_t)test_range(1, MOST / LCT_PAD);
    float *s = floats(keys * lanes), *table = floats(RANGE);
    float before[KEYS * MOST];
    int64_t at[KEYS];

    memcpy(before, s, keys * lanes * sizeof(*s));
    for (size_t j = 0; j < keys; j++)
        at[j] = test_range(0, RANGE - (int64_t)lanes);
    lct_kernels()->multiply_rows(s, keys, lanes, table, at);
    for (size_t n = 0; n < keys * lanes; n++)
        CHECK(bits(s[n]) ==
              bits(before[n] * table[at[n / lanes] + (int64_t)(n % lanes)]));
    test_guarded_free(s, keys * lanes * sizeof(*s));
    test_guarded_free(table, RANGE * sizeof(*table));
}

/*
 * Stick-breaking in double.  A sigmoid has a few units of 2^-24, the rest after
 * 20 keys some 60, its gradient is a sum of 20 products below 2.
 */
static void check_stick(void)
{
    enum { KEYS = 20, LANES = LCT_PAD, ALL = KEYS * LANES };
    float *s = floats(ALL), *sigma = floats(ALL), *ds = floats(ALL);
    float *rest = floats(LANES), *own = floats(LANES), *sum = floats(LANES);
    float before[ALL], gradient[ALL];

    for (int i = 0; i < LANES; i++) {
        rest[i] = i == 0 ? 0 : 1;
        sum[i] = 0;
    }
    s[test_range(0, ALL - 1)] = -INFINITY; /* masked */
    memcpy(before, s, sizeof(before));
    memcpy(gradient, ds, sizeof(gradient));
    lct_kernels()->stick_step(s, sigma, LANES, KEYS, LANES, rest);
    lct_kernels()->stick_gradient(ds, s, sigma, LANES, KEYS, LANES, own, sum);
    for (int i = 0; i < LANES; i++) {
        double left = i == 0 ? 0 : 1, total = 0, p[KEYS];

        for (int j = KEYS; j-- > 0;) {
            double z = (double)before[j * LANES + i], x = 1 / (1 + exp(-z));

            p[j] = left * x;
            left *= 1 / (1 + exp(z));
            CHECK(fabs((double)s[j * LANES + i] - p[j]) <= 60 * 0x1p-24 * p[j]);
        }
        CHECK(fabs((double)rest[i] - left) <= 60 * 0x1p-24 * left);
        for (int j = 0; j < KEYS; j++) {
            int at = j * LANES + i;
            double x = p[j] * ((double)gradient[at] - (double)own[i]);

            total += x;
            CHECK(fabs((double)ds[at] -
                       (x - total / (1 + exp(-(double)before[at])))) < 1e-5);
        }
    }
    test_guarded_free(s, ALL * sizeof(*s));
    test_guarded_free(sigma, ALL * sizeof(*s));
    test_guarded_free(ds, ALL * sizeof(*s));
    test_guarded_free(rest, LANES * sizeof(*s));
    test_guarded_free(own, LANES * sizeof(*s));
    test_guarded_free(sum, LANES * sizeof(*s));
}

static void check_kernels(void)
{
    for (int round = 0; round < 100; round++) {
        check_diagonals();
        check_added_rows();
        check_dense();
        check_multiplied_rows();
        check_stick();
        check_levers();
        check_bends();
    }
}

TEST(kernels_match_plain_loops)
{
    test_each_isa(check_kernels);
}
