/*
 * yarn.h - the two formulas of YaRN in double, for the encoding and for those
 * who state its numbers: see scaling_yarn.c
 */
#ifndef LCT_YARN_H
#define LCT_YARN_H
#include <math.h>

/* What 'm' (mscale) makes of a stretch by 'factor': 0.1 m ln factor + 1. */
static inline double lct_yarn_gain(double factor, double m)
{
    return factor <= 1 ? 1 : 0.1 * m * log(factor) + 1;
}

/* Where among the pairs of 'dim' rotated channels is the one that makes 'turns'
   turns in the original length. */
static inline double lct_yarn_pair(double dim, double base, double original,
                                   double turns)
{
    const double pi = 3.141592653589793;

    return dim * log(original / (turns * 2 * pi)) / (2 * log(base));
}
#endif
