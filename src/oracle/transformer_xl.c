/*
 * transformer_xl.c - Dai et al. 2019, arXiv:1901.02860v3, section 3.3: with
 * R_n the sinusoid of n = i - j, sines first,
 *   A = q.k + q.(W R_n) + u.k + v.(W R_n), all over sqrt(D).
 * Parameters: W [H, D, width], u [H, D], v [H, D].
 */
#include "content.h"

static const struct oracle_spec specs[] = {
    { .text = "transformer-xl" },
    { .text = "transformer-xl(clamp=2)" },
    { .text = "transformer-xl(base=100,share=yes)" },
    { 0 }
};

static cx score(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    double clamp = oracle_number(call->spec, "clamp", 0);
    double n = (double)past(call, b, i, j);
    const cx *q = query_of(call, b, h, i), *k = key_of(call, b, h, j);
    const cx *u = call->param[1] + h * call->D,
             *v = call->param[2] + h * call->D;
    cx sum = 0;

    if (clamp > 0 && n > clamp)
        n = clamp;
    for (int64_t d = 0; d < call->D; d++)
        sum +=
            (q[d] + u[d]) * k[d] + (q[d] + v[d]) * sinusoid_of(call, h, d, n);
    return call->scale * sum;
}

const struct oracle transformer_xl_oracle = {
    .name = "transformer-xl",
    .specs = specs,
    .D_step = 2,
    .score = score,
};
