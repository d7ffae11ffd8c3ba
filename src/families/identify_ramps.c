/*
 * identify_ramps.c - guesses of yarn and llama3, whose fast pairs keep their
 * frequency and whose slow pairs are divided by a factor
 *
 * Only the ends of yarn's ramp, whole pairs, are in the frequencies: other
 * values of original, fast and slow with these ends are the same function, and
 * the guess has 32 and 1 if these allow it.
 */
#include "identify_rule.h"
#include <math.h>
#include <stdio.h>

static const double two_pi = 6.283185307179586;

/* A base and a factor, and how much of the factor each pair has. */
struct ramp {
    struct lct_guesses *g;
    const struct lct_spectrum *s;
    double base, factor;
    int64_t low, high; /* the last pair that is kept, the first divided */
};

static double plain(const struct ramp *r, int64_t c)
{
    return pow(r->base, -(double)c / (double)r->s->pairs);
}

/* Position of index x of a pair: turns = original / (2 pi base^(x / pairs)). */
static double wavelength(const struct ramp *r, double x)
{
    return two_pi * pow(r->base, x / (double)r->s->pairs);
}

/* How much of the division pair c has, 0 .. 1, and the error. */
static double share(double *error, const struct ramp *r, int64_t c)
{
    double f = plain(r, c), whole = 1 - 1 / r->factor;

    *error = r->s->error[c] / f / whole;
    return (1 - r->s->f[c] / f) / whole;
}

static void find_ends(struct ramp *r)
{
    double error, at;

    r->low = -1;
    r->high = r->s->pairs;
    for (int64_t c = 0; c < r->s->pairs; c++) {
        at = share(&error, r, c);
        if (at > error)
            break;
        r->low = c;
    }
    for (int64_t c = r->s->pairs - 1; c > r->low; c--) {
        at = share(&error, r, c);
        if (fabs(at - 1) > error)
            break;
        r->high = c;
    }
}

/* -------------------------------------------------------------------- yarn */

/* The keys after 'original', and the attention factor if it is not usual. */
static bool guess_yarn(const struct ramp *r, double original, const char *more)
{
    const struct lct_spectrum *s = r->s;
    double usual = 0.1 * log(r->factor) + 1;
    double slack = LCT_SIGMAS * s->gain_error + 4e-7;
    char keys[256];

    if (!(original >= 1 && original <= 1 << 30))
        return false;
    (void)snprintf(keys, sizeof(keys),
                   "base=%.15g,scaling=yarn(factor=%.15g,original=%.0f%s",
                   r->base, r->factor, original, more);
    if (s->gain == 1)
        LCT_APPEND(keys, ",attention=1");
    else if (fabs(s->gain - usual) > slack)
        lct_append(keys, sizeof(keys), ",attention=%.15g",
                   lct_simplest(s->gain - slack, s->gain + slack, false, NULL));
    LCT_APPEND(keys, ")");
    return lct_guess(r->g, 2 * s->pairs, keys);
}

/* Turns that end the ramp at these whole pairs, of a given original length. */
static bool guess_turns(const struct ramp *r, double low, double high)
{
    static const double originals[] = { 4096,  8192,  32768,  2048,
                                        16384, 65536, 131072, 1024 };

    for (size_t i = 0; i < sizeof(originals) / sizeof(originals[0]); i++) {
        double o = originals[i];
        char more[96];
        int digits[2];
        double fast = lct_simplest(o / wavelength(r, low + 0.999),
                                   o / wavelength(r, low), false, &digits[0]);
        double slow =
            lct_simplest(o / wavelength(r, high),
                         o / wavelength(r, high - 0.999), false, &digits[1]);

        (void)snprintf(more, sizeof(more), ",fast=%.15g,slow=%.15g", fast,
                       slow);
        if (digits[0] + digits[1] <= 4 && guess_yarn(r, o, more))
            return true;
    }
    return false;
}

static bool guess_whole(const struct ramp *r, double low, double high)
{
    static const struct {
        double fast;
        const char *more;
    } usual[] = { { 32, "" }, { 1, ",fast=1" } };
    const double last = (double)(2 * r->s->pairs - 1);

    for (int i = 0; i < 2; i++) {
        double lo = fmax(low > 0 ? usual[i].fast * wavelength(r, low) : 1,
                         wavelength(r, high - 1) * (1 + 1e-12));
        double hi = usual[i].fast * wavelength(r, low + 1) * (1 - 1e-12);

        if (high < last)
            hi = fmin(hi, wavelength(r, high));
        if (lo <= hi && guess_yarn(r, round(lct_simplest(lo, hi, true, NULL)),
                                   usual[i].more))
            return true;
    }
    return guess_turns(r, low, high);
}

/* The line through the shares of the first and last pair within the ramp. */
static bool line(double *slope, double *zero, double *error,
                 const struct ramp *r, int64_t first, int64_t last)
{
    double e[2], a = share(&e[0], r, first), b = share(&e[1], r, last);

    if (last <= first || !(b > a))
        return false;
    *slope = (b - a) / (double)(last - first);
    *zero = (double)first - a / *slope;
    *error = (e[0] + e[1]) / *slope + 1e-6;
    return true;
}

