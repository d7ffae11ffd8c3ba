/*
 * resize.c - interpolation of a table by its definition.
 *
 * The table is a function on the integers, continued on both sides by its end
 * rows; the result at source coordinate s is sum_t K(s - t) f(t) over all
 * integers t.  K is the tent, or the piecewise cubic of Keys 1981 (IEEE Trans.
 * ASSP 29(6); eq. (15) is a = -1/2) with its free constant a.  With antialias
 * the sum runs over the rows that exist, K is stretched by the factor of
 * reduction, and the weights are divided by their sum.  long double, one weight
 * at a time.
 */
#include "resize.h"
#include <math.h>

static long double tent(long double x)
{
    return fabsl(x) < 1 ? 1 - fabsl(x) : 0;
}

/* Keys' kernel, with powers as in the paper. */
static long double keys(long double s, long double a)
{
    long double u = fabsl(s);

    if (u <= 1)
        return (a + 2) * powl(u, 3) - (a + 3) * powl(u, 2) + 1;
    if (u < 2)
        return a * powl(u, 3) - 5 * a * powl(u, 2) + 8 * a * u - 4 * a;
    return 0;
}

static long double smooth(const struct oracle_resize *r, int64_t m, int64_t n,
                          int64_t x, int64_t j)
{
    long double scale = (long double)m / ((long double)n + r->offset);
    long double stretch = scale > 1 ? scale : 1;
    long double centre = scale * ((long double)x + 0.5L);
    long double total = 0, of_j = 0;

    for (int64_t t = 0; t < m; t++) {
        long double at = ((long double)t + 0.5L - centre) / stretch;
        long double weight = r->cubic ? keys(at, -0.5L) : tent(at);

        total += weight;
        if (t == j)
            of_j = weight;
    }
    return of_j / total;
}

static long double source(const struct oracle_resize *r, int64_t m, int64_t n,
                          int64_t x)
{
    if (r->align_corners)
        return n > 1 ? (long double)x * (long double)(m - 1) /
                           (long double)(n - 1)
                     : 0;
    return ((long double)x + 0.5L) * (long double)m /
               ((long double)n + r->offset) -
           0.5L;
}

double oracle_resize_weight(const struct oracle_resize *r, int64_t m, int64_t n,
                            int64_t x, int64_t j)
{
    long double s, sum = 0;

    if (r->antialias)
        return (double)smooth(r, m, n, x, j);
    s = source(r, m, n, x);
    for (int64_t t = (int64_t)floorl(s) - 3; t <= (int64_t)floorl(s) + 4; t++) {
        int64_t row = t < 0 ? 0 : t >= m ? m - 1 : t;

        if (row == j)
            sum += r->cubic ? keys(s - (long double)t, -0.75L)
                            : tent(s - (long double)t);
    }
    return (double)sum;
}
