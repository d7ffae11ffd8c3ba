/*
 * test_double_rows.c - the kernels of rows of doubles: plain operations have
 * the bits of C, exp, log and their kin are within 2^-50 of those of long
 * double, relatively, and all instruction sets have the same bits.
 */
#include "kernel/kernels.h"
#include "testing.h"
#include <math.h>
#include <string.h>

enum { N = 400, ARGUMENTS = 3 };

static double a[N], b[N], c[N], d[N];

/* Bits, but any NaN is like any other. */
static bool same(double x, double y)
{
    return (isnan(x) && isnan(y)) || memcmp(&x, &y, sizeof(x)) == 0;
}

static const double special[] = { 0,      -0.0,      1,      -1,
                                  2,      0.5,       NAN,    INFINITY,
                                  1e300,  -INFINITY, 1e-300, -1e-300,
                                  5e-324, 0x1p-1022, 709.5,  -745.0 };

/* Special numbers in all pairs, then random ones of all sizes. */
static void fill(void)
{
    int n = LEN(special);

    for (int i = 0; i < N; i++) {
        bool known = i < n * n;
        double size = exp2((double)test_range(-60, 9));

        a[i] = known ? special[i / n] : size * test_uniform();
        b[i] = known ? special[i % n] : test_uniform();
        c[i] = known ? special[(i * 7) % n] : test_uniform();
        d[i] = i % 5 == 0 ? 0 : test_uniform();
    }
}

static double plain_of_two(enum lct_double_op op, double x, double y)
{
    switch (op) {
    case LCT_DOUBLE_ADD: return x + y;
    case LCT_DOUBLE_SUB: return x - y;
    case LCT_DOUBLE_MUL: return x * y;
    case LCT_DOUBLE_DIV: return x / y;
    case LCT_DOUBLE_LT: return x < y;
    case LCT_DOUBLE_LE: return x <= y;
    case LCT_DOUBLE_GT: return x > y;
    case LCT_DOUBLE_GE: return x >= y;
    case LCT_DOUBLE_EQ: return x == y;
    case LCT_DOUBLE_MIN: return y < x ? y : x;
    default: return y > x ? y : x; /* MAX */
    }
}

static double plain(enum lct_double_op op, double x, double y, double z)
{
    switch (op) {
    case LCT_DOUBLE_NEG: return 0 - x;
    case LCT_DOUBLE_CLAMP: return x < y ? y : x > z ? z : x;
    case LCT_DOUBLE_IF: return x != 0 ? y : z;
    case LCT_DOUBLE_ABS: return fabs(x);
    case LCT_DOUBLE_SIGN: return (x > 0) - (x < 0);
    case LCT_DOUBLE_RELU: return x > 0 ? x : 0;
    case LCT_DOUBLE_STEP_AT_0: return x > 0;
    default: return plain_of_two(op, x, y);
    }
}

static void check_plain(void)
{
    const double *in[ARGUMENTS] = { a, b, c };
    double out[N];

    fill();
    for (int op = 0; op < LCT_DOUBLE_EXP; op++) {
        lct_kernels()->double_row(out, (enum lct_double_op)op, in, N);
        for (int i = 0; i < N; i++) {
            double want = plain((enum lct_double_op)op, a[i], b[i], c[i]);

            if (!same(out[i], want))
                FAIL("operation %d of %g, %g, %g is %g, expected %g", op, a[i],
                     b[i], c[i], out[i], want);
        }
    }
}

TEST(plain_operations_have_the_bits_of_c)
{
    test_each_isa(check_plain);
}

/* ---------------------------------------------------------------- functions */

static long double sigmoid(long double x)
{
    return x >= 0 ? 1 / (1 + expl(-x)) : expl(x) / (1 + expl(x));
}

static long double softplus(long double x)
{
    return fmaxl(x, 0) + log1pl(expl(-fabsl(x)));
}

