/* grid.c - coordinates of the patches of an image or a video */
#include "positions.h"

static const char fn[] = "locant_positions_from_grid";

enum { AXES = 3 };

/*
 * The index of patch (t, row, col).  The order is by frame, then row of blocks,
 * then block, then row in the block; a block has merge x merge patches.
 */
static int64_t patch_index(const locant_grid *g, int64_t t, int64_t row,
                           int64_t col)
{
    int64_t m = g->merge;
    int64_t block = row / m * (g->cols / m) + col / m;

    return t * g->rows * g->cols + block * m * m + row % m * m + col % m;
}

/* What centres on an axis of n patches are divided by. */
static int64_t side(const locant_grid *g, int axis, int64_t n)
{
    const bool rows_longer = g->rows > g->cols;

    if (g->kind == LOCANT_GRID_CENTRES || axis == 0)
        return n;
    return rows_longer == (g->kind == LOCANT_GRID_LONGER) ? g->rows : g->cols;
}

/* Coordinate of patch i of n along an axis.  Its numerators are exact below
   2^53, so only the division rounds. */
static double coordinate(const locant_grid *g, int axis, int64_t i, int64_t n)
{
    switch (g->kind) {
    case LOCANT_GRID_INTEGER: break;
    case LOCANT_GRID_PRETRAINED:
        return (double)i * g->pretrained[axis] / (double)n;
    default: n = side(g, axis, n); return (double)(2 * i + 1 - n) / (double)n;
    }
    return (double)i;
}

static locant_status check_values(const locant_grid *g)
{
    static const char *const axis[] = { "frames", "rows", "cols" };
    const int64_t size[] = { g->frames, g->rows, g->cols };

    for (int a = 0; a < AXES; a++) {
        LCT_TRY(lct_check_least(fn, axis[a], size[a], 1));
        if (g->kind == LOCANT_GRID_PRETRAINED &&
            !(g->pretrained[a] > 0 && g->pretrained[a] <= 0x1p53))
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: pretrained[%d] is %g, "
                               "expected a number above 0, at most 2^53",
                               fn, a, g->pretrained[a]);
    }
    LCT_TRY(lct_check_least(fn, "merge", g->merge, 1));
    LCT_TRY(lct_check_least(fn, "prefix", g->prefix, 0));
    for (int a = 1; a < AXES; a++)
        if (size[a] % g->merge != 0)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: %s is %" PRId64 ", "
                               "expected a multiple of merge, %" PRId64,
                               fn, axis[a], size[a], g->merge);
    return LOCANT_OK;
}

static locant_status check(const locant_tensor *out, const locant_grid *g)
{
    int64_t rows;

    if (g == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: grid is NULL", fn);
    if (g->struct_size != sizeof(*g))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: struct_size is %zu, expected "
                           "%zu; start from LOCANT_GRID_INIT",
                           fn, g->struct_size, sizeof(*g));
    if ((unsigned)g->kind > LOCANT_GRID_SHORTER)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: kind is %d, expected 0 "
                           "(integer), 1 (centres), 2 (pretrained), 3 (longer) "
                           "or 4 (shorter)",
                           fn, (int)g->kind);
    LCT_TRY(check_values(g));
    if (__builtin_mul_overflow(g->rows, g->cols, &rows) ||
        __builtin_mul_overflow(rows, g->frames, &rows) ||
        __builtin_add_overflow(rows, g->prefix, &rows))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: %" PRId64 " x %" PRId64 " x %" PRId64
                           " patches do not fit in memory",
                           fn, g->frames, g->rows, g->cols);
    LCT_TRY(lct_check(fn, "out", out, LCT_IN_F64, 2,
                      (const int64_t[]){ rows, -1 }));
    LCT_TRY(lct_check_output(fn, "out", out));
    if (out->shape[1] != 2 && out->shape[1] != AXES)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: out has size %" PRId64
                           " in dimension 1, expected 2 or 3",
                           fn, out->shape[1]);
    return LOCANT_OK;
}

locant_status locant_positions_from_grid(locant_tensor *out,
                                         const locant_grid *g)
{
    int64_t index[AXES], columns;

    LCT_TRY(check(out, g));
    columns = out->shape[1];
    for (int64_t p = 0; p < g->prefix; p++)
        for (int64_t c = 0; c < columns; c++)
            ((double *)lct_at(out, &p, 1))[c] = 0;
    for (index[0] = 0; index[0] < g->frames; index[0]++)
        for (index[1] = 0; index[1] < g->rows; index[1]++)
            for (index[2] = 0; index[2] < g->cols; index[2]++) {
                const int64_t size[] = { g->frames, g->rows, g->cols };
                int64_t row =
                    g->prefix + patch_index(g, index[0], index[1], index[2]);
                double *x = lct_at(out, &row, 1);

                for (int a = AXES - (int)columns; a < AXES; a++)
                    *x++ = coordinate(g, a, index[a], size[a]);
            }
    return LOCANT_OK;
}
