/* kernels.h - the table each instruction set fills */
#ifndef LCT_KERNELS_H
#define LCT_KERNELS_H
#include "turn.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lanes of a tile are padded to this, so that no kernel has a tail there. */
enum { LCT_PAD = 16 };

/*
 * c[i,j] = sum_p a[i * a_row + p * a_col] * b[p * b_row + j], i < m, j < n,
 * p < k in this order, starting from c if 'add', else from 0.  c has dense rows
 * c_row apart; n is a multiple of LCT_PAD.
 */
struct lct_product {
    float *c;
    size_t c_row;
    const float *a;
    size_t a_row, a_col;
    const float *b;
    size_t b_row;
    size_t m, n, k;
    bool add;
};

/*
 * Kernels check nothing and cannot fail: callers have validated everything and
 * pass dense float rows.  Unless marked "may alias", pointers do not overlap.
 * "exact": the same bits on every instruction set.  "fused": uses f32v_fma(),
 * the same bits on those that have a fused multiply-add.
 */
struct lct_kernels {
    const char *isa;

    /*
     * One RoPE row, channels (i, i+half); sign -1 transposes.  May alias.
     * Exact.
     */
    void (*rope_half)(float *out, const float *x, const float *cos_row,
                      const float *sin_row, float sign, size_t half);

    /* One RoPE row, channels (2i, 2i+1).  May alias.  Exact. */
    void (*rope_interleaved)(float *out, const float *x, const float *cos_row,
                             const float *sin_row, float sign, size_t half);

    /*
     * cos and sin of p * turn[c], times magnitude, rounded once, for c < pairs
     * and p = position .. position + rows - 1, which must not run from below 0
     * to 0 or above; dense rows of 'pairs'.  cos(-p) = cos(p) and sin(-p) =
     * -sin(p) to the bit.  Exact.
     */
    void (*angle_rows)(float *cos_out, float *sin_out,
                       const struct lct_turn *turn, size_t pairs,
                       int64_t position, size_t rows, double magnitude);

    /* Fused. */
    void (*matmul)(const struct lct_product *x);

    /*
     * Running softmax of scores s [keys, lanes], lane = query: updates the
     * maxima 'top' and sums 'sum', turns s into exp(s - top), and writes the
     * factor by which everything before shrinks.  'lanes' is a multiple of
     * LCT_PAD.  Fused.
     */
    void (*softmax_step)(float *s, size_t keys, size_t lanes, float *top,
                         float *sum, float *shrink);

    /* s = exp(s - lse[lane]).  Fused. */
    void (*softmax_again)(float *s, size_t keys, size_t lanes,
                          const float *lse);

    /* ds = p * (ds - delta[lane]), 0 where p is 0.  Exact. */
    void (*softmax_gradient)(float *ds, const float *p, size_t keys,
                             size_t lanes, const float *delta);
};

extern const struct lct_kernels lct_kernels_base;
extern const struct lct_kernels lct_kernels_avx2;
extern const struct lct_kernels lct_kernels_avx512;
extern const struct lct_kernels lct_kernels_neon;

/* The table in use.  Cheap; fetch it once per public call. */
const struct lct_kernels *lct_kernels(void);
#endif
