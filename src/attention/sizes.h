/* sizes.h - sizes of tiles, splits and tasks */
#ifndef LCT_ATTENTION_SIZES_H
#define LCT_ATTENTION_SIZES_H

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
#endif