static long double exact(enum lct_double_op op, long double x)
{
    switch (op) {
    case LCT_DOUBLE_EXP: return expl(x);
    case LCT_DOUBLE_EXPM1: return expm1l(x);
    case LCT_DOUBLE_LOG: return logl(x);
    case LCT_DOUBLE_LOG1P: return log1pl(x);
    case LCT_DOUBLE_TANH: return tanhl(x);
    case LCT_DOUBLE_SIGMOID: return sigmoid(x);
    case LCT_DOUBLE_SOFTPLUS: return isnan(x) ? x : softplus(x);
    default: return isnan(x) ? x : -softplus(-x); /* LOGSIGMOID */
    }
}

/* Within 2^-50, or the least number where results are denormal, which are
 * rounded twice.  Zeros may lose their sign. */
static void check_value(enum lct_double_op op, double x, double got)
{
    long double want = exact(op, x);

    if (isnan(want) || isinf((double)want) || want == 0) {
        if (!same(got, (double)want) && !(want == 0 && got == 0))
            FAIL("function %d of %a is %a, expected %a", (int)op, x, got,
                 (double)want);
    } else if (!(fabsl((long double)got - want) <=
                 0x1p-50L * fabsl(want) + 0x1p-1074L)) {
        FAIL("function %d of %a is %a, expected %a", (int)op, x, got,
             (double)want);
    }
}

enum { ROUNDS = TEST_SANITIZED ? 10 : 60, FUNCTIONS = LCT_DOUBLE_OPS };

static double at[ROUNDS][N];
/* Results of the first instruction set. */
static double first[ROUNDS][FUNCTIONS][N];
static bool have_first;

static void check_function(int round, enum lct_double_op op)
{
    const double *in[ARGUMENTS] = { at[round], b, c };
    double out[N], *before = first[round][op];

    lct_kernels()->double_row(out, op, in, N);
    for (int i = 0; i < N; i++) {
        check_value(op, at[round][i], out[i]);
        if (have_first && !same(out[i], before[i]))
            FAIL("function %d of %a is %a, elsewhere %a", (int)op, at[round][i],
                 out[i], before[i]);
        before[i] = out[i];
    }
}

static void check_functions(void)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int op = LCT_DOUBLE_EXP; op < FUNCTIONS; op++)
            check_function(round, (enum lct_double_op)op);
    have_first = true;
}

/* Numbers of all sizes, and many that are near a change of the method: 0, 1,
 * 1/sqrt(2), sqrt(2), halves of ln 2, and where exp becomes 0 or infinite. */
TEST(functions_are_exact_to_2_to_the_minus_50)
{
    static const double near[] = { 0,      1,       -1,   0.70710678118654752,
                                   1.4142, 0.34657, 1.04, -0.34657,
                                   20,     -37,     709,  -709,
                                   -745,   0x1p-54, 1e15, 710 };

    for (int round = 0; round < ROUNDS; round++) {
        fill();
        memcpy(at[round], a, sizeof(a));
        for (int i = 0; round % 2 == 1 && i < N; i++)
            at[round][i] = near[i % (int)LEN(near)] +
                           test_uniform() * exp2((double)test_range(-60, -1)) *
                               fmax(1, fabs(near[i % (int)LEN(near)]) / 64);
    }
    test_each_isa(check_functions);
}

/* -------------------------------------------------------------- derivatives */

static double slope_of_one(enum lct_double_op op, double x)
{
    switch (op) {
    case LCT_DOUBLE_NEG: return -1;
    case LCT_DOUBLE_ABS: return (x > 0) - (x < 0);
    case LCT_DOUBLE_RELU: return x > 0;
    default: return 0; /* steps */
    }
}

static double slope_of_clamp(int k, double x, double y, double z)
{
    if (k == 0)
        return x >= y && x <= z;
    return k == 1 ? x < y : !(x < y) && x > z;
}

static double slope(enum lct_double_op op, int k, double x, double y, double z)
{
    switch (op) {
    case LCT_DOUBLE_ADD: return 1;
    case LCT_DOUBLE_SUB: return 1 - 2 * k;
    case LCT_DOUBLE_MUL: return k == 0 ? y : x;
    case LCT_DOUBLE_DIV: return k == 0 ? 1 / y : -(x / y) / y;
    case LCT_DOUBLE_MIN: return k == (y < x);
    case LCT_DOUBLE_MAX: return k == (y > x);
    case LCT_DOUBLE_CLAMP: return slope_of_clamp(k, x, y, z);
    case LCT_DOUBLE_IF: return k == (x != 0 ? 1 : 2);
    default: return slope_of_one(op, x);
    }
}

