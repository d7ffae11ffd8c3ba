/*
 * axes.c - rotary embedding of several axes, each with channels of its own.
 *
 * Image and video models give axis a the width w_a and rotate pair c of its
 * channels by coordinate_a base^(-2c/w_a): FLUX (black-forest-labs/flux),
 * Wan (arXiv:2503.20314), HunyuanVideo (arXiv:2412.03603), Qwen-Image
 * (arXiv:2508.02324).  With one axis it is rope.  A pair is a frequency, an
 * axis and two channels; mrope is the other choice of the first two: one list
 * of frequencies for all axes.
 */
#include "rope_grid.h"
#include <inttypes.h>
#include <math.h>

enum { WIDTHS, BASE, PAIRING, GRID };
enum { USUAL_AXES = 3 };
/* LCT_HALF, LCT_INTERLEAVED, or halves within the channels of an axis */
enum { BLOCKS = 2 };

static const char *const pairings[] = { "half", "interleaved", "blocks", NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "widths", .kind = LCT_LIST, .def = 0, .min = 0, .max = 65536,
      .doc = "channels of each axis, even, 1 to 6 axes; channels beyond their "
             "sum are not rotated; left out: three axes, of D - 4 floor(D/6), "
             "2 floor(D/6) and 2 floor(D/6) channels, as in Wan" },
    { .name = "base", .kind = LCT_LIST, .def = 0, .min = 1, .max = 1e30,
      .doc = "of all axes, or one for each; left out: 10000" },
    { .name = "pairing", .kind = LCT_WORD, .def = LCT_INTERLEAVED,
      .words = pairings,
      .doc = "interleaved: channels (2c, 2c + 1); half: (c, c + half of all "
             "rotated channels); blocks: half within the channels of each "
             "axis" },
    { .name = "grid", .kind = LCT_LIST, .def = 0, .min = 1, .max = 1 << 26,
      .doc = "sizes of all axes but the first: position p is row-major in "
             "that grid; left out: all coordinates are p, as of text" },
    { 0 }
};
/* clang-format on */

static int axes_of(const locant_encoding *e)
{
    return e->list[WIDTHS] == NULL ? USUAL_AXES : (int)e->list[WIDTHS]->n;
}

/* -------------------------------------------------------------------- check */

static locant_status check_widths(const struct lct_list *widths)
{
    double sum = 0;

    if (widths == NULL)
        return LOCANT_OK;
    if (widths->n > LCT_MOST_AXES)
        return LCT_REFUSE("widths of axes are %zu, expected 1 .. %d", widths->n,
                          LCT_MOST_AXES);
    for (size_t a = 0; a < widths->n; a++) {
        if (fmod(widths->item[a], 2) != 0)
            return LCT_REFUSE(
                "width %zu of axes is %g, expected an even number", a,
                widths->item[a]);
        sum += widths->item[a];
    }
    return sum > 0 ? LOCANT_OK
                   : LCT_REFUSE("widths of axes are all 0, expected channels "
                                "to rotate");
}

static locant_status check_grid(const struct lct_list *grid, int axes)
{
    if (grid == NULL)
        return LOCANT_OK;
    if ((int)grid->n != axes - 1)
        return LCT_REFUSE(
            "grid of axes has %zu sizes, expected %d: of all axes "
            "but the first",
            grid->n, axes - 1);
    for (size_t a = 0; a < grid->n; a++)
        if (grid->item[a] != floor(grid->item[a]))
            return LCT_REFUSE(
                "size %zu of the grid of axes is %g, expected a whole number",
                a, grid->item[a]);
    return LOCANT_OK;
}

static locant_status check(const locant_encoding *e)
{
    const struct lct_list *bases = e->list[BASE];
    const int axes = axes_of(e);

    LCT_TRY(check_widths(e->list[WIDTHS]));
    if (bases != NULL && bases->n != 1 && (int)bases->n != axes)
        return LCT_REFUSE("bases of axes are %zu, expected 1 or %d", bases->n,
                          axes);
    return check_grid(e->list[GRID], axes);
}

/* All coordinates move by one with the position, unless it is one on a grid. */
static unsigned traits(const locant_encoding *e)
{
    return LOCANT_TRAIT_ISOMETRIC |
           (e->list[GRID] == NULL ? LOCANT_TRAIT_RELATIVE : 0);
}

/* -------------------------------------------------------------- coordinates */

static void coordinates(double *coords, const locant_encoding *e, int64_t pos)
{
    const struct lct_list *grid = e->list[GRID];

    for (int a = axes_of(e) - 1; a > 0; a--) {
        int64_t at = pos;

        if (grid != NULL)
            lct_grid_place(&pos, &at, pos, (int64_t)grid->item[a - 1]);
        coords[a] = (double)at;
    }
    coords[0] = (double)pos;
}

/* ----------------------------------------------------------------- schedule */

