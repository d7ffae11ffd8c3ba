/*
 * crossformer.c - Wang et al. 2022, arXiv:2108.00154v2, section 3.2 and its
 * code: a linear map of (dy, dx) and three blocks of LayerNorm (eps 1e-5),
 * ReLU and linear map, the last to the heads; no residual.
 */
#include "grid.h"
#include <assert.h>
#include <math.h>

enum { MOST = 32 };

static const struct oracle_spec specs[] = {
    { .text = "crossformer(height=3,width=4,hidden=4)", .high = 11 },
    { .text = "crossformer(height=2,width=2,hidden=3)", .high = 3 },
    { 0 }
};

/* x [n] = ReLU(gain * normalised x + shift). */
static void norm_relu(cx *x, int64_t n, const cx *gain, const cx *shift)
{
    cx mean = 0, variance = 0;

    for (int64_t u = 0; u < n; u++)
        mean += x[u] / (double)n;
    for (int64_t u = 0; u < n; u++)
        variance += (x[u] - mean) * (x[u] - mean) / (double)n;
    for (int64_t u = 0; u < n; u++) {
        x[u] = (x[u] - mean) / csqrt(variance + 1e-5) * gain[u] + shift[u];
        if (creal(x[u]) < 0)
            x[u] = 0;
    }
}

/* Entry v of W^T x + b, W [n, columns]. */
static cx linear(const cx *x, int64_t n, const cx *weight, const cx *b,
                 int64_t columns, int64_t v)
{
    cx sum = b[v];

    for (int64_t u = 0; u < n; u++)
        sum += x[u] * weight[u * columns + v];
    return sum;
}

static cx bias(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
               int64_t j)
{
    int64_t n = (int64_t)oracle_number(call->spec, "hidden", 16);
    double width = oracle_number(call->spec, "width", 7);
    double q = (double)oracle_position(call, 0, b, i);
    double k = (double)oracle_position(call, 1, b, j);
    cx x[MOST], next[MOST], in[2];

    assert(n <= MOST);
    in[0] = grid_row(q, width) - grid_row(k, width);
    in[1] = grid_column(q, width) - grid_column(k, width);
    for (int64_t u = 0; u < n; u++)
        x[u] = linear(in, 2, call->param[0], call->param[1], n, u);
    for (int block = 1; block <= 2; block++) {
        const cx *const *p = call->param + 4 * block - 2;

        norm_relu(x, n, p[0], p[1]);
        for (int64_t u = 0; u < n; u++)
            next[u] = linear(x, n, p[2], p[3], n, u);
        for (int64_t u = 0; u < n; u++)
            x[u] = next[u];
    }
    norm_relu(x, n, call->param[10], call->param[11]);
    return linear(x, n, call->param[12], call->param[13], call->H, h);
}

const struct oracle crossformer_oracle = {
    .name = "crossformer",
    .specs = specs,
    .bias = bias,
};