static int arguments(int op)
{
    return op <= LCT_DOUBLE_DIV || op == LCT_DOUBLE_MIN || op == LCT_DOUBLE_MAX
               ? 2
           : op == LCT_DOUBLE_CLAMP || op == LCT_DOUBLE_IF ? 3
                                                           : 1;
}

/* 'to' is 1 before; an infinite or missing slope does no harm where d is 0. */
static void check_slopes(void)
{
    const double *in[ARGUMENTS] = { a, b, c };
    double y[N], to[N];

    fill();
    for (int op = 0; op < LCT_DOUBLE_EXP; op++)
        for (int k = 0; k < arguments(op); k++) {
            lct_kernels()->double_row(y, (enum lct_double_op)op, in, N);
            for (int i = 0; i < N; i++)
                to[i] = 1;
            lct_kernels()->double_slope(to, (enum lct_double_op)op, k, d, in, y,
                                        N);
            for (int i = 0; i < N; i++) {
                double by = slope((enum lct_double_op)op, k, a[i], b[i], c[i]);
                double want = 1 + (d[i] == 0 || by == 0 ? 0 : d[i] * by);

                if (!same(to[i], want))
                    FAIL("slope %d of operation %d at %g, %g, %g: %g, expected "
                         "%g",
                         k, op, a[i], b[i], c[i], to[i], want);
            }
        }
}

TEST(slopes_of_plain_operations_are_those_of_c)
{
    test_each_isa(check_slopes);
}

/* Of the value y = f(x), rounded. */
static long double function_slope(enum lct_double_op op, long double x)
{
    switch (op) {
    case LCT_DOUBLE_EXP:
    case LCT_DOUBLE_EXPM1: return expl(x);
    case LCT_DOUBLE_LOG: return 1 / x;
    case LCT_DOUBLE_LOG1P: return 1 / (1 + x);
    case LCT_DOUBLE_TANH: return 1 - tanhl(x) * tanhl(x);
    case LCT_DOUBLE_SIGMOID: return sigmoid(x) * (1 - sigmoid(x));
    case LCT_DOUBLE_SOFTPLUS: return sigmoid(x);
    default: return sigmoid(-x); /* LOGSIGMOID */
    }
}

/* 1 - y^2 and y (1 - y) are differences from 1 of what is rounded to 2^-50. */
static void check_function_slopes(void)
{
    const double *in[ARGUMENTS] = { a, b, c };
    double y[N], to[N];

    for (int op = LCT_DOUBLE_EXP; op < LCT_DOUBLE_OPS; op++) {
        bool log = op == LCT_DOUBLE_LOG || op == LCT_DOUBLE_LOG1P;

        for (int i = 0; i < N; i++) {
            a[i] = 9 * test_uniform();
            a[i] = log ? fabs(a[i]) : a[i];
            d[i] = 1;
        }
        lct_kernels()->double_row(y, (enum lct_double_op)op, in, N);
        memset(to, 0, sizeof(to));
        lct_kernels()->double_slope(to, (enum lct_double_op)op, 0, d, in, y, N);
        for (int i = 0; i < N; i++) {
            double want = (double)function_slope((enum lct_double_op)op, a[i]);

            if (!(fabs(to[i] - want) <= 0x1p-48 * (1 + fabs(want))))
                FAIL("slope of function %d at %g: %g, expected %g", op, a[i],
                     to[i], want);
        }
    }
}

TEST(slopes_of_functions_are_derivatives)
{
    test_each_isa(check_function_slopes);
}

/* -------------------------------------------------------------------- pairs */

