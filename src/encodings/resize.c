/*
 * resize.c - tables stretched to another length or grid; see resize.h.
 *
 * A 1-D table is a grid of one row.  Forward and backward both gather: each row
 * of the result sums its source rows in double, in their order, so its bits do
 * not depend on threads.
 */
#include "resize.h"
#include "../core/size.h"
#include "../core/tensor.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------- forms */

static const struct {
    const char *name;
    locant_resize_kind kind;
    int align_corners, antialias;
    double offset;
} forms[] = {
    [LOCANT_RESIZE_VIT] = { "vit", LOCANT_RESIZE_LINEAR, 1, 0, 0 },
    [LOCANT_RESIZE_HF] = { "hf", LOCANT_RESIZE_CUBIC, 0, 0, 0 },
    [LOCANT_RESIZE_TIMM] = { "timm", LOCANT_RESIZE_CUBIC, 0, 1, 0 },
    [LOCANT_RESIZE_DINOV2] = { "dinov2", LOCANT_RESIZE_CUBIC, 0, 0, 0.1 },
    [LOCANT_RESIZE_DINOV2_REG] = { "dinov2-reg", LOCANT_RESIZE_CUBIC, 0, 1, 0 },
    [LOCANT_RESIZE_QWEN3VL] = { "qwen3vl", LOCANT_RESIZE_LINEAR, 1, 0, 0 },
};
enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

const char *locant_resize_form_name(locant_resize_form form)
{
    return (unsigned)form < FORMS ? forms[form].name : NULL;
}

static locant_status check_size(const char *fn, const locant_resize *how)
{
    if (how == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: how is NULL", fn);
    if (how->struct_size != sizeof(*how))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: struct_size is %zu, expected %zu: start from "
                           "LOCANT_RESIZE_INIT",
                           fn, how->struct_size, sizeof(*how));
    return LOCANT_OK;
}

locant_status locant_resize_set_form(locant_resize *how,
                                     locant_resize_form form)
{
    static const char fn[] = "locant_resize_set_form";

    LCT_TRY(check_size(fn, how));
    if ((unsigned)form >= FORMS)
        return locant_fail(LOCANT_ERR_PARAM, "%s: form is %d, expected 0 to %d",
                           fn, (int)form, FORMS - 1);
    how->kind = forms[form].kind;
    how->align_corners = forms[form].align_corners;
    how->antialias = forms[form].antialias;
    how->offset = forms[form].offset;
    return LOCANT_OK;
}

/* ------------------------------------------------------------------ checks */

static locant_status check_switch(const char *fn, const char *name, int value)
{
    if (value == 0 || value == 1)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM, "%s: %s is %d, expected 0 or 1", fn,
                       name, value);
}

static locant_status check_options(const char *fn, const locant_resize *how)
{
    LCT_TRY(check_size(fn, how));
    if (how->kind != LOCANT_RESIZE_LINEAR && how->kind != LOCANT_RESIZE_CUBIC)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: kind is %d, expected 0 (linear) or 1 (cubic)",
                           fn, (int)how->kind);
    LCT_TRY(check_switch(fn, "align_corners", how->align_corners));
    LCT_TRY(check_switch(fn, "antialias", how->antialias));
    if (!(how->offset >= 0 && how->offset <= 1))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: offset is %g, expected 0 to 1", fn,
                           how->offset);
    if (how->align_corners && how->antialias)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: align_corners and antialias exclude each other",
                           fn);
    if (how->align_corners && how->offset > 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: offset is %g, but align_corners has none", fn,
                           how->offset);
    if (how->prefix < 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: prefix is %" PRId64 ", expected at least 0", fn,
                           how->prefix);
    return LOCANT_OK;
}

/* The table, or the result of resizing it. */
struct side {
    const char *name; /* in error messages */
    const locant_tensor *t;
    int64_t rows, columns; /* its grid, without the prefix */
};

static locant_status check_side(const char *fn, const struct side *s,
                                int64_t prefix, int64_t width)
{
    const int64_t dims[2] = { -1, width };

    LCT_TRY(lct_check(fn, s->name, s->t, LCT_IN_REAL, 2, dims));
    if (s->t->shape[0] < prefix)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: %s has %" PRId64
                           " rows, less than the prefix of %" PRId64,
                           fn, s->name, s->t->shape[0], prefix);
    return LOCANT_OK;
}

