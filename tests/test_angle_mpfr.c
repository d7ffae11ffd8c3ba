/*
 * test_angle_mpfr.c - two million exact angles against MPFR.
 *
 * A quarter of the positions are multiples of the denominators of convergents
 * of 2 theta / pi: the nearest a position comes to a multiple of pi / 2, where
 * a sine or cosine is small and every lost bit of the angle shows.  Floats of
 * at least 2^-20 must be the nearest ones; the 128 bits of a frequency, which
 * positions multiply, are not precise enough for a claim about smaller ones.
 */
/* needs: mpfr */
#include "angle/schedule.h"
#include "kernel/kernels.h"
#include "testing.h"
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

enum {
    PRECISION = 320,
    TASKS = 64,
    /* per task; 1954 x 64 x 16 = 2 000 896 samples */
    FREQUENCIES = TEST_SANITIZED ? 40 : 1954,
    REALS = TEST_SANITIZED ? 100 : 2500,
    HARDEST = TEST_SANITIZED ? 1000 : 20000,
    POSITIONS = 16, /* per frequency */
    HARD = 4,       /* of them */
    COPIES = 19,    /* full vectors and a tail on every instruction set */
    MOST_ISAS = 4
};

static const struct lct_kernels *isas[MOST_ISAS];
static int isa_count;

struct worst {
    double ulp, ulp_large, absolute, in_double;
    double base;
    int64_t dim, i, position;
    char failure[256];
};

struct sample {
    double base;
    int64_t dim, i, position;
    mpfr_t theta; /* radians per position */
    mpfr_t angle, sine, cosine;
};

static void differs(struct worst *w, const struct sample *s, const char *what)
{
    if (w->failure[0] == '\0')
        snprintf(w->failure, sizeof(w->failure),
                 "base %.17g, dim %lld, i %lld, position %lld: %s", s->base,
                 (long long)s->dim, (long long)s->i, (long long)s->position,
                 what);
}

/* Distances are rounded to double first: 2^-29 units. */
static void judge(struct worst *w, const struct sample *s, float got,
                  mpfr_t exact)
{
    double want = mpfr_get_d(exact, MPFR_RNDN);
    double ulp = test_ulp(got, want);

    if (fabs(want) >= 0x1p-20 && got != mpfr_get_flt(exact, MPFR_RNDN))
        differs(w, s, "is not the nearest float");

    if (ulp > w->ulp) {
        w->ulp = ulp;
        w->base = s->base;
        w->dim = s->dim;
        w->i = s->i;
        w->position = s->position;
    }
    if (fabs(want) >= 0x1p-20)
        w->ulp_large = fmax(w->ulp_large, ulp);
    w->absolute = fmax(w->absolute, fabs((double)got - want));
}

static void prepare(struct sample *s, double base, int64_t i, int64_t dim)
{
    s->base = base;
    s->dim = dim;
    s->i = i;
    mpfr_set_d(s->theta, s->base, MPFR_RNDN);
    mpfr_log(s->theta, s->theta, MPFR_RNDN);
    mpfr_mul_si(s->theta, s->theta, -2 * (long)s->i, MPFR_RNDN);
    mpfr_div_si(s->theta, s->theta, (long)s->dim, MPFR_RNDN);
    mpfr_exp(s->theta, s->theta, MPFR_RNDN);
}

/* What tensors of doubles are turned by. */
static void judge_double(struct worst *w, const struct sample *s,
                         struct lct_phase f)
{
    double c, sn;

    lct_angle(&c, &sn, f, s->position);
    c = fabs(c - mpfr_get_d(s->cosine, MPFR_RNDN));
    sn = fabs(sn - mpfr_get_d(s->sine, MPFR_RNDN));
    w->in_double = fmax(w->in_double, fmax(c, sn));
}

