/* few.h - few queries against many keys, within itself */
#ifndef LCT_ATTENTION_FEW_H
#define LCT_ATTENTION_FEW_H
#include "tile.h"

/*
 * Heads 'head' .. 'head + heads - 1' share keys; T queries of each are rows.
 * Memory is read best as one long stream, so a run of tiles has first its keys
 * read and then its values: as many as scores of FEW_ROWS rows in all find
 * room for.  Rows lie FEW_ROW apart, no power of two, which would put their
 * entries in the same sets of the cache.
 */
enum { FEW_ROW = LCT_TILE + 4, FEW_ROWS = 48 };

struct few {
    int64_t b, head, heads;
    int64_t share;       /* of them, one product: they share keys */
    int64_t segment;
    bool seen[FEW_ROWS];     /* does this head see any key of the tile? */
    int64_t tiles;       /* of the run */
    int64_t tile[LCT_SEGMENT + 1];  /* which, and what comes after them */
    bool guard[LCT_SEGMENT];        /* something of the tile is hidden */
    bool levers;         /* biases are slopes times levers (encoding.h) */
    double slope[FEW_ROWS];         /* of each head */
    double lever[LCT_TILE];         /* of each key of the tile, then 0 */
};

/* s->product = cosines, then sines, of the tile's keys, where it turns them. */
void lct_few_angles(const struct lct_problem *p, const struct lct_tile *t,
                    struct lct_scratch *s);

/* x, of which only the keys are missing, with those of head t->h turned. */
void lct_few_turned(const struct lct_problem *p, const struct few *f,
                    const struct lct_tile *t, struct lct_scratch *s,
                    const struct lct_product *x);

/* Find what biases of this task's heads have in common, if anything. */
void lct_few_levers(const struct lct_problem *p, struct few *f);

/*
 * Scores of tile n, [rows, FEW_ROW], to weights; shrink [rows]: by what all
 * before them shrinks.
 */
void lct_few_weigh(const struct lct_problem *p, struct few *f,
                   struct lct_tile *t, int64_t n, struct lct_scratch *s,
                   float *scores, float *shrink);
#endif
