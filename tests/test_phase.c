/* test_phase.c - frequencies in 128 bits, against MPFR */
/* needs: mpfr */
#include "angle/schedule.h"
#include "testing.h"
#include <math.h>
#include <mpfr.h>

/* Enough for the 1074 whole turns' bits of the smallest base. */
enum { PRECISION = 1400 };

/*
 * |got - frac(base^(-2i/dim) / 2 pi)| in units of 2^-128, around the circle.
 * lct_phase_of() rounds to nearest what it has to 2^-172: 0.5 units and a
 * trace.
 */
static double error_in_units(struct lct_phase got, double base, int64_t i,
                             int64_t dim)
{
    mpfr_t want, x;
    double error;

    mpfr_inits2(PRECISION, want, x, (mpfr_ptr)0);
    mpfr_set_d(want, base, MPFR_RNDN);
    mpfr_log(want, want, MPFR_RNDN);
    mpfr_mul_si(want, want, -2 * (long)i, MPFR_RNDN);
    mpfr_div_si(want, want, (long)dim, MPFR_RNDN);
    mpfr_exp(want, want, MPFR_RNDN);
    mpfr_const_pi(x, MPFR_RNDN);
    mpfr_div(want, want, x, MPFR_RNDN);
    mpfr_div_2ui(want, want, 1, MPFR_RNDN);
    mpfr_frac(want, want, MPFR_RNDN);

    mpfr_set_uj_2exp(x, got.hi, -64, MPFR_RNDN);
    mpfr_sub(want, want, x, MPFR_RNDN);
    mpfr_set_uj_2exp(x, got.lo, -128, MPFR_RNDN);
    mpfr_sub(want, want, x, MPFR_RNDN);
    if (mpfr_cmp_d(want, 0.5) > 0)
        mpfr_sub_ui(want, want, 1, MPFR_RNDN);
    mpfr_mul_2ui(want, want, 128, MPFR_RNDN);
    error = fabs(mpfr_get_d(want, MPFR_RNDN));
    mpfr_clears(want, x, (mpfr_ptr)0);
    return error;
}

static void check_all(double base, int64_t dim, int64_t step)
{
    for (int64_t i = 0; 2 * i <= dim; i += step) {
        double error = error_in_units(lct_phase_of(base, i, dim), base, i, dim);

        if (!(error <= 0.501))
            FAIL("base %g, i %lld, dim %lld: off by %g units of 2^-128", base,
                 (long long)i, (long long)dim, error);
    }
}

TEST(agrees_with_mpfr_for_known_models)
{
    static const double bases[] = {
        100,    1000, 1e4, 2e4, 25000, 5e4, 1e5, 128,      150000,
        160000, 5e5,  1e6, 2e6, 5e6,   8e6, 1e7, 11158840, 1.2e7
    };
    static const int64_t dims[] = { 32, 64, 80, 96, 128, 256, 512 };

    for (size_t b = 0; b < LEN(bases); b++)
        for (size_t d = 0; d < LEN(dims); d++)
            check_all(bases[b], dims[d], 1);
}

TEST(agrees_with_mpfr_from_1_to_1e30)
{
    for (int n = 0; n < 3000; n++) {
        double base = pow(10, 15 + 15 * test_uniform());
        int64_t dim = test_range(1, 1024);

        check_all(base, dim, 1 + dim / 4);
    }
    check_all(1, 64, 1);
    check_all(0x1.0000000000001p0, 64, 1);
    check_all(0x1.fffffffffffffp0, 64, 1);
    check_all(2, 64, 1);
    check_all(1e30, 64, 1);
}

TEST(agrees_with_mpfr_for_extreme_bases)
{
    static const double bases[] = {
        0x1p-1074, 0x1.8p-1060,          0x1p-1022, 1e-300, 1e-20, 0.3,
        0.5,       0x1.fffffffffffffp-1, 1e38,      1e39,   1e40,  1e100,
        1e308
    };

    for (size_t b = 0; b < LEN(bases); b++)
        check_all(bases[b], 34, 1);
    for (int n = 0; n < 200; n++)
        check_all(pow(10, -150 + 150 * test_uniform()), 30, 4);
}

TEST(a_schedule_holds_them_in_order)
{
    struct lct_schedule *s = lct_schedule_create(1e4, 5, 16);
    struct lct_schedule *other = lct_schedule_create(1e4, 5, 16);

    CHECK(s != NULL && other != NULL);
    CHECK(s->pairs == 5 && s->head_dim == 16 && s->pairing == LCT_HALF &&
          s->mode == LOCANT_ANGLES_EXACT && s->magnitude == 1 &&
          s->base == 1e4 && s->next == NULL);
    CHECK(s->id != other->id);
    for (int64_t i = 0; i < 5; i++) {
        struct lct_phase want = lct_phase_of(1e4, i, 10);

        CHECK(s->frequency[i].hi == want.hi && s->frequency[i].lo == want.lo);
    }
    locant_release(s);
    locant_release(other);
    CHECK(lct_schedule_create(1e4, INT64_MAX, 16) == NULL);
}
