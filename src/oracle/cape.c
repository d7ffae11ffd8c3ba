/*
 * cape.c - Likhomanenko et al. 2021, arXiv:2106.03143v3, section 3.1: the
 * interleaved sinusoid at a real position.
 */
#include "oracle.h"
#include <math.h>

static const struct oracle_spec specs[] = {
    { .text = "cape" },
    { .text = "cape(base=50,shift=2,jitter=0.1,scale=1.5)" },
    { 0 }
};

static cx entry(const struct oracle_call *call, double pos, int64_t d)
{
    double base = oracle_number(call->spec, "base", 10000);
    double angle = pos * pow(base, -(double)(d / 2 * 2) / (double)call->W);

    return d % 2 == 0 ? sin(angle) : cos(angle);
}

const struct oracle cape_oracle = {
    .name = "cape",
    .specs = specs,
    .entry = entry,
    .real = 1,
};
