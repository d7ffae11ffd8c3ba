/*
 * rotate_ragged.c - the rotate door for rows that each have their own positions
 * and length limits.
 */
#include "../core/size.h"
#include "blocks.h"
#include "lengths.h"
#include "params.h"
#include "rotate.h"
#include "locant/rotate.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A call whose tokens are the tokens of all rows, row by row. */
struct ragged {
    struct lct_rotate_call c;
    const locant_rotation *r;
    int64_t rows, T;
    int64_t heads; /* that have positions of their own, in each row of a batch;
                      0: rows do */
    void *memory;
    int64_t *pos;                   /* [rows, T] */
    double *coords;                 /* [rows, T, axes]; NULL: at pos */
    const struct lct_schedule **by; /* [rows, T]; NULL: one for all */
    struct lct_lengths lengths;
};

/* ---------------------------------------------------------------- checking */

/* x[i] if x has one dimension, else x[row, t]. */
static int64_t entry(const locant_tensor *x, int64_t i, int64_t row, int64_t t)
{
    const int64_t *data = x->data;

    return x->rank == 1 ? data[i * x->stride[0]]
                        : data[row * x->stride[0] + t * x->stride[1]];
}

/* Check x [n] or [rows, T]. */
static locant_status check_ids(const struct ragged *g, const char *name,
                               const locant_tensor *x, int64_t n)
{
    int64_t shape[2] = { g->rows, g->T };

    if (x != NULL && x->rank == 2)
        return lct_check(g->c.fn, name, x, LCT_IN_I64, 2, shape);
    return lct_check(g->c.fn, name, x, LCT_IN_I64, 1, &n);
}

/* Has each row positions of its own? */
static bool reals_by_row(const locant_tensor *x, int axes)
{
    return x->rank == 3 || (x->rank == 2 && axes == 1);
}

/* Real positions: [T, axes] or [rows, T, axes], of one axis also without it. */
static locant_status check_reals(const struct ragged *g, const locant_tensor *x)
{
    const int axes = locant_encoding_axes(g->r->encoding);
    const int64_t shape[3] = { g->rows, g->T, axes };
    const int ends = axes > 1 || x->rank == 3; /* with the axes */

    if (reals_by_row(x, axes))
        return lct_check(g->c.fn, "positions", x, LCT_IN_F64, 2 + ends, shape);
    return lct_check(g->c.fn, "positions", x, LCT_IN_F64, 1 + ends, shape + 1);
}

static locant_status check_limits(const struct ragged *g)
{
    const locant_tensor *limits = g->r->limits;

    if (limits == NULL)
        return LOCANT_OK;
    LCT_TRY(check_ids(g, "limits", limits, g->rows));
    for (int64_t row = 0; row < g->rows; row++)
        for (int64_t t = 0; t < g->T; t++) {
            int64_t limit = entry(limits, row, row, t);

            if (limit < 1)
                return locant_fail(LOCANT_ERR_PARAM,
                                   "%s: the limit of token %" PRId64
                                   " of row %" PRId64 " is %" PRId64
                                   ", expected at least 1",
                                   g->c.fn, t, row, limit);
        }
    return LOCANT_OK;
}

/* x and positions of heads, which are not for what depends on the length. */
static locant_status check_heads(const struct ragged *g, const char *name,
                                 const locant_tensor *x)
{
    const locant_rotation *r = g->r;
    const struct lct_part *part;
    int64_t shape[4];

    LCT_TRY(lct_part_require(&part, g->c.fn, r->encoding, LOCANT_DOOR_ROTATE));
    LCT_TRY(lct_check(g->c.fn, name, x, LCT_IN_FLOAT, 4, x->shape));
    memcpy(shape, x->shape, sizeof(shape));
    shape[3] = locant_encoding_axes(part->e);
    LCT_TRY(
        lct_check(g->c.fn, "positions", r->positions, LCT_IN_F64, 4, shape));
    if (part->e->row->rotate.map == NULL && r->limits == NULL &&
        lct_schedule_length(part->e, INT32_MAX) == 0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_UNSUPPORTED,
                       "%s: heads have positions of their own, expected a "
                       "plain rotation whose frequencies do not depend on the "
                       "length, and no limits",
                       g->c.fn);
}

