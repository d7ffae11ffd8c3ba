/*
 * cope.c - Golovneva et al. 2024, arXiv:2405.18719v2, eq. (3)-(7) and its
 * listing: gates are sigmoid(score); the position of key j is the sum of the
 * gates of all visible keys from j on, in their order in memory, clamped to the
 * table.  q.e of that position, interpolated between whole positions, is added
 * without a scale.
 */
#include "content.h"

static const struct oracle_spec specs[] = { { .text = "cope(length=4)" },
                                            { .text = "cope(length=64)" },
                                            { .text =
                                                  "cope(length=2,share=yes)" },
                                            { 0 } };

static cx gate(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
               int64_t j)
{
    cx logit = call->scale *
               product(query_of(call, b, h, i), key_of(call, b, h, j), call->D);

    return 1 / (1 + cexp(-logit));
}

static cx score(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    int64_t length = (int64_t)oracle_number(call->spec, "length", 64);
    const cx *q = query_of(call, b, h, i);
    cx p = 0, fraction;
    int64_t low, high;

    for (int64_t t = j; t < call->S; t++)
        if (oracle_visible(call, b, i, t))
            p += gate(call, b, h, i, t);
    if (creal(p) > (double)(length - 1))
        p = (double)(length - 1);
    low = (int64_t)floor(creal(p));
    high = (int64_t)ceil(creal(p));
    fraction = p - (double)low;
    return call->scale * product(q, key_of(call, b, h, j), call->D) +
           (1 - fraction) *
               product(q, call->param[0] + low * call->D, call->D) +
           fraction * product(q, call->param[0] + high * call->D, call->D);
}

const struct oracle cope_oracle = {
    .name = "cope",
    .specs = specs,
    .score = score,
};
