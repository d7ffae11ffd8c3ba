/* double_rows.h - operations on rows of doubles, as formulas need them */
#ifndef LCT_DOUBLE_ROWS_H
#define LCT_DOUBLE_ROWS_H

enum {
    LCT_DOUBLE_STEP = 8 /* rows have a multiple of this, the widest vector */
};

/* Operations of a, b and c; sums and products are rounded as in C. */
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
#endif
