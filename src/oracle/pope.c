/*
 * pope.c - Gopalakrishnan et al. 2025, arXiv:2509.10534v1, section 3: the
 * magnitude of a channel is its softplus, its angle is position times
 * frequency, for keys plus a learned phase of the head.
 */
#include "oracle.h"
#include <math.h>

static const struct oracle_spec specs[] = { { .text = "pope" },
                                            { .text = "pope(base=30)" },
                                            { 0 } };

static void range(double *low, double *high, const char *spec, int k)
{
    (void)spec, (void)k;
    *low = -2 * acos(-1);
    *high = 0;
}

static int64_t rotated_width(const struct oracle_call *call)
{
    return 2 * call->D;
}

static cx rotated(const struct oracle_call *call, int key, int64_t b, int64_t h,
                  int64_t t, const cx *x, int64_t d)
{
    double base = oracle_number(call->spec, "base", 10000);
    double pos = oracle_coord(call, key, b, t, 0,
                              (double)oracle_position(call, key, b, t));
    int64_t c = d % call->D;
    cx angle = pos * pow(base, -(double)c / (double)call->D);
    cx magnitude = clog(1 + cexp(x[c]));

    if (key)
        angle += call->param[0][h * call->D + c];
    return magnitude * (d < call->D ? ccos(angle) : csin(angle));
}

const struct oracle pope_oracle = {
    .name = "pope",
    .specs = specs,
    .range = range,
    .rotated = rotated,
    .rotated_width = rotated_width,
    .real = 1,
};
