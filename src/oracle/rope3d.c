/*
 * rope3d.c - V-JEPA 2 (Assran et al. 2025, arXiv:2506.09985v1, section 2.1):
 * frame, row and column rotate three bands of 2 floor(floor(D/3)/2) channels in
 * interleaved pairs; the rest is copied.  The authors' code tiles cosines,
 * which is no rotation.
 */
#include "grid.h"
#include "pairs.h"

static const struct oracle_spec specs[] = {
    { .text = "rope3d", .high = 40, .D = 6 },
    { .text = "rope3d(base=50,width=3,height=2)", .high = 40, .D = 14 },
    { .text = "rope3d(width=2,height=2)", .high = 40, .D = 8 },
    { 0 }
};

static cx rotated(const struct oracle_call *call, int key, int64_t b, int64_t h,
                  int64_t t, const cx *x, int64_t d)
{
    double p = (double)oracle_position(call, key, b, t);
    double width = oracle_number(call->spec, "width", 16);
    double height = oracle_number(call->spec, "height", 16);
    double at[3] = { grid_row(p, width * height),
                     fmod(grid_row(p, width), height), grid_column(p, width) };
    int64_t each = call->D / 3 / 2 * 2, axis = d / each;
    struct oracle_pair pair;
    double angle;

    (void)h;
    if (axis > 2)
        return x[d];
    pair = oracle_pair_of(d - axis * each, each, 1);
    angle = oracle_coord(call, key, b, t, (int)axis, at[axis]) *
            pow(oracle_number(call->spec, "base", 10000),
                -(double)pair.c / (double)(each / 2));
    return oracle_rotate_pair(x + axis * each, d - axis * each, pair,
                              cos(angle), sin(angle));
}

const struct oracle rope3d_oracle = {
    .name = "rope3d",
    .specs = specs,
    .rotated = rotated,
    .float_table = 1,
    .real = 1,
};
