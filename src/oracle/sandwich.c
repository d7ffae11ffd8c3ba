/*
 * sandwich.c - Chi et al. 2022, arXiv:2212.10356v2, eq. (9): the inner product
 * of two sinusoids, divided by 8 h / H, here minus its largest value.
 */
#include "oracle.h"
#include <math.h>

static const struct oracle_spec specs[] = { { .text = "sandwich" },
                                            { .text = "sandwich(dim=12)" },
                                            { 0 } };

static cx bias(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
               int64_t j)
{
    long double n = (long double)(oracle_position(call, 0, b, i) -
                                  oracle_position(call, 1, b, j));
    long double dim = oracle_number(call->spec, "dim", 128), sum = -dim / 2;

    for (int c = 0; c < (int)dim / 2; c++)
        sum += cosl(n * powl(10000, -2.0L * c / dim));
    return (double)(sum * call->H / (8 * (h + 1)));
}

const struct oracle sandwich_oracle = {
    .name = "sandwich",
    .specs = specs,
    .bias = bias,
};
