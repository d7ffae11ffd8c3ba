/* sizes.h - sizes of tiles, splits and tasks */
#ifndef LCT_ATTENTION_SIZES_H
#define LCT_ATTENTION_SIZES_H
#include <stdint.h>

/*
 * A tile is LCT_TILE queries against LCT_TILE keys.  A split is LCT_SPLIT_TILES
 * tiles of keys.  Each split has its own softmax, and splits are merged in
 * order, so split-KV decode can divide the keys of one query among threads and
 * still give the bits of the tiled engine.
 */
enum {
    LCT_TILE = 64,
    LCT_SPLIT_TILES = 16,
    LCT_TILES_PER_TASK = 4, /* tiles of queries that share loaded keys */
    LCT_DECODE_QUERIES = 8  /* most queries that use decode.h */
};

/* n >= 0, rounded up to a multiple of 'unit'. */
static inline int64_t lct_sizes_round_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* The number of rows, of n, in the tile that begins with row 'from'. */
static inline int64_t lct_sizes_in_tile(int64_t n, int64_t from)
{
    return n - from < LCT_TILE ? n - from : LCT_TILE;
}

/* The number of tiles of n rows. */
static inline int64_t lct_sizes_tiles(int64_t n)
{
    return (n + LCT_TILE - 1) / LCT_TILE;
}
#endif
