/*
 * scale_invariant.c - Anson et al. 2025, arXiv:2505.17083: with n the distance
 * |p_i - p_j|, the score s of a query and a key becomes
 *
 *     a s + m,  a = sqrt(1 + 2 ln(1 + n/tau)),  m = -2 ln(1 + n/tau).
 */
#include "content.h"

static const struct oracle_spec specs[] = {
    { .text = "scale-invariant" },
    { .text = "scale-invariant(tau=0.5)" },
    { .text = "scale-invariant(tau=300)" },
    { 0 }
};

static cx octaves(const struct oracle_call *call, int64_t b, int64_t i,
                  int64_t j)
{
    return log1p(fabs((double)past(call, b, i, j)) /
                 oracle_number(call->spec, "tau", 10));
}

static cx bias(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
               int64_t j)
{
    (void)h;
    return -2 * octaves(call, b, i, j);
}

static cx score(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    cx s = call->scale *
           product(query_of(call, b, h, i), key_of(call, b, h, j), call->D);

    return csqrt(1 + 2 * octaves(call, b, i, j)) * s + bias(call, b, h, i, j);
}

const struct oracle scale_invariant_oracle = {
    .name = "scale-invariant",
    .specs = specs,
    .bias = bias,
    .score = score,
    .far = INT32_MAX,
};
