/*
 * angle.c - one exact angle in double, of an integer or a real position.
 *
 * A real position is m * 2^-k with an integer m of 64 bits, so m times the
 * 128 bits of the frequency is the angle exactly, 128 + k places after the
 * point; nothing is rounded before the quadrant is taken off.
 */
#include "schedule.h"
#include <math.h>

void lct_angle(double *cos_out, double *sin_out, struct lct_turn f,
               int64_t pos)
{
    struct lct_turn t = lct_turn_times(f, lct_magnitude(pos));

    lct_turn_cos_sin(cos_out, sin_out, lct_quadrant(t.hi),
                     lct_turn_rest(t.hi, t.lo, 0));
    if (pos < 0)
        *sin_out = -*sin_out;
}

void lct_angle_real(double *cos_out, double *sin_out, struct lct_turn f,
                    double pos)
{
    double size = fabs(pos);
    struct lct_fraction x;
    unsigned quadrant = 0;
    uint64_t m;
    double w;
    int k;

    if (size == floor(size)) {
        lct_angle(cos_out, sin_out, f, (int64_t)pos);
        return;
    }
    m = (uint64_t)ldexp(frexp(size, &k), 64); /* size = m 2^(k - 64) */
    /* f m 2^(k - 64) turns; from k = -3 down that is below an eighth. */
    x = lct_turn_real(f, m, k > -3 ? k : 0);
    if (k > -3) {
        quadrant = lct_quadrant(x.hi);
        w = lct_turn_rest(x.hi, x.mid, x.lo);
    } else {
        w = (double)x.hi +
            ((double)x.mid * 0x1p-64 + (double)x.lo * 0x1p-128);
        w = ldexp(w, k + 2);
    }
    lct_turn_cos_sin(cos_out, sin_out, quadrant, w);
    if (pos < 0)
        *sin_out = -*sin_out;
}
