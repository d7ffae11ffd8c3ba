/* pairs.h - the tiled engine on bfloat16 by dot products of pairs */
#ifndef LCT_ATTENTION_PAIRS_H
#define LCT_ATTENTION_PAIRS_H
#include "tile.h"

/* Where it takes over from the widened rows of load.c. */
enum lct_pairs_use { LCT_PAIRS_FAST, LCT_PAIRS_NEVER, LCT_PAIRS_ALWAYS };

/* FAST: where kernels have 'dots'.  Tests set another while nothing runs. */
extern enum lct_pairs_use lct_pairs_use;

/* Value of p->by_pairs: of dtype, encoding and kernels alone. */
bool lct_pairs_apply(const struct lct_problem *p);

/*
 * What lct_load_queries(), lct_load_tile(), lct_scores() and the product p v
 * are to tile.c.  A tile of keys stands for all tiles of queries abreast: rows
 * of keys, in bfloat16, 'key_row' bytes apart; values are words in s->v.
 */
struct lct_pairs_loaded {
    const void *keys; /* NULL: not loaded */
    ptrdiff_t key_row;
};

void lct_pairs_queries(const struct lct_problem *p, const struct lct_tile *t,
                       struct lct_scratch *s);
struct lct_pairs_loaded lct_pairs_load(const struct lct_problem *p,
                                       const struct lct_tile *t,
                                       struct lct_scratch *s);
void lct_pairs_scores(const struct lct_problem *p, const struct lct_tile *t,
                      struct lct_scratch *s,
                      const struct lct_pairs_loaded *loaded);
/*
 * For few.c: query b, h, i as words, padded_q / 2 of them; the keys of a tile
 * as padded rows in s->k.
 */
void lct_pairs_query(const struct lct_problem *p, uint32_t *to,
                     const int64_t at[3]);
void lct_pairs_keys(const struct lct_problem *p, const struct lct_tile *t,
                    struct lct_scratch *s);

/* The product; with 'guard', weights of 0 contribute nothing.  'row' has room
 * for x->n words. */
void lct_pairs_multiply(const struct lct_problem *p,
                        const struct lct_pair_product *x, bool guard,
                        uint32_t *row);
void lct_pairs_values(const struct lct_problem *p, const struct lct_tile *t,
                      struct lct_scratch *s);
#endif
