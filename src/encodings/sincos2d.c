/*
 * sincos2d.c - fixed sines and cosines of row and column.
 *
 * He et al.:  Masked Autoencoders Are Scalable Vision Learners. 2022.
 * arXiv:2111.06377 and its code; timm; Carion et al.:  End-to-End Object
 * Detection with Transformers. 2020. arXiv:2005.12872, section A.4 (DETR).
 * Half of the channels encode one coordinate, half the other, each with the
 * frequencies base^(-c/(d/4)).  The forms differ only in the order of
 * coordinates and of sines and cosines; DETR also maps coordinates to
 * (0, 2 pi].  transformers 5 puts rows first, as 'interleaved', for RT-DETR and
 * others; for ViT-MAE and AIMv2 it then swaps the halves, as 'mae'.
 */
#include "rope_grid.h"
#include <inttypes.h>
#include <math.h>

enum { BASE, FORM, WIDTH, HEIGHT };
enum { MAE, TIMM, INTERLEAVED, DETR };

static const char *const forms[] = { "mae", "timm", "interleaved", "detr",
                                     NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_BASE(10000, "longest wavelength / 2 pi, nearly"),
    { .name = "form", .kind = LCT_WORD, .def = MAE, .words = forms,
      .doc = "mae: [sin x|cos x|sin y|cos y]; timm: [sin y|sin x|cos y|cos "
             "x]; interleaved: [sin y|cos y|sin x|cos x]; detr: y then x, "
             "sin and cos alternating, coordinates within (0, 2 pi]" },
    { .name = "width", .kind = LCT_INTEGER, .def = 16, .min = 1, .max = 1 << 30,
      .doc = "columns of the grid: position p is row p / width, column p mod "
             "width" },
    { .name = "height", .kind = LCT_INTEGER, .def = 16, .min = 1,
      .max = 1 << 30, .doc = "rows of the grid; only detr reads it" },
    { 0 }
};
/* clang-format on */

static locant_status schedule(struct lct_schedule **out,
                              const struct lct_schedule_use *u)
{
    if (u->dim % 4 != 0)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: sincos2d has rows of %" PRId64
                           " channels, expected a multiple of 4",
                           u->fn, u->dim);
    return lct_schedule_make(out, u, u->e->value[BASE], u->dim / 4);
}

/* Clamp to what angles accept; positions so far out have no meaning. */
static double bounded(double x)
{
    return fmax(-0x1p62, fmin(x, 0x1p62));
}

/* y and x of the point, as arguments of the sinusoids. */
static void coordinates(double *y, double *x, const locant_encoding *e,
                        const struct lct_point *at)
{
    int64_t row, column;

    lct_grid_place(&row, &column, at->pos, (int64_t)e->value[WIDTH]);
    *x = at->coords != NULL ? at->coords[1] : (double)column;
    *y = at->coords != NULL ? at->coords[0] : (double)row;
    if (e->value[FORM] == DETR) {
        const double turn = 6.283185307179586, epsilon = 1e-6;

        *y = bounded((*y + 1) / (e->value[HEIGHT] + epsilon) * turn);
        *x = bounded((*x + 1) / (e->value[WIDTH] + epsilon) * turn);
    }
}

/* Channel of sine c, or of cosine c, of coordinate 'axis' (0: y). */
static void channels(int64_t *sine, int64_t *cosine, int form, int axis,
                     int64_t c, int64_t quarter)
{
    int64_t half = 2 * quarter;

    switch (form) {
    case MAE: /* columns first */
        *sine = (1 - axis) * half + c;
        *cosine = *sine + quarter;
        break;
    case TIMM:
        *sine = axis * quarter + c;
        *cosine = *sine + half;
        break;
    case INTERLEAVED:
        *sine = axis * half + c;
        *cosine = *sine + quarter;
        break;
    default:
        *sine = axis * half + 2 * c;
        *cosine = *sine + 1;
        break;
    }
}

static void row(double *out, const locant_encoding *e,
                const struct lct_point *at, int64_t dim,
                const locant_tensor *params)
{
    const struct lct_schedule *frequencies = lct_schedule_kept(e, dim);
    double coordinate[2];

    (void)params;
    coordinates(&coordinate[0], &coordinate[1], e, at);
    for (int axis = 0; axis < 2; axis++)
        for (int64_t c = 0; c < dim / 4; c++) {
            int64_t sine, cosine;

            channels(&sine, &cosine, (int)e->value[FORM], axis, c, dim / 4);
            lct_angle_real(&out[cosine], &out[sine], frequencies->frequency[c],
                           coordinate[axis]);
        }
}

static const locant_variant variants[] = {
    { "sincos2d(form=timm)", "2-D sines, timm's order", "timm" },
    { "sincos2d(form=interleaved)", "2-D sines, axis by axis",
      "timm (interleave_sin_cos), RT-DETR and D-FINE (HF)" },
    { "sincos2d(form=detr)", "2-D sines of normalised coordinates", "DETR" },
    { 0 }
};

const struct lct_encoding lct_enc_sincos2d = {
    .info = {
        .name = "sincos2d",
        .title = "Sinusoidal rows and columns",
        .formula = "P[p] = [sin(x w) | cos(x w) | sin(y w) | cos(y w)], w_c = "
                   "base^(-c/(d/4)), x = p mod width, y = p div width",
        .source = "He et al. 2022, arXiv:2111.06377v3, appendix A.1 and code; "
                  "Carion et al. 2020, arXiv:2005.12872v3, appendix A.4",
        .used_by = "MAE, ViT-MAE and AIMv2 (HF), timm, RT-DETR, DETR",
        .pitfalls = "MAE's first half follows the column although its code "
                    "calls it emb_h; the class token's row is zero there.",
        .gradient = "none: no parameters",
        .variants = variants,
        .doors = LOCANT_DOOR_INPUT,
    },
    .keys = keys,
    .positions = { .axes = 2, .check = lct_grid_positions },
    .schedule = { .create = schedule },
    .input = { .row = row },
};
