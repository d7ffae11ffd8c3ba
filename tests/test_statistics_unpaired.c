/* test_statistics_unpaired.c - Welch's test and Kendall's tau against values
   computed elsewhere */
/* needs: lab */
#include "testing.h"
#include "measure/statistics.h"
#include <math.h>

static void near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        FAIL("got %.17g, want %.17g", got, want);
}

/* Student's distribution of 2 degrees has a formula: P(|T| > t) =
   1 - t / sqrt(2 + t^2). */
TEST(p_of_student_is_two_sided)
{
    near(lct_t_p(3, 2), 1 - 3 / sqrt(11), 1e-14);
    near(lct_t_p(-3, 2), 1 - 3 / sqrt(11), 1e-14);
    near(lct_t_p(0, 5), 1, 0);
    assert_true(isnan(lct_t_p(NAN, 2)));
}

/*
 * Variances of the means are 1/3 and 4/3; (5/3)^2 / (1/18 + 16/18) = 2.94
 * degrees of freedom, rounded down to 2, whose quantile of .95 is
 * .95 sqrt(2 / .0975).
 */
TEST(welch_by_hand)
{
    static const double x[] = { 1, 2, 3 }, y[] = { 4, 6, 8 };
    const double t = -4 / sqrt(5. / 3);
    locant_difference d;

    lct_welch(&d, x, 3, y, 3, .95);
    near(d.mean, -4, 1e-14);
    near(d.half, .95 * sqrt(2 / .0975) * sqrt(5. / 3), 1e-12);
    near(d.t_p, 1 + t / sqrt(2 + t * t), 1e-14);
    assert_true(isnan(d.p));
}

TEST(welch_of_few_or_equal_values)
{
    static const double x[] = { 1, 1, 1 }, y[] = { 1, 1, 2 };
    const double broken[] = { 1, NAN, 2 };
    locant_difference d;

    lct_welch(&d, x, 1, y, 3, .95);
    near(d.mean, -1. / 3, 1e-15);
    assert_true(isnan(d.half) && isnan(d.t_p));
    lct_welch(&d, x, 3, x, 3, .95);
    near(d.t_p, 1, 0);
    near(d.half, 0, 0);
    lct_welch(&d, x, 3, y, 2, .95); /* all equal, too */
    near(d.t_p, 1, 0);
    lct_welch(&d, broken, 3, y, 3, .95);
    assert_true(isnan(d.mean) && isnan(d.t_p));
}

TEST(tau_counts_pairs)
{
    static const double x[] = { 1, 2, 3, 4 }, y[] = { 1, 3, 2, 4 };
    static const double back[] = { 4, 3, 2, 1 }, tied[] = { 1, 1, 1, 2 };
    size_t swapped;

    near(lct_kendall(&swapped, x, y, 4), 4. / 6, 1e-15);
    assert_int_equal(swapped, 1);
    near(lct_kendall(&swapped, x, back, 4), -1, 0);
    assert_int_equal(swapped, 6);
    near(lct_kendall(&swapped, x, tied, 4), .5, 0);
    assert_int_equal(swapped, 0);
    assert_true(isnan(lct_kendall(&swapped, x, y, 1)));
}
