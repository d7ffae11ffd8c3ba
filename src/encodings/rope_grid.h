/* rope_grid.h - what the rotations of several axes share */
#ifndef LCT_ROPE_GRID_H
#define LCT_ROPE_GRID_H
#include "../angle/schedule.h"
#include "encoding.h"

/* Row and column of a flat position, row-major; the column is never below 0. */
static inline void lct_grid_place(int64_t *row, int64_t *column, int64_t pos,
                                  int64_t width)
{
    *row = pos / width;
    *column = pos % width;
    if (*column < 0) {
        *column += width;
        --*row;
    }
}

/*
 * An empty schedule of a head with 'pairs' pairs, the interleaved kind if so;
 * 'multiple': what head_dim must be divisible by.
 */
locant_status lct_grid_schedule(struct lct_schedule **out,
                                const locant_encoding *e, const char *fn,
                                int64_t head_dim, int64_t multiple,
                                int64_t pairs, enum lct_pairing pairing);

/* Refuses flat positions that a double does not hold. */
locant_status lct_grid_positions(const locant_encoding *e, const char *fn,
                                 const int64_t *pos, size_t n,
                                 const locant_tensor *params);
#endif
