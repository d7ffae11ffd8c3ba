/*
 * swinv2.c - Liu et al. 2021, arXiv:2111.09883v2, section 3.3, and its code:
 * the bias is 16 sigmoid of a network of log-spaced (dy, dx).
 */
#include "grid.h"
#include <math.h>

static const struct oracle_spec specs[] = {
    { .text = "swinv2(height=3,width=4,hidden=5)", .high = 11 },
    { .text = "swinv2(height=4,width=2,hidden=4,pretrained=8)", .high = 7 },
    { 0 }
};

/* An offset on an axis of 'window' places, as the network takes it. */
static double scaled(double offset, double window, double pretrained)
{
    double x = offset * 8 / ((pretrained > 0 ? pretrained : window) - 1);

    return copysign(log2(1 + fabs(x)) / 3, x);
}

static cx bias(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
               int64_t j)
{
    int64_t hidden = (int64_t)oracle_number(call->spec, "hidden", 512);
    double height = oracle_number(call->spec, "height", 8);
    double width = oracle_number(call->spec, "width", 8);
    double pretrained = oracle_number(call->spec, "pretrained", 0);
    double q = (double)oracle_position(call, 0, b, i);
    double k = (double)oracle_position(call, 1, b, j);
    double dy =
        scaled(grid_row(q, width) - grid_row(k, width), height, pretrained);
    double dx = scaled(grid_column(q, width) - grid_column(k, width), width,
                       pretrained);
    cx sum = 0;

    for (int64_t u = 0; u < hidden; u++) {
        cx a = dy * call->param[0][u] + dx * call->param[0][hidden + u] +
               call->param[1][u];

        if (creal(a) > 0)
            sum += a * call->param[2][u * call->H + h];
    }
    return 16 / (1 + cexp(-sum));
}

const struct oracle swinv2_oracle = {
    .name = "swinv2",
    .specs = specs,
    .bias = bias,
};
