/*
 * steps.h - what a causal mask leaves of the products of a tile, step by step.
 *
 * A step is LCT_PAD queries or more and the keys that one of them sees.  Only
 * what is masked for all queries of a step is left out: weights of 0, whose
 * products would add 0 to a sum, and scores of -infinity.
 */
#ifndef LCT_ATTENTION_STEPS_H
#define LCT_ATTENTION_STEPS_H
#include "tile.h"

/*
 * 'lanes' queries from 'lane' on, one of which sees the last of the first
 * 'keys' keys; the first 'before' of them are of steps before this one.
 */
struct lct_steps {
    size_t lane, lanes, before, keys;
};

/* The step after *e, the first one after { 0 }; false if there is none. */
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

/* A product c [m, n] = a [m, k] b [k, n] of a whole tile, and a block of it. */
enum lct_steps_product {
    LCT_STEPS_SCORES,  /* [keys, lanes] of [keys, channels]; entries that no
                          step has stay as they are */
    LCT_STEPS_QUERIES, /* [rows, channels] of weights [rows, keys] */
    LCT_STEPS_KEYS     /* [keys, channels] of weights [keys, rows] */
};

struct lct_steps_block {
    size_t m0, m, n0, n, k0, k;
};

/* The block of step e; n and k are those of the whole product. */
static inline struct lct_steps_block
lct_steps_block(const struct lct_tile *t, const struct lct_steps *e,
                enum lct_steps_product of, size_t n, size_t k)
{
    size_t rows = (size_t)t->rows - e->lane;

    if (of == LCT_STEPS_SCORES)
        return (struct lct_steps_block){ e->before, e->keys - e->before,
                                         e->lane, n - e->lane, 0, k };
    if (of == LCT_STEPS_KEYS)
        return (struct lct_steps_block){ e->before, e->keys - e->before, 0, n,
                                         e->lane, k - e->lane };
    return (struct lct_steps_block){ e->lane, rows < e->lanes ? rows : e->lanes,
                                     0, n, 0, e->keys };
}
#endif
