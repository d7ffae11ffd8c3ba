/*
 * liere.c - rotations by exponentials of learned skew matrices.
 *
 * Ostmeier et al.: LieRE: Generalizing Rotary Position Encodings. 2024.
 * arXiv:2406.10322.  R(p) = exp(sum_a p_a A_a), A_a skew and of blocks on the
 * diagonal, learned for each head: a rotation in more than a plane.  Generators
 * of several axes do not commute, so scores depend on absolute positions.
 * Yu et al.: ComRoPE. 2025. arXiv:2506.03737 makes them commute: A_a = m_a A
 * ('linear'), or each block belongs to one axis ('axial'); then scores depend
 * on differences.  Blocks of 2 are rope-mixed.
 */
#include "exponential.h"
#include "rope_grid.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { FORM, BLOCK, AXES, GRID };
enum { LIERE, LINEAR, AXIAL };
enum { MOST_BLOCK = LCT_EXP_MOST, MOST_AXES = 3 };

static const char *const forms[] = { "liere", "linear", "axial", NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "form", .kind = LCT_WORD, .def = LIERE, .words = forms,
      .doc = "liere: a generator for each axis; linear: one, times a number "
             "for each axis (ComRoPE-LD); axial: block i turns with axis i mod "
             "axes (ComRoPE-AP)" },
    { .name = "block", .kind = LCT_INTEGER, .def = 8, .min = 2,
      .max = MOST_BLOCK,
      .doc = "channels of a block; divides those of a head" },
    { .name = "axes", .kind = LCT_INTEGER, .def = 2, .min = 1,
      .max = MOST_AXES, .doc = "coordinates of a position" },
    { .name = "grid", .kind = LCT_LIST, .def = 0, .min = 1, .max = 1 << 26,
      .doc = "sizes of all axes but the first: position p is row-major in "
             "that grid; left out: all coordinates are p, as of text" },
    { 0 }
};

static const struct lct_param liere_params[] = {
    { .name = "generator", .dims = { "heads", "axes", "entries" },
      .scope = LCT_PER_LAYER, LCT_UNIFORM(0, 6.283185307179586),
      .doc = "upper triangles of the skew matrices of all blocks, row by row" },
    { 0 }
};
static const struct lct_param axial_params[] = {
    { .name = "generator", .dims = { "heads", "entries" },
      .scope = LCT_PER_LAYER, LCT_NORMAL(0, 1),
      .doc = "upper triangles of the skew matrices of all blocks, row by row" },
    { 0 }
};
static const struct lct_param linear_params[] = {
    { .name = "generator", .dims = { "heads", "entries" },
      .scope = LCT_PER_LAYER, LCT_NORMAL(0, 1),
      .doc = "upper triangles of the skew matrices of all blocks, row by row" },
    { .name = "factor", .dims = { "heads", "axes" },
      .scope = LCT_PER_LAYER, LCT_NORMAL(0, 1),
      .doc = "of each axis" },
    { 0 }
};
/* clang-format on */

static const struct lct_param *params_of(const locant_encoding *e)
{
    static const struct lct_param *const lists[] = {
        [LIERE] = liere_params, [LINEAR] = linear_params, [AXIAL] = axial_params
    };

    return lists[(int)e->value[FORM]];
}

static int axes_of(const locant_encoding *e)
{
    return (int)e->value[AXES];
}

/* Entries above the diagonal of one block. */
static int64_t triangle(int64_t block)
{
    return block * (block - 1) / 2;
}

static int64_t size(const locant_encoding *e, const char *name,
                    const locant_sizes *sizes)
{
    const int64_t block = (int64_t)e->value[BLOCK];

    (void)name;
    return sizes->head_dim / block * triangle(block);
}

