/*
 * exact.h - cosine and sine of position x base^(-2 c / dim), far beyond double.
 *
 * A number is the sum of two long doubles: 128 bits if a long double has 64.
 */
#ifndef ORACLE_EXACT_H
#define ORACLE_EXACT_H

#include <stdint.h>

/* hi + lo, |lo| at most half a unit in the last place of hi. */
struct exact {
    long double hi, lo;
};

/* Sums, products, quotients: relative error below 2^-120, where the terms of a
 * sum do not cancel. */
struct exact exact_of(long double x);
struct exact exact_add(struct exact a, struct exact b);
struct exact exact_times(struct exact a, struct exact b);
struct exact exact_divide(struct exact a, struct exact b);
struct exact exact_negate(struct exact a);

/* The nearest double. */
double exact_double(struct exact a);

/* ln x and sqrt x of x > 0, for 2^-60 < x < 2^60: relative error below 2^-100,
 * of a logarithm absolute near x = 1.  exp x for |x| < 40. */
struct exact exact_log(struct exact x);
struct exact exact_exp(struct exact x);
struct exact exact_sqrt(struct exact x);

/* 2 pi. */
struct exact exact_turn(void);

/* cos and sin of an angle below 2^32 in magnitude, within 2^-90. */
void exact_cosine_sine(struct exact *cosine, struct exact *sine,
                       struct exact angle);

/* base^(-2 c / dim), relative error below 2^-100; base^(2 c) must fit. */
struct exact exact_frequency(double base, int64_t c, int64_t dim);

/* cos and sin of position x f, |position| below 2^53.  The error is below 2^-58
 * of the result plus 2^-60 * 2^-24. */
void exact_angle(long double *cosine, long double *sine, struct exact f,
                 double position);

/*
 * out = denominators below 'most' of the convergents of 2 f / pi: positions
 * whose angle is nearest to a multiple of pi / 2.  Returns their number, at
 * most n.
 */
int exact_near(int64_t *out, int n, struct exact f, int64_t most);

#endif
