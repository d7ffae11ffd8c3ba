/*
 * exact_functions.c - exp, log, sqrt, cos and sin in pairs of long doubles, by
 * their series and by Newton's method
 */
#include "exact.h"
#include <math.h>

/* Rounding hi and then dropping lo would be wrong where hi is halfway between
   two doubles. */
double exact_double(struct exact a)
{
    double near = (double)a.hi, other;
    long double rest = (a.hi - near) + a.lo;

    other = nextafter(near, rest > 0 ? INFINITY : -INFINITY);
    return fabsl((a.hi - other) + a.lo) < fabsl(rest) ? other : near;
}

/* x / 2^10, its series, and ten squarings, which lose ten bits. */
struct exact exact_exp(struct exact x)
{
    struct exact term = exact_of(1), sum = term;

    x = exact_times(x, exact_of(0x1p-10L));
    for (int n = 1; n <= 24; n++) {
        term = exact_divide(exact_times(term, x), exact_of(n));
        sum = exact_add(sum, term);
    }
    for (int i = 0; i < 10; i++)
        sum = exact_times(sum, sum);
    return sum;
}

/* y + (x exp(-y) - 1) squares the error of y = logl(x), about 2^-60. */
struct exact exact_log(struct exact x)
{
    struct exact y = exact_of(logl(x.hi));
    struct exact rest = exact_times(x, exact_exp(exact_negate(y)));

    return exact_add(y, exact_add(rest, exact_of(-1)));
}

struct exact exact_sqrt(struct exact x)
{
    struct exact y = exact_of(sqrtl(x.hi));

    return exact_times(exact_add(y, exact_divide(x, y)), exact_of(0.5L));
}

/*
 * The series of the remainder modulo a quarter turn, at most pi / 4: after 30
 * terms of x^n / n! what is left is below 2^-120.
 */
void exact_cosine_sine(struct exact *cosine, struct exact *sine,
                       struct exact angle)
{
    struct exact quarter = exact_times(exact_turn(), exact_of(0.25L));
    struct exact term = exact_of(1), sum[2] = { exact_of(1), exact_of(0) };
    long double quarters = rintl(angle.hi / quarter.hi);
    int odd = fabsl(fmodl(quarters, 2)) > 0;
    int half = (int)fabsl(fmodl(quarters - odd, 4)) > 0;
    struct exact x =
        exact_add(angle, exact_times(quarter, exact_of(-quarters)));

    for (int n = 1; n <= 30; n++) {
        term = exact_divide(exact_times(term, x), exact_of(n));
        sum[n % 2] =
            exact_add(sum[n % 2], n % 4 < 2 ? term : exact_negate(term));
    }
    /* cos(x + pi/2) = -sin x, sin(x + pi/2) = cos x; both change sign at pi */
    *cosine = odd ? exact_negate(sum[1]) : sum[0];
    *sine = odd ? sum[0] : sum[1];
    if (half) {
        *cosine = exact_negate(*cosine);
        *sine = exact_negate(*sine);
    }
}