/* Any width, to the last byte of the memory. */
static void check_rows(void)
{
    size_t width = (size_t)test_range(1, 40), rows = (size_t)test_range(1, 5);
    size_t step = width + (size_t)test_range(0, 3), n = width * rows;
    size_t floats = step * (rows - 1) + width;
    float *x = test_guarded(floats * sizeof(*x));
    double *wide = test_guarded(n * sizeof(*wide)), sum[5] = { 0 };

    for (size_t i = 0; i < floats; i++)
        x[i] = (float)test_uniform();
    lct_kernels()->double_widen(wide, x, step, width, rows);
    for (size_t i = 0; i < n; i++) {
        CHECK(wide[i] == (double)x[i / width * step + i % width]);
        wide[i] += 0x1p-30 * test_uniform();
    }
    lct_kernels()->double_sum_rows(sum, wide, width, rows);
    lct_kernels()->double_narrow(x, step, wide, width, rows);
    for (size_t j = 0; j < rows; j++) {
        double strand[8] = { 0 }, want;
        size_t whole = width / 8 * 8;

        for (size_t i = 0; i < whole; i++)
            strand[i % 8] += wide[j * width + i];
        for (int half = 4; half > 0; half /= 2)
            for (int i = 0; i < half; i++)
                strand[i] += strand[i + half];
        want = strand[0];
        for (size_t i = whole; i < width; i++)
            want += wide[j * width + i];
        CHECK(sum[j] == want);
        for (size_t i = 0; i < width; i++)
            CHECK(x[j * step + i] == (float)wide[j * width + i]);
    }
    test_guarded_free(x, floats * sizeof(*x));
    test_guarded_free(wide, n * sizeof(*wide));
}

static double *guarded_numbers(size_t n)
{
    double *x = test_guarded(n * sizeof(*x));

    for (size_t i = 0; i < n; i++)
        x[i] = test_uniform();
    return x;
}

/* Distances times gates, beside C; sums of pairs have their derivatives. */
static void check_gated(void)
{
    size_t width = (size_t)test_range(1, 40), rows = (size_t)test_range(1, 4);
    size_t step = width + (size_t)test_range(0, 3);
    size_t floats = step * (rows - 1) + width;
    double *q = guarded_numbers(width), *gate = guarded_numbers(width);
    double *k = guarded_numbers(rows), *k_gate = guarded_numbers(rows);
    double *to = guarded_numbers(width), *sum = guarded_numbers(rows);
    float *x = test_guarded(floats * sizeof(*x));
    float *dx = test_guarded(floats * sizeof(*dx));
    struct lct_gated g = { q, gate, k, k_gate, width, rows };
    double want[40];

    for (size_t i = 0; i < floats; i++)
        x[i] = dx[i] = (float)test_uniform();
    for (size_t i = 0; i < width; i++)
        to[i] = want[i] = 1;
    for (size_t j = 0; j < rows; j++)
        sum[j] = 0.5;
    lct_kernels()->subtract_gated(x, step, &g);
    lct_kernels()->sum_gated_gradient(to, sum, dx, step, &g);
    for (size_t j = 0; j < rows; j++) {
        const float *given = dx + j * step;
        double row[40], added = 0;

        for (size_t i = 0; i < width; i++) {
            row[i] = (k[j] - q[i]) * (double)given[i];
            want[i] += row[i];
            CHECK(x[j * step + i] ==
                  (float)((double)given[i] -
                          (q[i] - k[j]) * (gate[i] + k_gate[j])));
        }
        lct_kernels()->double_sum_rows(&added, row, width, 1);
        CHECK(sum[j] == 0.5 + added);
    }
    for (size_t i = 0; i < width; i++)
        CHECK(to[i] == want[i]);
    test_guarded_free(q, width * sizeof(*q));
    test_guarded_free(gate, width * sizeof(*gate));
    test_guarded_free(k, rows * sizeof(*k));
    test_guarded_free(k_gate, rows * sizeof(*k_gate));
    test_guarded_free(to, width * sizeof(*to));
    test_guarded_free(sum, rows * sizeof(*sum));
    test_guarded_free(x, floats * sizeof(*x));
    test_guarded_free(dx, floats * sizeof(*dx));
}

static void check_many_gated(void)
{
    for (int round = 0; round < 300; round++)
        check_gated();
}

TEST(distances_of_any_width_are_gated)
{
    test_each_isa(check_many_gated);
}

static void check_many_rows(void)
{
    for (int round = 0; round < 300; round++)
        check_rows();
}

TEST(rows_of_any_width_become_doubles_and_sums)
{
    test_each_isa(check_many_rows);
}
