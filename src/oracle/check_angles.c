/*
 * check_angles.c - exact angles, and what is rotated by them up to position
 * 2^32, against an evaluation in twice the precision of long double.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "case.h"
#include "exact.h"

enum { DIM = 64, PAIRS = DIM / 2, ROWS = 8 };
#define FAR (INT64_C(1) << 31)

/* The unit in the last place of float32 at x. */
static double ulp_at(long double x)
{
    float f = (float)fabsl(x);
    int exponent;

    frexpl(x, &exponent);
    return f < FLT_MIN ? 0x1p-149 : ldexp(1, exponent - FLT_MANT_DIG);
}

/*
 * A random position >= 0: below 2^31 and of any magnitude; or 0; or one, or the
 * sum of two, at which the angle of some pair is close to a multiple of pi / 2.
 */
static int64_t position(struct oracle_run *r, const struct exact *f)
{
    int64_t near[40];
    double u = locant_random_uniform(&r->random);
    int64_t p = (int64_t)exp2(31 * u);
    int n;

    if (oracle_run_range(r, 0, 2) > 0)
        return oracle_run_range(r, 0, 1) || p >= FAR ? FAR - 1 - p / 2 : p;
    n = exact_near(near, 40, f[oracle_run_range(r, 0, PAIRS - 1)], FAR);
    if (n == 0)
        return p;
    return near[oracle_run_range(r, 0, n - 1)] * oracle_run_range(r, 0, 1) +
           near[n - 1] * oracle_run_range(r, 0, 1);
}

static void frequencies(struct exact f[PAIRS], double base)
{
    for (int64_t c = 0; c < PAIRS; c++)
        f[c] = exact_frequency(base, c, DIM);
}

static const double bases[] = { 100, 10000, 500000, 1e6 };

/* Positions of either sign as integers and doubles, the latter with fractions
 * if 'real'. */
static void positions(struct oracle_run *r, const struct exact *f, int64_t *id,
                      double *at, int real)
{
    for (int k = 0; k < ROWS; k++) {
        id[k] = position(r, f) * (oracle_run_range(r, 0, 1) ? 1 : -1);
        at[k] = real ? (double)id[k] + oracle_run_uniform(r) : (double)id[k];
    }
}

/*
 * "within 0.501 units in the last place" (angles.h).  F64 positions give the
 * same accuracy where |value| is above 2^-20.
 */
static void angles(struct oracle_case *c, int64_t n, int what)
{
    const int64_t shape[] = { ROWS, PAIRS, 2 };
    int real = what % 2;
    struct exact f[PAIRS];
    float got[ROWS][PAIRS][2];
    int64_t id[ROWS];
    double at[ROWS];
    locant_tensor out = locant_dense(got, LOCANT_F32, 3, shape);
    locant_tensor pos = locant_dense(real ? (void *)at : (void *)id,
                                     real ? LOCANT_F64 : LOCANT_I64, 1, shape);

    (void)n;
    frequencies(f, bases[what / 2]);
    positions(c->run, f, id, at, real);
    oracle_case_ok(
        c, locant_angles(&out, &pos, bases[what / 2], LOCANT_ANGLES_EXACT));
    for (int k = 0; k < 2 * ROWS * PAIRS; k++) {
        int row = k / 2 / PAIRS, pair = k / 2 % PAIRS;
        long double want[2];

        exact_angle(&want[0], &want[1], f[pair], at[row]);
        if (real && fabsl(want[k % 2]) <= 0x1p-20L)
            continue;
        oracle_run_near(
            c->run, "cosine or sine", (size_t)k,
            (double)((long double)got[row][pair][k % 2] - want[k % 2]), 0,
            0.501 * ulp_at(want[k % 2]));
    }
}

/* --------------------------------------------------------------- rope, far */

enum { FORWARD, INVERSE, BACKWARD, OPERATIONS };

static const struct {
    const char *text;
    double base;
    int interleaved;
} specs[] = {
    { "rope", 10000, 0 },
    { "rope(pairing=interleaved)", 10000, 1 },
    { "rope(base=500000)", 500000, 0 },
    { "rope(base=500000,pairing=interleaved)", 500000, 1 },
};

static locant_status call_library(const struct oracle_case *c, int what,
                                  locant_tensor *out, const locant_tensor *x,
                                  const locant_tensor *pos)
{
    if (what == BACKWARD)
        return locant_encoding_rotate_backward(out, NULL, x, NULL, c->e, pos,
                                               NULL, 0);
    return locant_encoding_rotate(out, x, c->e, pos, NULL,
                                  what == INVERSE ? LOCANT_ROTATE_INVERSE : 0);
}

static void check_channel(struct oracle_case *c, const locant_tensor *out,
                          size_t at, double want, double terms)
{
    oracle_run_near(c->run, "channel", at, oracle_get(out, at), want,
                    c->run->row.bound * terms);
}

