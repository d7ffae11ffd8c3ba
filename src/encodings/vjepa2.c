/*
 * vjepa2.c - frames, rows and columns as the released V-JEPA 2 rotates them.
 *
 * Assran et al.: V-JEPA 2. 2025. arXiv:2506.09985; facebookresearch/vjepa2,
 * src/models/utils/modules.py, rotate_queries_or_keys(), whose authors keep it
 * for the released weights.  Each axis has a third of the channels, of which
 * neighbours make a pair; but the list of w/2 frequencies is repeated, not each
 * frequency, so the channels of a pair turn by different angles:
 *
 *     y_2a     = x_2a cos(p f_u) - x_2a+1 sin(p f_u),     u = 2a mod w/2
 *     y_2a + 1 = x_2a+1 cos(p f_v) + x_2a sin(p f_v),     v = (2a + 1) mod w/2
 *
 * That is no rotation.  The paper's is rope3d.
 */
#include "rope_grid.h"
#include "rotate.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { BASE, WIDTH, HEIGHT, GRID };
enum { AXES = 3 };

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_BASE(10000, "longest wavelength / 2 pi, nearly"),
    { .name = "width", .kind = LCT_INTEGER, .def = 16, .min = 1,
      .max = 1 << 26, .doc = "columns: the column is p mod width" },
    { .name = "height", .kind = LCT_INTEGER, .def = 16, .min = 1,
      .max = 1 << 26, .doc = "rows: the frame is p / (width height)" },
    { .name = "grid", .kind = LCT_INTEGER, .def = NAN, .min = 1, .max = 1 << 26,
      .doc = "rows and columns are scaled to a grid of this side, as in the "
             "predictor of actions; left out: they are not" },
    { 0 }
};
/* clang-format on */

static void coordinates(double *coords, const locant_encoding *e, int64_t pos)
{
    const double grid = e->value[GRID];
    int64_t t, y, x;

    lct_grid_place(&y, &x, pos, (int64_t)e->value[WIDTH]);
    lct_grid_place(&t, &y, y, (int64_t)e->value[HEIGHT]);
    coords[0] = (double)t;
    coords[1] = (double)y * (isnan(grid) ? 1 : grid / e->value[HEIGHT]);
    coords[2] = (double)x * (isnan(grid) ? 1 : grid / e->value[WIDTH]);
}

/* The w/2 frequencies of an axis. */
static locant_status schedule(struct lct_schedule **out,
                              const struct lct_schedule_use *u)
{
    const int64_t half = u->dim / AXES / 2;

    *out = NULL;
    if (half < 1)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: heads have %" PRId64
                           " channels, expected at least 6 for vjepa2",
                           u->fn, u->dim);
    return lct_schedule_make(out, u, u->e->value[BASE], half);
}

/* One axis: w channels at the coordinate 'at'; 'transpose' for the gradient. */
static void turn_axis(double *out, const double *x,
                      const struct lct_schedule *s, double at, bool transpose)
{
    const struct lct_point point = { 0, &at };

    for (int64_t a = 0; a < s->pairs; a++) {
        double cos_u, sin_u, cos_v, sin_v, first = x[2 * a];
        double second = x[2 * a + 1];

        lct_rotate_angle(&cos_u, &sin_u, s->frequency[2 * a % s->pairs],
                         &point);
        lct_rotate_angle(&cos_v, &sin_v, s->frequency[(2 * a + 1) % s->pairs],
                         &point);
        if (transpose) {
            out[2 * a] = first * cos_u + second * sin_v;
            out[2 * a + 1] = second * cos_v - first * sin_u;
        } else {
            out[2 * a] = first * cos_u - second * sin_u;
            out[2 * a + 1] = second * cos_v + first * sin_v;
        }
    }
}

static void apply(double *out, const double *x, const struct lct_call *c,
                  const struct lct_point *at, bool transpose)
{
    const struct lct_schedule *s = lct_schedule_kept(c->e, c->head_dim);
    const int64_t turned = AXES * 2 * s->pairs;
    double local[AXES];
    const double *coords = at->coords;

    if (coords == NULL) {
        coordinates(local, c->e, at->pos);
        coords = local;
    }
    for (int k = 0; k < AXES; k++)
        turn_axis(out + 2 * s->pairs * k, x + 2 * s->pairs * k, s, coords[k],
                  transpose);
    memcpy(out + turned, x + turned,
           (size_t)(c->head_dim - turned) * sizeof(*out));
}

static void map(double *out, const double *x, const struct lct_call *c,
                enum lct_role role, int64_t head, const struct lct_point *at)
{
    (void)role;
    (void)head;
    apply(out, x, c, at, false);
}

/* forward: y = M x, so dx = M^T dy */
static void backward(double *dx, double *const *dparam, const double *dout,
                     const double *x, const struct lct_call *c,
                     enum lct_role role, int64_t head,
                     const struct lct_point *at)
{
    (void)dparam;
    (void)x;
    (void)role;
    (void)head;
    apply(dx, dout, c, at, true);
}

const struct lct_encoding lct_enc_vjepa2 = {
    .info = {
        .name = "vjepa2",
        .title = "Frames, rows and columns as the released V-JEPA 2",
        .formula = "y_2a = x_2a cos p f_u - x_2a+1 sin p f_u, y_2a+1 = x_2a+1 "
                   "cos p f_v + x_2a sin p f_v, u = 2a mod w/2, v = (2a + 1) "
                   "mod w/2",
        .source = "Assran et al. 2025, arXiv:2506.09985v1; "
                  "facebookresearch/vjepa2, modules.py",
        .used_by = "V-JEPA 2",
        .pitfalls = "Not a rotation, so scores depend on absolute positions "
                    "and lengths change; rope3d is what the paper describes. "
                    "Action and state tokens are at (frame, 0, 0).",
        .doors = LOCANT_DOOR_ROTATE,
        .traits = 0,
        .gradient = "dx_2a = dy_2a cos p f_u + dy_2a+1 sin p f_v, dx_2a+1 = "
                    "dy_2a+1 cos p f_v - dy_2a sin p f_u",
    },
    .keys = keys,
    .positions = {
        .axes = AXES,
        .check = lct_grid_positions,
        .coordinates = coordinates,
    },
    .schedule = { .create = schedule },
    .rotate = { .map = map, .backward = backward },
};
