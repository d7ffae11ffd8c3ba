/*
 * test_rope_scaling_mpfr.c - scaled frequencies, and angles of several
 * coordinates, against MPFR.
 */
/* needs: mpfr */
#include "angle/schedule.h"
#include "encodings/encoding.h"
#include "testing.h"
#include <math.h>
#include <mpfr.h>
#include <stdio.h>

enum { PRECISION = 320 };

/* base^(-2c/dim) / 2 pi */
static void plain(mpfr_t out, double base, long c, long dim)
{
    mpfr_t pi;

    mpfr_init2(pi, PRECISION);
    mpfr_set_d(out, base, MPFR_RNDN);
    mpfr_log(out, out, MPFR_RNDN);
    mpfr_mul_si(out, out, -2 * c, MPFR_RNDN);
    mpfr_div_si(out, out, dim, MPFR_RNDN);
    mpfr_exp(out, out, MPFR_RNDN);
    mpfr_const_pi(pi, MPFR_RNDN);
    mpfr_div(out, out, pi, MPFR_RNDN);
    mpfr_div_2ui(out, out, 1, MPFR_RNDN);
    mpfr_clear(pi);
}

static double units(struct lct_phase got, mpfr_t want)
{
    mpfr_t x;
    double error;

    mpfr_init2(x, PRECISION);
    mpfr_set_uj_2exp(x, got.hi, -64, MPFR_RNDN);
    mpfr_sub(want, want, x, MPFR_RNDN);
    mpfr_set_uj_2exp(x, got.lo, -128, MPFR_RNDN);
    mpfr_sub(want, want, x, MPFR_RNDN);
    mpfr_mul_2ui(want, want, 128, MPFR_RNDN);
    error = fabs(mpfr_get_d(want, MPFR_RNDN));
    mpfr_clear(x);
    return error;
}

typedef void (*formula)(mpfr_t f, long c, long dim, double base,
                        const double *v);

static void check(const char *spec, double base, long dim, formula want,
                  const double *v, double bound)
{
    const struct lct_schedule *s;
    OWNED(locant_encoding) *e = test_create(spec);
    mpfr_t f;

    CHECK_OK(lct_schedule_of(&s, e, "test", dim, 256));
    mpfr_init2(f, PRECISION);
    for (long c = 0; c < dim / 2; c++) {
        double error;

        plain(f, base, c, dim);
        want(f, c, dim, base, v);
        error = units(s->frequency[c], f);
        if (!(error <= bound))
            FAIL("%s, D %ld, pair %ld: off by %g units of 2^-128", spec, dim, c,
                 error);
    }
    mpfr_clear(f);
}

static void linear(mpfr_t f, long c, long dim, double base, const double *v)
{
    (void)c;
    (void)dim;
    (void)base;
    mpfr_div_d(f, f, v[0], MPFR_RNDN);
}

/* times factor^(-2c/(dim - 2)) */
static void ntk(mpfr_t f, long c, long dim, double base, const double *v)
{
    mpfr_t x;

    (void)base;
    if (dim == 2)
        return;
    mpfr_init2(x, PRECISION);
    mpfr_set_d(x, v[0], MPFR_RNDN);
    mpfr_log(x, x, MPFR_RNDN);
    mpfr_mul_si(x, x, -2 * c, MPFR_RNDN);
    mpfr_div_si(x, x, dim - 2, MPFR_RNDN);
    mpfr_exp(x, x, MPFR_RNDN);
    mpfr_mul(f, f, x, MPFR_RNDN);
    mpfr_clear(x);
}

/* f/factor + (f - f/factor) share */
static void mix(mpfr_t f, double factor, mpfr_t share)
{
    mpfr_t slow;

    mpfr_init2(slow, PRECISION);
    mpfr_div_d(slow, f, factor, MPFR_RNDN);
    mpfr_sub(f, f, slow, MPFR_RNDN);
    mpfr_mul(f, f, share, MPFR_RNDN);
    mpfr_add(f, f, slow, MPFR_RNDN);
    mpfr_clear(slow);
}

