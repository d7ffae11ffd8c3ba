/* decode.h - few queries against many keys, within itself */
#ifndef LCT_ATTENTION_FEW_H
#define LCT_ATTENTION_FEW_H
#include "tile.h"

/*
 * Heads 'head' .. 'head + heads - 1' share keys; T queries of each are rows.
 * Memory is read best as one long stream, so a run of tiles first has its keys
 * read and then its values: as many tiles as there is room for scores,
 * LCT_DECODE_ROWS rows.  Rows lie LCT_DECODE_ROW apart, which is no power of
 * two: that would put their entries in the same sets of the cache.
 */
enum { LCT_DECODE_ROW = LCT_TILE + 4, LCT_DECODE_ROWS = 48 };

struct lct_decode_task {
    int64_t b, head, heads;
    int64_t share;       /* of them, one product: they share keys */
    int64_t segment;
    bool seen[LCT_DECODE_ROWS];  /* does this head see a key of the tile? */
    int64_t tiles;       /* of the run */
    int64_t tile[LCT_SPLIT_TILES + 1];  /* which, and what comes after them */
    bool guard[LCT_SPLIT_TILES];        /* something of the tile is hidden */
    bool levers;         /* biases are slopes times levers (encoding.h) */
    double slope[LCT_DECODE_ROWS];         /* of each head */
    double lever[LCT_TILE];         /* of each key of the tile, then 0 */
};

/* s->product = cosines, then sines, of the tile's keys, where it turns them. */
void lct_decode_keys_angles(const struct lct_problem *p,
                            const struct lct_tile *t, struct lct_scratch *s);

/* x, of which only the keys are missing, with those of head t->h turned. */
void lct_decode_keys_scores(const struct lct_problem *p,
                            const struct lct_decode_task *f,
                            const struct lct_tile *t, struct lct_scratch *s,
                            const struct lct_product *x);

/* Find what biases of this task's heads have in common, if anything. */
void lct_decode_softmax_plan(const struct lct_problem *p,
                             struct lct_decode_task *f);

/*
 * Scores of tile n, [rows, LCT_DECODE_ROW], to weights; shrink [rows]: the
 * factors by which all before them is rescaled.
 */
void lct_decode_softmax(const struct lct_problem *p, struct lct_decode_task *f,
                        struct lct_tile *t, int64_t n, struct lct_scratch *s,
                        float *scores, float *shrink);
#endif
