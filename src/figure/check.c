/* check.c - errors in a figure are reported before anything is drawn */
#include "figure.h"
#include <math.h>
#include <stdio.h>

/* Limits that bound memory and file sizes. */
enum {
    MOST_SERIES = 256,
    MOST_POINTS = 1 << 20,
    MOST_MARKS = 64,
    MOST_PANELS = 64,
    MOST_CELLS = 1 << 26,
    LEAST_SIDE = 60,
    MOST_SIDE = 8192
};

/* Of larger values, squares and ranges could overflow. */
static const double largest = 1e150;

static locant_status check_value(const char *fn, size_t i, const char *what,
                                 size_t k, double value, bool log)
{
    if (fabs(value) > largest && !isinf(value))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: series %zu: %s[%zu] is %g, expected a "
                           "magnitude of at most %g",
                           fn, i, what, k, value, largest);
    if (log && isfinite(value) && value <= 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: series %zu: %s[%zu] is %g, expected a value "
                           "> 0 on a logarithmic axis",
                           fn, i, what, k, value);
    return LOCANT_OK;
}

/* Checks counts, pointers and colours, before any value is read. */
static locant_status check_shape(const char *fn, const locant_figure *f,
                                 size_t i)
{
    const locant_series *s = &f->series[i];

    if (s->n == 0 || s->n > MOST_POINTS)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: series %zu has %zu values, expected 1 to %d",
                           fn, i, s->n, MOST_POINTS);
    if (!s->y || (!s->x && f->kind == LOCANT_FIGURE_CURVES))
        return locant_fail(LOCANT_ERR_NULL, "%s: series %zu: %s is NULL", fn, i,
                           s->y ? "x" : "y");
    if (!s->low != !s->high)
        return locant_fail(LOCANT_ERR_NULL,
                           "%s: series %zu has only one edge of its band", fn,
                           i);
    if (s->color < -1 || s->color >= LCT_COLORS)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: series %zu: color is %d, expected -1 to %d", fn,
                           i, s->color, LCT_COLORS - 1);
    if (s->dashed < 0 || s->dashed >= LCT_DASHES)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: series %zu: dashed is %d, expected 0 to %d", fn,
                           i, s->dashed, LCT_DASHES - 1);
    return LOCANT_OK;
}

/* Check series i; add the number of its visible points to 'seen'. */
static locant_status check_series(size_t *seen, const char *fn,
                                  const locant_figure *f, size_t i)
{
    const locant_series *s = &f->series[i];
    bool curves = f->kind == LOCANT_FIGURE_CURVES;
    size_t n = f->kind == LOCANT_FIGURE_BARS ? 1 : s->n;

    LCT_TRY(check_shape(fn, f, i));
    for (size_t k = 0; k < n; k++) {
        bool band = false;
        if (curves)
            LCT_TRY(check_value(fn, i, "x", k, s->x[k], f->log_x));
        LCT_TRY(check_value(fn, i, "y", k, s->y[k], false));
        if (s->low) {
            LCT_TRY(check_value(fn, i, "low", k, s->low[k], false));
            LCT_TRY(check_value(fn, i, "high", k, s->high[k], false));
            band = isfinite(s->low[k]) && isfinite(s->high[k]);
        }
        if ((!curves || isfinite(s->x[k])) && (band || isfinite(s->y[k])))
            (*seen)++;
    }
    return LOCANT_OK;
}

static locant_status check_marks(const char *fn, const locant_figure *f)
{
    if (f->n_marks > MOST_MARKS)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: %zu marks, expected at most %d", fn, f->n_marks,
                           MOST_MARKS);
    if (f->n_marks && !f->marks)
        return locant_fail(LOCANT_ERR_NULL, "%s: marks is NULL", fn);
    for (size_t i = 0; i < f->n_marks; i++) {
        double x = f->marks[i].x;
        if (!isfinite(x) || fabs(x) > largest || (f->log_x && x <= 0))
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: mark %zu is at %g, expected a finite "
                               "value%s",
                               fn, i, x, f->log_x ? " > 0" : "");
    }
    return LOCANT_OK;
}

static locant_status check_range(const char *fn, const locant_figure *f)
{
    if (!isfinite(f->y_min) || !isfinite(f->y_max) ||
        ((f->y_min != 0 || f->y_max != 0) && f->y_min >= f->y_max))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: y runs from %g to %g, expected y_min < y_max "
                           "(both 0: from the data)",
                           fn, f->y_min, f->y_max);
    return LOCANT_OK;
}

