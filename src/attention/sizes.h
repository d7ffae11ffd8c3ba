/* sizes.h - how attention is cut into pieces */
#ifndef LCT_ATTENTION_SIZES_H
#define LCT_ATTENTION_SIZES_H

/*
 * A tile is LCT_TILE queries against LCT_TILE keys.  Keys are seen in splits of
 * LCT_SPLIT_TILES tiles: each has a softmax of its own, and splits are joined
 * in order, so that decoding can share one query's keys among threads
 * (split-KV) and still give the bits that a tile of queries gives.
 */
enum {
    LCT_TILE = 64,
    LCT_SPLIT_TILES = 16,
    LCT_TILES_PER_TASK = 4, /* tiles of queries that share loaded keys */
    LCT_DECODE_QUERIES = 8  /* as many or fewer: decode.h */
};
#endif
