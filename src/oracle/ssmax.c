/*
 * ssmax.c - Nakanishi 2025, arXiv:2501.19399, section 2: scores times s ln N,
 * or s ln N + b, N the number of keys that the query sees.  Parameters: s, b.
 */
#include "content.h"

static const struct oracle_spec specs[] = { { .text = "ssmax" },
                                            { .text = "ssmax(bias=yes)" },
                                            { .text = "ssmax(share=yes)" },
                                            { 0 } };

static cx score(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    cx factor = 0;
    int64_t seen = 0;

    for (int64_t t = 0; t < call->S; t++)
        seen += oracle_visible(call, b, i, t);
    factor = call->param[0][h] * log((double)seen);
    if (oracle_word(call->spec, "bias", "yes", 0))
        factor += call->param[1][h];
    return factor * call->scale *
           product(query_of(call, b, h, i), key_of(call, b, h, j), call->D);
}

/* A score's derivative by s is ln N times a sum of D products. */
static double parts(const struct oracle_call *call, int k)
{
    (void)k;
    return 8 * call->scale * (double)call->D;
}

const struct oracle ssmax_oracle = {
    .name = "ssmax",
    .specs = specs,
    .score = score,
    .parts = parts,
};