static void clamp(mpfr_t x)
{
    if (mpfr_cmp_ui(x, 1) > 0)
        mpfr_set_ui(x, 1, MPFR_RNDN);
    if (mpfr_cmp_ui(x, 0) < 0)
        mpfr_set_ui(x, 0, MPFR_RNDN);
}

/* v: factor, low, high, original */
static void llama3(mpfr_t f, long c, long dim, double base, const double *v)
{
    mpfr_t share;

    (void)c;
    (void)dim;
    (void)base;
    mpfr_init2(share, PRECISION);
    mpfr_mul_d(share, f, v[3], MPFR_RNDN);
    mpfr_sub_d(share, share, v[1], MPFR_RNDN);
    mpfr_div_d(share, share, v[2] - v[1], MPFR_RNDN);
    clamp(share);
    mix(f, v[0], share);
    mpfr_clear(share);
}

/* dim ln(original / 2 pi turns) / 2 ln base */
static void corr(mpfr_t out, long dim, double base, double original,
                 double turns)
{
    mpfr_t x;

    mpfr_init2(x, PRECISION);
    mpfr_const_pi(out, MPFR_RNDN);
    mpfr_mul_d(out, out, 2 * turns, MPFR_RNDN);
    mpfr_d_div(out, original, out, MPFR_RNDN);
    mpfr_log(out, out, MPFR_RNDN);
    mpfr_mul_si(out, out, dim, MPFR_RNDN);
    mpfr_div_2ui(out, out, 1, MPFR_RNDN);
    mpfr_set_d(x, base, MPFR_RNDN);
    mpfr_log(x, x, MPFR_RNDN);
    mpfr_div(out, out, x, MPFR_RNDN);
    mpfr_clear(x);
}

/* v: factor, original, truncate; fast 32, slow 1 */
static void yarn(mpfr_t f, long c, long dim, double base, const double *v)
{
    mpfr_t low, high;

    mpfr_inits2(PRECISION, low, high, (mpfr_ptr)0);
    corr(low, dim, base, v[1], 32);
    corr(high, dim, base, v[1], 1);
    if (v[2] != 0) {
        mpfr_floor(low, low);
        mpfr_ceil(high, high);
    }
    if (mpfr_cmp_ui(low, 0) < 0)
        mpfr_set_ui(low, 0, MPFR_RNDN);
    if (mpfr_cmp_si(high, dim - 1) > 0)
        mpfr_set_si(high, dim - 1, MPFR_RNDN);
    /* share of the fast: (high - c) / (high - low) */
    mpfr_sub(low, high, low, MPFR_RNDN);
    mpfr_sub_si(high, high, c, MPFR_RNDN);
    mpfr_div(high, high, low, MPFR_RNDN);
    clamp(high);
    mix(f, v[0], high);
    mpfr_clears(low, high, (mpfr_ptr)0);
}

static void none(mpfr_t f, long c, long dim, double base, const double *v)
{
    (void)base;
    if (c >= (long)floor(v[0] * (double)dim / 2))
        mpfr_set_ui(f, 0, MPFR_RNDN);
}

/* How many pairs make more than so many turns in 'original' positions. */
static long faster(long dim, double base, double original, double turns)
{
    long c = 0;

    while (c < dim / 2 && pow(base, -2.0 * (double)c / (double)dim) * original >
                              turns * 6.283185307179586)
        c++;
    return c;
}

/* v: factor, original; fast 32, slow 1, kind pro */
static void radix(mpfr_t f, long c, long dim, double base, const double *v)
{
    long low = faster(dim, base, v[1], 32), high = faster(dim, base, v[1], 1);
    long n, t;
    mpfr_t share, power;

    low = low > 0 ? low - 1 : 0;
    n = high - low;
    t = c < low ? 0 : c - low;
    mpfr_inits2(PRECISION, share, power, (mpfr_ptr)0);
    mpfr_set_si(share, c >= high ? -1 : -t * (t + 1), MPFR_RNDN);
    mpfr_div_si(share, share, c >= high ? 1 : n * (n + 1), MPFR_RNDN);
    mpfr_set_d(power, v[0], MPFR_RNDN);
    mpfr_pow(power, power, share, MPFR_RNDN);
    mpfr_mul(f, f, power, MPFR_RNDN);
    mpfr_clears(share, power, (mpfr_ptr)0);
}

