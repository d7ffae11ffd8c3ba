/*
 * liere.c - LieRE (Ostmeier et al. 2024, arXiv:2406.10322v4) and ComRoPE (Yu et
 * al. 2025, arXiv:2506.03737v1): exp(M) x by the series of its action, in steps
 * of a part of M small enough that 40 terms are exact.
 */
#include "grid.h"
#include <math.h>
#include <string.h>

enum { MOST = 64 };

static const struct oracle_spec specs[] = {
    { .text = "liere(block=4)", .low = -3, .high = 3, .step = 4 },
    { .text = "liere(block=2,axes=3,grid=2:3)", .high = 17, .step = 2 },
    { .text = "liere(block=3,axes=1)", .low = -3, .high = 3, .step = 6 },
    { .text = "liere(block=4,form=linear,grid=3)", .high = 8, .step = 4 },
    { .text = "liere(block=4,form=axial,grid=2)", .high = 7, .step = 4 },
    { 0 }
};

/* Coordinate a of a flat position. */
static double flat(const char *spec, double p, int a, int axes)
{
    double grid[3];

    if (oracle_numbers(grid, 3, spec, "grid") == 0)
        return p;
    for (int b = axes - 1; b > a; b--)
        p = grid_row(p, grid[b - 1]);
    return a > 0 ? grid_column(p, grid[a - 1]) : p;
}

static cx rotated(const struct oracle_call *call, int key, int64_t b, int64_t h,
                  int64_t t, const cx *x, int64_t d)
{
    const int n = (int)oracle_number(call->spec, "block", 8);
    const int axes = (int)oracle_number(call->spec, "axes", 2);
    const int linear = oracle_word(call->spec, "form", "linear", 0);
    const int axial = oracle_word(call->spec, "form", "axial", 0);
    const int64_t block = d / n, each = n * (n - 1) / 2;
    const int64_t entries = call->D / n * each;
    double p = (double)oracle_position(call, key, b, t);
    cx m[MOST * MOST] = { 0 }, y[MOST], term[MOST], next[MOST];

    for (int a = 0; a < axes; a++) {
        cx w = oracle_coord(call, key, b, t, a, flat(call->spec, p, a, axes));
        const cx *u = call->param[0] + block * each +
                      entries * (linear || axial ? h : h * axes + a);

        if (linear)
            w *= call->param[1][h * axes + a];
        if (axial && block % axes != a)
            w = 0;
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++) {
                m[i * n + j] += w * *u / 256;
                m[j * n + i] -= w * *u++ / 256;
            }
    }
    memcpy(y, x + block * n, sizeof(cx) * (size_t)n);
    for (int step = 0; step < 256; step++) {
        memcpy(term, y, sizeof(term));
        for (int k = 1; k < 40; k++) {
            for (int i = 0; i < n; i++) {
                next[i] = 0;
                for (int j = 0; j < n; j++)
                    next[i] += m[i * n + j] * term[j] / k;
            }
            for (int i = 0; i < n; i++)
                y[i] += term[i] = next[i];
        }
    }
    return y[d % n];
}

const struct oracle liere_oracle = {
    .name = "liere",
    .specs = specs,
    .rotated = rotated,
    .real = 1,
    .as_many_kv_heads = 1,
};
