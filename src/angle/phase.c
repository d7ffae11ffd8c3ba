/*
 * phase.c - frequencies as fractions of a turn, by integer arithmetic alone.
 *
 * base^(-2i/dim) / 2 pi is 2^-n exp(n ln 2 - (2i/dim) ln base) / 2 pi, with n
 * chosen so that the exponent is in 0 .. ln 2.  The logarithm is a series of
 * atanh.  The exponential halves its argument eight times, sums a Taylor
 * series, and squares the result eight times.
 *
 * Numbers are fixed-point (kernel/fixed.h).  128 bits of result are wanted; 64
 * more absorb the errors: each of fewer than 400 operations drops less than 2
 * units of the last place, and squaring multiplies earlier errors by 2^8, so
 * less than 2^20 units of 2^-192 are lost.
 * A base below 1 can make more than one turn per position; whole turns are
 * dropped at the end, and the fraction gets as many extra bits.
 */
#include "../kernel/fixed.h"
#include "schedule.h"
#include <stdbool.h>
#include <string.h>

enum {
    CONSTANT_WORDS = 21,
    WORDS = 4, /* for bases of at least 1 */
    HALVINGS = 8,
    FASTEST = 1087 /* log2 of the fastest frequency these words can hold */
};

/* Fractions, the top word first; test_phase.c checks all their bits. */
static const uint64_t one_over_2_pi[CONSTANT_WORDS] = {
    0x28be60db9391054a, 0x7f09d5f47d4d3770, 0x36d8a5664f10e410,
    0x7f9458eaf7aef158, 0x6dc91b8e909374b8, 0x01924bba82746487,
    0x3f877ac72c4a69cf, 0xba208d7d4baed121, 0x3a671c09ad17df90,
    0x4e64758e60d4ce7d, 0x272117e2ef7e4a0e, 0xc7fe25fff7816603,
    0xfbcbc462d6829b47, 0xdb4d9fb3c9f2c26d, 0xd3d18fd9a797fa8b,
    0x5d49eeb1faf97c5e, 0xcf41ce7de294a4ba, 0x9afed7ec47e35742,
    0x1580cc11bf1edaea, 0xfc33ef0826bd0d87, 0x6a78e45857b986c2,
};
static const uint64_t ln_2[CONSTANT_WORDS] = {
    0xb17217f7d1cf79ab, 0xc9e3b39803f2f6af, 0x40f343267298b62d,
    0x8a0d175b8baafa2b, 0xe7b876206debac98, 0x559552fb4afa1b10,
    0xed2eae35c1382144, 0x27573b291169b825, 0x3e96ca16224ae8c5,
    0x1acbda11317c387e, 0xb9ea9bc3b136603b, 0x256fa0ec7657f74b,
    0x72ce87b19d6548ca, 0xf5dfa6bd38303248, 0x655fa1872f20e3a2,
    0xda2d97c50f3fd5c6, 0x07f4ca11fb5bfb90, 0x610d30f88fe551a2,
    0xee569d6dfc1efa15, 0x7d2e23de1400b396, 0x17460775db8990e5,
};

/* Approximately, as a double. */
static double estimate(const struct lct_fixed *x, size_t n)
{
    return (double)x->word[n - 1] + (double)x->word[n - 2] * 0x1p-64;
}

/* base = mantissa * 2^(exponent - 52), 2^52 <= mantissa < 2^53. */
static void split_double(uint64_t *mantissa, int *exponent, double base)
{
    uint64_t bits;

    memcpy(&bits, &base, sizeof(bits));
    *mantissa = bits & ((UINT64_C(1) << 52) - 1);
    *exponent = (int)(bits >> 52) - 1023;
    if (*exponent == -1023) { /* subnormal */
        *exponent = -1022;
        while (*mantissa >> 52 == 0) {
            *mantissa <<= 1;
            --*exponent;
        }
    }
    *mantissa |= UINT64_C(1) << 52;
}

/* ln(m / 2^52) = 2 atanh(z) with z = (m - 2^52) / (m + 2^52) <= 1/3. */
static struct lct_fixed log_of_mantissa(uint64_t m, size_t n)
{
    struct lct_fixed z = { { 0 } };
    struct lct_fixed square, power, sum;

    z.word[n - 1] = m - (UINT64_C(1) << 52);
    lct_fixed_divide(&z, m + (UINT64_C(1) << 52), n);
    square = lct_fixed_product(&z, &z, n);
    sum = power = z;
    for (uint64_t k = 3; !lct_fixed_is_zero(&power, n); k += 2) {
        struct lct_fixed term;

        power = lct_fixed_product(&power, &square, n);
        term = power;
        lct_fixed_divide(&term, k, n);
        lct_fixed_add(&sum, &term, n);
    }
    lct_fixed_times(&sum, 2, n);
    return sum;
}

/* |ln base| */
static struct lct_fixed log_of(double base, size_t n)
{
    struct lct_fixed of_power = lct_fixed_from(ln_2, n);
    struct lct_fixed of_mantissa;
    uint64_t mantissa;
    int exponent;

    split_double(&mantissa, &exponent, base);
    of_mantissa = log_of_mantissa(mantissa, n);
    lct_fixed_times(&of_power, (uint64_t)(exponent < 0 ? -exponent : exponent),
                    n);
    if (exponent < 0)
        lct_fixed_subtract(&of_power, &of_mantissa, n);
    else
        lct_fixed_add(&of_power, &of_mantissa, n);
    return of_power;
}

