/*
 * cosine.c - Liu et al. 2022, arXiv:2111.09883v2, section 3.2, eq. (2): cosine
 * of query and key times exp(l), at most 'most'; norms below 1e-12 count as
 * 1e-12.  The scale of the call cancels.  Parameter: l [H].
 */
#include "content.h"

static const struct oracle_spec specs[] = { { .text = "cosine" },
                                            { .text = "cosine(most=2)" },
                                            { 0 } };

static void range(double *low, double *high, const char *spec, int k)
{
    (void)spec, (void)k;
    *low = -1;
    *high = 2;
}

static cx rotated(const struct oracle_call *call, int key, int64_t b, int64_t h,
                  int64_t t, const cx *x, int64_t d)
{
    cx length = csqrt(product(x, x, call->D)), factor;
    double most = oracle_number(call->spec, "most", 100);

    (void)b, (void)t;
    if (creal(length) < 1e-12)
        length = 1e-12;
    if (key)
        return x[d] / length;
    factor = cexp(call->param[0][h]);
    if (creal(factor) > most)
        factor = most;
    /* Outside of attention the scale is 1/sqrt(D). */
    return factor * (call->scale != 0 ? 1 / call->scale : sqrt(call->D)) *
           x[d] / length;
}

const struct oracle cosine_oracle = {
    .name = "cosine",
    .specs = specs,
    .D_step = 2,
    .range = range,
    .rotated = rotated,
    .as_many_kv_heads = 1,
};