/* Set a square grid if none was given, and check that the grid fits. */
static locant_status check_grid(const char *fn, struct side *s, int64_t prefix)
{
    int64_t cells = s->t->shape[0] - prefix, product;

    if (s->rows == 0 && s->columns == 0) {
        int64_t side = (int64_t)sqrt((double)cells);

        if (side * side != cells)
            return locant_fail(
                LOCANT_ERR_SHAPE,
                "%s: %s has %" PRId64
                " rows after the prefix, which is no square; give its grid",
                fn, s->name, cells);
        s->rows = s->columns = side;
    }
    if (s->rows < 0 || s->columns < 0 ||
        __builtin_mul_overflow(s->rows, s->columns, &product) ||
        product != cells)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: %s has %" PRId64
                           " rows after the prefix, but its grid is %" PRId64
                           " x %" PRId64,
                           fn, s->name, cells, s->rows, s->columns);
    return LOCANT_OK;
}

/* ------------------------------------------------------------- the product */

/* to = W from; if transposed, to += W^T from. */
struct job {
    locant_tensor *to;
    const locant_tensor *from;
    const struct lct_axis *rows, *columns;
    int64_t prefix;
    bool transposed;
};

enum { CHUNK = 256, CELLS_PER_TASK = 16 };

/* sum += w * row[c .. c + n - 1] */
static void add_row(double *sum, const locant_tensor *t, int64_t row, int64_t c,
                    int64_t n, double w)
{
    const void *at = lct_at(t, &row, 1);

    if (t->dtype == LOCANT_F64) {
        for (int64_t i = 0; i < n; i++)
            sum[i] += w * ((const double *)at)[c + i];
    } else {
        for (int64_t i = 0; i < n; i++)
            sum[i] += w * (double)((const float *)at)[c + i];
    }
}

/* row[c .. c + n - 1] = sum, or += sum, rounded once */
static void store_row(const locant_tensor *t, int64_t row, int64_t c, int64_t n,
                      const double *sum, bool add)
{
    void *at = lct_at(t, &row, 1);

    if (t->dtype == LOCANT_F64) {
        double *out = (double *)at + c;

        for (int64_t i = 0; i < n; i++)
            out[i] = add ? out[i] + sum[i] : sum[i];
    } else {
        float *out = (float *)at + c;

        for (int64_t i = 0; i < n; i++)
            out[i] = (float)(add ? (double)out[i] + sum[i] : sum[i]);
    }
}

/* The range of indices of 'from' that index i of 'to' sums, on one axis. */
static void source_range(int64_t *low, int64_t *high, const struct lct_axis *a,
                         int64_t i, bool transposed)
{
    *low = transposed ? a->begin[i] : a->first[i];
    *high = transposed ? a->end[i] : a->first[i] + a->taps;
}

/* W[i, k], or W[k, i] of the transpose. */
static double weight(const struct lct_axis *a, int64_t i, int64_t k,
                     bool transposed)
{
    int64_t x = transposed ? k : i, j = transposed ? i : k;

    return a->weight[x * a->taps + j - a->first[x]];
}

/* sum += channels c .. c + n - 1 of one cell (y, x) of 'to'. */
static void sum_cell(double *sum, const struct job *job, const int64_t cell[2],
                     int64_t c, int64_t n)
{
    const struct lct_axis *rows = job->rows, *columns = job->columns;
    int64_t width = job->transposed ? columns->n : columns->m;
    int64_t low[2], high[2];

    source_range(&low[0], &high[0], rows, cell[0], job->transposed);
    source_range(&low[1], &high[1], columns, cell[1], job->transposed);
    for (int64_t j = low[0]; j < high[0]; j++) {
        double wy = weight(rows, cell[0], j, job->transposed);

        for (int64_t i = low[1]; i < high[1]; i++) {
            double w = wy * weight(columns, cell[1], i, job->transposed);

            if (w != 0)
                add_row(sum, job->from, job->prefix + j * width + i, c, n, w);
        }
    }
}

static void run_cells(void *context, size_t task, int slot)
{
    const struct job *job = context;
    int64_t width = job->transposed ? job->columns->m : job->columns->n;
    int64_t cells = job->to->shape[0] - job->prefix, D = job->to->shape[1];
    int64_t at = (int64_t)task * CELLS_PER_TASK, end = at + CELLS_PER_TASK;

    (void)slot;
    for (; at < end && at < cells; at++) {
        const int64_t cell[2] = { at / width, at % width };

        for (int64_t c = 0; c < D; c += CHUNK) {
            int64_t n = D - c < CHUNK ? D - c : CHUNK;
            double sum[CHUNK] = { 0 };

            sum_cell(sum, job, cell, c, n);
            store_row(job->to, job->prefix + at, c, n, sum, job->transposed);
        }
    }
}

