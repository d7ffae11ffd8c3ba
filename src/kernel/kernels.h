/* kernels.h - the table of kernels, one for each instruction set */
#ifndef LCT_KERNELS_H
#define LCT_KERNELS_H
#include "double_rows.h"
#include "phase.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lanes of a tile are padded to a multiple of this, the widest vector. */
enum { LCT_PAD = 16 };

/* Columns of a product are a multiple of this, half the widest vector. */
enum { LCT_COLUMN_STEP = 8 };

/*
 * How elements are stored; the values are those of locant_dtype, and of
 * locant_quant from QUANT on.  For decode_scores() and decode_values() only:
 * PAIRS, bfloat16 multiplied in pairs, and quantised rows.
 */
enum lct_stored {
    LCT_STORED_F32,
    LCT_STORED_F16,
    LCT_STORED_BF16,
    LCT_STORED_BF16_PAIRS = 16,
    LCT_STORED_QUANT = 16,
    LCT_STORED_INT8,
    LCT_STORED_Q8_0,
    LCT_STORED_E4M3,
    LCT_STORED_E5M2
};

/*
 * c[i,j] = sum_p a[i * a_row + p * a_col] * b[p * b_row + j], i < m, j < n,
 * p < k in this order, starting from c if 'add', else from 0.  c has dense rows
 * c_row apart; n is a multiple of LCT_COLUMN_STEP.
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
    const float *rescale; /* [m]; NULL: 1.  matmul multiplies the rows of c by
                             it before adding, decode_scores of PAIRS after */
    /* Read by decode_scores and decode_values only: */
    enum lct_stored kind; /* type of b, which is aligned to 4 bytes, rows an
                             even number of elements apart.  Quantised: b is at
                             any address, b_row and ahead_row count bytes, n of
                             values and k of scores are multiples of LCT_PAD,
                             and E4M3 has no NaN */
    const float *ahead;   /* rows, as wide as b's, that the next product reads:
                             to prefetch; need not be a valid address */
    size_t ahead_row;
    size_t group; /* INT8: channels that share a scale, a multiple of LCT_PAD */
    size_t scale; /* used within decode_values() */
    bool warm;    /* b is in the cache: prefetch only 'ahead' */
};

/*
 * c[i,j] = sum_p a[i,p] . b[p,j], i < m, j < n, p < k, where each entry of a
 * and b is a pair of adjacent bfloat16 numbers: f32v_dot2() in the order of p,
 * starting from c[i,j] rescale[i] if 'add', else from 0.  a[i,p] is at a_row i
 * + a_col p bytes from a, at any address; n is a multiple of LCT_PAD.
 */
struct lct_bf16_product {
    float *c;
    size_t c_row;
    const void *a;
    ptrdiff_t a_row, a_col;
    const uint32_t *b;
    size_t b_row;
    size_t m, n, k;
    bool add;
    const float *rescale; /* [m]; NULL: 1 */
    const float *factor;  /* [n]: multiplies the sums; NULL: 1 */
};

/*
 * Rotation of rows of 2 * pairs channels, where pair c is (c, c + pairs) or,
 * interleaved, (2c, 2c + 1).  Row t of every head takes row t of 'cosines' and
 * 'sines', whose rows are table_row floats apart.  Elements are widened to
 * float32, rotated and rounded once.
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
    float sign;   /* -1: the inverse rotation */
    bool streams; /* no cache can hold 'out', which is not x: store past them */
};

/*
 * A piecewise linear bias of query i and key j: slope[r] f + value[r], with f =
 * u[at[j] + i] * inverse[i] and r the last piece with f > start[r], or 0.
 */
struct lct_pwl_bias {
    const float *u, *du;
    const int64_t *at;
    const float *inverse;
    const float *start, *slope, *value; /* [pieces] */
    size_t pieces;
};

/* Rows of n channels, and a tile of them: float32 rows, 'width' apart. */
struct lct_rows {
    void *x;
    ptrdiff_t x_row; /* bytes from row to row */
    enum lct_stored kind;
    float *tile;
    size_t width; /* a multiple of LCT_PAD, not below n */
    size_t rows, n;
};

