/* double_rows.h - operations on rows of doubles, as formulas and gates of
   distances need them */
#ifndef LCT_DOUBLE_ROWS_H
#define LCT_DOUBLE_ROWS_H
#include <stddef.h>

enum {
    LCT_DOUBLE_STEP = 8 /* rows have a multiple of this, the widest vector */
};

/*
 * Operations of a, b and c; sums and products are rounded as in C.  Rows have n
 * doubles, a multiple of LCT_DOUBLE_STEP: double_row() computes out = op(in..),
 * which may be one of them; double_slope() adds to 'to' d times the derivative
 * by in[k], exactly 0 where one of the factors is, y being op(in..).
 * Operations without a derivative add nothing.
 */
enum lct_double_op {
    LCT_DOUBLE_ADD,
    LCT_DOUBLE_SUB,
    LCT_DOUBLE_MUL,
    LCT_DOUBLE_DIV,
    LCT_DOUBLE_NEG, /* 0 - a */
    LCT_DOUBLE_LT,  /* 1 or 0 */
    LCT_DOUBLE_LE,
    LCT_DOUBLE_GT,
    LCT_DOUBLE_GE,
    LCT_DOUBLE_EQ,
    LCT_DOUBLE_MIN, /* b < a ? b : a */
    LCT_DOUBLE_MAX,
    LCT_DOUBLE_CLAMP, /* a < b ? b : a > c ? c : a */
    LCT_DOUBLE_IF,    /* a != 0 ? b : c */
    LCT_DOUBLE_ABS,
    LCT_DOUBLE_SIGN,
    LCT_DOUBLE_RELU,
    LCT_DOUBLE_STEP_AT_0, /* a > 0 */
    LCT_DOUBLE_EXP,
    LCT_DOUBLE_EXPM1,
    LCT_DOUBLE_LOG,
    LCT_DOUBLE_LOG1P,
    LCT_DOUBLE_TANH,
    LCT_DOUBLE_SIGMOID,
    LCT_DOUBLE_SOFTPLUS,
    LCT_DOUBLE_LOGSIGMOID,
    LCT_DOUBLE_OPS
};

/*
 * Distances of a tile of pairs that gates multiply: subtract_gated() computes
 * x[j,i] -= (q[i] - k[j]) (q_gate[i] + k_gate[j]), rounded once to float;
 * sum_gated_gradient() adds the sums over j and over i of its derivatives by
 * the gates times dx to dq_gate[i] and dk_gate[j].
 */
struct lct_gated {
    const double *q, *q_gate; /* [width] */
    const double *k, *k_gate; /* [rows] */
    size_t width, rows;
};
#endif