/* Every lane of every instruction set against the first, that against MPFR. */
static void measure(struct worst *w, struct sample *s, struct lct_phase f)
{
    struct lct_phase turn[COPIES];
    float c[COPIES], sn[COPIES];
    float first_c = 0, first_s = 0;

    for (int k = 0; k < COPIES; k++)
        turn[k] = f;
    for (int isa = 0; isa < isa_count; isa++) {
        isas[isa]->angle_rows(c, sn, turn, COPIES, s->position, 1, 1.0);
        if (isa == 0) {
            first_c = c[0];
            first_s = sn[0];
        }
        for (int k = 0; k < COPIES; k++)
            if (memcmp(&c[k], &first_c, 4) || memcmp(&sn[k], &first_s, 4))
                differs(w, s, isas[isa]->isa);
    }
    mpfr_mul_si(s->angle, s->theta, (long)s->position, MPFR_RNDN);
    mpfr_sin_cos(s->sine, s->cosine, s->angle, MPFR_RNDN);
    judge(w, s, first_c, s->cosine);
    judge(w, s, first_s, s->sine);
    judge_double(w, s, f);
}

/* Denominators below 2^31 of the convergents of 2 theta / pi. */
static int convergents(int64_t *out, int most, const struct sample *s)
{
    int64_t q0 = 0, q1 = 1;
    mpfr_t x, whole;
    int n = 0;

    mpfr_inits2(PRECISION, x, whole, (mpfr_ptr)0);
    mpfr_const_pi(x, MPFR_RNDN);
    mpfr_div(x, s->theta, x, MPFR_RNDN);
    mpfr_mul_2ui(x, x, 1, MPFR_RNDN);
    mpfr_frac(x, x, MPFR_RNDN);
    while (n < most && !mpfr_zero_p(x)) {
        int64_t quotient, q2;

        mpfr_ui_div(x, 1, x, MPFR_RNDN);
        if (mpfr_cmp_ui(x, 1u << 31) >= 0)
            break;
        mpfr_floor(whole, x);
        quotient = mpfr_get_si(whole, MPFR_RNDN);
        mpfr_sub(x, x, whole, MPFR_RNDN);
        q2 = quotient * q1 + q0;
        if (q2 >= INT64_C(1) << 31)
            break;
        out[n++] = q2;
        q0 = q1;
        q1 = q2;
    }
    mpfr_clears(x, whole, (mpfr_ptr)0);
    return n;
}

static int64_t log_uniform(locant_random *r, int64_t below)
{
    int64_t p = (int64_t)exp(locant_random_uniform(r) * log((double)below));

    return p < 1 ? 1 : p >= below ? below - 1 : p;
}

static double random_base(locant_random *r)
{
    static const double known[] = { 1e4, 5e5, 1e6, 8e6 };
    uint64_t k = locant_random_below(r, 8);

    return k < 4 ? known[k] : pow(10, 1 + 7 * locant_random_uniform(r));
}

static void one_frequency(struct worst *w, struct sample *s, locant_random *r)
{
    int64_t near[64];
    int64_t dim = 2 + 2 * (int64_t)locant_random_below(r, 256);
    int64_t i = (int64_t)locant_random_below(r, (uint64_t)dim / 2);
    struct lct_phase f;
    int n;

    prepare(s, random_base(r), i, dim);
    f = lct_phase_of(s->base, i, dim);
    n = convergents(near, LEN(near), s);
    for (int k = 0; k < POSITIONS; k++) {
        s->position = log_uniform(r, INT64_C(1) << 31);
        if (k < HARD && n > 0) {
            int64_t q = near[locant_random_below(r, (uint64_t)n)];

            s->position = q * log_uniform(r, (INT64_C(1) << 31) / q + 1);
        }
        measure(w, s, f);
    }
}

static void some(void *context, size_t task, int slot)
{
    struct worst *w = (struct worst *)context + task;
    locant_random r = { .seed = test_seed(), .stream = task };
    struct sample s;

    (void)slot;
    mpfr_inits2(PRECISION, s.theta, s.angle, s.sine, s.cosine, (mpfr_ptr)0);
    for (int n = 0; n < FREQUENCIES; n++)
        one_frequency(w, &s, &r);
    mpfr_clears(s.theta, s.angle, s.sine, s.cosine, (mpfr_ptr)0);
    mpfr_free_cache();
}