/*
 * lct_phase_of() is half a unit off, a division or product cuts off one more,
 * a mixture has three of those.
 */
TEST(formulas_are_exact)
{
    static const double factors[] = { 1, 1.5, 4, 7.3, 40, 1e6, 16777216 };
    char spec[160];

    for (size_t i = 0; i < LEN(factors); i++)
        for (long dim = 2; dim <= 130; dim += 32) {
            double base = i % 2 ? 500000 : 1e4;
            double v[4] = { factors[i], 1, 4, 8192 };

            snprintf(spec, sizeof(spec),
                     "rope(base=%g,scaling=linear("
                     "factor=%.9g))",
                     base, v[0]);
            check(spec, base, dim, linear, v, 1.6);
            snprintf(spec, sizeof(spec),
                     "rope(base=%g,scaling=longrope("
                     "original=300,factor=%.9g))",
                     base, v[0]);
            check(spec, base, dim, linear, (double[]){ 1 }, 0.6);
            snprintf(spec, sizeof(spec),
                     "rope(base=%g,scaling=ntk("
                     "factor=%.9g))",
                     base, v[0]);
            check(spec, base, dim, ntk, v, 1.1);
            snprintf(spec, sizeof(spec),
                     "rope(base=%g,scaling=llama3("
                     "factor=%.9g))",
                     base, v[0]);
            check(spec, base, dim, llama3, v, 4);
            snprintf(spec, sizeof(spec),
                     "rope(base=%g,scaling=yarn("
                     "factor=%.9g,original=4096))",
                     base, v[0]);
            check(spec, base, dim, yarn, (double[]){ v[0], 4096, 1 }, 4);
            snprintf(spec, sizeof(spec),
                     "rope(base=%g,scaling=proportional("
                     "partial=0.3))",
                     base);
            check(spec, base, dim, none, (double[]){ 0.3 }, 0.6);
            snprintf(spec, sizeof(spec),
                     "rope(base=%g,scaling=mixed-radix("
                     "factor=%.9g,original=4096))",
                     base, v[0]);
            check(spec, base, dim, radix, (double[]){ v[0], 4096 }, 1.6);
        }
}

TEST(dynamic_is_exact_where_its_factor_is)
{
    /* length 256: 1 + 3 (256 - 64) / 64 = 10 */
    for (long dim = 2; dim <= 130; dim += 32)
        check("rope(scaling=dynamic(factor=3,original=64))", 1e4, dim, ntk,
              (double[]){ 10 }, 1.1);
}

/* gpt-oss: ends in double, 2^-48 of a frequency below 2^-2. */
TEST(yarn_without_truncation_is_right_to_48_bits)
{
    for (long dim = 16; dim <= 128; dim += 16)
        check("rope(base=150000,scaling=yarn(factor=32,original=4096,"
              "truncate=no))",
              150000, dim, yarn, (double[]){ 32, 4096, 0 },
              ldexp(1, 128 - 48 - 2));
}

