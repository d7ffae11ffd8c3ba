/*
 * angle.c - one exact angle in double, of an integer or a real position.
 *
 * A real position is m * 2^-k with an integer m of 64 bits.  m times the 128
 * bits of the frequency is therefore the exact angle, with 128 + k binary
 * places after the point; nothing is rounded before the quadrant is taken off.
 */
#include "schedule.h"
#include <math.h>

struct lct_reduced lct_reduce(struct lct_phase f, int64_t pos)
{
    struct lct_phase t = lct_phase_times(f, lct_magnitude(pos));

    return (struct lct_reduced){ lct_quadrant(t.hi),
                                 lct_phase_rest(t.hi, t.lo, 0), pos < 0 };
}

struct lct_reduced lct_reduce_real(struct lct_phase f, double pos)
{
    struct lct_reduced reduced = { .mirrored = pos < 0 };
    double size = fabs(pos);
    struct lct_fraction x;
    uint64_t m;
    int k;

    if (size == floor(size))
        return lct_reduce(f, (int64_t)pos);
    m = (uint64_t)ldexp(frexp(size, &k), 64); /* size = m 2^(k - 64) */
    /* f m 2^(k - 64) turns; from k = -3 down that is below an eighth. */
    x = lct_phase_real(f, m, k > -3 ? k : 0);
    if (k > -3) {
        reduced.quadrant = lct_quadrant(x.hi);
        reduced.w = lct_phase_rest(x.hi, x.mid, x.lo);
        return reduced;
    }
    reduced.w =
        (double)x.hi + ((double)x.mid * 0x1p-64 + (double)x.lo * 0x1p-128);
    reduced.w = ldexp(reduced.w, k + 2);
    return reduced;
}

void lct_reduced_cos_sin(double *cos_out, double *sin_out, struct lct_reduced x)
{
    lct_phase_cos_sin(cos_out, sin_out, x.quadrant, x.w);
    if (x.mirrored)
        *sin_out = -*sin_out;
}

/*
 * Taylor series at a = 2 pi w 2^-66, |a| <= pi/4.  The terms left out are below
 * a^17 / 17! < 2^-54 |a| (sine) and a^18 / 18! < 2^-58 (cosine).  w and a are
 * rounded once each, to 2^-53, and 2 pi has a relative error of 2^-54.5, so a
 * is off by less than 2^-51.6 |a|; each sum ends with one rounding.
 */
void lct_reduced_cos_sin_f64(double *cos_out, double *sin_out,
                             struct lct_reduced x)
{
    double a = x.w * 0x1.921fb54442d18p-64, z = a * a;
    double s = -1 / 1307674368000.0, c = 1 / 20922789888000.0, first, second;

    s = s * z + 1 / 6227020800.0;
    s = s * z - 1 / 39916800.0;
    s = s * z + 1 / 362880.0;
    s = s * z - 1 / 5040.0;
    s = s * z + 1 / 120.0;
    s = s * z - 1 / 6.0;
    s = a + a * (z * s);
    c = c * z - 1 / 87178291200.0;
    c = c * z + 1 / 479001600.0;
    c = c * z - 1 / 3628800.0;
    c = c * z + 1 / 40320.0;
    c = c * z - 1 / 720.0;
    c = c * z + 1 / 24.0;
    c = 1 + z * (c * z - 0.5);
    first = x.quadrant & 1 ? s : c;
    second = x.quadrant & 1 ? c : s;
    *cos_out = (x.quadrant + 1) & 2 ? -first : first;
    *sin_out = ((x.quadrant & 2) != 0) != x.mirrored ? -second : second;
}

void lct_angle(double *cos_out, double *sin_out, struct lct_phase f,
               int64_t pos)
{
    lct_reduced_cos_sin(cos_out, sin_out, lct_reduce(f, pos));
}

void lct_angle_real(double *cos_out, double *sin_out, struct lct_phase f,
                    double pos)
{
    lct_reduced_cos_sin(cos_out, sin_out, lct_reduce_real(f, pos));
}
