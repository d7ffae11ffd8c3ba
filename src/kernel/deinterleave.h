/* deinterleave.h - shuffles that split and join vectors of interleaved pairs */
#ifndef LCT_DEINTERLEAVE_H
#define LCT_DEINTERLEAVE_H
#include "simd.h"

/*
 * A and B split two vectors (a0 b0 a1 b1 ..) into a and b; LOW and HIGH join
 * them again.  They move lanes only within 16 bytes, where shuffles are
 * cheapest, and so permute the pairs: ORDER permutes a table in the same way,
 * BACK is the inverse.  ZIP and ZIP_END join vectors in the order of memory.
 */
#if LCT_VBYTES == 64
#    define LCT_A     0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30
#    define LCT_B     1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27, 13, 15, 29, 31
#    define LCT_LOW   0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#    define LCT_HIGH  2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#    define LCT_ORDER 0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15
#    define LCT_BACK  0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15
#    define LCT_ZIP   0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#    define LCT_ZIP_END                                                        \
        8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif LCT_VBYTES == 32
#    define LCT_A       0, 2, 8, 10, 4, 6, 12, 14
#    define LCT_B       1, 3, 9, 11, 5, 7, 13, 15
#    define LCT_LOW     0, 8, 1, 9, 4, 12, 5, 13
#    define LCT_HIGH    2, 10, 3, 11, 6, 14, 7, 15
#    define LCT_ORDER   0, 1, 4, 5, 2, 3, 6, 7
#    define LCT_BACK    0, 1, 4, 5, 2, 3, 6, 7
#    define LCT_ZIP     0, 8, 1, 9, 2, 10, 3, 11
#    define LCT_ZIP_END 4, 12, 5, 13, 6, 14, 7, 15
#else
#    define LCT_A       0, 2, 4, 6
#    define LCT_B       1, 3, 5, 7
#    define LCT_LOW     0, 4, 1, 5
#    define LCT_HIGH    2, 6, 3, 7
#    define LCT_ORDER   0, 1, 2, 3
#    define LCT_BACK    0, 1, 2, 3
#    define LCT_ZIP     LCT_LOW
#    define LCT_ZIP_END LCT_HIGH
#endif

/* (x0, x2, ..) of x and then y, in order; and (x1, x3, ..). */
static inline f32v f32v_even(f32v x, f32v y)
{
    f32v v = __builtin_shufflevector(x, y, LCT_A);

    return __builtin_shufflevector(v, v, LCT_BACK);
}

static inline f32v f32v_odd(f32v x, f32v y)
{
    f32v v = __builtin_shufflevector(x, y, LCT_B);

    return __builtin_shufflevector(v, v, LCT_BACK);
}
#endif
