/*
 * point.c - the angle of a position of several coordinates.
 *
 * The angle is the sum of coordinate times frequency over the axes, formed
 * modulo whole turns before anything is rounded: in 128 bits where coordinates
 * are integers, in 192 bits where they have fractions.  A coordinate
 * m 2^(k - 64), m of 64 bits, times a frequency of 128 bits is x 2^(k - 192)
 * with x of 192 bits; the shift drops less than 2^-192.
 *
 * All terms are multiplied by the sign of the first one, and the sine is
 * negated at the end if that sign was negative.  So the angle of -coords is
 * minus that of coords to the bit.
 */
#include "schedule.h"
#include <math.h>
#include <stdbool.h>

static void accumulate(struct lct_fraction *sum, struct lct_fraction x,
                       bool minus)
{
    lct_u128 low, mid;

    if (minus) {
        x.lo = -x.lo;
        x.mid = ~x.mid + (x.lo == 0);
        x.hi = ~x.hi + (x.lo == 0 && x.mid == 0);
    }
    low = (lct_u128)sum->lo + x.lo;
    mid = (lct_u128)sum->mid + x.mid + (uint64_t)(low >> 64);
    sum->lo = (uint64_t)low;
    sum->mid = (uint64_t)mid;
    sum->hi += x.hi + (uint64_t)(mid >> 64);
}

/* |x| times f, modulo whole turns. */
static struct lct_fraction term(struct lct_phase f, double x)
{
    double size = fabs(x);
    int k;

    if (size == floor(size)) {
        struct lct_phase t = lct_phase_times(f, (uint64_t)size);

        return (struct lct_fraction){ t.hi, t.lo, 0 };
    }
    size = frexp(size, &k);
    return lct_phase_real(f, (uint64_t)ldexp(size, 64), k);
}

struct lct_reduced lct_reduce_point(const struct lct_schedule *s,
                                    const double *at, int64_t c)
{
    struct lct_fraction sum = { 0, 0, 0 };
    bool any = false, mirrored = false;
    struct lct_reduced x;

    for (int a = 0; a < s->axes; a++) {
        struct lct_phase f = s->frequency[a * s->pairs + c];

        if (at[a] == 0 || (f.hi == 0 && f.lo == 0))
            continue;
        if (!any)
            mirrored = at[a] < 0;
        any = true;
        accumulate(&sum, term(f, at[a]), (at[a] < 0) != mirrored);
    }
    x = lct_reduce_fraction(sum);
    x.mirrored = mirrored;
    return x;
}
