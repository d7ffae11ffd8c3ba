/*
 * backward.h - in the tiled engine, where rows of gradients are summed, and how
 * they are stored.
 */
#ifndef LCT_ATTENTION_BACKWARD_H
#define LCT_ATTENTION_BACKWARD_H
#include "arithmetic.h"

struct lct_backward {
    const struct lct_plan *p;
    const locant_attention_gradients *g;
    const locant_tensor *dout, *out, *lse;
    bool learns;       /* gradients of parameters are wanted */
    bool needs_angles; /* gradients of token_angles are wanted */
    bool needs_dbias;  /* gradients of score parameters are wanted */
    bool needs_dq, needs_dk, needs_dv; /* gradients of q, k, v are needed */
    int64_t first_tile, end_tile;      /* of queries */
    int64_t from;                      /* first batch row of this chunk */
};

/* Load what backward needs of a tile of queries: dout, lse, delta; dq = 0. */
void lct_backward_load_queries(const struct lct_backward *job,
                               const struct lct_tile *t, struct lct_scratch *s);
/* Scale dq of the tile, undo its rotation and store it. */
void lct_backward_store_queries(const struct lct_backward *job,
                                const struct lct_tile *t,
                                struct lct_scratch *s);

/* Set dk and dv of one head to 0. */
void lct_backward_clear_keys(const struct lct_backward *job, int64_t b,
                             int64_t head, struct lct_scratch *s);
/* Where dk and dv of a tile of keys are summed. */
struct lct_product_rows lct_backward_dk(const struct lct_backward *job,
                                        const struct lct_tile *t,
                                        struct lct_scratch *s);
struct lct_product_rows lct_backward_dv(const struct lct_backward *job,
                                        const struct lct_tile *t,
                                        struct lct_scratch *s);
/*
 * Undo the rotation of dk; store dk and dv if the scratch has their sums.  If v
 * is part of k, add dv to dk instead.
 */
void lct_backward_store_keys(const struct lct_backward *job, int64_t b,
                             int64_t head, struct lct_scratch *s);
#endif
