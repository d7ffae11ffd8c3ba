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

static cx score(const struct oracle_call *w, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    int64_t k = (int64_t)oracle_number(w->spec, "distance", 32);
    const cx *row = w->param[0] + (clip(past(w, b, i, j), -k, k) + k) * w->D;
    const cx *q = query_of(w, b, h, i);

    return w->scale *
           (product(q, key_of(w, b, h, j), w->D) + product(q, row, w->D));
}

const struct oracle relative_oracle = {
    .name = "relative",
    .specs = specs,
    .score = score,
};
