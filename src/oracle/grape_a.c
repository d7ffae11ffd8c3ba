/*
 * grape_a.c - Zhang et al. 2025, arXiv:2512.07805, as in the authors' code: the
 * bias is -n m_h softplus(w_h) times softplus(<u, k_j> / sqrt(D)), u of length
 * 1, or the same of v and q_i, or the sum of the two.
 * Parameters: w [H], then u [H, D], v [H, D] as far as the gate has them.
 */
#include "content.h"

static const struct oracle_spec specs[] = { { .text = "grape-a" },
                                            { .text = "grape-a(gate=query)" },
                                            { .text = "grape-a(gate=both)" },
                                            { .text = "grape-a(max=2)" },
                                            { 0 } };

static cx softplus(cx x)
{
    return clog(1 + cexp(x));
}

static cx gate(const struct oracle_call *call, int param, int64_t h,
               const cx *x)
{
    const cx *w = call->param[param] + h * call->D;

    return softplus(product(w, x, call->D) /
                    csqrt(product(w, w, call->D) * (double)call->D));
}

static cx score(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    const cx *q = query_of(call, b, h, i), *k = key_of(call, b, h, j);
    int both = oracle_word(call->spec, "gate", "both", 0);
    int query = oracle_word(call->spec, "gate", "query", 0);
    double slope = alibi_slope(oracle_number(call->spec, "max", 8), h, call->H);
    cx g = 0;

    if (!query)
        g += gate(call, 1, h, k);
    if (query || both)
        g += gate(call, both ? 2 : 1, h, q);
    return call->scale * product(q, k, call->D) -
           (double)past(call, b, i, j) * slope * softplus(call->param[0][h]) *
               g;
}

const struct oracle grape_a_oracle = {
    .name = "grape-a",
    .specs = specs,
    .score = score,
};
