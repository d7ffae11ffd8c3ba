/*
 * dpb.c - the dynamic position bias of x-transformers (after Swin v2 and
 * CrossFormer): a network with two hidden layers and SiLU, of the signed
 * distance or its logarithm.
 */
#include "oracle.h"
#include <math.h>

static const struct oracle_spec specs[] = {
    { .text = "dpb(hidden=4)", .low = -9, .high = 9 },
    { .text = "dpb(hidden=3,log=yes)", .low = -9, .high = 9 },
    { .text = "dpb(hidden=5,log=yes,share=no)", .low = -9, .high = 9 },
    { 0 }
};

static cx silu(cx x)
{
    return x / (1 + cexp(-x));
}

static cx bias(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
               int64_t j)
{
    int64_t hidden = (int64_t)oracle_number(call->spec, "hidden", 32);
    double n = (double)(oracle_position(call, 0, b, i) -
                        oracle_position(call, 1, b, j));
    cx out = call->param[5][h];

    if (oracle_word(call->spec, "log", "yes", 0))
        n = copysign(log(1 + fabs(n)), n);
    for (int64_t v = 0; v < hidden; v++) {
        cx sum = call->param[3][v];

        for (int64_t u = 0; u < hidden; u++)
            sum += silu(call->param[0][u] * n + call->param[1][u]) *
                   call->param[2][u * hidden + v];
        out += silu(sum) * call->param[4][v * call->H + h];
    }
    return out;
}

const struct oracle dpb_oracle = {
    .name = "dpb",
    .specs = specs,
    .bias = bias,
};
