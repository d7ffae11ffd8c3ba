/*
 * adamw.c - the optimiser: AdamW (Loshchilov and Hutter 2019,
 * arXiv:1711.05101v3, algorithm 2), learning rate and clipping.
 *
 * The paper multiplies the gradient's term by the base rate and the schedule,
 * and the decay by the schedule alone.  Here, as in PyTorch, 'rate', which
 * includes the schedule, multiplies both.
 */
#include "adamw.h"
#include "nn_kernels.h"
#include <math.h>

/* base^n, n >= 0, by squaring: the last bit of libm's pow() varies */
static double power(double base, int64_t n)
{
    double result = 1.0;

    for (; n > 0; n /= 2) {
        if (n % 2)
            result *= base;
        base *= base;
    }
    return result;
}

void lct_adamw_step(real *p, real *m, real *v, const real *grad, size_t n,
                    bool decay, const struct lct_adamw *o)
{
    const struct lct_adamw_factors f = {
        .beta1 = (real)o->beta1,
        .one_minus_beta1 = (real)(1.0 - o->beta1),
        .beta2 = (real)o->beta2,
        .one_minus_beta2 = (real)(1.0 - o->beta2),
        .bias_correction1 = (real)(1.0 / (1.0 - power(o->beta1, o->step))),
        .bias_correction2 = (real)(1.0 / (1.0 - power(o->beta2, o->step))),
        .rate = (real)o->rate,
        .epsilon = (real)o->epsilon,
        .decay = decay ? (real)o->decay : 0,
    };

    lct_nn()->adamw(p, m, v, grad, n, &f);
}

double lct_learning_rate(int64_t step, int64_t steps, int64_t warmup,
                         double peak, double end)
{
    const double pi = 3.14159265358979323846;
    double done;

    if (step < warmup)
        return peak * (double)step / (double)warmup;
    if (step >= steps)
        return peak * end;
    done = (double)(step - warmup) / (double)(steps - warmup);
    return peak * (end + (1.0 - end) * 0.5 * (1.0 + cos(pi * done)));
}

double lct_clip_norm(real *grad, size_t n, double limit)
{
    const struct lct_nn_kernels *nn = lct_nn();
    double norm = sqrt(nn->sum_squares(grad, n));

    if (norm > limit)
        nn->scale(grad, (real)(limit / norm), n);
    return norm;
}
