/*
 * rope3d.c - rotary embedding of frames, rows and columns.
 *
 * Assran et al.:  V-JEPA 2. 2025. arXiv:2506.09985.  Each axis has a third of
 * the channels, rounded to an even number; the rest is not rotated.  The
 * authors' code repeats cosines in halves but pairs neighbours, which is no
 * rotation; this is the rotation that the paper describes.
 */
#include "rope_grid.h"

enum { BASE, WIDTH, HEIGHT };
enum { AXES = 3 };

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_BASE(10000, "longest wavelength / 2 pi, nearly"),
    { .name = "width", .kind = LCT_INTEGER, .def = 16, .min = 1,
      .max = 1 << 26, .doc = "columns: the column is p mod width" },
    { .name = "height", .kind = LCT_INTEGER, .def = 16, .min = 1,
      .max = 1 << 26, .doc = "rows: the frame is p / (width height)" },
    { 0 }
};
/* clang-format on */

static void coordinates(double *coords, const locant_encoding *e, int64_t pos)
{
    int64_t t, y, x;

    lct_grid_place(&y, &x, pos, (int64_t)e->value[WIDTH]);
    lct_grid_place(&t, &y, y, (int64_t)e->value[HEIGHT]);
    coords[0] = (double)t;
    coords[1] = (double)y;
    coords[2] = (double)x;
}

static locant_status schedule(struct lct_schedule **out,
                              const struct lct_schedule_use *u)
{
    int64_t each = u->dim / 3 / 2, pairs = AXES * each;

    LCT_TRY(lct_grid_schedule(out, u, 1, pairs, LCT_INTERLEAVED));
    for (int64_t c = 0; c < pairs; c++)
        (*out)->frequency[c / each * pairs + c] =
            lct_phase_of(u->e->value[BASE], c % each, 2 * each);
    return LOCANT_OK;
}

const struct lct_encoding lct_enc_rope3d = {
    .info = {
        .name = "rope3d",
        .title = "Rotary embedding of frames, rows and columns",
        .formula = "three bands of Da = 2 floor(floor(D/3)/2) channels rotate "
                   "by t f_c, y f_c, x f_c, f_c = base^(-2c/Da); others do not",
        .source = "Assran et al. 2025, arXiv:2506.09985v1",
        .used_by = "V-JEPA 2 (whose code is not orthogonal)",
        .pitfalls = "Tiling cosines in halves while pairing neighbours, as the "
                    "authors' code does, rotates both channels of a pair by "
                    "different angles.",
        .doors = LOCANT_DOOR_ROTATE,
        .traits = LOCANT_TRAIT_ISOMETRIC,
        .gradient = "dx = R(-f) dy, pair by pair",
    },
    .keys = keys,
    .positions = {
        .axes = AXES,
        .check = lct_grid_positions,
        .coordinates = coordinates,
    },
    .schedule = { .create = schedule },
};
