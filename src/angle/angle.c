/*
 * angle.c - one exact angle, of an integer or a real position.
 *
 * A real position is m * 2^-k with an integer m of 64 bits.  m times the 128
 * bits of the frequency is therefore the exact angle, with 128 + k binary
 * places after the point; nothing is rounded before the quadrant is taken off.
 */
#include "schedule.h"
#include <math.h>

struct lct_reduced lct_reduce_real(struct lct_phase f, double pos)
{
    struct lct_reduced reduced;
    double size = fabs(pos);
    struct lct_fraction x;
    uint64_t m;
    int k;

    if (size == floor(size))
        return lct_reduce(f, (int64_t)pos);
    m = (uint64_t)ldexp(frexp(size, &k), 64); /* size = m 2^(k - 64) */
    /* f m 2^(k - 64) turns; from k = -3 down that is below an eighth. */
    x = lct_phase_real(f, m, k > -3 ? k : 0);
    reduced = lct_reduce_fraction(x);
    if (k <= -3) {
        reduced.quadrant = 0;
        reduced.w =
            (double)x.hi + ((double)x.mid * 0x1p-64 + (double)x.lo * 0x1p-128);
        reduced.w = ldexp(reduced.w, k + 2);
        reduced.tiny = true;
    }
    reduced.mirrored = pos < 0;
    return reduced;
}

void lct_angle(double *cos_out, double *sin_out, struct lct_phase f,
               int64_t pos)
{
    struct lct_reduced x = lct_reduce(f, pos);

    lct_reduced_cos_sin(cos_out, sin_out, &x, 1);
}

void lct_angle_real(double *cos_out, double *sin_out, struct lct_phase f,
                    double pos)
{
    struct lct_reduced x = lct_reduce_real(f, pos);

    lct_reduced_cos_sin(cos_out, sin_out, &x, 1);
}
