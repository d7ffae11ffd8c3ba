/* grid.h - row and column of a flat position on a grid 'width' wide. */
#ifndef ORACLE_GRID_H
#define ORACLE_GRID_H

#include "oracle.h"

static inline double grid_row(double p, double width)
{
    return (double)((int64_t)p / (int64_t)width);
}

static inline double grid_column(double p, double width)
{
    return (double)((int64_t)p % (int64_t)width);
}
#endif
