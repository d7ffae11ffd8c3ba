/*
 * carope.c - Veisi et al. 2025, arXiv:2507.23083: pair c (from 1) of a token is
 * rotated by the sum over tokens up to it, in order of position, of f^c, f =
 * 1 / (softplus(w_h.x) + 1).  Parameter: w [H, width].
 */
#include "moved.h"

static const struct oracle_spec specs[] = { { .text = "carope" },
                                            { .text = "carope(share=yes)" },
                                            { 0 } };

static void angles(cx *angle, const struct oracle_call *call, int64_t b,
                   int64_t h, int64_t t)
{
    for (int64_t c = 0; c < call->D / 2; c++)
        angle[c] = 0;
    for (int64_t s = 0; s < call->S; s++) {
        cx l, f, power;

        if (oracle_position(call, 1, b, s) > oracle_position(call, 1, b, t))
            continue;
        l = product(call->param[0] + h * call->W, input_of(call, b, s),
                    call->W);
        f = power = 1 / (clog(1 + cexp(l)) + 1);
        for (int64_t c = 0; c < call->D / 2; c++, power *= f)
            angle[c] += power;
    }
}

static cx score(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    return moved_score(call, b, h, i, j, angles);
}

static double terms(const struct oracle_call *call, int64_t b, int64_t h,
                    int64_t i, int64_t j)
{
    return moved_terms(call, b, h, i, j, angles);
}

const struct oracle carope_oracle = {
    .name = "carope",
    .specs = specs,
    .D_step = 2,
    .score = score,
    .terms = terms,
    .as_many_kv_heads = 1,
};
