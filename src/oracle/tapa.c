/*
 * tapa.c - Wang et al. 2025, arXiv:2509.12635, section 3: with A = amplitude D
 * channels of amplitude, D - A = P of phase and n the distance,
 *
 *     q_A.k_A / sqrt(A) cos(2 pi n^alpha q_P.k_P / sqrt(P)).
 *
 * The scale of the call, D^(-1/2) by default, multiplies the amplitude.
 */
#include "content.h"

static const struct oracle_spec specs[] = {
    { .text = "tapa" },
    { .text = "tapa(alpha=0.3,amplitude=0.25)" },
    { .text = "tapa(amplitude=0.75)" },
    { .text = "tapa(amplitude=1)" },
    { 0 }
};

static cx score(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    double share = oracle_number(call->spec, "amplitude", 0.5);
    int64_t A = (int64_t)fmax(1, round(share * (double)call->D));
    int64_t P = call->D - A;
    double n = fabs((double)past(call, b, i, j));
    const cx *q = query_of(call, b, h, i), *k = key_of(call, b, h, j);
    cx u = call->scale * sqrt((double)call->D / (double)A) * product(q, k, A);

    if (P == 0)
        return u;
    return u * ccos(6.283185307179586 *
                    pow(n, oracle_number(call->spec, "alpha", 0.1)) *
                    product(q + A, k + A, P) / sqrt((double)P));
}

const struct oracle tapa_oracle = {
    .name = "tapa",
    .specs = specs,
    .score = score,
};
