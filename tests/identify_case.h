/*
 * identify_case.h - arrays of known conventions, made in double by formulas of
 * their papers, then rounded to a dtype
 */
#ifndef IDENTIFY_CASE_H
#define IDENTIFY_CASE_H
#include "locant/models.h"
#include "testing.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum scaling { NO_SCALING, LINEAR, NTK, LLAMA3, YARN, PROPORTIONAL };

struct rotation {
    int d, r; /* channels of a head, rotated ones (0: all) */
    int rows; /* 0: 2048 */
    double base;
    bool interleaved, trailing, backwards;
    bool over_head; /* exponents 2c/d, not 2c/r */
    double offset;
    enum scaling scaling;
    double factor, low, high, original, fast, gain;
    bool whole; /* yarn does not truncate */
    int keep;   /* pairs of PROPORTIONAL that turn */
    const char *want;
};

/* How values are stored; BF16_ALL: every operation is rounded to bfloat16, as
 * eager PyTorch rounds it. */
enum store { STORE_BF16, STORE_F16, STORE_F32, STORE_BF16_ALL, STORE_F64 };

/* The nearest number of so many significant bits. */
static inline double rounded_to(double x, int bits)
{
    int exponent;
    double m = frexp(x, &exponent);

    return ldexp(nearbyint(ldexp(m, bits)), exponent - bits);
}

static inline double stored(double x, enum store s)
{
    switch (s) {
    case STORE_F16: return rounded_to(x, 11);
    case STORE_F32: return (double)(float)x;
    case STORE_F64: return x;
    default: return rounded_to(x, 8);
    }
}

/* Frequency of pair c of 'pairs', radians per position. */
static inline double frequency_of(const struct rotation *r, int c, int pairs)
{
    const double pi = acos(-1), dim = 2.0 * pairs;
    double width = r->over_head ? r->d : dim;
    double f = pow(r->base, -2.0 * c / width);

    if (r->scaling == LINEAR)
        return f / r->factor;
    if (r->scaling == NTK)
        return pow(r->base * pow(r->factor, dim / (dim - 2)), -2.0 * c / dim);
    if (r->scaling == PROPORTIONAL)
        return c < r->keep ? f : 0;
    if (r->scaling == LLAMA3) {
        double wave = 2 * pi / f;
        double smooth = (r->original / wave - r->low) / (r->high - r->low);

        if (wave < r->original / r->high)
            return f;
        if (wave > r->original / r->low)
            return f / r->factor;
        return (1 - smooth) * f / r->factor + smooth * f;
    }
    if (r->scaling == YARN) {
        double fast = r->fast > 0 ? r->fast : 32, ramp;
        double low =
            dim * log(r->original / (fast * 2 * pi)) / (2 * log(r->base));
        double high = dim * log(r->original / (2 * pi)) / (2 * log(r->base));

        low = fmax(r->whole ? low : floor(low), 0);
        high = fmin(r->whole ? high : ceil(high), dim - 1);
        if (low == high)
            high += 0.001;
        ramp = fmin(fmax((c - low) / (high - low), 0), 1);
        return f / r->factor * ramp + f * (1 - ramp);
    }
    return f;
}

static inline double gain_of(const struct rotation *r)
{
    return r->gain > 0          ? r->gain
           : r->scaling == YARN ? 0.1 * log(r->factor) + 1
                                : 1;
}

/* y = a c - b s and a s + b c, stored. */
static inline void turn(double *ya, double *yb, double a, double b, double c,
                        double s, enum store store)
{
    if (store != STORE_BF16_ALL) {
        *ya = stored(a * c - b * s, store);
        *yb = stored(a * s + b * c, store);
        return;
    }
    c = rounded_to(c, 8);
    s = rounded_to(s, 8);
    *ya = rounded_to(rounded_to(a * c, 8) - rounded_to(b * s, 8), 8);
    *yb = rounded_to(rounded_to(a * s, 8) + rounded_to(b * c, 8), 8);
}

/* Rotate row x [d] at position p into y. */
static inline void rotate_row(double *y, const double *x,
                              const struct rotation *r, double p,
                              enum store store)
{
    int width = r->r > 0 ? r->r : r->d, pairs = width / 2;
    int first = r->trailing ? r->d - width : 0;

    memcpy(y, x, (size_t)r->d * sizeof(*y));
    for (int c = 0; c < pairs; c++) {
        int a = first + (r->interleaved ? 2 * c : c);
        int b = r->interleaved ? a + 1 : a + pairs;
        double angle = frequency_of(r, c, pairs) * (p + r->offset);

        turn(&y[a], &y[b], x[a], x[b], gain_of(r) * cos(angle),
             (r->backwards ? -1 : 1) * gain_of(r) * sin(angle), store);
    }
}

/* Identify T random rows of H heads at positions 0 .. T-1. */
static inline void rotate_and_identify(locant_identity *out,
                                       const struct rotation *r,
                                       enum store store, int T, int H)
{
    int64_t shape[] = { H, T, r->d };
    size_t n = (size_t)(H * T * r->d);
    double *x = malloc(n * sizeof(*x)), *y = malloc(n * sizeof(*y));
    locant_random random = { .seed = test_seed() };
    locant_tensor tx = locant_dense(x, LOCANT_F64, 3, shape);
    locant_tensor ty = locant_dense(y, LOCANT_F64, 3, shape);

    for (size_t i = 0; i < n; i++)
        x[i] = stored(locant_random_normal(&random), store);
    for (int i = 0; i < H * T; i++)
        rotate_row(y + i * r->d, x + i * r->d, r, i % T, store);
    CHECK_OK(locant_identify_rotation(out, &tx, &ty, NULL));
    free(x);
    free(y);
}
#endif
