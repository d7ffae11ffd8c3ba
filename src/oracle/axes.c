/*
 * axes.c - RoPE of several axes: band a of w_a channels rotates by coordinate a
 * times base^(-2c/w_a) (FLUX, black-forest-labs/flux, math.py rope(); Wan 2.1,
 * arXiv:2503.20314v2, whose widths D - 4 floor(D/6), 2 floor(D/6) twice are the
 * usual ones).  A flat position is row-major on a grid, or every coordinate.
 */
#include "grid.h"
#include "pairs.h"
#include <string.h>

static const struct oracle_spec specs[] = {
    { .text = "axes", .D = 8 },
    { .text = "axes(widths=4:2:2)", .D = 9 },
    { .text = "axes(widths=2:4:4:2,base=2000,grid=3:2:4)",
      .high = 60,
      .D = 14 },
    { .text = "axes(widths=4:6,base=20:300,pairing=half)", .D = 10 },
    { .text = "axes(widths=4:0:6,pairing=blocks,grid=5:3)",
      .high = 100,
      .D = 12 },
    { .text = "axes(pairing=blocks,base=50)", .D = 16 },
    { .text = "axes(widths=6)", .D = 8 },
    { 0 }
};

struct place {
    int axis, axes;
    double width, start, all, base, at;
};

/* Where channel d is, and the coordinate of position p on its axis. */
static struct place place_of(const char *spec, int64_t D, int64_t d, double p)
{
    double widths[8] = { (double)(D - D / 6 * 4), (double)(D / 6 * 2),
                         (double)(D / 6 * 2) };
    double bases[8] = { 10000 }, grid[8] = { 0 };
    struct place x = { .axes = oracle_numbers(widths, 8, spec, "widths") };
    int n = oracle_numbers(bases, 8, spec, "base"), a;

    x.axes = x.axes == 0 ? 3 : x.axes;
    for (a = 0; a < x.axes; a++)
        x.all += widths[a];
    /* With pairing=half, both channels of a pair stand at the first. */
    if (oracle_word(spec, "pairing", "half", 0) && (double)d >= x.all / 2)
        d -= (int64_t)x.all / 2;
    for (a = 0; a < x.axes; a++, x.start += x.width) {
        x.width = widths[a] / (oracle_word(spec, "pairing", "half", 0) ? 2 : 1);
        if ((double)d < x.start + x.width)
            break;
    }
    x.axis = a;
    x.width = widths[a];
    x.base = n > 1 ? bases[a] : bases[0];
    x.at = p;
    if (oracle_numbers(grid, 8, spec, "grid") == 0 || a == x.axes)
        return x; /* not on a grid; not rotated */
    for (int b = x.axes - 1; b > a; b--)
        x.at = grid_row(x.at, grid[b - 1]);
    if (a > 0)
        x.at = grid_column(x.at, grid[a - 1]);
    return x;
}

static cx rotated(const struct oracle_call *call, int key, int64_t b, int64_t h,
                  int64_t t, const cx *x, int64_t d)
{
    struct place at = place_of(call->spec, call->D, d,
                               (double)oracle_position(call, key, b, t));
    int half = oracle_word(call->spec, "pairing", "half", 0);
    int blocks = oracle_word(call->spec, "pairing", "blocks", 0);
    int64_t start = half ? 0 : (int64_t)at.start;
    struct oracle_pair pair;
    double c, angle;

    (void)h;
    if ((double)d >= at.all)
        return x[d];
    pair = oracle_pair_of(d - start, (int64_t)(half ? at.all : at.width),
                          !half && !blocks);
    c = (double)pair.c - (half ? at.start : 0);
    angle = oracle_coord(call, key, b, t, at.axis, at.at) *
            pow(at.base, -2 * c / at.width);
    return oracle_rotate_pair(x + start, d - start, pair, cos(angle),
                              sin(angle));
}

const struct oracle axes_oracle = {
    .name = "axes",
    .specs = specs,
    .rotated = rotated,
    .float_table = 1,
    .real = 1,
};
