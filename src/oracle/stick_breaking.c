/*
 * stick_breaking.c - Tan et al. 2024, arXiv:2410.17980, section 2: the weight
 * of a key is its sigmoid times 1 minus the sigmoids of all newer keys; what is
 * left goes to the query's own value, or nowhere with rest=drop.  The weights
 * are in trial.c, since every other encoding has a softmax.
 */
#include "content.h"

static const struct oracle_spec specs[] = {
    { .text = "stick-breaking" },
    { .text = "stick-breaking(current=yes)" },
    { .text = "stick-breaking(rest=drop)" },
    { .text = "stick-breaking(current=yes,rest=drop)" },
    { 0 }
};

static cx score(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    if (!oracle_word(call->spec, "current", "yes", 0) &&
        past(call, b, i, j) <= 0)
        return -INFINITY;
    return call->scale *
           product(query_of(call, b, h, i), key_of(call, b, h, j), call->D);
}

const struct oracle stick_breaking_oracle = {
    .name = "stick-breaking",
    .specs = specs,
    .score = score,
    .stick_breaking = 1,
};
