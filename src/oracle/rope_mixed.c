/*
 * rope_mixed.c - Heo et al. 2024, arXiv:2403.13298v2, eq. (11): each head
 * learns two frequencies for each interleaved pair, phi = column x + row y.
 */
#include "grid.h"
#include "pairs.h"

static const struct oracle_spec specs[] = {
    { .text = "rope-mixed(width=5)", .high = 30 },
    { .text = "rope-mixed(base=20,width=3)", .high = 30 },
    { 0 }
};

static cx rotated(const struct oracle_call *call, int key, int64_t b, int64_t h,
                  int64_t t, const cx *x, int64_t d)
{
    double p = (double)oracle_position(call, key, b, t);
    double width = oracle_number(call->spec, "width", 16);
    double row = oracle_coord(call, key, b, t, 0, grid_row(p, width));
    double column = oracle_coord(call, key, b, t, 1, grid_column(p, width));
    struct oracle_pair pair = oracle_pair_of(d, call->D, 1);
    int64_t at = h * call->D / 2 + pair.c;
    cx angle = column * call->param[0][at] + row * call->param[1][at];

    return oracle_rotate_pair(x, d, pair, ccos(angle), csin(angle));
}

const struct oracle rope_mixed_oracle = {
    .name = "rope-mixed",
    .specs = specs,
    .D_step = 4,
    .rotated = rotated,
    .real = 1,
    .as_many_kv_heads = 1,
};
