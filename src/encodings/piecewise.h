/* piecewise.h - biases that are piecewise linear */
#ifndef LCT_PIECEWISE_H
#define LCT_PIECEWISE_H
#include "call.h"

/*
 * A bias that is piecewise linear in f = u(n) / v(q_pos), n = |q_pos - k_pos|,
 * with u, v > 0 and u increasing.  u depends on one parameter, v on the same
 * one and on a second.
 */
struct lct_piecewise {
    /* An upper bound of the number of pieces. */
    int64_t (*pieces)(const locant_encoding *e);
    /*
     * Write the pieces, and return their number.  Piece r begins at f =
     * start[r], ascending from -infinity.  In it the bias of head h is
     * slope[h, r] f + value[h, r]; rows of heads are 'row' apart.
     */
    int64_t (*find)(double *start, double *slope, double *value, int64_t row,
                    const struct lct_call *s);
    /* u, and its derivative with respect to the first parameter. */
    void (*distance)(double out[2], const struct lct_call *s, double n);
    /* 1 / v, and derivatives of ln(1 / v) with respect to both. */
    void (*query)(double out[3], const struct lct_call *s, int64_t q_pos);
    /*
     * Add the gradients of one head.  sum[r] and sum_f[r] are the sums of
     * dout and of dout f over the pairs in piece r; 'dshape' holds the
     * gradients of the two parameters.
     */
    void (*backward)(double *const *dparam, const struct lct_call *s,
                     int64_t head, const double *start, int64_t pieces,
                     const double *sum, const double *sum_f,
                     const double dshape[2]);
};
#endif