/* Pairs of each axis in heads of 'dim' channels; returns their sum. */
static int64_t pairs_of(int64_t pairs[LCT_MOST_AXES], const locant_encoding *e,
                        int64_t dim)
{
    const struct lct_list *widths = e->list[WIDTHS];
    int64_t sum = 0;

    for (int a = 0; a < axes_of(e); a++) {
        if (widths != NULL)
            pairs[a] = (int64_t)widths->item[a] / 2;
        else
            pairs[a] = a == 0 ? dim / 2 - 2 * (dim / 6) : dim / 6;
        sum += pairs[a];
    }
    return sum;
}

static double base_of(const locant_encoding *e, int axis)
{
    const struct lct_list *bases = e->list[BASE];

    if (bases == NULL)
        return 10000;
    return bases->item[bases->n == 1 ? 0 : axis];
}

static locant_status check_dim(const struct lct_schedule_use *u, int64_t pairs)
{
    if (u->e->list[WIDTHS] == NULL && u->dim % 2 != 0)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: heads have %" PRId64
                           " channels, expected an even number for axes",
                           u->fn, u->dim);
    if (2 * pairs <= u->dim)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_SHAPE,
                       "%s: the widths of axes are %" PRId64
                       " channels, found heads of %" PRId64,
                       u->fn, 2 * pairs, u->dim);
}

static locant_status schedule(struct lct_schedule **out,
                              const struct lct_schedule_use *u)
{
    const bool blocks = u->e->value[PAIRING] == BLOCKS;
    int64_t pairs[LCT_MOST_AXES], c = 0;
    const int64_t sum = pairs_of(pairs, u->e, u->dim);

    *out = NULL;
    LCT_TRY(check_dim(u, sum));
    LCT_TRY(lct_grid_schedule(out, u, 1, sum,
                              blocks ? LCT_HALF
                                     : (enum lct_pairing)u->e->value[PAIRING]));
    for (int a = 0; a < axes_of(u->e); a++)
        for (int64_t i = 0; i < pairs[a]; i++, c++)
            (*out)->frequency[a * sum + c] =
                lct_phase_of(base_of(u->e, a), i, 2 * pairs[a]);
    for (int a = 0; blocks && a < axes_of(u->e); a++)
        (*out)->band[(*out)->bands++] = pairs[a];
    return LOCANT_OK;
}

static const locant_variant variants[] = {
    { "axes(widths=16:56:56)",
      "FLUX: image (0, row, column), text (0, 0, 0); Qwen: (image + frame, "
      "row, column) centred, text after the largest half side",
      "FLUX.1, Chroma, LongCat-Image, Bria, Qwen-Image" },
    { "axes(widths=32:32:32:32,base=2000)", "(t, h, w, l); text (0, 0, 0, l)",
      "FLUX.2" },
    { "axes(widths=44:42:42)", "(frame, row, column)", "Wan 2.1" },
    { "axes(widths=16:56:56,base=256)", "(frame, row, column), video only",
      "HunyuanVideo" },
    { "axes(widths=32:48:48,base=256)", "(t, row, column)", "Z-Image" },
    { "axes(widths=32:32:32)", "(t, row, column)", "Lumina 2" },
    { "axes(widths=64:64)", "(row, column)", "HunyuanImage" },
    { 0 }
};

const struct lct_encoding lct_enc_axes = {
    .info = {
        .name = "axes",
        .title = "Rotary embedding of several axes",
        .formula = "pair c of the w_a channels of axis a rotates by p_a "
                   "base^(-2c/w_a); p_a: the coordinate on that axis",
        .source = "black-forest-labs/flux; Wan 2025, arXiv:2503.20314v2; "
                  "Kong et al. 2024, arXiv:2412.03603v6; Wu et al. 2025, "
                  "arXiv:2508.02324v1",
        .used_by = "FLUX, Wan 2.1, Qwen-Image, HunyuanVideo, Z-Image, Lumina 2",
        .pitfalls = "The exponent is over the width of the axis, not of the "
                    "head, so axes of 44 and 42 channels differ in "
                    "frequencies; negative coordinates are usual; text of "
                    "FLUX.1 is not rotated, that of Qwen-Image starts after "
                    "the largest image.",
        .doors = LOCANT_DOOR_ROTATE,
        .traits = LOCANT_TRAIT_ISOMETRIC | LOCANT_TRAIT_RELATIVE,
        .gradient = "dx = R(-f) dy, pair by pair; dp_a = sum over the pairs of "
                    "a of base^(-2c/w_a) (db' a' - da' b')",
        .variants = variants,
    },
    .keys = keys,
    .check = check,
    .traits = traits,
    .positions = {
        .axes_of = axes_of,
        .check = lct_grid_positions,
        .coordinates = coordinates,
    },
    .schedule = { .create = schedule },
};