static locant_status check(const locant_encoding *e)
{
    const struct lct_list *grid = e->list[GRID];

    if (grid == NULL)
        return LOCANT_OK;
    if ((int)grid->n != axes_of(e) - 1)
        return LCT_REFUSE("grid of liere has %zu sizes, expected %d: of all "
                          "axes but the first",
                          grid->n, axes_of(e) - 1);
    for (size_t a = 0; a < grid->n; a++)
        if (grid->item[a] != floor(grid->item[a]))
            return LCT_REFUSE(
                "size %zu of the grid of liere is %g, expected a whole number",
                a, grid->item[a]);
    return LOCANT_OK;
}

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

/* The schedule only checks the width of heads. */
static locant_status schedule(struct lct_schedule **out,
                              const struct lct_schedule_use *u)
{
    const int64_t block = (int64_t)u->e->value[BLOCK];

    *out = NULL;
    if (u->dim % block != 0)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: heads have %" PRId64
                           " channels, expected a multiple of the blocks of "
                           "liere, %" PRId64,
                           u->fn, u->dim, block);
    return lct_schedule_make(out, u, 1, 1);
}

/* --------------------------------------------------------------------- map */

/* A block of a head at a point. */
struct block {
    const struct lct_call *c;
    const double *coords;
    int64_t head, index; /* of the block */
    int n;
};

/* Where the upper triangle of axis a begins in the generator. */
static int64_t start_of(const struct block *b, int a)
{
    const int64_t blocks = b->c->head_dim / b->n;
    const int64_t entries = triangle(b->n) * blocks;
    const int64_t rows = b->c->e->value[FORM] == LIERE
                             ? b->head * axes_of(b->c->e) + a
                             : b->head;

    return rows * entries + b->index * triangle(b->n);
}

/* What the triangle of axis a is multiplied by: d angle / d generator. */
static double weight_of(const struct block *b, int a)
{
    const int axes = axes_of(b->c->e);

    if (b->c->e->value[FORM] == LINEAR)
        return b->coords[a] * b->c->param[1][b->head * axes + a];
    if (b->c->e->value[FORM] == AXIAL)
        return b->index % axes == a ? b->coords[a] : 0;
    return b->coords[a];
}

/* m = sign sum_a weight_a (U_a - U_a^T) */
static void angle_matrix(double *m, const struct block *b, double sign)
{
    memset(m, 0, sizeof(*m) * (size_t)(b->n * b->n));
    for (int a = 0; a < axes_of(b->c->e); a++) {
        const double *u = b->c->param[0] + start_of(b, a);
        const double weight = sign * weight_of(b, a);

        for (int i = 0; i < b->n; i++)
            for (int j = i + 1; j < b->n; j++, u++) {
                m[i * b->n + j] += weight * *u;
                m[j * b->n + i] -= weight * *u;
            }
    }
}

static const double *coordinates_at(double local[MOST_AXES],
                                    const struct lct_call *c,
                                    const struct lct_point *at)
{
    if (at->coords != NULL)
        return at->coords;
    coordinates(local, c->e, at->pos);
    return local;
}

/* Multiply by the rotation or, if 'back', by its transpose, the inverse. */
static void apply(double *out, const double *x, const struct lct_call *c,
                  int64_t head, const struct lct_point *at, bool back)
{
    double local[MOST_AXES];
    struct block b = { c, coordinates_at(local, c, at), head, 0,
                       (int)c->e->value[BLOCK] };
    lct_matrix m, r;

    for (; b.index < c->head_dim / b.n; b.index++) {
        angle_matrix(m, &b, 1);
        lct_exponential(r, NULL, m, NULL, b.n);
        for (int i = 0; i < b.n; i++) {
            double sum = 0;

            for (int j = 0; j < b.n; j++)
                sum +=
                    r[back ? j * b.n + i : i * b.n + j] * x[b.index * b.n + j];
            out[b.index * b.n + i] = sum;
        }
    }
}

static void map(double *out, const double *x, const struct lct_call *c,
                enum lct_role role, int64_t head, const struct lct_point *at)
{
    (void)role;
    apply(out, x, c, head, at, false);
}

static void inverse(double *out, const double *x, const struct lct_call *c,
                    enum lct_role role, int64_t head,
                    const struct lct_point *at)
{
    (void)role;
    apply(out, x, c, head, at, true);
}

