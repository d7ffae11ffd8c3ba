/*
 * nodes.c - given numbers of a graph's nodes, projected to the width:
 *   laplacian (Dwivedi and Bresson 2020, arXiv:2012.09699v2, section 2.2):
 *     eigenvectors;
 *   random-walk (Dwivedi et al. 2021, arXiv:2110.07875v2, section 3.2):
 *     probabilities of return after 1 .. steps steps.
 */
#include "oracle.h"

/* Channel d of row 'pos' of param[0] [nodes, n] times param[1] [n, W]. */
static cx projected(const struct oracle_call *call, const char *key, double pos,
                    int64_t d)
{
    int64_t n = (int64_t)oracle_number(call->spec, key, 0);
    cx sum = 0;

    for (int64_t c = 0; c < n; c++)
        sum += call->param[0][(int64_t)pos * n + c] *
               call->param[1][c * call->W + d];
    return sum;
}

static const struct oracle_spec laplacian_specs[] = {
    { .text = "laplacian(length=6,vectors=3)", .high = 5 },
    { .text = "laplacian(length=9,vectors=1)", .high = 8 },
    { 0 }
};

static cx laplacian(const struct oracle_call *call, double pos, int64_t d)
{
    return projected(call, "vectors", pos, d);
}

const struct oracle laplacian_oracle = {
    .name = "laplacian",
    .specs = laplacian_specs,
    .entry = laplacian,
};

static const struct oracle_spec walk_specs[] = {
    { .text = "random-walk(length=7,steps=4)", .high = 6 },
    { .text = "random-walk(length=5,steps=8)", .high = 4 },
    { 0 }
};

static cx walk(const struct oracle_call *call, double pos, int64_t d)
{
    return projected(call, "steps", pos, d);
}

const struct oracle random_walk_oracle = {
    .name = "random-walk",
    .specs = walk_specs,
    .entry = walk,
};
