/* tiled_work.h - the tiles of queries that one task takes */
#ifndef LCT_ATTENTION_TILED_WORK_H
#define LCT_ATTENTION_TILED_WORK_H
#include "tile.h"

/* The tiles of queries that one task takes against the same keys. */
struct lct_tiled_work {
    const struct lct_plan *p;
    int tiles;
    struct lct_tile t[LCT_TILES_PER_TASK];
    struct lct_scratch *s[LCT_TILES_PER_TASK];
    bool sees[LCT_TILES_PER_TASK]; /* did a query see a key of the split? */
};

/*
 * Load up to 'most' tiles of queries of head b, h, from tile 'first' on; none
 * if they carry on and see none of these keys.
 */
struct lct_tiled_work lct_tiled_load(const struct lct_plan *p, int64_t b,
                                     int64_t h, int64_t first, int64_t most,
                                     int slot);

/* The oldest tile of keys that a tile of queries sees; 'tiles': none. */
int64_t lct_tiled_oldest(struct lct_tiled_work *w, int64_t tiles);
#endif