TEST(fractions_are_divided_and_multiplied_exactly)
{
    mpfr_t x, y;

    mpfr_inits2(PRECISION, x, y, (mpfr_ptr)0);
    for (int i = 0; i < 20000; i++) {
        struct lct_phase f = { test_rand() >> test_range(0, 63), test_rand() };
        struct lct_phase g = { test_rand(), test_rand() };
        double by = ldexp(1 + fabs(test_uniform()), (int)test_range(0, 60));

        mpfr_set_uj_2exp(x, f.hi, -64, MPFR_RNDN);
        mpfr_set_uj_2exp(y, f.lo, -128, MPFR_RNDN);
        mpfr_add(x, x, y, MPFR_RNDN);
        mpfr_div_d(y, x, by, MPFR_RNDN);
        CHECK(units(lct_phase_divide(f, by), y) <= 1.001);
        mpfr_set_uj_2exp(y, g.hi, -64, MPFR_RNDN);
        mpfr_mul(y, y, x, MPFR_RNDN);
        g.lo = 0;
        CHECK(units(lct_phase_product(f, g), y) <= 1.001);
        mpfr_mul_ui(y, x, 12345, MPFR_RNDN);
        mpfr_div_ui(y, y, 67890123, MPFR_RNDN);
        CHECK(units(lct_phase_part(f, 12345, 67890123), y) <= 1.001);
    }
    mpfr_clears(x, y, (mpfr_ptr)0);
}

/* -------------------------------------------------- several coordinates */

/* cos and sin of 2 pi sum_a x_a F_a with the frequencies as they are stored */
static void truth(mpfr_t c, mpfr_t s, const struct lct_schedule *schedule,
                  const double *at)
{
    mpfr_t sum, x;

    mpfr_inits2(PRECISION, sum, x, (mpfr_ptr)0);
    mpfr_set_ui(sum, 0, MPFR_RNDN);
    for (int a = 0; a < schedule->axes; a++)
        for (int word = 0; word < 2; word++) {
            struct lct_phase f = schedule->frequency[a];

            mpfr_set_uj_2exp(x, word ? f.lo : f.hi, word ? -128 : -64,
                             MPFR_RNDN);
            mpfr_mul_d(x, x, at[a], MPFR_RNDN);
            mpfr_add(sum, sum, x, MPFR_RNDN);
        }
    mpfr_const_pi(x, MPFR_RNDN);
    mpfr_mul(sum, sum, x, MPFR_RNDN);
    mpfr_mul_2ui(sum, sum, 1, MPFR_RNDN);
    mpfr_sin_cos(s, c, sum, MPFR_RNDN);
    mpfr_clears(sum, x, (mpfr_ptr)0);
}

static double ulps(float got, mpfr_t want)
{
    double w = mpfr_get_d(want, MPFR_RNDN), unit;
    int k;

    frexp(w, &k);
    unit = ldexp(1, k - 24 < -149 ? -149 : k - 24);
    mpfr_sub_d(want, want, (double)got, MPFR_RNDN);
    return fabs(mpfr_get_d(want, MPFR_RNDN)) / unit;
}

static double coordinate(void)
{
    double x = ldexp(test_uniform(), (int)test_range(0, 31));

    if (test_rand() % 2)
        return floor(x);
    return test_rand() % 8 ? x : ldexp(x, (int)test_range(-200, 0));
}

TEST(sums_are_formed_before_anything_is_rounded)
{
    FREED_BY(release_memory) struct lct_schedule *s = lct_schedule_new(1, 3, 2);
    double worst = 0;
    mpfr_t c, d;

    mpfr_inits2(PRECISION, c, d, (mpfr_ptr)0);
    for (int i = 0; i < 60000; i++) {
        double at[3];
        float fc, fs;

        s->axes = (int)test_range(1, 3);
        for (int a = 0; a < 3; a++) {
            s->frequency[a] = lct_phase_of(1e4, test_range(0, 32), 64);
            if (test_rand() % 4 == 0)
                s->frequency[a] = lct_phase_back(s->frequency[a]);
            at[a] = coordinate();
        }
        if (i % 3 == 0) /* what rerotation asks: nearly opposite turns */
            s->frequency[1] = lct_phase_back(s->frequency[0]);
        if (i % 6 == 0)
            at[1] = at[0] + (double)test_range(-3, 3);
        lct_schedule_angles_real(&fc, &fs, s, at, 1);
        truth(c, d, s, at);
        worst = fmax(worst, fmax(ulps(fc, c), ulps(fs, d)));
    }
    if (!(worst <= 0.55))
        FAIL("worst error %g units in the last place", worst);
    mpfr_clears(c, d, (mpfr_ptr)0);
}