/* exp(x) for x below 1 */
static struct lct_fixed exponential(struct lct_fixed x, size_t n)
{
    struct lct_fixed sum = { { 0 } };
    struct lct_fixed term;

    sum.word[n - 1] = 1;
    lct_fixed_divide(&x, UINT64_C(1) << HALVINGS, n);
    term = x;
    for (uint64_t k = 2; !lct_fixed_is_zero(&term, n); k++) {
        lct_fixed_add(&sum, &term, n);
        term = lct_fixed_product(&term, &x, n);
        lct_fixed_divide(&term, k, n);
    }
    for (int i = 0; i < HALVINGS; i++)
        sum = lct_fixed_product(&sum, &sum, n);
    return sum;
}

/* The bit of weight 2^-place: in the fraction if place >= 1, else in the
 * integer part. */
static uint64_t bit(const struct lct_fixed *x, int64_t place, size_t n)
{
    int64_t index = (int64_t)(64 * (n - 1)) - place;

    if (index < 0 || index >= (int64_t)(64 * n))
        return 0;
    return x->word[index / 64] >> (index % 64) & 1;
}

/* The fraction of x * 2^shift, rounded to 128 bits. */
static struct lct_phase fraction(const struct lct_fixed *x, int64_t shift,
                                 size_t n)
{
    struct lct_phase f = { 0, 0 };
    uint64_t half = bit(x, 129 + shift, n);

    for (int64_t place = 1; place <= 128; place++) {
        f.hi = f.hi << 1 | f.lo >> 63;
        f.lo = f.lo << 1 | bit(x, place + shift, n);
    }
    f.lo += half;
    f.hi += half != 0 && f.lo == 0;
    return f;
}

/*
 * e^-y / 2 pi, or e^y / 2 pi if 'rising'; 'bits' is an estimate of y / ln 2.
 */
static struct lct_phase phase_of_exponent(struct lct_fixed y, bool rising,
                                          double bits, size_t n)
{
    struct lct_fixed unit = lct_fixed_from(ln_2, n), steps = unit, turn;
    /* 2^whole is at least e^y if falling, at most e^y if rising. */
    uint64_t whole = (uint64_t)bits + !rising;

    lct_fixed_times(&steps, whole, n);
    if (!rising && lct_fixed_less(&steps, &y, n)) {
        lct_fixed_add(&steps, &unit, n);
        whole++;
    } else if (rising && lct_fixed_less(&y, &steps, n)) {
        lct_fixed_subtract(&steps, &unit, n);
        whole--;
    }
    turn = rising ? y : steps;
    lct_fixed_subtract(&turn, rising ? &steps : &y, n);
    turn = exponential(turn, n);
    unit = lct_fixed_from(one_over_2_pi, n);
    turn = lct_fixed_product(&turn, &unit, n);
    return fraction(&turn, rising ? (int64_t)whole : -(int64_t)whole, n);
}

static const struct lct_phase none = { 0, 0 };
static const double per_ln_2 = 0x1.71547652b82fep0;

struct lct_phase lct_phase_of(double base, int64_t i, int64_t dim)
{
    double part = 2 * (double)i / (double)dim;
    struct lct_fixed y;
    size_t n = WORDS;
    double bits; /* |log2 of the frequency times 2 pi| */

    y = log_of(base, n);
    bits = part * estimate(&y, n) * per_ln_2;
    if (base >= 1 ? bits > 132 : bits > FASTEST)
        return none; /* below 2^-129 turns, or above what is promised */
    if (base < 1) {
        n += (size_t)bits / 64 + 1;
        y = log_of(base, n);
    }
    lct_fixed_times(&y, 2 * (uint64_t)i, n);
    lct_fixed_divide(&y, (uint64_t)dim, n);
    return phase_of_exponent(y, base < 1, bits, n);
}

struct lct_phase lct_phase_of_stretched(double base, int64_t i, int64_t dim,
                                        double factor, int64_t n, int64_t d)
{
    struct lct_fixed y = log_of(base, WORDS), more = log_of(factor, WORDS);
    double bits;

    if (n == 0)
        return lct_phase_of(base, i, dim);
    lct_fixed_times(&y, 2 * (uint64_t)i, WORDS);
    lct_fixed_divide(&y, (uint64_t)dim, WORDS);
    lct_fixed_times(&more, (uint64_t)n, WORDS);
    lct_fixed_divide(&more, (uint64_t)d, WORDS);
    lct_fixed_add(&y, &more, WORDS);
    bits = estimate(&y, WORDS) * per_ln_2;
    return bits > 132 ? none : phase_of_exponent(y, false, bits, WORDS);
}

double lct_phase_radians(struct lct_phase f)
{
    return 6.283185307179586477 *
           ((double)f.hi * 0x1p-64 + (double)f.lo * 0x1p-128);
}

/* The mantissa times 1 / 2 pi has 3 words of fraction, cut off at 2^-192 and
 * then multiplied by less than 2^53: 2^-139 before the shift. */
struct lct_phase lct_phase_of_radians(double f)
{
    struct lct_fixed turn = lct_fixed_from(one_over_2_pi, WORDS);
    uint64_t mantissa;
    int exponent;

    if (f == 0)
        return none;
    split_double(&mantissa, &exponent, f);
    lct_fixed_times(&turn, mantissa, WORDS);
    return fraction(&turn, exponent - 52, WORDS);
}
