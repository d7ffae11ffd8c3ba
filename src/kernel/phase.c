/*
 * phase.c - the cosine and sine of one angle, right for double and for float.
 *
 * Series in double decide nearly every float.  Where they cannot, because the
 * exact value is too close to the middle between two floats, the same series
 * is summed in 192 bits.
 */
#include "phase.h"
#include "fixed.h"
#include <math.h>

enum { WORDS = 4 };

static const uint64_t half_pi_fraction[WORDS - 1] = { 0x921fb54442d18469,
                                                      0x898cc51701b839a2,
                                                      0x52049c1114cf98e8 };

/* The distance from the nearest quadrant in quarters of a turn; true if it is
 * negative. */
static bool distance(struct lct_fixed *out, struct lct_fraction x)
{
    uint64_t a = x.hi << 2 | x.mid >> 62;
    uint64_t b = x.mid << 2 | x.lo >> 62;
    uint64_t c = x.lo << 2;
    bool negative = a >> 63;

    if (negative) {
        c = -c;
        b = ~b + (c == 0);
        a = ~a + (c == 0 && b == 0);
    }
    *out = (struct lct_fixed){ { c, b, a, 0 } };
    return negative;
}

struct lct_reduced lct_reduce_fraction(struct lct_fraction turns)
{
    struct lct_reduced x = { .turns = turns };
    struct lct_fixed d;
    bool negative = distance(&d, turns);

    x.quadrant = (unsigned)((turns.hi + (UINT64_C(1) << 61)) >> 62);
    x.w = (double)d.word[2] +
          ((double)d.word[1] * 0x1p-64 + (double)d.word[0] * 0x1p-128);
    if (negative)
        x.w = -x.w;
    return x;
}

struct lct_reduced lct_reduce(struct lct_phase f, int64_t position)
{
    struct lct_phase t = lct_phase_times(f, lct_magnitude(position));
    struct lct_reduced x =
        lct_reduce_fraction((struct lct_fraction){ t.hi, t.lo, 0 });

    x.mirrored = position < 0;
    return x;
}

/*
 * x times factor, in 53 bits; if bits are dropped the last one is set, so that
 * rounding the result to float rounds once.
 */
static double round_to_odd(struct lct_fixed *x, double factor)
{
    size_t top = WORDS;
    uint64_t bits, rest;
    int k, shift;

    lct_fixed_times(x, (uint64_t)ldexp(frexp(factor, &k), 53), WORDS + 1);
    while (top > 0 && x->word[top] == 0)
        top--;
    bits = x->word[top];
    if (bits == 0)
        return 0;
    rest = 0;
    for (size_t i = 0; i + 1 < top; i++)
        rest |= x->word[i];
    shift = __builtin_clzll(bits);
    if (top > 0) {
        uint64_t next = x->word[top - 1];

        bits = bits << shift | (shift > 0 ? next >> (64 - shift) : 0);
        rest |= next << shift;
    }
    rest |= bits & 0x7ff;
    bits = bits >> 11 | (rest != 0);
    return ldexp((double)bits,
                 64 * (int)top - shift + 11 - 64 * (WORDS - 1) - 53 + k);
}

/*
 * The series of cosine or sine at the distance of x from its quadrant, with
 * less than 100 units of 2^-192 lost, times factor.
 */
static double exact(struct lct_fraction x, bool sine, double factor)
{
    struct lct_fixed quarter = lct_fixed_from(half_pi_fraction, WORDS);
    struct lct_fixed term = { { 0 } }, angle, square, sum;
    bool negative = distance(&angle, x), minus = true;
    double value;

    quarter.word[WORDS - 1] = 1;
    angle = lct_fixed_product(&angle, &quarter, WORDS);
    square = lct_fixed_product(&angle, &angle, WORDS);
    term.word[WORDS - 1] = 1;
    sum = term = sine ? angle : term;
    for (uint64_t k = sine ? 2 : 1; !lct_fixed_is_zero(&term, WORDS); k += 2) {
        term = lct_fixed_product(&term, &square, WORDS);
        lct_fixed_divide(&term, k * (k + 1), WORDS);
        (minus ? lct_fixed_subtract : lct_fixed_add)(&sum, &term, WORDS);
        minus = !minus;
    }
    value = round_to_odd(&sum, factor);
    return sine && negative ? -value : value;
}

/* 'value' if its relative error, at most 2^-50, cannot change its float. */
static double settle(double value, const struct lct_reduced *x, bool sine,
                     double factor)
{
    if (x->tiny ||
        (float)(value * (1 - 0x1p-50)) == (float)(value * (1 + 0x1p-50)))
        return value;
    return exact(x->turns, sine, factor);
}

/*
 * Taylor series at a = 2 pi w 2^-66, |a| <= pi/4.  The terms left out are below
 * a^17 / 17! < 2^-54 |a| (sine) and a^18 / 18! < 2^-58 (cosine).  w and a are
 * rounded once each, to 2^-53, and 2 pi has a relative error of 2^-54.5, so a
 * is off by less than 2^-51.6 |a|; each sum and each product with the factor
 * ends with one rounding.  The cosine is above 0.7, so both relative errors
 * are below 2^-50.
 */
void lct_reduced_cos_sin(double *cos_out, double *sin_out,
                         const struct lct_reduced *x, double factor)
{
    double a = x->w * 0x1.921fb54442d18p-64, z = a * a;
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
    s = settle(s * factor, x, true, factor);
    c = settle(c * factor, x, false, factor);
    first = x->quadrant & 1 ? s : c;
    second = x->quadrant & 1 ? c : s;
    *cos_out = (x->quadrant + 1) & 2 ? -first : first;
    *sin_out = ((x->quadrant & 2) != 0) != x->mirrored ? -second : second;
}
