/* draw.h - random sets of integers, drawn in place */
#ifndef LCT_DRAW_H
#define LCT_DRAW_H
#include "locant/core.h"
#include <string.h>

/* Index of x in the ascending a[0 .. n-1], or where it would be inserted. */
static inline int64_t lct_place(const int64_t *a, int64_t n, int64_t x)
{
    int64_t low = 0;

    while (low < n) {
        int64_t middle = low + (n - low) / 2;

        if (a[middle] < x)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

/*
 * out = n distinct numbers of 0 .. range - 1 in ascending order, n <= range;
 * all sets are equally likely.  Floyd's method (Bentley and Floyd 1987, CACM
 * 30(9)): for j = range - n .. range - 1 draw t of 0 .. j and take it, or j if
 * t is taken.  It needs no memory, so it cannot fail; its n^2 / 4 moves are
 * cheap at the lengths of training.  locant_positions_randomized() draws the
 * same set.
 */
static inline void lct_draw_set(int64_t *out, int64_t n, int64_t range,
                                locant_random *r)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t j = range - n + i;
        int64_t t = (int64_t)locant_random_below(r, (uint64_t)j + 1);
        int64_t at = lct_place(out, i, t);

        if (at < i && out[at] == t) {
            out[i] = j; /* larger than all others */
            continue;
        }
        memmove(out + at + 1, out + at, (size_t)(i - at) * sizeof(*out));
        out[at] = t;
    }
}
#endif