/* 'what' is OPERATIONS * spec + operation. */
static void rotate(struct oracle_case *c, int64_t n, int what)
{
    const int64_t shape[] = { ROWS, DIM };
    int spec = what / OPERATIONS, op = what % OPERATIONS;
    int64_t id[ROWS];
    double at[ROWS];
    struct exact f[PAIRS];
    locant_tensor pos = locant_dense(id, LOCANT_I64, 1, shape);
    locant_tensor x = oracle_case_tensor(c, c->run->row.dtype, 2, shape);
    locant_tensor out = oracle_case_tensor(c, c->run->row.dtype, 2, shape);

    (void)n;
    frequencies(f, specs[spec].base);
    positions(c->run, f, id, at, 0);
    oracle_case_ok(c, locant_encoding_create(&c->e, specs[spec].text));
    oracle_case_ok(c, call_library(c, op, &out, &x, &pos));
    for (size_t k = 0; k < ROWS * PAIRS; k++) {
        size_t row = k / PAIRS, pair = k % PAIRS, first = row * DIM;
        size_t a = first + (specs[spec].interleaved ? 2 * pair : pair);
        size_t b = specs[spec].interleaved ? a + 1 : a + PAIRS;
        double xa = oracle_get(&x, a), xb = oracle_get(&x, b);
        long double cosine, sine;

        exact_angle(&cosine, &sine, f[pair],
                    op == FORWARD ? at[row] : -at[row]);
        check_channel(c, &out, a, (double)(xa * cosine - xb * sine),
                      fabs(xa) + fabs(xb));
        check_channel(c, &out, b, (double)(xa * sine + xb * cosine),
                      fabs(xa) + fabs(xb));
    }
}

/*
 * Error in units of |a| + |b|: 0.51 2^-24 of the float32 table, 2 2^-24 of two
 * products and a sum in float32 (not for F64 tensors), and that of storage.
 */
static double far_bound(locant_dtype dtype)
{
    double storage = dtype == LOCANT_F32   ? ORACLE_HALF_F32
                     : dtype == LOCANT_F16 ? ORACLE_HALF_F16 + 0x1p-20
                     : dtype == LOCANT_F64 ? 0x1p-53
                                           : ORACLE_HALF_BF16;

    return (dtype == LOCANT_F64 ? 0.51 : 2.51) * ORACLE_HALF_F32 +
           1.01 * storage;
}

/* --------------------------------------------------------- sinusoidal, far */

/* The library computes sines of any position in double and rounds once. */
static void sinusoid(struct oracle_case *c, int64_t n, int what)
{
    const int64_t shape[] = { ROWS, DIM };
    struct exact f[PAIRS];
    int64_t id[ROWS];
    locant_tensor pos = locant_dense(id, LOCANT_I64, 1, shape);
    locant_tensor out = oracle_case_tensor(c, c->run->row.dtype, 2, shape);

    (void)n, (void)what;
    frequencies(f, 10000);
    for (int k = 0; k < ROWS; k++)
        id[k] = position(c->run, f);
    oracle_case_ok(c, locant_encoding_create(&c->e, "sinusoidal"));
    oracle_case_ok(c, locant_encoding_table(&out, c->e, &pos, NULL));
    for (size_t k = 0; k < ROWS * PAIRS; k++) {
        long double cosine, sine;

        exact_angle(&cosine, &sine, f[k % PAIRS], (double)id[k / PAIRS]);
        check_channel(c, &out, 2 * k, (double)sine, 1);
        check_channel(c, &out, 2 * k + 1, (double)cosine, 1);
    }
}

/* -------------------------------------------------------------------- rows */

static void row(struct oracle_run *r, const char *op, const char *name,
                const char *spec, locant_dtype dtype, double bound,
                oracle_body body, int what)
{
    if (!oracle_run_open(r, op, name, spec, dtype, bound))
        return;
    oracle_case_each(r, NULL, 0, 0, body, what);
    oracle_run_close(r);
}

void oracle_check_angles(struct oracle_run *r)
{
    static const char *const ops[] = { "rotate-far", "rotate-far-inv",
                                       "rotate-far-back" };
    static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_F64, LOCANT_F16,
                                           LOCANT_BF16 };
    int64_t cases = r->cases;
    char text[64];

    r->cases = 8 * cases; /* angles are cheap */
    for (int n = 0; n < 8; n++) {
        snprintf(text, sizeof text, "base=%g%s", bases[n / 2],
                 n % 2 ? " at fractions" : "");
        row(r, "angles", "angles", text, LOCANT_F32, 0.501, angles, n);
    }
    for (int n = 0; n < 4 * OPERATIONS; n++)
        for (int d = 0; d < 4; d++)
            row(r, ops[n % OPERATIONS], "rope", specs[n / OPERATIONS].text,
                dtypes[d], far_bound(dtypes[d]), rotate, n);
    for (int d = 0; d < 2; d++)
        row(r, "table-far", "sinusoidal", "sinusoidal", dtypes[d],
            ORACLE_CHAIN + (d == 0 ? 1.01 * ORACLE_HALF_F32 : 0), sinusoid, 0);
    r->cases = cases;
}