/*
 * Half a unit is the rounding to float32.  Where |w| > 2^36 the fraction is off
 * by 1 unit of 2^-64 turn, relative 2^-34, which is 2^-10 of a unit in the last
 * place; the polynomials add 2^-19.  Below, 128 bits are used.
 */
TEST(is_within_half_a_unit)
{
    static struct worst w[TASKS];
    struct worst all = { 0 };

    for (int i = 0; locant_isa_at(i, NULL) != NULL; i++) {
        if (locant_set_isa(locant_isa_at(i, NULL)) == LOCANT_OK)
            isas[isa_count++] = lct_kernels();
    }
    CHECK_OK(locant_set_isa(NULL));
    test_seed(); /* read before the threads */
    locant_parallel_for(TASKS, some, w);
    for (int t = 0; t < TASKS; t++) {
        if (w[t].failure[0] != '\0')
            FAIL("%s", w[t].failure);
        all.ulp_large = fmax(all.ulp_large, w[t].ulp_large);
        all.absolute = fmax(all.absolute, w[t].absolute);
        all.in_double = fmax(all.in_double, w[t].in_double);
        if (w[t].ulp > all.ulp) {
            w[t].ulp_large = all.ulp_large;
            w[t].absolute = all.absolute;
            w[t].in_double = all.in_double;
            all = w[t];
        }
    }
    print_message("%d samples: worst %.6f ulp (base %g, dim %lld, i %lld, "
                  "position %lld); %.6f where above 2^-20; %.3g absolute; "
                  "%.3g in double\n",
                  TASKS * FREQUENCIES * POSITIONS, all.ulp, all.base,
                  (long long)all.dim, (long long)all.i, (long long)all.position,
                  all.ulp_large, all.absolute, all.in_double);
    if (!(all.ulp <= 0.501))
        FAIL("%.6f ulp", all.ulp);
    if (!(all.in_double <= 0x1p-51))
        FAIL("%.3g in double", all.in_double);
}

/*
 * Of a position below 2^62 the frequency's error of 2^-129 turn becomes at most
 * 2^-67 turn, 2^-64.3 radian.  A double has 2^-50 relative (phase.c), a float
 * half a unit and 2^-20 of one, where the value is above 2^-20.
 */
static void check_real(struct sample *s, struct lct_schedule *schedule,
                       double p)
{
    double c, sn, want_c, want_s;
    float fc, fs;

    mpfr_mul_d(s->angle, s->theta, p, MPFR_RNDN);
    mpfr_sin_cos(s->sine, s->cosine, s->angle, MPFR_RNDN);
    want_c = mpfr_get_d(s->cosine, MPFR_RNDN);
    want_s = mpfr_get_d(s->sine, MPFR_RNDN);
    lct_angle_real(&c, &sn, schedule->frequency[0], p);
    if (!(fabs(c - want_c) <= 0x1p-50 * fabs(want_c) + 0x1p-64 &&
          fabs(sn - want_s) <= 0x1p-50 * fabs(want_s) + 0x1p-64))
        FAIL("base %g, position %.17g: got %.17g %.17g, want %.17g %.17g",
             s->base, p, c, sn, want_c, want_s);
    lct_schedule_angles_real(&fc, &fs, schedule, &p, 1);
    if ((fabs(want_c) > 0x1p-20 && !(test_ulp(fc, want_c) <= 0.501)) ||
        (fabs(want_s) > 0x1p-20 && !(test_ulp(fs, want_s) <= 0.501)))
        FAIL("base %g, position %.17g: got %.9g %.9g, want %.17g %.17g",
             s->base, p, (double)fc, (double)fs, want_c, want_s);
}

