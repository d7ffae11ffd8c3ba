/* gradient_pass.h - what an engine's backward is called with */
#ifndef LCT_ATTENTION_GRADIENT_PASS_H
#define LCT_ATTENTION_GRADIENT_PASS_H
#include "plan.h"

/*
 * A backward over queries first .. last - 1; 'first' is a multiple of LCT_TILE,
 * and so is 'last' unless it is T.  It writes dq of these queries and dk, dv
 * and dx as sums over them, adds to dsinks and leaves the sums of parameters in
 * p->gradients->params.  The caller begins and ends dbias (dense_gradient.h).
 */
struct lct_gradient_pass {
    const locant_attention_gradients *g;
    const locant_tensor *dout, *out, *lse; /* of all queries */
    int64_t first, last;
};

typedef void (*lct_backward_engine)(const struct lct_plan *p,
                                    const struct lct_gradient_pass *pass);
#endif
