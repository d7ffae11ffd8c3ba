/* kernels.h - the table each instruction set fills */
#ifndef LCT_KERNELS_H
#define LCT_KERNELS_H
#include "turn.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lanes of a tile are padded to this, so that no kernel has a tail there. */
enum { LCT_PAD = 16 };

/* Columns of a product come in these: half the widest vector. */
enum { LCT_EIGHT = 8 };

/*
 * How elements are stored; the values are those of locant_dtype.  PAIRS, in
 * products for few queries alone: bfloat16, which are multiplied by pairs.
 */
enum lct_stored {
    LCT_STORED_F32, LCT_STORED_F16, LCT_STORED_BF16, LCT_STORED_PAIRS = 16
};

/*
 * c[i,j] = sum_p a[i * a_row + p * a_col] * b[p * b_row + j], i < m, j < n,
 * p < k in this order, starting from c if 'add', else from 0.  c has dense rows
 * c_row apart; n is a multiple of LCT_EIGHT.
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
    const float *shrink; /* [m]: matmul multiplies rows of c by it before it
                            adds; NULL: nothing.  scores_few of PAIRS: what
                            sums are multiplied by */
    enum lct_stored kind; /* of the two for few queries: what b really holds, */
    const float *ahead;   /* at addresses of words, rows an even number of */
    size_t ahead_row;     /* elements apart; and rows as wide as b's that are
                             needed next, or any address */
    bool warm;            /* b is in the cache: those of 'ahead' alone are asked
                             for, from the first on */
};

/*
 * c[i,j] = sum_p a[i,p] . b[p,j], i < m, j < n, p < k, where each entry of a
 * and b is a pair of bfloat16 numbers that lie side by side: f32v_dot2() in the
 * order of p, starting from c, its rows multiplied by 'shrink' [m] unless that
 * is NULL, if 'add', else from 0.  a[i,p] stands a_row i + a_col p bytes from
 * a, at any address; n is a multiple of LCT_PAD.
 */
struct lct_pair_product {
    float *c;
    size_t c_row;
    const void *a;
    ptrdiff_t a_row, a_col;
    const uint32_t *b;
    size_t b_row;
    size_t m, n, k;
    bool add;
    const float *shrink;
    const float *factor; /* [n]: what sums are multiplied by; NULL: nothing */
};

/*
 * Rows of 2 * pairs channels, pair c = (c, c + pairs) or, interleaved, (2c,
 * 2c + 1), turned by the angles whose cosines and sines stand in 'rows' rows
 * 'table_row' floats apart: each row of them is for one row of every head.
 * Widened to float32, turned, rounded once.
 */
struct lct_rope {
    void *out;
    const void *x;
    ptrdiff_t out_row, x_row;   /* bytes from row to row */
    ptrdiff_t out_head, x_head; /* and from head to head */
    const float *cosines, *sines;
    size_t table_row;
    size_t rows, heads, pairs;
    enum lct_stored kind;
    bool interleaved;
    float sign;                 /* -1 turns back */
};

/*
 * A bias that bends: of query i and key j it is slope f + value of the piece
 * f is in, f = u[at[j] + i] * inverse[i].  Piece r begins past start[r], piece
 * 0 wherever the others have not.
 */
struct lct_bent {
    const float *u, *du;
    const int64_t *at;
    const float *inverse;
    const float *start, *slope, *value; /* [pieces] */
    size_t pieces;
};

/* Rows of n channels, and a tile of them: dense float32, 'width' apart. */
struct lct_rows {
    void *x;
    ptrdiff_t x_row;            /* bytes from row to row */
    enum lct_stored kind;
    float *tile;
    size_t width;               /* a multiple of LCT_PAD, not below n */
    size_t rows, n;
};

/* Rows of n channels, x plus rows of a table, as in lct_rope. */
struct lct_sum {
    void *out;
    const void *x;
    ptrdiff_t out_row, x_row;
    ptrdiff_t out_head, x_head;
    const float *const *table; /* [rows]: where each stands */
    size_t rows, heads, n;
    enum lct_stored kind;
};

/*
 * Kernels check nothing and cannot fail: callers have validated everything and
 * pass dense float rows.  Unless marked "may alias", pointers do not overlap.
 * "exact": the same bits on every instruction set.  "fused": uses f32v_fma(),
 * the same bits on those that have a fused multiply-add.
 */
struct lct_kernels {
    const char *isa;

    /* Turn rows of pairs; out == x is allowed.  Exact. */
    void (*rope)(const struct lct_rope *r);

    /* out = x + table, added in float32; out == x is allowed.  Exact. */
    void (*add_table)(const struct lct_sum *r);

    /* out[2i] = first[i], out[2i + 1] = second[i], i < n.  Exact. */
    void (*interleave)(float *out, const float *first, const float *second,
                       size_t n);

    /* n elements of a 16-bit kind to float32, and back.  Exact. */
    void (*widen)(float *out, const void *row, enum lct_stored kind, size_t n);
    void (*narrow)(void *row, enum lct_stored kind, const float *in, size_t n);

    /* tile = x, 0 from channel n on; and x = tile.  Exact. */
    void (*load_rows)(const struct lct_rows *r);
    void (*store_rows)(const struct lct_rows *r);

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
     * Fused, but for denormals the same bits on every instruction set.  'dots':
     * by one instruction for two products, so faster than matmul.
     */
    void (*matmul_pairs)(const struct lct_pair_product *x);
    bool dots;

