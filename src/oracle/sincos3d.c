/*
 * sincos3d.c - V-JEPA, arXiv:2404.08471v1, its src/models/utils/pos_embs.py:
 * sines and cosines of frame, row and column, each in channels of its own:
 * equal parts, cut to the width (uniform_power), or half for the frame.
 */
#include "grid.h"
#include <math.h>

static const struct oracle_spec specs[] = {
    { .text = "sincos3d", .high = 60, .step = 2 },
    { .text = "sincos3d(form=thirds,width=3,height=2)", .high = 60, .step = 2 },
    { .text = "sincos3d(form=half,width=2,height=4,base=200)",
      .high = 60,
      .step = 8 },
    { 0 }
};

static cx entry(const struct oracle_call *call, double pos, int64_t d)
{
    double base = oracle_number(call->spec, "base", 10000);
    double width = oracle_number(call->spec, "width", 16);
    double height = oracle_number(call->spec, "height", 16), angle;
    double at[3] = { grid_row(pos, width * height),
                     fmod(grid_row(pos, width), height),
                     grid_column(pos, width) };
    int64_t each[3], start = 0, c;
    int axis = 0;

    for (int a = 0; a < 3; a++)
        each[a] = (call->W + 5) / 6 * 2;
    if (oracle_word(call->spec, "form", "half", 0)) {
        each[0] = call->W / 2;
        each[1] = each[2] = call->W / 4;
    }
    while (d >= start + each[axis])
        start += each[axis++];
    c = (d - start) % (each[axis] / 2);
    angle = oracle_coord(call, 0, 0, 0, axis, at[axis]) *
            pow(base, -(double)c / (double)(each[axis] / 2));
    return d - start < each[axis] / 2 ? sin(angle) : cos(angle);
}

const struct oracle sincos3d_oracle = {
    .name = "sincos3d",
    .specs = specs,
    .entry = entry,
    .real = 1,
};
