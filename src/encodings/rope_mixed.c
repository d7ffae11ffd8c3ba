/*
 * rope_mixed.c - rotary embedding with learned frequencies in both axes.
 *
 * Heo, Park, Han, Yun: Rotary Position Embedding for Vision Transformer. 2024.
 * arXiv:2403.13298, section 3.2.
 * Pair c of a head is rotated by x_c X + y_c Y, so unlike in axial forms one
 * angle can depend on both axes.  Frequencies start as those of the axial form,
 * rotated in each head by a random angle.
 * exp(sum_a p_a m_a A) of one skew matrix A (Yu et al.: ComRoPE. 2025.
 * arXiv:2506.03737, section 4), and blocks of 2 of LieRE (Ostmeier et al. 2024.
 * arXiv:2406.10322), are this in the basis of the planes of A, which the
 * projections of queries and keys absorb.
 */
#include "rope_grid.h"
#include <math.h>

enum { BASE, WIDTH };
enum { FX, FY };

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_BASE(10, "initial frequencies are base^(-4c/D), c < D/4"),
    { .name = "width", .kind = LCT_INTEGER, .def = 16, .min = 1, .max = 1 << 30,
      .doc = "columns: position p is row p / width, column p mod width" },
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "x", .dims = { "heads", "pairs" }, .scope = LCT_PER_LAYER,
      .doc = "radians of each pair for one column" },
    { .name = "y", .dims = { "heads", "pairs" }, .scope = LCT_PER_LAYER,
      .doc = "radians of each pair for one row" },
    { 0 }
};
/* clang-format on */

static int64_t size(const locant_encoding *e, const char *name,
                    const locant_sizes *sizes)
{
    (void)e;
    (void)name;
    return sizes->head_dim / 2;
}

/* Both parameters need the same angle of a head, so both draw from one stream,
 * named "mixed". */
static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    int64_t heads = info->shape[0], pairs = info->shape[1];
    int64_t half = (pairs + 1) / 2;
    locant_random angles = { .seed = r->seed, .stream = 0x6d69786564 };

    for (int64_t h = 0; h < heads; h++) {
        double a = 6.283185307179586 * locant_random_uniform(&angles);

        for (int64_t c = 0; c < pairs; c++) {
            double size =
                pow(e->value[BASE], -2.0 * (double)(c % half) / (double)pairs);
            /* (cos a, sin a), then rotated by a quarter turn */
            double x = c < half ? cos(a) : -sin(a);
            double y = c < half ? sin(a) : cos(a);

            out[h * pairs + c] = size * (k == FX ? x : y);
        }
    }
    return true;
}

static void coordinates(double *coords, const locant_encoding *e, int64_t pos)
{
    int64_t y, x;

    lct_grid_place(&y, &x, pos, (int64_t)e->value[WIDTH]);
    coords[0] = (double)y;
    coords[1] = (double)x;
}

static void coordinates_at(double at[2], const struct lct_call *c,
                           const struct lct_point *point)
{
    if (point->coords == NULL) {
        coordinates(at, c->e, point->pos);
        return;
    }
    at[0] = point->coords[0];
    at[1] = point->coords[1];
}

static void apply(double *out, const double *x, const struct lct_call *c,
                  int64_t head, const struct lct_point *point, double sign)
{
    int64_t pairs = c->head_dim / 2;
    double at[2];

    coordinates_at(at, c, point);
    for (int64_t i = 0; i < pairs; i++) {
        double angle = c->param[FX][head * pairs + i] * at[1] +
                       c->param[FY][head * pairs + i] * at[0];
        double cosine = cos(angle), sine = sign * sin(angle);
        double a = x[2 * i], b = x[2 * i + 1];

        out[2 * i] = a * cosine - b * sine;
        out[2 * i + 1] = a * sine + b * cosine;
    }
}

static void map(double *out, const double *x, const struct lct_call *c,
                enum lct_role role, int64_t head, const struct lct_point *at)
{
    (void)role;
    apply(out, x, c, head, at, 1);
}

static void inverse(double *out, const double *x, const struct lct_call *c,
                    enum lct_role role, int64_t head,
                    const struct lct_point *at)
{
    (void)role;
    apply(out, x, c, head, at, -1);
}

/*
 * forward: (a', b') = R(angle) (a, b).  The gradient of the angle, db' a' - da'
 * b', equals db a - da b of the unrotated pairs, which needs no a', b'.  Rows
 * that no query sees may hold NaN, so a gradient of 0 is not multiplied.
 */
static void backward(double *dx, double *const *dparam, const double *dout,
                     const double *x, const struct lct_call *c,
                     enum lct_role role, int64_t head,
                     const struct lct_point *point)
{
    int64_t pairs = c->head_dim / 2;
    double at[2];

    (void)role;
    coordinates_at(at, c, point);
    apply(dx, dout, c, head, point, -1);
    for (int64_t i = 0; i < pairs; i++) {
        double d = dx[2 * i + 1] * x[2 * i] - dx[2 * i] * x[2 * i + 1];

        if (dparam[FX] == NULL || (dx[2 * i] == 0 && dx[2 * i + 1] == 0))
            continue;
        dparam[FX][head * pairs + i] += d * at[1];
        dparam[FY][head * pairs + i] += d * at[0];
    }
}

const struct lct_encoding lct_enc_rope_mixed = {
    .info = {
        .name = "rope-mixed",
        .title = "Rotary embedding of rows and columns, learned frequencies",
        .formula = "pair c rotates by x_c X + y_c Y, frequencies learned for "
                   "each head",
        .source = "Heo et al. 2024, arXiv:2403.13298v2, section 3.2",
        .used_by = "rope-vit (RoPE-Mixed); ComRoPE and LieRE with blocks of 2, "
                   "in another basis of the channels",
        .pitfalls = "Needs as many key heads as query heads; the initial base "
                    "is 10, not 10000; resizing keeps coordinates in patches.",
        .doors = LOCANT_DOOR_ROTATE,
        .traits = LOCANT_TRAIT_ISOMETRIC | LOCANT_TRAIT_LEARNED,
        .gradient = "dx = R(-f) dy; dx_c = sum X (db' a' - da' b'), dy_c = "
                    "sum Y (db' a' - da' b')",
    },
    .keys = keys,
    .params = { .list = params, .size = size, .fill = fill },
    .positions = {
        .axes = 2,
        .check = lct_grid_positions,
        .coordinates = coordinates,
    },
    .rotate = { .map = map, .inverse = inverse, .backward = backward },
};
