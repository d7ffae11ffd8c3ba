/*
 * repo.c - Li et al. 2025, arXiv:2512.14391: q and k are rotated at position
 * z = w_h.(silu(W_g x) * (W_c x)) of their token.  Parameters: W_g [units,
 * width], W_c [units, width], w [H, units]; units: width / 8 unless given.
 */
#include "moved.h"

static const struct oracle_spec specs[] = {
    { .text = "repo" },
    { .text = "repo(hidden=3,base=100)" },
    { .text = "repo(hidden=1,share=yes)" },
    { 0 }
};

static void angles(cx *angle, const struct oracle_call *call, int64_t b,
                   int64_t h, int64_t t)
{
    int64_t units = (int64_t)oracle_number(call->spec, "hidden", 0);
    double base = oracle_number(call->spec, "base", 500000);
    const cx *x = input_of(call, b, t);
    cx z = 0;

    if (units == 0)
        units = call->W / 8 > 0 ? call->W / 8 : 1;
    for (int64_t u = 0; u < units; u++) {
        cx gate = product(call->param[0] + u * call->W, x, call->W);
        cx value = product(call->param[1] + u * call->W, x, call->W);

        z += call->param[2][h * units + u] * gate / (1 + cexp(-gate)) * value;
    }
    for (int64_t c = 0; c < call->D / 2; c++)
        angle[c] = z * pow(base, -2.0 * (double)c / (double)call->D);
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

const struct oracle repo_oracle = {
    .name = "repo",
    .specs = specs,
    .D_step = 2,
    .score = score,
    .terms = terms,
    .as_many_kv_heads = 1,
};
