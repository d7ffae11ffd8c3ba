/* rope_grid.h - what the rotations of several axes share */
#ifndef LCT_ROPE_GRID_H
#define LCT_ROPE_GRID_H
#include "../angle/schedule.h"
#include "encoding.h"

/* Row and column of a flat position, row-major; the column is at least 0. */
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
 * A schedule of 'pairs' pairs and the encoding's axes, to be filled in.  Fails
 * unless u->dim is divisible by 'multiple' and there is a pair for each axis.
 */
locant_status lct_grid_schedule(struct lct_schedule **out,
                                const struct lct_schedule_use *u,
                                int64_t multiple, int64_t pairs,
                                enum lct_pairing pairing);

/* Refuse flat positions that are not exact in double. */
locant_status lct_grid_positions(const locant_encoding *e, const char *fn,
                                 const int64_t *pos, size_t n,
                                 const locant_tensor *params);
#endif
