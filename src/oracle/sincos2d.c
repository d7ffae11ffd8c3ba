/*
 * sincos2d.c - sines and cosines of two coordinates in four bands: MAE
 * (arXiv:2111.06377v3, its util/pos_embed.py: the column first), timm (both
 * orders), and DETR (arXiv:2005.12872v3, appendix A.4: coordinates in
 * (0, 2 pi], sine and cosine alternating).
 */
#include "grid.h"
#include <math.h>

static const struct oracle_spec specs[] = {
    { .text = "sincos2d", .high = 100 },
    { .text = "sincos2d(form=mae,width=3)", .high = 100 },
    { .text = "sincos2d(form=timm,width=4,base=100)", .high = 100 },
    { .text = "sincos2d(form=interleaved,width=5)", .high = 100 },
    { .text = "sincos2d(form=detr,width=4,height=6)", .high = 23 },
    { 0 }
};

/* Band of a channel: which axis (0: row, 1: column) and whether a sine. */
static void band(int *axis, int *sine, const char *spec, int64_t quarter)
{
    int q = (int)quarter;

    if (oracle_word(spec, "form", "timm", 0)) {
        *axis = q % 2; /* sin y, sin x, cos y, cos x */
        *sine = q < 2;
    } else {
        int rows_first = oracle_word(spec, "form", "interleaved", 0);

        *axis = rows_first ? q / 2 : 1 - q / 2;
        *sine = q % 2 == 0;
    }
}

static cx entry(const struct oracle_call *call, double pos, int64_t d)
{
    double base = oracle_number(call->spec, "base", 10000);
    double width = oracle_number(call->spec, "width", 16), angle;
    double height = oracle_number(call->spec, "height", 16);
    double at[2] = { grid_row(pos, width), grid_column(pos, width) };
    int64_t quarter = call->W / 4, half = call->W / 2, c = d % quarter;
    int axis, sine;

    if (oracle_word(call->spec, "form", "detr", 0)) {
        axis = d >= half;
        sine = d % 2 == 0;
        c = d % half / 2;
    } else {
        band(&axis, &sine, call->spec, d / quarter);
    }
    angle = oracle_coord(call, 0, 0, 0, axis, at[axis]);
    if (oracle_word(call->spec, "form", "detr", 0))
        angle = (angle + 1) / ((axis ? width : height) + 1e-6) * 2 * acos(-1);
    angle *= pow(base, -(double)c / (double)quarter);
    return sine ? sin(angle) : cos(angle);
}

const struct oracle sincos2d_oracle = {
    .name = "sincos2d",
    .specs = specs,
    .D_step = 4,
    .W_step = 4,
    .entry = entry,
    .real = 1,
};
