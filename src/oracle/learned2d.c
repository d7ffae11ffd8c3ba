/*
 * learned2d.c - tables of rows and of columns: their sum (Pix2Struct,
 * arXiv:2210.03347v2, section 2.2; NaViT, arXiv:2307.06304v1, section 2.1), or
 * concatenated (DETR, arXiv:2005.12872v3, its learned variant).
 */
#include "oracle.h"

static const struct oracle_spec specs[] = {
    { .text = "learned2d(height=3,width=5)", .high = 14 },
    { .text = "learned2d(height=4,width=2,combine=concat)", .high = 7 },
    { 0 }
};

static cx entry(const struct oracle_call *call, double pos, int64_t d)
{
    int64_t width = (int64_t)oracle_number(call->spec, "width", 0);
    int64_t y = (int64_t)pos / width, x = (int64_t)pos % width;
    const cx *rows = call->param[0], *columns = call->param[1];
    int64_t half = call->W / 2;

    if (!oracle_word(call->spec, "combine", "concat", 0))
        return rows[y * call->W + d] + columns[x * call->W + d];
    return d < half ? rows[y * half + d] : columns[x * half + d - half];
}

const struct oracle learned2d_oracle = {
    .name = "learned2d",
    .specs = specs,
    .D_step = 2,
    .W_step = 2,
    .entry = entry,
};