/* 53-bit positions from 2^-40 to 2^62, fractional and whole, of both signs. */
TEST(real_positions_are_as_exact)
{
    static const double bases[] = { 1e4, 5e5, 100, 1e8, 1 };
    struct sample s;

    mpfr_inits2(PRECISION, s.theta, s.angle, s.sine, s.cosine, (mpfr_ptr)0);
    for (int n = 0; n < REALS; n++) {
        struct lct_schedule *schedule;
        int64_t i = test_range(0, 31);

        prepare(&s, bases[n % LEN(bases)], i, 64);
        schedule = lct_schedule_create(s.base, 1, 2);
        CHECK(schedule != NULL);
        schedule->frequency[0] = lct_phase_of(s.base, i, 64);
        for (int k = 0; k < 16; k++)
            check_real(&s, schedule,
                       ldexp(test_uniform(), (int)test_range(-40, 62)));
        locant_release(schedule);
    }
    mpfr_clears(s.theta, s.angle, s.sine, s.cosine, (mpfr_ptr)0);
}

/* Tiny ones keep their relative accuracy: sin x = x to 2^-50 below 2^-30. */
TEST(tiny_positions_are_not_lost)
{
    const double position[] = { 0x1p-40, 0x1.8p-70, 0x1.23456789p-300, 1e-300 };

    for (size_t k = 0; k < LEN(position); k++) {
        double c, s;

        lct_angle_real(&c, &s, lct_phase_of(1e4, 0, 64), position[k]);
        CHECK(c == 1);
        CHECK(fabs(s - position[k]) <= 0x1p-50 * position[k]);
    }
}

static uint64_t random_word(void)
{
    uint64_t high = (uint64_t)test_range(0, UINT32_MAX);

    return high << 32 | (uint64_t)test_range(0, UINT32_MAX);
}

/* value * factor, rounded once. */
static float nearest(mpfr_t value, double factor)
{
    mpfr_mul_d(value, value, factor, MPFR_RNDN);
    return mpfr_get_flt(value, MPFR_RNDN);
}

/*
 * The factor brings a value next to the middle between two floats, within the
 * rounding of a double, where only the sums in 192 bits can tell the nearer.
 */
TEST(hard_cases_round_to_the_nearest_float)
{
    mpfr_t angle, sine, cosine;

    mpfr_inits2(PRECISION, angle, sine, cosine, (mpfr_ptr)0);
    for (int n = 0; n < HARDEST; n++) {
        struct lct_phase f = { random_word(), random_word() };
        float middle =
            (float)ldexp(1 + fabs(test_uniform()), (int)test_range(-30, 2));
        double c, s, factor;
        struct lct_reduced x;

        f.hi >>= test_range(0, 1) ? 0 : test_range(0, 63);
        x = lct_reduce(f, test_range(0, 1) ? 1 : -1);
        mpfr_set_ui_2exp(angle, f.hi, -64, MPFR_RNDN);
        mpfr_set_ui_2exp(sine, f.lo, -128, MPFR_RNDN);
        mpfr_add(angle, angle, sine, MPFR_RNDN);
        mpfr_const_pi(sine, MPFR_RNDN);
        mpfr_mul(angle, angle, sine, MPFR_RNDN);
        mpfr_mul_si(angle, angle, x.mirrored ? -2 : 2, MPFR_RNDN);
        mpfr_sin_cos(sine, cosine, angle, MPFR_RNDN);
        factor = ((double)middle + (double)nextafterf(middle, 100)) / 2 /
                 fabs(mpfr_get_d(n % 2 ? sine : cosine, MPFR_RNDN));
        lct_reduced_cos_sin(&c, &s, &x, factor);
        if ((float)c != nearest(cosine, factor) ||
            (float)s != nearest(sine, factor))
            FAIL("%016llx %016llx, factor %a", (unsigned long long)f.hi,
                 (unsigned long long)f.lo, factor);
    }
    mpfr_clears(angle, sine, cosine, (mpfr_ptr)0);
}
