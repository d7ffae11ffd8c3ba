/*
 * cope.c - Golovneva et al. 2024, arXiv:2405.18719v2, eq. (3)-(7) and its
 * listing: gates are sigmoid(score); the position of key j is the sum of the
 * gates of all visible keys from j on, in their order in memory, clamped to the
 * table.  The logit q.e of that position, interpolated between whole ones, is
 * added without a scale.
 */
#include "content.h"

static const struct oracle_spec specs[] = { { .text = "cope(length=4)" },
                                            { .text = "cope(length=64)" },
                                            { .text =
                                                  "cope(length=2,share=yes)" },
                                            { 0 } };

static cx gate(const struct oracle_call *w, int64_t b, int64_t h, int64_t i,
               int64_t j)
{
    cx logit =
        w->scale * product(query_of(w, b, h, i), key_of(w, b, h, j), w->D);

    return 1 / (1 + cexp(-logit));
}

static cx score(const struct oracle_call *w, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    int64_t length = (int64_t)oracle_number(w->spec, "length", 64);
    const cx *q = query_of(w, b, h, i);
    cx p = 0, fraction;
    int64_t low, high;

    for (int64_t t = j; t < w->S; t++)
        if (oracle_visible(w, b, i, t))
            p += gate(w, b, h, i, t);
    if (creal(p) > (double)(length - 1))
        p = (double)(length - 1);
    low = (int64_t)floor(creal(p));
    high = (int64_t)ceil(creal(p));
    fraction = p - (double)low;
    return w->scale * product(q, key_of(w, b, h, j), w->D) +
           (1 - fraction) * product(q, w->param[0] + low * w->D, w->D) +
           fraction * product(q, w->param[0] + high * w->D, w->D);
}

const struct oracle cope_oracle = {
    .name = "cope",
    .specs = specs,
    .score = score,
};
