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