/* Errors call x 'name'. */
static locant_status check(struct ragged *g, const char *name,
                           const locant_tensor *out, const locant_tensor *x,
                           const locant_rotation *r)
{
    if (r == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: rotation is NULL", g->c.fn);
    if (r->struct_size != sizeof(*r))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: struct_size is %zu, expected %zu; start from "
                           "LOCANT_ROTATION_INIT",
                           g->c.fn, r->struct_size, sizeof(*r));
    g->r = r;
    g->rows = x->rank > 2 ? x->shape[0] : 1;
    g->T = x->shape[x->rank - 2];
    if (r->positions != NULL && r->positions->rank == 4) {
        LCT_TRY(check_heads(g, name, x));
        g->heads = x->shape[1];
        g->rows *= g->heads;
    } else if (r->positions != NULL && r->positions->dtype == LOCANT_F64)
        LCT_TRY(check_reals(g, r->positions));
    else
        LCT_TRY(check_ids(g, "positions", r->positions, g->T));
    LCT_TRY(check_limits(g));
    LCT_TRY(lct_check_apart(g->c.fn, out, r->positions));
    if (r->limits != NULL)
        LCT_TRY(lct_check_apart(g->c.fn, out, r->limits));
    return lct_rotate_check_flags(g->c.fn, r->flags);
}

/* ------------------------------------------------------------------ opening */

/* Room for what all tokens have; g->memory is released by done(). */
static locant_status take_memory(struct ragged *g, size_t n, size_t coords)
{
    size_t all, bytes;

    if (lct_mul(&bytes, n, sizeof(*g->pos) + sizeof(*g->by)) &&
        lct_mul(&all, coords, n * sizeof(*g->coords)) &&
        lct_add(&bytes, bytes, all))
        g->memory = locant_alloc(bytes);
    if (g->memory == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "%s: no memory for the positions of %" PRId64
                           " rows",
                           g->c.fn, g->rows);
    g->pos = g->memory;
    g->coords = (double *)(void *)(g->pos + n);
    g->by = (const struct lct_schedule **)(void *)(g->coords + coords * n);
    return LOCANT_OK;
}

static const double *coordinate(const struct ragged *g, int64_t row, int64_t t,
                                int axis)
{
    const locant_tensor *x = g->r->positions;
    const int axes = locant_encoding_axes(g->r->encoding);
    const bool by_row = reals_by_row(x, axes), ends = axes > 1 || x->rank == 3;
    const int64_t at[3] = { row, t, axis };

    if (g->heads > 0)
        return lct_at(
            x, (int64_t[4]){ row / g->heads, row % g->heads, t, axis }, 4);
    return lct_at(x, by_row ? at : at + 1, 1 + by_row + ends);
}

/* Open the call with the real positions of all rows. */
static locant_status open_reals(struct ragged *g, size_t n, int axes)
{
    const int64_t shape[2] = { (int64_t)n, axes };
    locant_tensor flat = locant_dense(g->coords, LOCANT_F64, 2, shape);

    for (int64_t i = 0; i < (int64_t)n; i++)
        for (int a = 0; a < axes; a++)
            g->coords[i * axes + a] = *coordinate(g, i / g->T, i % g->T, a);
    LCT_TRY(lct_rotate_open(&g->c, g->c.fn, g->r->encoding, "positions", &flat,
                            (int64_t)n));
    for (size_t i = 0; i < n; i++) /* for lengths, which need one axis */
        g->pos[i] = (int64_t)floor(g->coords[i * (size_t)axes]);
    return LOCANT_OK;
}

/* The same with integers. */
static locant_status open_ids(struct ragged *g, size_t n)
{
    const int64_t shape = (int64_t)n;
    const locant_tensor flat = locant_dense(g->pos, LOCANT_I64, 1, &shape);

    for (int64_t i = 0; i < (int64_t)n; i++)
        g->pos[i] = entry(g->r->positions, i % g->T, i / g->T, i % g->T);
    return lct_rotate_open(&g->c, g->c.fn, g->r->encoding, "positions", &flat,
                           (int64_t)n);
}

/* Collect all positions in one array and open the call with them; its length is
 * the longest limit. */
static locant_status lay_out(struct ragged *g)
{
    const bool real = g->r->positions->dtype == LOCANT_F64;
    const int axes = locant_encoding_axes(g->r->encoding);
    int64_t longest = 0;
    size_t n;

    if (!lct_mul(&n, (size_t)g->rows, (size_t)g->T))
        n = SIZE_MAX; /* more than memory has */
    LCT_TRY(take_memory(g, n, real ? (size_t)axes : 0));
    LCT_TRY(real ? open_reals(g, n, axes) : open_ids(g, n));
    g->c.by_row = true;
    if (g->r->limits != NULL)
        for (int64_t i = 0; i < (int64_t)n; i++) {
            int64_t limit = entry(g->r->limits, i / g->T, i / g->T, i % g->T);

            longest = limit > longest ? limit : longest;
        }
    g->c.length = longest > 0 ? longest : g->c.length;
    return LOCANT_OK;
}

/* The limit of a token: without limits, 1 + the longest position of its row. */
static int64_t limit_of(const struct ragged *g, int64_t row, int64_t t)
{
    const int64_t *pos = g->pos + row * g->T;
    int64_t longest = 0;

    if (g->r->limits != NULL)
        return entry(g->r->limits, row, row, t);
    for (int64_t i = 0; i < g->T; i++)
        longest = pos[i] > longest ? pos[i] : longest;
    return longest < INT64_MAX ? longest + 1 : longest;
}

