/*
 * arithmetic.h - the products of a tile, in float32 or by dot products of
 * bfloat16.  Each is a table of functions that the engines call for each tile.
 */
#ifndef LCT_ATTENTION_ARITHMETIC_H
#define LCT_ATTENTION_ARITHMETIC_H
#include "product.h"
#include "scratch.h"

/* A tile of keys and values, shared by all tiles of queries of a task. */
struct lct_loaded {
    const void *keys, *values; /* NULL: not loaded */
    size_t key_row, value_row; /* float32: elements; bfloat16: bytes */
};

struct lct_arithmetic {
    /* Allocate the scratch of the functions below. */
    void (*layout_queries)(struct lct_scratch *s, const struct lct_plan *p,
                           struct lct_arena *arena);
    void (*layout_keys)(struct lct_scratch *s, const struct lct_plan *p,
                        struct lct_arena *arena);

    /* Load the tile's queries, rotated; load dout, for backward. */
    void (*load_queries)(const struct lct_plan *p, const struct lct_tile *t,
                         struct lct_scratch *s);
    void (*load_dout)(const struct lct_plan *p, const struct lct_tile *t,
                      struct lct_scratch *s, const locant_tensor *dout);

    /* Keys, rotated, and values: in place, or in the scratch. */
    struct lct_loaded (*load_keys)(const struct lct_plan *p,
                                   const struct lct_tile *t,
                                   struct lct_scratch *s);

    /* s->s = scale q k^T, as [keys, lanes] */
    void (*scores)(const struct lct_plan *p, const struct lct_tile *t,
                   struct lct_scratch *s, const struct lct_loaded *l);
    /* s->dq += ds k (scaled only at the end);  dk += ds^T (scale q) */
    void (*scores_backward)(const struct lct_plan *p, const struct lct_tile *t,
                            struct lct_scratch *s, const struct lct_loaded *l,
                            bool needs_dq, struct lct_product_rows dk);

    /* s->out = s->out * rescale + p v */
    void (*values)(const struct lct_plan *p, const struct lct_tile *t,
                   struct lct_scratch *s, const struct lct_loaded *l);
    /* dv += p^T dout;  s->ds = v dout^T, the gradient of p */
    void (*values_backward)(const struct lct_plan *p, const struct lct_tile *t,
                            struct lct_scratch *s, const struct lct_loaded *l,
                            struct lct_product_rows dv);

    const struct lct_decode_arithmetic *decode; /* decode.h */
};

/* Depends only on dtype, encoding and kernels. */
const struct lct_arithmetic *lct_arithmetic_choose(const struct lct_plan *p);

/*
 * When to use bfloat16 dot products instead of rows widened to float32.  FAST:
 * if the CPU has an instruction for them.  Tests may change it between calls.
 */
enum lct_arithmetic_bf16 { LCT_BF16_FAST, LCT_BF16_NEVER, LCT_BF16_ALWAYS };
extern enum lct_arithmetic_bf16 lct_arithmetic_bf16;
#endif