/* Quantised rows of n channels (locant/cache.h), and a tile of them. */
struct lct_quant_rows {
    const void *x;
    ptrdiff_t x_row; /* bytes from row to row */
    enum lct_stored kind;
    size_t group; /* channels that share a scale: divides n */
    float *tile;
    size_t width; /* from row to row of the tile */
    size_t rows, n;
};

/* Rows x of n channels plus rows of a table; members as in lct_rope. */
struct lct_sum {
    void *out;
    const void *x;
    ptrdiff_t out_row, x_row;
    ptrdiff_t out_head, x_head;
    const float *const *table; /* [rows]: row t of the table */
    size_t rows, heads, n;
    enum lct_stored kind;
};

/*
 * Rows x of n channels plus, in row t, sine and cosine of (position + t)
 * turn[c] in channels 2c and 2c + 1; an odd row ends with a sine.  Positions
 * must not cross from below 0 to 0.  Other members as in lct_rope.
 */
struct lct_wave_sum {
    void *out;
    const void *x;
    ptrdiff_t out_row, x_row;
    const struct lct_phase *turn; /* [(n + 1) / 2] */
    int64_t position;
    size_t rows, n;
    enum lct_stored kind;
    bool streams;
};

/*
 * Kernels check nothing and cannot fail: callers validate everything and pass
 * dense float rows.  Pointers do not overlap unless the comment allows it.
 * "Exact": the same bits on every instruction set.  "Fused": uses f32v_fma(),
 * the same bits on all sets with a fused multiply-add.
 */
struct lct_kernels {
    const char *isa;

    /* Rotate rows of pairs; out == x is allowed.  Exact. */
    void (*rope)(const struct lct_rope *r);

    /* out = x + table, added in float32; out == x is allowed.  Exact. */
    void (*add_table)(const struct lct_sum *r);

    /* The same with the bits of angle_rows(), computed on the way.  Exact. */
    void (*add_waves)(const struct lct_wave_sum *r);

    /* out[2i] = first[i], out[2i + 1] = second[i], i < n.  Exact. */
    void (*interleave)(float *out, const float *first, const float *second,
                       size_t n);

    /* n elements of a 16-bit type to float32, and back.  Exact. */
    void (*widen)(float *out, const void *row, enum lct_stored kind, size_t n);
    void (*narrow)(void *row, enum lct_stored kind, const float *in, size_t n);

    /* tile = x, padded with 0 from channel n on; and x = tile.  Exact. */
    void (*load_rows)(const struct lct_rows *r);
    void (*store_rows)(const struct lct_rows *r);

    /* tile = x, dequantised and rounded once.  Exact. */
    void (*dequantize)(const struct lct_quant_rows *r);

    /* Is one of the numbers of E4M3 a NaN?  Rows are x_row bytes apart. */
    bool (*has_e4m3_nan)(const void *x, ptrdiff_t x_row, size_t rows, size_t n);

    /*
     * cos and sin of the angle p * turn[c], times magnitude, rounded once, for
     * c < pairs and p = position .. position + rows - 1, which must not cross
     * from below 0 to 0; dense rows of 'pairs'.  cos(-p) and cos(p), sin(-p)
     * and -sin(p) have the same bits.  Exact.
     */
    void (*angle_rows)(float *cos_out, float *sin_out,
                       const struct lct_phase *turn, size_t pairs,
                       int64_t position, size_t rows, double magnitude);

    /*
     * Fused.  If copies_crowded, it is faster to copy 64 rows of b that are a
     * multiple of 512 bytes apart to rows at another distance, if they serve
     * several products.  Measured with 32-byte vectors on Zen 3; with 64-byte
     * vectors on Zen 4 it was slower.
     */
    void (*matmul)(const struct lct_product *x);
    bool copies_crowded;

    /*
     * The same bits on every instruction set, except for denormals.  If
     * has_bf16_dot, it uses a dot instruction and is faster than matmul.
     */
    void (*bf16_matmul)(const struct lct_bf16_product *x);
    bool has_bf16_dot;

