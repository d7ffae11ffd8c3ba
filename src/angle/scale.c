/*
 * scale.c - arithmetic of frequencies, for the scalings of rotary embeddings.
 *
 * Integers have several 64-bit words, the least significant one first.  Results
 * are truncated, so nothing is rounded twice.
 */
#include "schedule.h"
#include <math.h>
#include <stdbool.h>

struct lct_phase lct_phase_add(struct lct_phase a, struct lct_phase b)
{
    uint64_t lo = a.lo + b.lo;

    return (struct lct_phase){ a.hi + b.hi + (lo < a.lo), lo };
}

struct lct_phase lct_phase_subtract(struct lct_phase a, struct lct_phase b)
{
    return (struct lct_phase){ a.hi - b.hi - (a.lo < b.lo), a.lo - b.lo };
}

struct lct_phase lct_phase_product(struct lct_phase x, struct lct_phase y)
{
    lct_u128 low = (lct_u128)x.lo * y.lo;
    lct_u128 a = (lct_u128)x.hi * y.lo + (uint64_t)(low >> 64);
    lct_u128 b = (lct_u128)x.lo * y.hi + (uint64_t)a;
    lct_u128 high =
        (lct_u128)x.hi * y.hi + (uint64_t)(a >> 64) + (uint64_t)(b >> 64);

    return (struct lct_phase){ (uint64_t)(high >> 64), (uint64_t)high };
}

struct lct_fraction lct_phase_real(struct lct_phase f, uint64_t m, int places)
{
    lct_u128 low = (lct_u128)f.lo * m;
    lct_u128 high = (lct_u128)f.hi * m + (uint64_t)(low >> 64);
    struct lct_fraction x = { (uint64_t)(high >> 64), (uint64_t)high,
                              (uint64_t)low };

    for (; places <= -64; places += 64)
        x = (struct lct_fraction){ 0, x.hi, x.mid };
    for (; places >= 64; places -= 64)
        x = (struct lct_fraction){ x.mid, x.lo, 0 };
    if (places > 0) {
        x.hi = x.hi << places | x.mid >> (64 - places);
        x.mid = x.mid << places | x.lo >> (64 - places);
        x.lo <<= places;
    } else if (places < 0) {
        x.lo = x.lo >> -places | x.mid << (64 + places);
        x.mid = x.mid >> -places | x.hi << (64 + places);
        x.hi >>= -places;
    }
    return x;
}

enum { WORDS = 5 };

/* (f 2^shift) / by modulo 2^128, 0 <= shift < 128, by < 2^63. */
static struct lct_phase shifted_quotient(struct lct_phase f, unsigned shift,
                                         uint64_t by)
{
    uint64_t x[WORDS] = { 0 }, rest = 0;
    unsigned whole = shift / 64, bits = shift % 64;

    x[whole] = f.lo << bits;
    x[whole + 1] = f.hi << bits | (bits ? f.lo >> (64 - bits) : 0);
    x[whole + 2] = bits ? f.hi >> (64 - bits) : 0;
    for (int i = WORDS; i-- > 0;) {
        lct_u128 part = (lct_u128)rest << 64 | x[i];

        x[i] = (uint64_t)(part / by);
        rest = (uint64_t)(part % by);
    }
    return (struct lct_phase){ x[1], x[0] };
}

/* by = m 2^(k - 53), so f / by = (f 2^(53 - k)) / m. */
struct lct_phase lct_phase_divide(struct lct_phase f, double by)
{
    int k;
    uint64_t m = (uint64_t)ldexp(frexp(by, &k), 53);

    for (; k > 53; k--) /* factors beyond 2^53 */
        f = (struct lct_phase){ f.hi >> 1, f.hi << 63 | f.lo >> 1 };
    return shifted_quotient(f, (unsigned)(53 - k), m);
}

struct lct_phase lct_phase_part(struct lct_phase f, uint64_t n, uint64_t d)
{
    lct_u128 low = (lct_u128)f.lo * n;
    lct_u128 high = (lct_u128)f.hi * n + (uint64_t)(low >> 64);
    uint64_t x[3] = { (uint64_t)low, (uint64_t)high, (uint64_t)(high >> 64) };
    uint64_t rest = 0;

    for (int i = 3; i-- > 0;) {
        lct_u128 part = (lct_u128)rest << 64 | x[i];

        x[i] = (uint64_t)(part / d);
        rest = (uint64_t)(part % d);
    }
    return x[2] != 0 ? (struct lct_phase){ UINT64_MAX, UINT64_MAX }
                     : (struct lct_phase){ x[1], x[0] };
}

struct lct_phase lct_phase_from(double x)
{
    double high;

    if (x >= 1)
        return (struct lct_phase){ UINT64_MAX, UINT64_MAX };
    high = floor(ldexp(x, 64));
    return (struct lct_phase){ (uint64_t)high,
                               (uint64_t)ldexp(ldexp(x, 64) - high, 64) };
}

/*
 * The turns in 'length' positions, and 'low', are each split into an integer
 * and a fraction; d and 'part' then are those of turns - low.
 */
struct lct_phase lct_phase_share(struct lct_phase f, uint64_t length,
                                 double low, double high)
{
    const struct lct_phase none = { 0, 0 }, all = lct_phase_from(1);
    struct lct_phase part = lct_phase_times(f, length);
    struct lct_phase low_part = lct_phase_from(low - floor(low));
    lct_u128 carried = ((lct_u128)f.lo * length) >> 64;
    uint64_t whole = (uint64_t)(((lct_u128)f.hi * length + carried) >> 64);
    bool borrow = part.hi < low_part.hi ||
                  (part.hi == low_part.hi && part.lo < low_part.lo);
    double d = (double)whole - floor(low) - borrow;
    int bits = 0;

    if (d < 0)
        return none;
    if (d >= high - low + 1)
        return all;
    part = lct_phase_subtract(part, low_part);
    whole = (uint64_t)d;
    /* Halve numerator and denominator until both are below 1. */
    for (; whole != 0 || high - low >= ldexp(1, bits); bits++) {
        part = (struct lct_phase){ part.hi >> 1 | whole << 63,
                                   part.hi << 63 | part.lo >> 1 };
        whole >>= 1;
    }
    high = ldexp(high - low, -bits);
    low_part = lct_phase_from(high);
    if (part.hi > low_part.hi ||
        (part.hi == low_part.hi && part.lo >= low_part.lo))
        return all;
    return lct_phase_divide(part, high);
}
