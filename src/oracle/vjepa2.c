/*
 * vjepa2.c - V-JEPA 2 (Assran et al. 2025, arXiv:2506.09985v1) as its code
 * (modules.py, rotate_queries_or_keys) has it: cosines of w/2 frequencies, the
 * list repeated twice, times x, plus sines so repeated times (-x_1, x_0, -x_3,
 * x_2, ..), for frame, row and column in bands of 2 floor(floor(D/3)/2)
 * channels; the rest is copied.
 */
#include "grid.h"
#include <math.h>

static const struct oracle_spec specs[] = {
    { .text = "vjepa2", .high = 40, .D = 6 },
    { .text = "vjepa2(base=50,width=3,height=2)", .high = 40, .D = 14 },
    { .text = "vjepa2(width=2,height=4,grid=3)", .high = 40, .D = 26 },
    { 0 }
};

static cx rotated(const struct oracle_call *call, int key, int64_t b, int64_t h,
                  int64_t t, const cx *x, int64_t d)
{
    double p = (double)oracle_position(call, key, b, t);
    double width = oracle_number(call->spec, "width", 16);
    double height = oracle_number(call->spec, "height", 16);
    double down = oracle_number(call->spec, "grid", height) / height;
    double across = oracle_number(call->spec, "grid", width) / width;
    double at[3] = { grid_row(p, width * height),
                     down * fmod(grid_row(p, width), height),
                     across * grid_column(p, width) };
    int64_t each = call->D / 3 / 2 * 2, axis = d / each, i = d % each;
    double angle;

    (void)h;
    if (axis > 2)
        return x[d];
    angle = oracle_coord(call, key, b, t, (int)axis, at[axis]) *
            pow(oracle_number(call->spec, "base", 10000),
                -(double)(i % (each / 2)) / (double)(each / 2));
    return x[d] * cos(angle) + (d % 2 == 0 ? -x[d + 1] : x[d - 1]) * sin(angle);
}

const struct oracle vjepa2_oracle = {
    .name = "vjepa2",
    .specs = specs,
    .rotated = rotated,
    .real = 1,
};
