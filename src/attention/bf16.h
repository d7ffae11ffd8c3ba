/* bf16.h - the tiled engine on bfloat16 by dot products of pairs */
#ifndef LCT_ATTENTION_PAIRS_H
#define LCT_ATTENTION_PAIRS_H
#include "tile.h"

/* Where it takes over from the widened rows of load.c. */
enum lct_bf16_use { LCT_BF16_FAST, LCT_BF16_NEVER, LCT_BF16_ALWAYS };

/* FAST: where kernels have 'dots'.  Tests set another while nothing runs. */
extern enum lct_bf16_use lct_bf16_use;

/* Value of p->by_pairs: of dtype, encoding and kernels alone. */
bool lct_bf16_apply(const struct lct_problem *p);

enum { LCT_PAIRS_SCALES = 5 * LCT_TILE }; /* in rows of the scratch */

/* Rows in bfloat16, D of them rounded up to a word, 'row' bytes apart. */
struct lct_bf16_rows {
    const void *at; /* NULL: not loaded */
    ptrdiff_t row;
};

/* A tile of keys, which stands for all tiles of queries abreast. */
struct lct_bf16_loaded {
    struct lct_bf16_rows keys, values; /* values: of backward */
};

/* Rows of a tile of k (turned) or v: the caller's, or copies in 'to'. */
struct lct_bf16_rows lct_bf16_tile(const struct lct_problem *p,
                                   const struct lct_tile *t,
                                   const locant_tensor *x, float *to);

/* Rows of a tile of 'x' in 'to'; words of their channels, [.., lanes]. */
struct lct_bf16_rows lct_bf16_columns(const struct lct_problem *p,
                                      const struct lct_tile *t,
                                      const locant_tensor *x, float *to,
                                      float *columns);

/*
 * What lct_load_queries(), lct_load_tile(), lct_scores_of_tile() and the
 * product p v are in float32.  Values are words in s->v.
 */
void lct_bf16_queries(const struct lct_problem *p, const struct lct_tile *t,
                      struct lct_scratch *s);
struct lct_bf16_loaded lct_bf16_load(const struct lct_problem *p,
                                     const struct lct_tile *t,
                                     struct lct_scratch *s);
void lct_bf16_scores(const struct lct_problem *p, const struct lct_tile *t,
                     struct lct_scratch *s,
                     const struct lct_bf16_loaded *loaded, float *slope);

/*
 * For decode.c: query b, h, i as words, padded_q / 2 of them; the keys of a
 * tile as padded rows in s->k.
 */
void lct_bf16_query(const struct lct_problem *p, uint32_t *to,
                    const int64_t at[3]);
void lct_bf16_keys(const struct lct_problem *p, const struct lct_tile *t,
                   struct lct_scratch *s);

/*
 * The product; with 'guard', weights of 0 contribute nothing, for which 'row'
 * has room for x->n words.  A guard is needed where x->b is not finite.
 */
void lct_bf16_multiply(const struct lct_problem *p,
                       const struct lct_pair_product *x, bool guard,
                       uint32_t *row);
bool lct_bf16_finite(const struct lct_pair_product *x);
void lct_bf16_values(const struct lct_problem *p, const struct lct_tile *t,
                     struct lct_scratch *s);

/* What lct_steps_scores(), lct_steps_queries() and lct_steps_keys() are. */
void lct_bf16_pair_steps(const struct lct_problem *p, const struct lct_tile *t,
                         const struct lct_pair_product *x);
void lct_bf16_query_steps(const struct lct_problem *p, const struct lct_tile *t,
                          struct lct_scratch *s,
                          const struct lct_pair_product *x);
void lct_bf16_key_steps(const struct lct_problem *p, const struct lct_tile *t,
                        struct lct_scratch *s,
                        const struct lct_pair_product *x);

/* Parts of backward (bf16_backward.c); gradients have rows of p->padded. */
void lct_bf16_open(const struct lct_problem *p, const struct lct_tile *t,
                   struct lct_scratch *s, const locant_tensor *dout);
struct lct_bf16_loaded lct_bf16_load_both(const struct lct_problem *p,
                                          const struct lct_tile *t,
                                          struct lct_scratch *s);
void lct_bf16_weights(const struct lct_problem *p, const struct lct_tile *t,
                      struct lct_scratch *s,
                      const struct lct_bf16_loaded *loaded, float *dv);
void lct_bf16_dq(const struct lct_problem *p, const struct lct_tile *t,
                 struct lct_scratch *s);
void lct_bf16_dk(const struct lct_problem *p, const struct lct_tile *t,
                 struct lct_scratch *s, float *dk);
#endif
