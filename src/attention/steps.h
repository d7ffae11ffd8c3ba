/*
 * steps.h - the blocks of a tile's products that a causal mask leaves.
 *
 * A step is LCT_PAD or more queries with the keys that at least one of them
 * sees.  The other keys are left out: their scores would be -infinity, and
 * their weights of 0 would add 0 to a sum.
 */
#ifndef LCT_ATTENTION_STEPS_H
#define LCT_ATTENTION_STEPS_H
#include "tile.h"

/*
 * 'lanes' queries from 'lane' on, which see no key after the first 'keys' keys.
 * Of these keys, the earlier steps did the first 'before'.
 */
struct lct_steps {
    size_t lane, lanes, before, keys;
};

/* Move *e to the next step, or from { 0 } to the first; false: none is left. */
static inline bool lct_steps_next(const struct lct_tile *t, struct lct_steps *e)
{
    int64_t last;

    e->lane += e->lanes;
    e->before = e->keys;
    if (e->lane == t->lanes)
        return false;
    e->lanes = LCT_PAD;
    last = t->first_sees + (int64_t)(e->lane + e->lanes) - 1;
    e->keys = last > 0 ? (size_t)last : 0;
    if (last >= t->keys) {
        e->lanes = t->lanes - e->lane;
        e->keys = (size_t)t->keys;
    }
    return true;
}

/* Do all queries of the tile see its last key, so that there is one step? */
static inline bool lct_steps_are_one(const struct lct_tile *t)
{
    return t->first_sees + LCT_PAD - 1 >= t->keys;
}

/* Products c [m, n] = a [m, k] b [k, n] of a whole tile. */
enum lct_steps_product {
    LCT_STEPS_SCORES,  /* c [keys, lanes], a [keys, channels]; entries outside
                          all steps are not written */
    LCT_STEPS_QUERIES, /* c [rows, channels], a = weights [rows, keys] */
    LCT_STEPS_KEYS     /* c [keys, channels], a = weights [keys, rows] */
};

/* A block of a product: entries m0 .. m0 + m - 1, and so on. */
struct lct_steps_block {
    size_t m0, m, n0, n, k0, k;
};

/* The block of step e; n and k are the sizes of the whole product. */
static inline struct lct_steps_block lct_steps_block(const struct lct_tile *t,
                                                     const struct lct_steps *e,
                                                     enum lct_steps_product of,
                                                     size_t n, size_t k)
{
    size_t rows = (size_t)t->rows - e->lane;

    if (of == LCT_STEPS_SCORES)
        return (struct lct_steps_block){ e->before, e->keys - e->before,
                                         e->lane,   n - e->lane,
                                         0,         k };
    if (of == LCT_STEPS_KEYS)
        return (struct lct_steps_block){ e->before, e->keys - e->before, 0, n,
                                         e->lane,   k - e->lane };
    return (struct lct_steps_block){ e->lane, rows < e->lanes ? rows : e->lanes,
                                     0,       n,
                                     0,       e->keys };
}
#endif