/* dm is the gradient of the angle matrix: m = sum_a weight_a (U_a - U_a^T). */
static void add_gradients(double *const *dparam, const struct block *b,
                          const double *dm)
{
    const int axes = axes_of(b->c->e);

    for (int a = 0; a < axes; a++) {
        const double *u = b->c->param[0] + start_of(b, a);
        double *du = dparam[0] + start_of(b, a), sum = 0;
        const double weight = weight_of(b, a);

        for (int i = 0; i < b->n; i++)
            for (int j = i + 1; j < b->n; j++, u++, du++) {
                double d = dm[i * b->n + j] - dm[j * b->n + i];

                *du += weight * d;
                sum += *u * d;
            }
        if (b->c->e->value[FORM] == LINEAR)
            dparam[1][b->head * axes + a] += b->coords[a] * sum;
    }
}

/*
 * forward: y = exp(m) x, so dx = exp(m^T) dy = exp(-m) dy, and dm is the
 * derivative of exp at m^T along dy x^T.  Rows that no query sees may hold NaN,
 * so a gradient of 0 is not multiplied.
 */
static void backward(double *dx, double *const *dparam, const double *dout,
                     const double *x, const struct lct_call *c,
                     enum lct_role role, int64_t head,
                     const struct lct_point *at)
{
    double local[MOST_AXES];
    struct block b = { c, coordinates_at(local, c, at), head, 0,
                       (int)c->e->value[BLOCK] };
    lct_matrix m, r, g, l;

    (void)role;
    apply(dx, dout, c, head, at, -1);
    for (; dparam[0] != NULL && b.index < c->head_dim / b.n; b.index++) {
        const double *dy = dout + b.index * b.n, *xs = x + b.index * b.n;
        bool zero = true;

        for (int i = 0; i < b.n; i++)
            zero &= dy[i] == 0;
        if (zero)
            continue;
        for (int i = 0; i < b.n; i++)
            for (int j = 0; j < b.n; j++)
                g[i * b.n + j] = dy[i] * xs[j];
        angle_matrix(m, &b, -1);
        lct_exponential(r, l, m, g, b.n);
        add_gradients(dparam, &b, l);
    }
}

static const locant_variant variants[] = {
    { "liere", "blocks of 8", "LieRE-8" },
    { "liere(block=64)", "whole heads of 64", "LieRE-64" },
    { "liere(form=linear)", "one generator", "ComRoPE-LD" },
    { "liere(form=axial)", "blocks by axis", "ComRoPE-AP" },
    { 0 }
};

const struct lct_encoding lct_enc_liere = {
    .info = {
        .name = "liere",
        .title = "Rotations by learned generators (LieRE, ComRoPE)",
        .formula = "y = exp(sum_a p_a A_a) x, A_a = -A_a^T in blocks on the "
                   "diagonal",
        .source = "Ostmeier et al. 2024, arXiv:2406.10322v4; Yu et al. 2025, "
                  "arXiv:2506.03737v1",
        .used_by = "LieRE, ComRoPE",
        .pitfalls = "Generators of several axes do not commute, so LieRE sees "
                    "absolute positions; ComRoPE's coordinates are (i + 1/2) / "
                    "n, with class tokens at 1/2. Needs as many key heads as "
                    "query heads; a matrix exponential for each token.",
        .doors = LOCANT_DOOR_ROTATE,
        .traits = LOCANT_TRAIT_ISOMETRIC | LOCANT_TRAIT_LEARNED,
        .gradient = "dx = exp(-M) dy; dM: the derivative of exp at M^T along "
                    "dy x^T",
        .variants = variants,
    },
    .keys = keys,
    .check = check,
    .params = { .list_of = params_of, .size = size },
    .positions = {
        .axes_of = axes_of,
        .check = lct_grid_positions,
        .coordinates = coordinates,
    },
    .schedule = { .create = schedule },
    .rotate = { .map = map, .inverse = inverse, .backward = backward },
};