/* The schedule of each token, or one for all. */
static locant_status find_schedules(struct ragged *g, int64_t dim, bool undo)
{
    bool matter = lct_lengths_matter(g->c.e), by_token;
    int64_t limit = g->c.length;

    by_token = matter && g->r->limits != NULL;
    g->lengths = (struct lct_lengths){ .e = g->c.e, .head_dim = dim };
    for (int64_t i = 0; i < (matter ? g->rows * g->T : 1); i++) {
        if (by_token || (matter && i % g->T == 0))
            limit = limit_of(g, i / g->T, i % g->T);
        LCT_TRY(lct_lengths_add(&g->lengths, g->c.fn, limit));
    }
    if (undo)
        for (size_t i = 0; i < g->lengths.n; i++)
            LCT_TRY(lct_rotate_invert(&g->lengths.of[i], g->c.fn));
    if (!matter) {
        g->by = NULL;
        return LOCANT_OK;
    }
    for (int64_t i = 0; i < g->rows * g->T; i++) {
        if (by_token || i % g->T == 0)
            limit = limit_of(g, i / g->T, i % g->T);
        g->by[i] = lct_lengths_find(&g->lengths, limit);
    }
    return LOCANT_OK;
}

static void done(struct ragged *g)
{
    lct_lengths_done(&g->lengths);
    locant_release(g->memory);
}

/* ----------------------------------------------------------------- rotating */

static locant_status rotate_plain(struct ragged *g, const char *name,
                                  locant_tensor *out, const locant_tensor *x,
                                  bool back)
{
    int64_t dim = x->shape[x->rank - 1];
    struct lct_places places = { .e = g->c.e,
                                 .pos = g->c.pos,
                                 .coords = g->c.coords };
    struct lct_rotation r = { .angles = lct_places_angles,
                              .context = &places,
                              .sign = back ? -1.0f : 1.0f,
                              .outer = g->heads > 0 ? 2 : 1 };

    LCT_TRY(lct_rotate_check_width(g->c.fn, name, out, x, dim));
    if (lct_empty(x))
        return LOCANT_OK;
    LCT_TRY(find_schedules(g, dim, g->r->flags & LOCANT_ROTATE_INVERSE));
    r.s = places.s = g->lengths.of[0];
    places.by = g->by;
    return lct_rotate_rows(g->c.fn, 1, &out, &x, &r);
}

/* Open a call that writes 'out', shaped as 'in'; done() follows in any case. */
static locant_status open_call(struct ragged *g, const char *const names[2],
                               const locant_tensor *out,
                               const locant_tensor *in,
                               const locant_rotation *r)
{
    LCT_TRY(lct_blocks_check(g->c.fn, names, out, in, true));
    LCT_TRY(check(g, names[1], out, in, r));
    return lay_out(g);
}

static const locant_tensor *params_of(const struct ragged *g)
{
    return g->r->params == NULL ? NULL : g->r->params + g->c.first_param;
}

locant_status locant_encoding_rotate_ragged(locant_tensor *out,
                                            const locant_tensor *x,
                                            const locant_rotation *rotation)
{
    static const char *const names[2] = { "out", "x" };
    struct ragged g = { .c.fn = "locant_encoding_rotate_ragged" };
    locant_status status = open_call(&g, names, out, x, rotation);

    if (status == LOCANT_OK && g.c.e->row->rotate.map != NULL)
        status = lct_rotate_map(
            &(struct lct_map_call){ "out", out, x, rotation->flags }, 1, &g.c,
            params_of(&g));
    else if (status == LOCANT_OK)
        status = rotate_plain(&g, "out", out, x,
                              rotation->flags & LOCANT_ROTATE_INVERSE);
    done(&g);
    return status;
}

/* forward: out = m R x with R orthogonal, so dx = m R^T dout */
locant_status locant_encoding_rotate_ragged_backward(
    locant_tensor *dx, locant_tensor *dparams, const locant_tensor *dout,
    const locant_tensor *x, const locant_rotation *rotation)
{
    static const char *const names[2] = { "dx", "dout" };
    struct ragged g = { .c.fn = "locant_encoding_rotate_ragged_backward" };
    locant_status status = open_call(&g, names, dx, dout, rotation);

    if (status == LOCANT_OK && g.c.e->row->rotate.map != NULL)
        status = lct_rotate_map_backward(
            dx, dparams == NULL ? NULL : dparams + g.c.first_param, dout, x,
            &g.c, params_of(&g), rotation->flags);
    else if (status == LOCANT_OK)
        status = rotate_plain(&g, "dx", dx, dout,
                              !(rotation->flags & LOCANT_ROTATE_INVERSE));
    done(&g);
    return status;
}
