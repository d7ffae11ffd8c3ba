/* content.h - what several oracles share, most of them of the content door */
#ifndef ORACLE_CONTENT_H
#define ORACLE_CONTENT_H

#include "oracle.h"
#include <math.h>

/* q [b, h, i] and k [b, key head of h, j], as the caller gave them. */
static inline const cx *query_of(const struct oracle_call *call, int64_t b,
                                 int64_t h, int64_t i)
{
    return call->q + ((b * call->H + h) * call->T + i) * call->D;
}

static inline const cx *key_of(const struct oracle_call *call, int64_t b,
                               int64_t h, int64_t j)
{
    return call->k +
           ((b * call->G + h / (call->H / call->G)) * call->S + j) * call->D;
}

static inline int64_t clip(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

static inline cx product(const cx *a, const cx *b, int64_t n)
{
    cx sum = 0;

    for (int64_t d = 0; d < n; d++)
        sum += a[d] * b[d];
    return sum;
}

/* p_i - p_j */
static inline int64_t past(const struct oracle_call *call, int64_t b, int64_t i,
                           int64_t j)
{
    return call->q_pos[b * call->T + i] - call->k_pos[b * call->S + j];
}

/* ALiBi: heads beyond a power of two get every other slope of the next one. */
static inline double alibi_slope(double max, int64_t h, int64_t heads)
{
    int64_t power = 1;

    while (2 * power <= heads)
        power *= 2;
    if (h < power)
        return exp2(-max * (double)(h + 1) / (double)power);
    return exp2(-max * (double)(2 * (h - power) + 1) / (double)(2 * power));
}

/* Channel d of W_h R_n: W is parameter 0, [H, D, width], R_n the sinusoid of n,
 * sines first, with the base of the spec. */
static inline cx sinusoid_of(const struct oracle_call *call, int64_t h,
                             int64_t d, double n)
{
    double base = oracle_number(call->spec, "base", 10000);
    int64_t half = call->W / 2;
    const cx *row = call->param[0] + (h * call->D + d) * call->W;
    cx sum = 0;

    for (int64_t c = 0; c < half; c++) {
        double angle = n * pow(base, -2.0 * (double)c / (double)call->W);

        sum += row[c] * sin(angle) + row[half + c] * cos(angle);
    }
    return sum;
}
#endif
