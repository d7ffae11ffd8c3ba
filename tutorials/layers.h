/*
 * layers.h - plain layers in double for the rows that are models, and small
 * things several rows of S1 .. S4 share.
 */
#ifndef LOCANT_SEED_LAYERS_H
#define LOCANT_SEED_LAYERS_H

#include "tutorial.h"

/*
 * Tolerances of checks, and what each leaves room for:
 *   LAYER_DOUBLE  sums of up to 2048 products of size near 1 in double, in
 *                 another order: 2048 x 2^-53 = 2.3e-13
 *   LAYER_TABLE   an entry of a sine table that is exact to float32 or better:
 *                 2^-25, and half as much again where both sides round
 *   LAYER_KNOWN   a number of encodings.md, given to ten decimals: 5e-11, and
 *                 logarithms and exponentials of it
 */
#define LAYER_DOUBLE 1e-12
#define LAYER_TABLE  0x1p-24
#define LAYER_KNOWN  1e-9

/* out[i] = x[order[i]], rows of 'width'; out and x apart. */
void layer_reorder(double *out, const double *x, const int64_t *order,
                   int64_t n, int64_t width);

/*
 * Attention of one head written out with loops, as the seeds write it: what the
 * library is held to.  q, k, v [T, D]; nothing is hidden.
 */
void layer_attend_plain(struct seed *s, double *out, const double *const qkv[3],
                        int64_t T, int64_t D);

/* One Transformer layer: attention, perhaps cross-attention, feed-forward. */
struct layer_block {
    int64_t            width;
    int                pre_norm; /* x + f(norm x), else norm(x + f(x)) */
    int                crosses;
    struct seed_mha    self, cross;
    struct seed_linear up, down;
};

struct layer_block layer_block_new(struct seed *s, locant_random *r,
                                   int64_t width, int64_t heads, int64_t ff,
                                   int crosses);
/* x F64 [B, T, width], in place; 'memory' NULL unless the block crosses. */
void layer_block_run(struct seed *s, const struct layer_block *b,
                     locant_tensor *x, const locant_tensor *memory);
/* Its weights and biases, the two numbers per channel of each norm included. */
int64_t layer_block_parameters(const struct layer_block *b);

/* out [heads, count]: b(h, .) for a query and keys n[i] positions before it. */
void layer_bias_at(struct seed *s, double *out, const locant_encoding *e,
                   int64_t heads, const double *n, int64_t count,
                   const locant_tensor *params);

/*
 * The scores F64 [B, H, T, S] of an attention problem: its log-weights plus the
 * log-sum-exp of their row.  A weight of 0 gives -infinity.
 */
locant_tensor layer_scores(struct seed *s, const locant_attention *a);

/* 2 pi base^(2c/width): positions per turn of pair c. */
double layer_wavelength(double base, int64_t c, int64_t width);

/* A table of points and the rows that show them; the rows must exist. */
struct layer_entry {
    const char *point, *row;
};
void layer_index(struct seed *s, const char *head,
                 const struct layer_entry *entries, int n);

/* The sentence of a call that must fail; leaves the row if it succeeded. */
const char *layer_refusal(struct seed *s, locant_status status);

#endif /* LOCANT_SEED_LAYERS_H */
