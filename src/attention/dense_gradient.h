/*
 * dense_gradient.h - the gradient of the dense bias.
 *
 * It is ds, the gradient of the scores after the cap, summed over the axes
 * along which the bias is broadcast.  Every sum has one owner and one order.
 */
#ifndef LCT_ATTENTION_DENSE_GRADIENT_H
#define LCT_ATTENTION_DENSE_GRADIENT_H
#include "backward.h"

enum lct_dense_way {
    LCT_DENSE_PAIRS, /* [B, H, T, S]: each ds is an element */
    LCT_DENSE_SUMS,  /* T or S is 1: sums over a row or column of each head */
    LCT_DENSE_HEADS  /* [.., T, S] shared by heads: dense_heads.h */
};

struct lct_dense_gradient {
    enum lct_dense_way way;
    int64_t length; /* SUMS: sums per head: T, S or 1 */
    double *sums;   /* SUMS: [B, H, length] */
    double *heads;  /* HEADS: [slots, k_tiles, TILE keys, TILE queries] */
};

void lct_dense_gradient_layout(struct lct_dense_gradient *dense,
                               const struct lct_plan *p,
                               struct lct_arena *arena);

/* Before the first element is added. */
void lct_dense_gradient_begin(const struct lct_plan *p,
                              const locant_tensor *dbias);

/* Add s->ds of a tile. */
void lct_dense_gradient_add(const struct lct_backward *job,
                            const struct lct_tile *t, struct lct_scratch *s);

/* Instead, for tile k of keys, which t does not see. */
void lct_dense_gradient_skip(const struct lct_backward *job,
                             const struct lct_tile *t, int64_t k,
                             struct lct_scratch *s);

/* After the last element. */
void lct_dense_gradient_end(const struct lct_plan *p,
                            const locant_tensor *dbias);

/* Store the tile 'from' [keys, lanes] in the rectangle of dbias. */
void lct_dense_gradient_store(const struct lct_plan *p,
                              const locant_tensor *dbias,
                              const struct lct_tile *t, struct lct_scratch *s,
                              const float *from);

/* ------------------------------------------------------- the engine by rows */

/* Set dbias to 0 where 'add_keys' adds to it. */
void lct_dense_gradient_begin_rows(const struct lct_plan *p,
                                   const locant_tensor *dbias);

/*
 * Add ds[n] of query 'at' = b, h, i and key index[n], n < keys.  If the way is
 * HEADS, tasks must run one after another.
 */
void lct_dense_gradient_add_keys(const struct lct_plan *p,
                                 const locant_tensor *dbias,
                                 const int64_t at[3], const int64_t *index,
                                 int64_t keys, const double *ds);
#endif
