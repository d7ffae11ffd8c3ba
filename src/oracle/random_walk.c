/*
 * random_walk.c - Dwivedi et al. 2021, arXiv:2110.07875v2, section 3.2: given
 * probabilities of return after 1 .. steps steps, projected to the width.
 */
#include "oracle.h"

static const struct oracle_spec specs[] = {
    { .text = "random-walk(length=7,steps=4)", .high = 6 },
    { .text = "random-walk(length=5,steps=8)", .high = 4 },
    { 0 }
};

static cx entry(const struct oracle_call *call, double pos, int64_t d)
{
    int64_t n = (int64_t)oracle_number(call->spec, "steps", 0);
    cx sum = 0;

    for (int64_t c = 0; c < n; c++)
        sum += call->param[0][(int64_t)pos * n + c] *
               call->param[1][c * call->W + d];
    return sum;
}

const struct oracle random_walk_oracle = {
    .name = "random-walk",
    .specs = specs,
    .entry = entry,
};
