/* specs.h - lists of specs for 'choose' of oracles. */
#ifndef ORACLE_SPECS_H
#define ORACLE_SPECS_H

#include "oracle.h"
#include <stdio.h>

/* Spec i of a list of n; 0 past the last. */
static inline int oracle_spec(char *spec, size_t size, int i,
                         const char *const *list, size_t n)
{
    if (i < 0 || (size_t)i >= n)
        return 0;
    snprintf(spec, size, "%s", list[i]);
    return 1;
}

/* x raised to a multiple of m, at least m. */
static inline int64_t oracle_multiple(int64_t x, int64_t m)
{
    return x < m ? m : (x + m - 1) / m * m;
}

/* Row and column of a flat position on a grid 'width' wide. */
static inline double grid_row(double p, double width)
{
    return (double)((int64_t)p / (int64_t)width);
}

static inline double grid_column(double p, double width)
{
    return (double)((int64_t)p % (int64_t)width);
}
#endif
