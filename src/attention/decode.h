/*
 * decode.h - few queries against many keys: a step of decoding (split-KV).
 *
 * With a tile of queries, most lanes would be empty, and one head of keys would
 * be read by one thread.  Here lanes are keys, all queries that share a head of
 * keys (those of its group of heads) are rows of one tile, and a task is one
 * split of keys.  Every sum keeps the order it has in the tiled engine, so
 * decoding with a cache gives the bits of one call for all queries.
 */
#ifndef LCT_ATTENTION_DECODE_H
#define LCT_ATTENTION_DECODE_H
#include "scratch.h"
#include "tile.h"

/*
 * Memory is read fastest as one long stream, so all keys of a run of tiles are
 * read before the values.  The tiles of a run have at most LCT_DECODE_ROWS rows
 * of scores, which are LCT_DECODE_ROW floats apart: with a power of two, their
 * entries would fall in the same sets of the cache.
 */
enum { LCT_DECODE_ROW = LCT_TILE + 4, LCT_DECODE_ROWS = 48 };

/* Memory of one running task; 'rows' are its heads times T. */
struct lct_decode_scratch {
    float *q; /* [padded_q, rows]: queries as columns; bfloat16: words */
    float *q_relation[LCT_MAX_RELATIONS - 1]; /* as q (relations.h) */
    float *pairs; /* [rows, LCT_DECODE_ROW]: scores of pairs in a relation */
    float *query; /* [padded_q]: one query before it is put into 'q' */
    float *out;   /* [rows, padded_v] */
    float *row_max, *row_sum; /* [rows] */
    float *scale;             /* [rows]: factors of the scores (bfloat16) */
    float *scores;  /* [tiles of the run, rows, LCT_DECODE_ROW]; then weights */
    float *rescale; /* [tiles of the run, rows]: factors for 'out' */
    float *angles;  /* 2 x [TILE, pairs]: cosines, then sines, of keys that are
                       rotated as they are read */
};

struct lct_decode {
    struct lct_decode_scratch *scratch; /* [slots] */
    float *split_out;                   /* [B, H, T, k_splits, padded_v] */
    float *split_stats; /* [B, H, T, k_splits, 2]: row_max, row_sum */
};

/* One split of keys, for heads head .. head + heads - 1 with T queries each. */
struct lct_decode_task {
    int64_t b, head, heads;
    int64_t share; /* heads that share keys and make one product */
    int64_t split;
    struct lct_scratch *s;
    struct lct_decode_scratch *d;
    bool sees[LCT_DECODE_ROWS];        /* does head g see a key of the tile? */
    int64_t tiles;                     /* number of tiles of the run */
    int64_t tile[LCT_SPLIT_TILES + 1]; /* their indices; then that of the tile
                                          to prefetch at the end */
    bool guard[LCT_SPLIT_TILES];       /* has the tile a masked key? */
    bool linear; /* biases are slopes times relative positions */
    double slope[LCT_DECODE_ROWS]; /* of each head */
    double relative[LCT_TILE];     /* of each key of the tile; 0 after */
};

/* Functions of one arithmetic (arithmetic.h). */
struct lct_decode_arithmetic {
    int64_t channels;     /* per entry of q: 1, or 2 in a word */
    enum lct_stored kind; /* of rotated keys */
    int64_t rotated_rows; /* keys rotated at a time: these and their angles fit
                             the first-level cache */
    /* d->query = query b, h, i */
    void (*load_query)(const struct lct_plan *p,
                       const struct lct_decode_task *f, const int64_t at[3]);
    /* Rotated copies of 'rows' keys of the tile, from its key j on. */
    const float *(*rotate_keys)(const struct lct_plan *p,
                                const struct lct_decode_task *f,
                                const struct lct_tile *t, int64_t j,
                                int64_t rows);
    /* Set x->b to the keys of t, tile i of the run, without a rotation. */
    void (*load_keys)(const struct lct_plan *p, const struct lct_decode_task *f,
                      const struct lct_tile *t, int64_t i,
                      struct lct_product *x);
    /* Round weights for the products; NULL: they need no rounding. */
    void (*round_weights)(const struct lct_plan *p, float *weights,
                          int64_t rows, int64_t keys);
    /* x += weights * values of t, tile i of the run. */
    void (*values)(const struct lct_plan *p, const struct lct_decode_task *f,
                   const struct lct_tile *t, int64_t i, struct lct_product *x);
};

enum lct_decode_rows { LCT_KEY_ROWS, LCT_VALUE_ROWS };

void lct_decode_layout(struct lct_decode *decode, const struct lct_plan *p,
                       struct lct_arena *arena);
void lct_decode_forward(const struct lct_plan *p, const locant_tensor *out,
                        const locant_tensor *lse);
#endif