    /*
     * out[r,c] = the pair of x[2r,c], at the lower address, and x[2r+1,c], F32
     * rounded or BF16 as it is; 0 past the last row, and past the last of n
     * columns up to a multiple of LCT_PAD.  Rows of x are x_row bytes apart.
     * Exact, but denormals may become 0.
     */
    void (*pair_rows)(uint32_t *out, size_t out_row, const void *x,
                      ptrdiff_t x_row, enum lct_stored kind, size_t rows,
                      size_t n);

    /*
     * Rows of x, a multiple of LCT_PAD long, rounded to bfloat16, two
     * neighbours a word; before that, column c is multiplied by factor[c],
     * unless that is NULL.  out == x is allowed if rows are as far apart.
     * Exact, but denormals may become 0.
     */
    void (*round_rows)(uint32_t *out, size_t out_row, const float *x,
                       size_t x_row, const float *factor, size_t rows,
                       size_t n);

    /*
     * c[i,j] = sum_p a[i + p * a_col] * b[j * b_row + p], i < m, j < n, p < k,
     * a multiple of 8: columns of a, rows of b.  'add' and a_row are not read.
     * Fused; the bits of matmul.  Of PAIRS a and b are words and k counts them,
     * a multiple of 4; the bits of matmul_pairs, whose factor is shrink[i].
     */
    void (*scores_few)(const struct lct_product *x);

    /*
     * matmul with a_col 1 and 'add', of few rows.  Fused; its bits.  Of PAIRS
     * a has words, of two entries each (the last one of an odd k alone), and k
     * and b are as in BF16; the bits of matmul_pairs.
     */
    void (*values_few)(const struct lct_product *x);

    /*
     * Running softmax of scores s [keys, lanes], lane = query, its rows 'row'
     * apart: updates the maxima 'top' and sums 'sum', turns s into exp(s -
     * top), and writes the factor by which everything before shrinks.  'lanes'
     * is a multiple of LCT_PAD.  Fused.
     */
    void (*softmax_step)(float *s, size_t row, size_t keys, size_t lanes,
                         float *top, float *sum, float *shrink);

    /*
     * The same with one query, its keys side by side; s has room for 'keys'
     * rounded up to LCT_PAD.  Fused; bit for bit what a lane gets.
     */
    void (*softmax_row)(float *s, size_t keys, float *top, float *sum,
                        float *shrink);

    /*
     * Join what one query got from later keys, 'part' [n] with its maximum and
     * sum, to what it got from earlier ones.  n is a multiple of LCT_PAD.
     * Fused.
     */
    void (*softmax_merge)(float *out, float *top, float *sum,
                          const float *part, float part_top, float part_sum,
                          size_t n);

    /* s = exp(s - lse[lane]).  Fused. */
    void (*softmax_again)(float *s, size_t row, size_t keys, size_t lanes,
                          const float *lse);

    /*
     * s = cap tanh(s / cap), n of them, a multiple of LCT_PAD; -infinity stays.
     * 'slope', unless NULL, becomes the derivative, 0 where s is -infinity.
     * They err by 12 and 12 + 4 |s / cap| times 2^-24, relative.  Fused.
     */
    void (*softcap)(float *s, float *slope, size_t n, float cap);

    /* ds = p * (ds - delta[lane]), 0 where p is 0.  Exact. */
    void (*softmax_gradient)(float *ds, const float *p, size_t row,
                             size_t keys, size_t lanes, const float *delta);

    /* s[j,i] += table[at[j] + i], s [keys, lanes].  Exact. */
    void (*add_bias_rows)(float *s, size_t keys, size_t lanes,
                          const float *table, const int64_t *at);

    /*
     * s += slope * levers, a product in double rounded to float; n is a
     * multiple of LCT_PAD.  Exact.
     */
    void (*add_levers)(float *s, const double *levers, double slope, size_t n);

    /*
     * sum[d] = sum of x[j,i] with i - j + keys - 1 = d, x [keys, lanes]; room
     * for keys + lanes rounded up to LCT_PAD, some of which is not written.
     * Exact.
     */
    void (*sum_diagonals)(float *sum, const float *x, size_t keys,
                          size_t lanes);

    /* s += the bias, s [keys, lanes].  Fused. */
    void (*add_bends)(float *s, size_t keys, size_t lanes,
                      const struct lct_bent *x);

    /*
     * sum [3, lanes]: of ds, ds f and ds du over the keys of which start < f <=
     * end.  Fused.
     */
    void (*sum_bend)(float *sum, const float *ds, size_t keys, size_t lanes,
                     const struct lct_bent *x, float start, float end);

    /* out[c, r] = x[r, c].  Exact. */
    void (*transpose)(float *out, size_t out_row, const float *x, size_t x_row,
                      size_t rows, size_t columns);

    /* Is no entry NaN or infinite?  'columns' is a multiple of LCT_PAD. */
    bool (*all_finite)(const float *x, size_t row, size_t rows,
                       size_t columns);
};

extern const struct lct_kernels lct_kernels_base;
extern const struct lct_kernels lct_kernels_avx2;
extern const struct lct_kernels lct_kernels_avx512;
extern const struct lct_kernels lct_kernels_avx512bf16;
extern const struct lct_kernels lct_kernels_neon;

/* The table in use.  Cheap; fetch it once per public call. */
const struct lct_kernels *lct_kernels(void);
#endif
