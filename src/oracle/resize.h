/*
 * resize.h - the reference for table resizing: one weight of the matrix at a
 * time
 */
#ifndef ORACLE_RESIZE_H
#define ORACLE_RESIZE_H
#include <stdint.h>

struct oracle_resize {
    int cubic, align_corners, antialias;
    double offset;
};

/*
 * W[x, j]: the weight of row j of m in row x of n of the result. Equal sizes
 * are no special case here.
 */
double oracle_resize_weight(const struct oracle_resize *r, int64_t m, int64_t n,
                            int64_t x, int64_t j);
#endif