    /*
     * out[r,c] = the pair of x[2r,c], at the lower address, and x[2r+1,c],
     * rounded if F32; 0 past the last row, and from column n up to a multiple
     * of LCT_PAD.  Rows of x are x_row bytes apart.  Exact, but denormals may
     * become 0.
     */
    void (*bf16_pair_rows)(uint32_t *out, size_t out_row, const void *x,
                           ptrdiff_t x_row, enum lct_stored kind, size_t rows,
                           size_t n);

    /*
     * out = x, column c multiplied by factor[c] (NULL: 1), rounded to bfloat16,
     * two neighbours per word; n is a multiple of LCT_PAD.  out == x is allowed
     * if out_row == x_row.  Exact, but denormals may become 0.
     */
    void (*bf16_round_rows)(uint32_t *out, size_t out_row, const float *x,
                            size_t x_row, const float *factor, size_t rows,
                            size_t n);

    /*
     * Scores of a few queries, columns of a, and keys, rows of b: c[i,j] =
     * sum_p a[i + p * a_col] * b[j * b_row + p], i < m, j < n, p < k, k a
     * multiple of 8.  'add' and a_row are not read.  Fused; the bits of matmul.
     * PAIRS: a and b are words, k counts words and is a multiple of 4; the bits
     * of bf16_matmul with factor rescale[i].
     */
    void (*decode_scores)(const struct lct_product *x);

    /*
     * matmul with a_col 1 and 'add', for a few rows of weights and values in
     * memory.  Fused; the bits of matmul.  PAIRS: a has words of two entries
     * each (the last has one if k is odd), k and b are as for BF16; the bits of
     * bf16_matmul.
     */
    void (*decode_values)(const struct lct_product *x);

    /*
     * Online softmax of scores s [keys, lanes], one query per lane, rows 'row'
     * apart: updates row_max and sum, replaces s by exp(s - row_max), and
     * writes 'rescale', the factor of all earlier sums.  'lanes' is a multiple
     * of LCT_PAD.  Fused.
     */
    void (*softmax_step)(float *s, size_t row, size_t keys, size_t lanes,
                         float *row_max, float *sum, float *rescale);

    /*
     * The same for one query with consecutive keys; s has room for 'keys'
     * rounded up to LCT_PAD.  Fused; the bits of a lane of softmax_step.
     */
    void (*softmax_row)(float *s, size_t keys, float *row_max, float *sum,
                        float *rescale);

    /*
     * Merge the partial result of later keys, 'part' [n] with its maximum and
     * sum, into that of earlier ones, for one query.  n is a multiple of
     * LCT_PAD.  Fused.
     */
    void (*softmax_merge)(float *out, float *row_max, float *sum,
                          const float *part, float part_max, float part_sum,
                          size_t n);

    /* s = exp(s - lse[lane]).  Fused. */
    void (*recompute_probs)(float *s, size_t row, size_t keys, size_t lanes,
                            const float *lse);

    /*
     * s = cap tanh(s / cap), n of them, a multiple of LCT_PAD; -infinity stays
     * -infinity.  'slope', unless NULL, becomes the derivative, 0 for
     * -infinity.  Relative errors are at most 12 * 2^-24, of slopes
     * (12 + 4 |s / cap|) 2^-24.  Fused.
     */
    void (*softcap)(float *s, float *slope, size_t n, float cap);

    /* ds = p * (ds - delta[lane]), 0 where p is 0.  Exact. */
    void (*softmax_gradient)(float *ds, const float *p, size_t row, size_t keys,
                             size_t lanes, const float *delta);

    /*
     * Stick-breaking, keys from last to first: s = rest sigmoid(s), rest *= 1 -
     * sigmoid(s), sigma = sigmoid(s) unless it is NULL.  rest [lanes].  Fused.
     */
    void (*stick_step)(float *s, float *sigma, size_t row, size_t keys,
                       size_t lanes, float *rest);

