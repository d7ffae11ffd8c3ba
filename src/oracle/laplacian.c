/*
 * laplacian.c - Dwivedi and Bresson 2020, arXiv:2012.09699v2, section 2.2:
 * rows of given eigenvectors, projected to the width.
 */
#include "oracle.h"

static const struct oracle_spec specs[] = {
    { .text = "laplacian(length=6,vectors=3)", .high = 5 },
    { .text = "laplacian(length=9,vectors=1)", .high = 8 },
    { 0 }
};

static cx entry(const struct oracle_call *call, double pos, int64_t d)
{
    int64_t n = (int64_t)oracle_number(call->spec, "vectors", 0);
    cx sum = 0;

    for (int64_t c = 0; c < n; c++)
        sum += call->param[0][(int64_t)pos * n + c] *
               call->param[1][c * call->W + d];
    return sum;
}

const struct oracle laplacian_oracle = {
    .name = "laplacian",
    .specs = specs,
    .entry = entry,
};
