/*
 * rope2d.c - RoPE on a grid: rope-vit axial (Heo et al. 2024,
 * arXiv:2403.13298v2, eq. (10)), EVA-02 (arXiv:2303.11331v2, rope.py), Pixtral
 * (arXiv:2410.07073v2), Qwen2-VL's vision tower (arXiv:2409.12191v2), DINOv3
 * (arXiv:2508.10104v1), SAM 2's memory attention (arXiv:2408.00714v2).
 */
#include "grid.h"
#include "pairs.h"
#include <string.h>

enum form { AXIAL, SAM2, EVA02, PIXTRAL, QWEN, DINOV3 };

static const struct oracle_spec specs[] = {
    { .text = "rope2d", .high = 100 },
    { .text = "rope2d(form=axial,width=5,base=30)", .high = 100 },
    { .text = "rope2d(form=sam2,width=6)", .high = 100 },
    { .text = "rope2d(form=eva02,width=4,height=6,pretrain=8)", .high = 23 },
    { .text = "rope2d(form=pixtral,width=3)", .high = 100 },
    { .text = "rope2d(form=qwen,width=7)", .high = 100 },
    { .text = "rope2d(form=dinov3,width=4,height=3)", .high = 11 },
    { .text = "rope2d(form=dinov3,width=5,height=7,base=10)", .high = 34 },
    { .text = "rope2d(form=dinov3,width=5,height=7,normalize=max)",
      .high = 34 },
    { .text = "rope2d(form=dinov3,width=5,height=7,normalize=min,"
              "periods=2:90)",
      .high = 34 },
    { 0 }
};

static enum form form_of(const char *spec)
{
    static const char *const names[] = { "axial",   "sam2", "eva02",
                                         "pixtral", "qwen", "dinov3" };

    for (int f = AXIAL; f <= DINOV3; f++)
        if (oracle_word(spec, "form", names[f], 0))
            return (enum form)f;
    return AXIAL;
}

/* What dinov3 divides centres by on an axis of n patches. */
static double divisor(const char *spec, double n)
{
    double width = oracle_number(spec, "width", 16);
    double height = oracle_number(spec, "height", 16);

    if (oracle_word(spec, "normalize", "max", 0))
        return width > height ? width : height;
    if (oracle_word(spec, "normalize", "min", 0))
        return width < height ? width : height;
    return n;
}

/* Coordinate (0: row, 1: column) of a token as the angles take it. */
static double coordinate(const struct oracle_call *call, int key, int64_t b,
                         int64_t t, int axis)
{
    double p = (double)oracle_position(call, key, b, t), width, n, at;

    width = oracle_number(call->spec, "width", 16);
    n = axis == 0 ? oracle_number(call->spec, "height", 16) : width;
    at = axis == 0 ? grid_row(p, width) : grid_column(p, width);
    if (form_of(call->spec) == EVA02)
        at = at / n * oracle_number(call->spec, "pretrain", 16);
    if (form_of(call->spec) == DINOV3)
        at = (at + 0.5) / divisor(call->spec, n) * 2 - 1;
    return oracle_coord(call, key, b, t, axis, at);
}

/* The coordinate that rotates pair c, and its frequency. */
static double frequency(int *axis, const struct oracle_call *call, int64_t c)
{
    enum form form = form_of(call->spec);
    double base = oracle_number(call->spec, "base",
                                form == AXIAL || form == DINOV3 ? 100 : 10000);
    int64_t quarter = call->D / 4, at = c % quarter;
    double periods[2];

    *axis = form == AXIAL || form == SAM2 ? c < quarter : c >= quarter;
    if (form == PIXTRAL) /* even frequencies to rows, odd ones to columns */
        return pow(base, -2.0 * (double)(2 * at + *axis) / (double)call->D);
    if (oracle_numbers(periods, 2, call->spec, "periods") == 2)
        return 2 * acos(-1) / periods[0] *
               (quarter > 1 ? pow(periods[0] / periods[1],
                                  (double)at / (double)(quarter - 1))
                            : 1);
    return pow(base, -4.0 * (double)at / (double)call->D) *
           (form == DINOV3 ? 2 * acos(-1) : 1);
}

static cx rotated(const struct oracle_call *call, int key, int64_t b, int64_t h,
                  int64_t t, const cx *x, int64_t d)
{
    enum form form = form_of(call->spec);
    struct oracle_pair p = oracle_pair_of(
        d, call->D, form == AXIAL || form == SAM2 || form == EVA02);
    int axis;
    double angle = frequency(&axis, call, p.c);

    (void)h;
    angle *= coordinate(call, key, b, t, axis);
    return oracle_rotate_pair(x, d, p, cos(angle), sin(angle));
}

const struct oracle rope2d_oracle = {
    .name = "rope2d",
    .specs = specs,
    .D_step = 4,
    .rotated = rotated,
    .float_table = 1,
    .real = 1,
};