    /* Keys from first to last: x = s (ds - own[lane]), sum += x, ds = x - sigma
     * sum; 0 where sigma is.  Exact. */
    void (*stick_gradient)(float *ds, const float *s, const float *sigma,
                           size_t row, size_t keys, size_t lanes,
                           const float *own, float *sum);

    /* s[j,i] += table[at[j] + i], s [keys, lanes].  Exact. */
    void (*add_bias_rows)(float *s, size_t keys, size_t lanes,
                          const float *table, const int64_t *at);

    /* s[j,i] *= table[at[j] + i], s [keys, lanes].  Exact. */
    void (*multiply_rows)(float *s, size_t keys, size_t lanes,
                          const float *table, const int64_t *at);

    /*
     * s += slope * distances, a product in double rounded to float; n is a
     * multiple of LCT_PAD.  Exact.
     */
    void (*add_linear_bias)(float *s, const double *distances, double slope,
                            size_t n);

    /*
     * s[j,i] += bias[j bias_row + i], bias[j] or bias[i bias_row + j], s [keys,
     * lanes]; -infinity where the bias is.  true: it is somewhere.  Exact.
     */
    bool (*add_dense_columns)(float *s, const float *bias, size_t bias_row,
                              size_t keys, size_t lanes);
    bool (*add_dense_keys)(float *s, const float *bias, size_t keys,
                           size_t lanes);
    bool (*add_dense_rows)(float *s, const float *bias, size_t bias_row,
                           size_t keys, size_t lanes);

    /*
     * sum[d] = sum of x[j,i] with i - j + keys - 1 = d, x [keys, lanes]; room
     * for keys + lanes rounded up to LCT_PAD, some of which is not written.
     * Exact.
     */
    void (*sum_diagonals)(float *sum, const float *x, size_t keys,
                          size_t lanes);

    /* s += the piecewise linear bias, s [keys, lanes].  Fused. */
    void (*add_pwl_bias)(float *s, size_t keys, size_t lanes,
                         const struct lct_pwl_bias *x);

    /*
     * sum [3, lanes] = sums of ds, ds f and ds du over the keys with start < f
     * <= end.  Fused.
     */
    void (*sum_pwl_gradient)(float *sum, const float *ds, size_t keys,
                             size_t lanes, const struct lct_pwl_bias *x,
                             float start, float end);

    /* Operations of rows and their derivatives (double_rows.h).  Exact. */
    void (*double_row)(double *out, enum lct_double_op op,
                       const double *const in[3], size_t n);
    void (*double_slope)(double *to, enum lct_double_op op, int k,
                         const double *d, const double *const in[3],
                         const double *y, size_t n);

    /* out [rows, width] = x, and the other way; any width.  Exact. */
    void (*double_widen)(double *out, const float *x, size_t x_row,
                         size_t width, size_t rows);
    void (*double_narrow)(float *out, size_t out_row, const double *x,
                          size_t width, size_t rows);

    /* sum[j] += the sum of x[j,i], x [rows, width], any width.  Exact. */
    void (*double_sum_rows)(double *sum, const double *x, size_t width,
                            size_t rows);

    /* Of a tile x [rows, width] of pairs (double_rows.h).  Exact. */
    void (*subtract_gated)(float *x, size_t x_row, const struct lct_gated *g);
    void (*sum_gated_gradient)(double *dq_gate, double *dk_gate,
                               const float *dx, size_t x_row,
                               const struct lct_gated *g);

    /* out[c, r] = x[r, c].  Exact. */
    void (*transpose)(float *out, size_t out_row, const float *x, size_t x_row,
                      size_t rows, size_t columns);

    /* Are all entries finite?  'columns' is a multiple of LCT_PAD. */
    bool (*all_finite)(const float *x, size_t row, size_t rows, size_t columns);
};

extern const struct lct_kernels lct_kernels_base;
extern const struct lct_kernels lct_kernels_avx2;
extern const struct lct_kernels lct_kernels_avx512;
extern const struct lct_kernels lct_kernels_avx512bf16;
extern const struct lct_kernels lct_kernels_neon;

/* The table in use.  Get it once per public call. */
const struct lct_kernels *lct_kernels(void);
#endif
