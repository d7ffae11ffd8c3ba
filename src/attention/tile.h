/* tile.h - one tile of queries against one tile of keys */
#ifndef LCT_ATTENTION_TILE_H
#define LCT_ATTENTION_TILE_H
#include "../encodings/near_far.h"
#include "plan.h"

struct lct_tile {
    int64_t b, h;
    int64_t i, rows;    /* first query, how many */
    int64_t j, keys;    /* first key, how many */
    size_t lanes;       /* rows rounded up to LCT_PAD */
    bool masked;        /* some key is masked for some query */
    bool guarded;       /* some key is hidden from some query: its weight of 0
                           must not meet a NaN in a product */
    bool by_map;        /* s->masked says which keys (scratch.h) */
    int64_t first_sees; /* keys that the first query sees; each later query
                             sees one more.  If 'keys': one step (steps.h) */
    enum lct_near_far_class nearness; /* LCT_NEAR unless content is near/far */
    unsigned relations; /* bits of the relations of its pairs (doors.h); 1 if
                           there are none */
    bool far_masks;     /* content masks some of the keys */
};

/* Tile n of the queries of head h; lct_mask_classify() sets its keys. */
static inline struct lct_tile lct_tile_of(const struct lct_plan *p, int64_t b,
                                          int64_t h, int64_t n)
{
    struct lct_tile t = { .b = b, .h = h, .i = n * LCT_TILE };

    t.rows = lct_sizes_in_tile(p->T, t.i);
    t.lanes = (size_t)lct_sizes_round_up(t.rows, LCT_PAD);
    return t;
}

/* Tile n of the keys of head h, without queries. */
static inline struct lct_tile lct_tile_of_keys(const struct lct_plan *p,
                                               int64_t b, int64_t h, int64_t n)
{
    struct lct_tile t = { .b = b, .h = h, .j = n * LCT_TILE };

    t.keys = lct_sizes_in_tile(lct_plan_keys(p, b), t.j);
    if (t.keys < 0) /* past the length of a sequence of a paged cache */
        t.keys = 0;
    return t;
}
#endif
