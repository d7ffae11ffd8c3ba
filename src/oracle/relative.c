/*
 * relative.c - a table of vectors by clipped distance, query minus key,
 * multiplied with the query only: the form of many tutorials.
 */
#include "content.h"

static const struct oracle_spec specs[] = {
    { .text = "relative(distance=3)" },
    { .text = "relative" },
    { .text = "relative(distance=1,share=yes)" },
    { 0 }
};

static cx score(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    int64_t k = (int64_t)oracle_number(call->spec, "distance", 32);
    const cx *row =
        call->param[0] + (clip(past(call, b, i, j), -k, k) + k) * call->D;
    const cx *q = query_of(call, b, h, i);

    return call->scale * (product(q, key_of(call, b, h, j), call->D) +
                          product(q, row, call->D));
}

const struct oracle relative_oracle = {
    .name = "relative",
    .specs = specs,
    .score = score,
};
