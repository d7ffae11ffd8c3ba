/* slopes.h - the slopes of ALiBi, which GRAPE shares */
#ifndef LCT_SLOPES_H
#define LCT_SLOPES_H
#include "encoding.h"
#include <math.h>

/* 2^(-max (head + 1)/heads); if 'heads' is no power of two, those of the power
 * below, then every other one of the power above.  exp2() is exact where the
 * exponent is whole. */
static inline double lct_slope(double max, int64_t head, int64_t heads)
{
    int64_t power = 1;

    while (power <= heads / 2)
        power *= 2;
    if (head < power)
        return exp2(-max * (double)(head + 1) / (double)power);
    return exp2(-max / 2 * (double)(2 * (head - power) + 1) / (double)power);
}
#endif
