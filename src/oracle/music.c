/*
 * music.c - Huang et al. 2018, arXiv:1809.04281v3, section 3.4: S_rel[i,j] =
 * q_i . E[L - 1 - (i - j)] for j <= i; distances beyond the table share its
 * first row, and scores of keys after the query do not change.
 */
#include "content.h"

static const struct oracle_spec specs[] = { { .text = "music(length=4)" },
                                            { .text = "music(length=20)" },
                                            { .text =
                                                  "music(length=1,share=yes)" },
                                            { 0 } };

static cx score(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    int64_t length = (int64_t)oracle_number(call->spec, "length", 0);
    int64_t n = past(call, b, i, j);
    const cx *q = query_of(call, b, h, i);
    cx plain = product(q, key_of(call, b, h, j), call->D);

    if (n < 0)
        return call->scale * plain;
    n = n > length - 1 ? length - 1 : n;
    return call->scale *
           (plain +
            product(q, call->param[0] + (length - 1 - n) * call->D, call->D));
}

const struct oracle music_oracle = {
    .name = "music",
    .specs = specs,
    .score = score,
};
