/*
 * graph.c - Ying et al. 2021, arXiv:2106.05234v5, eq. (6): a learned bias for
 * each head and each length of shortest paths; here lengths beyond 'distance'
 * share its bias, and pairs without a path have one of their own.
 */
#include "oracle.h"

static const struct oracle_spec specs[] = {
    { .text = "graph(length=6,distance=3)", .high = 5 },
    { .text = "graph(length=9)", .high = 8 },
    { 0 }
};

static void range(double *low, double *high, const char *spec, int k)
{
    *low = -1;
    *high = k == 0 ? oracle_number(spec, "distance", 8) + 2 : 1;
}

static cx bias(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
               int64_t j)
{
    int64_t length = (int64_t)oracle_number(call->spec, "length", 0);
    int64_t most = (int64_t)oracle_number(call->spec, "distance", 8), row;
    double hops = creal(call->param[0][oracle_position(call, 0, b, i) * length +
                                       oracle_position(call, 1, b, j)]);

    row = hops < 0 ? most + 1 : (int64_t)hops > most ? most : (int64_t)hops;
    return call->param[1][row * call->H + h];
}

const struct oracle graph_oracle = {
    .name = "graph",
    .specs = specs,
    .range = range,
    .bias = bias,
    .integers = 1,
};