/* Copy rows 0 .. n-1 of 'from' to 'to', or add them to it. */
static void copy_rows(const struct job *job, int64_t n)
{
    int64_t D = job->to->shape[1];
    bool same = job->to->dtype == job->from->dtype;

    for (int64_t r = 0; r < n; r++) {
        if (same && !job->transposed) {
            memcpy(lct_at(job->to, &r, 1), lct_at(job->from, &r, 1),
                   (size_t)D * locant_dtype_size(job->to->dtype));
            continue;
        }
        for (int64_t c = 0; c < D; c += CHUNK) {
            int64_t k = D - c < CHUNK ? D - c : CHUNK;
            double sum[CHUNK] = { 0 };

            add_row(sum, job->from, r, c, k, 1);
            store_row(job->to, r, c, k, sum, job->transposed);
        }
    }
}

/* ------------------------------------------------------------------- calls */

static locant_status run(const char *fn, struct job *job,
                         const struct side *table, const struct side *out,
                         const locant_resize *how)
{
    struct lct_axis rows = { 0 }, columns = { 0 };
    int64_t cells = job->to->shape[0] - how->prefix;
    locant_resize one = LOCANT_RESIZE_INIT; /* an axis of one row */
    locant_status s;

    if (table->rows == out->rows && table->columns == out->columns) {
        copy_rows(job, job->to->shape[0]);
        return LOCANT_OK;
    }
    if (out->t->shape[0] == how->prefix) { /* W has no rows */
        copy_rows(job, how->prefix);
        return LOCANT_OK;
    }
    s = lct_axis_make(&rows, fn, table->rows, out->rows,
                      table->rows == 1 && out->rows == 1 ? &one : how);
    if (s == LOCANT_OK)
        s = lct_axis_make(&columns, fn, table->columns, out->columns, how);
    if (s == LOCANT_OK) {
        job->rows = &rows;
        job->columns = &columns;
        copy_rows(job, how->prefix);
        locant_parallel_for(((size_t)cells + CELLS_PER_TASK - 1) /
                                CELLS_PER_TASK,
                            run_cells, job);
    }
    lct_axis_free(&columns);
    lct_axis_free(&rows);
    return s;
}

enum direction { FORWARD, BACKWARD };
enum layout { ONE_ROW, GRID };

static locant_status resize(const char *fn, locant_tensor *to,
                            const locant_tensor *from, const locant_resize *how,
                            enum direction direction, enum layout layout)
{
    bool back = direction == BACKWARD;
    struct side table = { back ? "dtable" : "table", back ? to : from, 1, 0 };
    struct side out = { back ? "dout" : "out", back ? from : to, 1, 0 };
    struct job job = { .to = to, .from = from, .transposed = back };

    LCT_TRY(check_options(fn, how));
    LCT_TRY(check_side(fn, &table, how->prefix, -1));
    LCT_TRY(check_side(fn, &out, how->prefix, table.t->shape[1]));
    LCT_TRY(lct_check_output(fn, back ? table.name : out.name, to));
    LCT_TRY(lct_check_apart(fn, to, from));
    job.prefix = how->prefix;
    table.columns = table.t->shape[0] - how->prefix;
    out.columns = out.t->shape[0] - how->prefix;
    if (layout == GRID) {
        table.rows = how->from_rows;
        table.columns = how->from_columns;
        out.rows = how->rows;
        out.columns = how->columns;
        LCT_TRY(check_grid(fn, &table, how->prefix));
        LCT_TRY(check_grid(fn, &out, how->prefix));
    }
    if (table.rows * table.columns == 0 && out.rows * out.columns != 0)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: %s has no rows to interpolate", fn, table.name);
    if (lct_empty(to))
        return LOCANT_OK;
    return run(fn, &job, &table, &out, how);
}

locant_status locant_resize_1d(locant_tensor *out, const locant_tensor *table,
                               const locant_resize *how)
{
    return resize("locant_resize_1d", out, table, how, FORWARD, ONE_ROW);
}

/* forward: out = W table */
locant_status locant_resize_1d_backward(locant_tensor *dtable,
                                        const locant_tensor *dout,
                                        const locant_resize *how)
{
    return resize("locant_resize_1d_backward", dtable, dout, how, BACKWARD,
                  ONE_ROW);
}

locant_status locant_resize_2d(locant_tensor *out, const locant_tensor *table,
                               const locant_resize *how)
{
    return resize("locant_resize_2d", out, table, how, FORWARD, GRID);
}

/* forward: out = (W_rows (x) W_columns) table */
locant_status locant_resize_2d_backward(locant_tensor *dtable,
                                        const locant_tensor *dout,
                                        const locant_resize *how)
{
    return resize("locant_resize_2d_backward", dtable, dout, how, BACKWARD,
                  GRID);
}
