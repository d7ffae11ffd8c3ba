/* piecewise.h - biases that are piecewise linear */
#ifndef LCT_PIECEWISE_H
#define LCT_PIECEWISE_H
#include "call.h"

/*
 * A bias that is piecewise linear in f = u(n) / v(q_pos), n = |q_pos - k_pos|,
 * with u and v above 0 and u growing.  Two parameters bend it: u and v depend
 * on the first, v on the second.
 */
struct lct_piecewise {
    /* How many pieces there may be. */
    int64_t (*pieces)(const locant_encoding *e);
    /*
     * The pieces, of which it returns the number: r goes from start[r],
     * ascending, to the next; -infinity is the first.  In it the bias of head
     * h is slope[h, r] f + value[h, r]; rows are 'row' apart.
     */
    int64_t (*find)(double *start, double *slope, double *value, int64_t row,
                    const struct lct_call *s);
    /* u, and its derivative by the first parameter. */
    void (*distance)(double out[2], const struct lct_call *s, double n);
    /* 1 / v, and the derivatives of ln(1 / v) by both parameters. */
    void (*query)(double out[3], const struct lct_call *s, int64_t q_pos);
    /*
     * Gradients of one head from sums over pairs: of dout and dout f in each
     * piece, and the gradients of the two parameters themselves.
     */
    void (*backward)(double *const *dparam, const struct lct_call *s,
                     int64_t head, const double *start, int64_t pieces,
                     const double *sum, const double *sum_f,
                     const double bends[2]);
};
#endif
