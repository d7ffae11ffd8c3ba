/* adamw.h - AdamW, warm-up and cosine, clipping by global norm */
#ifndef LCT_ADAMW_H
#define LCT_ADAMW_H
#include "real.h"
#include <stdbool.h>

struct lct_adamw {
    double rate;         /* of this step */
    double beta1, beta2; /* .9, .95 */
    double epsilon;      /* 1e-8 */
    double decay;        /* .1; used only if the argument 'decay' is true */
    int64_t step;        /* 1 for the first */
};

/*
 * One step on n parameters: p -= rate * (m^ / (sqrt(v^) + eps) + decay * p).
 * Source: Loshchilov and Hutter 2019, arXiv:1711.05101v3, algorithm 2.
 */
void lct_adamw_step(real *p, real *m, real *v, const real *grad, size_t n,
                    bool decay, const struct lct_adamw *o);

/* Linear warm-up to 'peak' over 'warmup' steps, then cosine to peak * floor. */
double lct_learning_rate(int64_t step, int64_t steps, int64_t warmup,
                         double peak, double floor);

/* Scale grad so that its norm is at most 'limit'; returns the norm before. */
double lct_clip_norm(real *grad, size_t n, double limit);
#endif
