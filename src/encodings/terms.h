/*
 * terms.h - the content door as products.
 *
 * Where what content adds is made of products, an encoding says which ones.
 * Attention forms them for tiles in float32, and row by row in double.
 *
 *     s[i,j] = factor (scale [<q_i + u, k_j> + <q_i + a, A[m]> + <k_j, K[m]>]
 *                      + b_ij + g_i - g_j),       o_i = sum_j p_ij (v_j + V[m])
 *
 * m is a row that the pair of positions picks; g sums logarithms of gates over
 * the keys before a token.
 */
#ifndef LCT_TERMS_H
#define LCT_TERMS_H
#include "encoding.h"

enum { LCT_MAX_VECTORS = 2 };

/* What rows of vectors are multiplied with. */
enum lct_meets { LCT_MEETS_QUERY, LCT_MEETS_KEY, LCT_MEETS_WEIGHT };

/*
 * Rows of vectors [head_dim], one of which each pair of positions picks.  They
 * are parameters themselves, or projections of rows of the width, which
 * 'basis' gives: matrix x row + bias.
 */
struct lct_vectors {
    enum lct_meets meets;

    /*
     * The row of a pair.  Of the difference q_pos - k_pos alone, rising or
     * falling with it and the same from 'last' on and up to 'first'; or, if
     * 'pairs' is not 0, any of rows 0 .. pairs - 1.
     */
    int64_t (*row)(const locant_encoding *e, int64_t q_pos, int64_t k_pos);
    int64_t first, last;
    int pairs;

    /* Parameters; -1: none. */
    int table;      /* [rows, head_dim], or with 'by_head' [rows, heads, ..] */
    bool by_head;
    int matrix;     /* [heads, head_dim, width], instead of 'table' */
    int bias;       /* [heads, head_dim], beside 'matrix' */
    int added;      /* [heads, head_dim]: a */
};

struct lct_terms {
    int count;
    struct lct_vectors vectors[LCT_MAX_VECTORS];
    int u;          /* parameter [heads, head_dim]; -1: none */
    double factor;

    /*
     * Parameters [heads, width] and [heads] of gates f = sigmoid(weight x +
     * bias) of the layer's input; -1: none.  What lies before a token, its own
     * gate not counted, is weakened by ln f; hooks may not hide keys besides.
     */
    int gate_weight, gate_bias;

    /* Scores are those of the row's 'near_far', by its 'schedule'. */
    bool near_far;
};

/* What all of them leave alone. */
static inline struct lct_terms lct_no_terms(void)
{
    return (struct lct_terms){ .u = -1, .factor = 1, .gate_weight = -1,
                               .gate_bias = -1 };
}

/* Vectors that are parameter 'table' itself. */
static inline struct lct_vectors lct_plain_vectors(enum lct_meets meets,
                                                   int table)
{
    return (struct lct_vectors){ .meets = meets, .table = table, .matrix = -1,
                                 .bias = -1, .added = -1 };
}

struct lct_term_form {
    /* The terms of e in a call whose differences lie within low .. high. */
    void (*terms)(struct lct_terms *out, const locant_encoding *e, int64_t low,
                  int64_t high);

    /*
     * Row m [width] of what is projected, in double; rows m .. m + n - 1 in
     * float32, 'row' floats apart, a multiple of LCT_PAD (NULL: the doubles,
     * rounded); and row m back (NULL: they are fixed).
     */
    void (*basis)(double *out, const struct lct_call *c, int64_t m);
    void (*basis_rows)(float *out, size_t row, const struct lct_call *c,
                       int64_t m, int64_t n);
    void (*basis_backward)(double *const *dparam, const double *drow,
                           const struct lct_call *c, int64_t m);
};
#endif