static locant_status check_lines(const char *fn, const locant_figure *f)
{
    size_t seen = 0;

    if (f->n_series == 0 || f->n_series > MOST_SERIES)
        return locant_fail(LOCANT_ERR_PARAM, "%s: %zu series, expected 1 to %d",
                           fn, f->n_series, MOST_SERIES);
    if (!f->series)
        return locant_fail(LOCANT_ERR_NULL, "%s: series is NULL", fn);
    for (size_t i = 0; i < f->n_series; i++)
        LCT_TRY(check_series(&seen, fn, f, i));
    if (seen == 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: no series has a finite value to draw", fn);
    LCT_TRY(check_range(fn, f));
    return check_marks(fn, f);
}

static locant_status check_names(const char *fn, const char *what,
                                 const char *const *names, int64_t n)
{
    for (int64_t i = 0; names && i < n; i++)
        if (!names[i])
            return locant_fail(LOCANT_ERR_NULL, "%s: %s[%lld] is NULL", fn,
                               what, (long long)i);
    return LOCANT_OK;
}

static locant_status check_cells(const char *fn, const locant_figure *f)
{
    size_t seen = 0;

    if (!f->cells)
        return locant_fail(LOCANT_ERR_NULL, "%s: cells is NULL", fn);
    if (f->rows < 1 || f->cols < 1 || f->rows > MOST_CELLS / f->cols)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: %lld x %lld cells, expected at least 1 x 1 and "
                           "at most %d in all",
                           fn, (long long)f->rows, (long long)f->cols,
                           MOST_CELLS);
    if (!(fabs(f->x_first) <= largest) || !(fabs(f->x_step) <= largest) ||
        !(fabs(f->y_first) <= largest) || !(fabs(f->y_step) <= largest))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: the first value or step of an axis is not a "
                           "number of at most %g",
                           fn, largest);
    LCT_TRY(check_range(fn, f));
    LCT_TRY(check_names(fn, "row_names", f->row_names, f->rows));
    LCT_TRY(check_names(fn, "col_names", f->col_names, f->cols));
    for (int64_t i = 0; i < f->rows * f->cols; i++) {
        double value = f->cells[i];
        if (isfinite(value) && fabs(value) > largest)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: cell %lld is %g, expected a magnitude of "
                               "at most %g",
                               fn, (long long)i, value, largest);
        seen += isfinite(value) != 0;
    }
    if (seen == 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: no cell has a finite value to draw", fn);
    return LOCANT_OK;
}

static locant_status check_panels(const char *fn, const locant_figure *f)
{
    char which[96];

    if (f->n_panels == 0 || f->n_panels > MOST_PANELS)
        return locant_fail(LOCANT_ERR_PARAM, "%s: %zu panels, expected 1 to %d",
                           fn, f->n_panels, MOST_PANELS);
    if (!f->panels)
        return locant_fail(LOCANT_ERR_NULL, "%s: panels is NULL", fn);
    if (f->panel_cols < 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: panel_cols is %d, expected at least 0", fn,
                           f->panel_cols);
    for (size_t i = 0; i < f->n_panels; i++) {
        snprintf(which, sizeof which, "%s: panel %zu", fn, i);
        if (f->panels[i].kind != LOCANT_FIGURE_HEATMAP)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: kind is %d, expected a heat map", which,
                               (int)f->panels[i].kind);
        LCT_TRY(check_cells(which, &f->panels[i]));
    }
    return check_range(fn, f);
}

static locant_status check_side(const char *fn, const char *what, int side)
{
    if (side != 0 && (side < LEAST_SIDE || side > MOST_SIDE))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: %s is %d points, expected 0 or %d to %d", fn,
                           what, side, LEAST_SIDE, MOST_SIDE);
    return LOCANT_OK;
}

locant_status lct_figure_check(const char *fn, const locant_figure *f)
{
    if (!f)
        return locant_fail(LOCANT_ERR_NULL, "%s: figure is NULL", fn);
    if (f->struct_size != sizeof *f)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: struct_size is %zu, expected %zu: start from "
                           "LOCANT_FIGURE_INIT",
                           fn, f->struct_size, sizeof *f);
    LCT_TRY(check_side(fn, "width", f->width));
    LCT_TRY(check_side(fn, "height", f->height));
    if (f->log_x && f->kind != LOCANT_FIGURE_CURVES)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: log_x is set, but only curves have a "
                           "logarithmic axis",
                           fn);
    switch (f->kind) {
    case LOCANT_FIGURE_CURVES:
    case LOCANT_FIGURE_BARS:
    case LOCANT_FIGURE_STRIPS:
    case LOCANT_FIGURE_POINTS: return check_lines(fn, f);
    case LOCANT_FIGURE_HEATMAP: return check_cells(fn, f);
    case LOCANT_FIGURE_PANELS: return check_panels(fn, f);
    }
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: kind is %d, expected curves, heat map, bars, "
                       "strips, points or panels",
                       fn, (int)f->kind);
}
