/* adamw.h - AdamW, warm-up and cosine, clipping by global norm */
#ifndef LCT_ADAMW_H
#define LCT_ADAMW_H
#include "real.h"
#include <stdbool.h>

struct lct_adamw {
    double rate;         /* of this step */
    double beta1, beta2; /* .9, .95 */
    double epsilon;      /* 1e-8 */
    double decay;        /* .1; used if lct_adamw_step() gets 'decay' */
    int64_t step;        /* 1, 2, .. */
};

/*
 * One step on n parameters with moments m, v [n], which are 0 before step 1:
 * p -= rate * (m^ / (sqrt(v^) + epsilon) + decay * p).
 * Source: Loshchilov and Hutter 2019, arXiv:1711.05101v3, algorithm 2.
 */
void lct_adamw_step(real *p, real *m, real *v, const real *grad, size_t n,
                    bool decay, const struct lct_adamw *o);

/* Linear warm-up to 'peak' over 'warmup' steps, then a cosine that falls to
   peak * end at 'steps'. */
double lct_learning_rate(int64_t step, int64_t steps, int64_t warmup,
                         double peak, double end);

/* Scale grad [n] so that its norm is at most 'limit'; return the norm that it
   had. */
double lct_clip_norm(real *grad, size_t n, double limit);
#endif