static bool guess_real(const struct ramp *r)
{
    double slope, zero, error;
    struct lct_range o;

    if (!line(&slope, &zero, &error, r, r->low + 1, r->high - 1))
        return false;
    o.lo = fmax(32 * wavelength(r, zero - error),
                wavelength(r, zero + 1 / slope - 2 * error));
    o.hi = fmin(32 * wavelength(r, zero + error),
                wavelength(r, zero + 1 / slope + 2 * error));
    return o.lo <= o.hi &&
           guess_yarn(r, round(lct_simplest(o.lo, o.hi, true, NULL)),
                      ",truncate=no");
}

static bool guess_ramp(const struct ramp *r)
{
    double slope, zero, error;
    int64_t high = r->high;

    if (high == r->s->pairs &&
        line(&slope, &zero, &error, r, r->low + 1, high - 1))
        high = (int64_t)round(zero + 1 / slope);
    for (int64_t l = r->low; l >= 0 && l >= r->low - 2; l--)
        for (int64_t h = high; h <= high + 2; h++)
            if (guess_whole(r, (double)l, (double)h))
                return true;
    return guess_real(r);
}

/* ------------------------------------------------------------------ llama3 */

static bool guess_bands(const struct ramp *r, double low, double high,
                        struct lct_range original)
{
    char keys[160];
    double o;

    if (!(original.lo <= original.hi))
        return false;
    o = round(lct_simplest(original.lo, original.hi, true, NULL));
    if (!(o >= 1 && o <= 1 << 30))
        return false;
    (void)snprintf(keys, sizeof(keys),
                   "base=%.15g,scaling=llama3(factor=%.15g,low=%.15g,high="
                   "%.15g,original=%.0f)",
                   r->base, r->factor, low, high, o);
    return lct_guess(r->g, 2 * r->s->pairs, keys);
}

/* Between two pairs there is no blend: the bands meet there. */
static bool guess_step(const struct ramp *r)
{
    struct lct_range o = { wavelength(r, (double)r->low),
                           wavelength(r, (double)r->high) };

    return guess_bands(r, 1, 1, o);
}

/* The blend is (original f / 2 pi - low) / (high - low); here low = 1. */
static bool guess_blend(const struct ramp *r)
{
    int64_t i = r->low + 1, j = r->high - 1;
    double e[2], a = 1 - share(&e[0], r, i), b = 1 - share(&e[1], r, j);
    double fi = plain(r, i), fj = plain(r, j), slope, rest, error;
    struct lct_range o, q;
    double high = 4;

    if (j > i) {
        slope = (a - b) / (fi - fj);
        rest = slope * fj - b; /* low / (high - low) */
        error = (e[0] + e[1]) * (1 + fj / (fi - fj)) + 1e-6;
        q = (struct lct_range){ 1 + 1 / (rest + error),
                                1 + 1 / fmax(rest - error, 1e-3) };
        if (!(slope > 0 && rest > 0))
            return false;
        high = lct_simplest(q.lo, q.hi, false, NULL);
    }
    o.lo = ((a - e[0]) * (high - 1) + 1) * two_pi / fi * (1 - 1e-6);
    o.hi = ((a + e[0]) * (high - 1) + 1) * two_pi / fi * (1 + 1e-6);
    return guess_bands(r, 1, high, o);
}

/* -------------------------------------------------------------------- both */

static bool guess_all(struct ramp *r)
{
    bool yarn, llama3, step;

    find_ends(r);
    if (r->low < 0 || r->low + 1 == r->s->pairs)
        return false;
    yarn = guess_ramp(r);
    step = r->high == r->low + 1; /* then both are one function */
    llama3 = !step ? guess_blend(r) : !yarn && guess_step(r);
    return yarn || llama3;
}

/* Factors that the last pairs, or the gain of yarn, allow. */
static bool guess_factors(struct ramp *r)
{
    const struct lct_spectrum *s = r->s;
    struct lct_range f = { 0, INFINITY };
    double slack = LCT_SIGMAS * s->gain_error + 4e-7;

    if (s->gain > 1) {
        r->factor = lct_simplest(exp(10 * (s->gain - slack - 1)),
                                 exp(10 * (s->gain + slack - 1)), false, NULL);
        if (guess_all(r))
            return true;
    }
    for (int64_t c = s->pairs - 1; c > s->pairs - 8 && c > 0; c--) {
        f.lo = fmax(f.lo, plain(r, c) / (s->f[c] + s->error[c]));
        if (s->f[c] > s->error[c])
            f.hi = fmin(f.hi, plain(r, c) / (s->f[c] - s->error[c]));
        r->factor = lct_range_simplest(&f, NULL);
        if (isnan(r->factor))
            break;
        if (r->factor > 1 && guess_all(r))
            return true;
    }
    return false;
}

void lct_guess_ramps(struct lct_guesses *g)
{
    const struct lct_spectrum *s = g->spectrum;
    struct ramp r = { .g = g, .s = s };
    int64_t end = 2, dim = 2 * s->pairs;
    struct lct_range b;

    while (end < s->pairs) {
        b = lct_base_range(s, 1, end + 1, 1, dim);
        if (!(b.lo <= b.hi))
            break;
        end++;
    }
    for (int64_t k = end > 6 ? end - 4 : 2; k <= end; k++) {
        b = lct_base_range(s, 1, k, 1, dim);
        r.base = lct_range_simplest(&b, NULL);
        if (!isnan(r.base) && guess_factors(&r))
            return;
    }
    b = lct_base_range(s, 1, 2, 1, dim);
    for (int i = 0; i < LCT_BASES; i++) {
        r.base = lct_bases[i];
        if (r.base >= b.lo && r.base <= b.hi && guess_factors(&r))
            return;
    }
}
