/*
 * sincos3d.c - fixed sines and cosines of frame, row and column.
 *
 * Bardes et al.: Revisiting Feature Prediction for Learning Visual
 * Representations from Video. 2024. arXiv:2404.08471 (V-JEPA) and its code.
 * Position p is frame p / (width height), and within it row and column.
 */
#include "rope_grid.h"
#include <inttypes.h>
#include <math.h>

enum { BASE, FORM, WIDTH, HEIGHT };
enum { THIRDS, HALF };

static const char *const forms[] = { "thirds", "half", NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_BASE(10000, "longest wavelength / 2 pi, nearly"),
    { .name = "form", .kind = LCT_WORD, .def = THIRDS, .words = forms,
      .doc = "thirds: 2 ceil(d/6) channels each, cut to d; half: d/2 for "
             "frames, d/4 for rows and columns" },
    { .name = "width", .kind = LCT_INTEGER, .def = 16, .min = 1,
      .max = 1 << 20, .doc = "columns of a frame" },
    { .name = "height", .kind = LCT_INTEGER, .def = 16, .min = 1,
      .max = 1 << 20, .doc = "rows of a frame" },
    { 0 }
};
/* clang-format on */

/* Channels of an axis, before the axes are cut to the width. */
static int64_t band(const locant_encoding *e, int axis, int64_t dim)
{
    if (e->value[FORM] == HALF)
        return axis == 0 ? dim / 2 : dim / 4;
    return 2 * ((dim + 5) / 6);
}

/* Frequencies of the three axes one after the other. */
static locant_status schedule(struct lct_schedule **out,
                              const struct lct_schedule_use *u)
{
    const locant_encoding *e = u->e;
    int64_t pairs = 0, at = 0;

    if (e->value[FORM] == HALF ? u->dim % 8 != 0 : u->dim % 2 != 0)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: sincos3d has rows of %" PRId64
                           " channels, expected a multiple of %d",
                           u->fn, u->dim, e->value[FORM] == HALF ? 8 : 2);
    for (int axis = 0; axis < 3; axis++)
        pairs += band(e, axis, u->dim) / 2;
    LCT_TRY(lct_schedule_make(out, u, e->value[BASE], pairs));
    for (int axis = 0; axis < 3; axis++) {
        int64_t n = band(e, axis, u->dim) / 2;

        for (int64_t c = 0; c < n; c++)
            (*out)->frequency[at++] = lct_phase_of(e->value[BASE], c, 2 * n);
    }
    return LOCANT_OK;
}

static void coordinates(double at[3], const locant_encoding *e,
                        const struct lct_point *point)
{
    int64_t place[3];

    lct_grid_place(&place[1], &place[2], point->pos, (int64_t)e->value[WIDTH]);
    lct_grid_place(&place[0], &place[1], place[1], (int64_t)e->value[HEIGHT]);
    for (int axis = 0; axis < 3; axis++)
        at[axis] =
            point->coords != NULL ? point->coords[axis] : (double)place[axis];
}

static void row(double *out, const locant_encoding *e,
                const struct lct_point *point, int64_t dim,
                const locant_tensor *params)
{
    const struct lct_schedule *frequencies = lct_schedule_kept(e, dim);
    int64_t from = 0, pair = 0;
    double at[3];

    (void)params;
    coordinates(at, e, point);
    for (int axis = 0; axis < 3; axis++) {
        int64_t n = band(e, axis, dim) / 2;

        for (int64_t c = 0; c < n; c++) {
            double cosine, sine;

            lct_angle_real(&cosine, &sine, frequencies->frequency[pair++],
                           at[axis]);
            if (from + c < dim)
                out[from + c] = sine;
            if (from + n + c < dim)
                out[from + n + c] = cosine;
        }
        from += 2 * n;
    }
}

static const locant_variant variants[] = {
    { "sincos3d(form=half)", "3-D sines, half of them for time",
      "V-JEPA without uniform_power" },
    { 0 },
};

const struct lct_encoding lct_enc_sincos3d = {
    .info = {
        .name = "sincos3d",
        .title = "Sinusoidal frames, rows and columns",
        .formula = "P[p] = [W(t) | W(y) | W(x)], W(u) = [sin(u w) | cos(u w)], "
                   "w_c = base^(-c/(e/2)), e channels each",
        .source = "Bardes et al. 2024, arXiv:2404.08471v1 and its code",
        .used_by = "V-JEPA, VideoMAE-like models",
        .pitfalls = "With thirds the cut may remove the slowest sinusoids of "
                    "the last axis.",
        .gradient = "none: no parameters",
        .variants = variants,
        .doors = LOCANT_DOOR_INPUT,
    },
    .keys = keys,
    .positions = { .axes = 3, .check = lct_grid_positions },
    .schedule = { .create = schedule },
    .input = { .row = row },
};
