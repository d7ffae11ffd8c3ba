/* window_table.h - tables with an entry for each offset within a window */
#ifndef LCT_WINDOW_TABLE_H
#define LCT_WINDOW_TABLE_H
#include "wall.h"

/* Offsets of a window, rows and columns: one less than twice its sides. */
static inline int64_t lct_window_offsets(int64_t height, int64_t width)
{
    return (2 * height - 1) * (2 * width - 1);
}

/* Entry of query patch q and key patch k, counted row by row from 0. */
static inline int64_t lct_window_offset(int64_t height, int64_t width,
                                        int64_t q, int64_t k)
{
    int64_t down = q / width - k / width + height - 1;
    int64_t right = q % width - k % width + width - 1;

    return down * (2 * width - 1) + right;
}
#endif
