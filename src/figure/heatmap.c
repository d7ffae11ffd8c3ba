/*
 * heatmap.c - a matrix as shades, row 0 on top, with a colour bar.
 * terminal_plot.c draws it as text.
 *
 * A matrix that is too fine for the document is pooled: each place shows the
 * cell of largest magnitude among those it covers, and a note says so.
 */
#include "data.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void stretch_cells(double range[2], const locant_figure *f)
{
    for (int64_t i = 0; i < f->rows * f->cols; i++)
        lct_stretch(range, f->cells[i]);
}

struct lct_scale lct_scale_of(const locant_figure *f)
{
    double range[2] = { INFINITY, -INFINITY };
    struct lct_scale m = { .diverging = f->diverging != 0 };

    if (f->kind == LOCANT_FIGURE_PANELS)
        for (size_t i = 0; i < f->n_panels; i++)
            stretch_cells(range, &f->panels[i]);
    else
        stretch_cells(range, f);
    m.low = range[0];
    m.high = range[1];
    if (f->y_min < f->y_max) {
        m.low = f->y_min;
        m.high = f->y_max;
    } else if (!f->diverging) {
        lct_widen(&m.low, &m.high);
    }
    if (f->diverging) {
        m.high = fmax(fabs(m.low), fabs(m.high));
        m.high = m.high > 0 ? m.high : 1;
        m.low = -m.high;
    }
    return m;
}

int lct_shade(const struct lct_scale *m, double value, int shades)
{
    double t = (value - m->low) / (m->high - m->low);

    if (!isfinite(value))
        return -1;
    return (int)lrint(fmin(fmax(t, 0), 1) * (shades - 1));
}

void lct_cover(int64_t *first, int64_t *last, int64_t i, int64_t n,
               int64_t cells)
{
    *first = i * cells / n;
    *last = (i + 1) * cells / n;
    if (*last <= *first)
        *last = *first + 1;
}

double lct_largest_cell(const double *cells, int64_t cols, const int64_t row[2],
                        const int64_t col[2])
{
    double best = NAN;

    for (int64_t r = row[0]; r < row[1]; r++)
        for (int64_t k = col[0]; k < col[1]; k++) {
            double value = cells[r * cols + k];
            if (isfinite(value) && (isnan(best) || fabs(value) > fabs(best)))
                best = value;
        }
    return best;
}

/* Ticks at the centres of cells; the axis reaches to their outer edges. */
static void cell_axis(struct lct_axis *a, int64_t n, double first, double step,
                      int want)
{
    double from = step == 0 ? 0 : first, by = step == 0 ? 1 : step;
    double low = from - by / 2, high = from + by * ((double)n - 0.5);

    if (by < 0) {
        lct_axis_linear(a, high, low, want);
        a->low = low;
        a->high = high;
    } else {
        /* several cells make a tile of width 1: ticks at whole numbers only */
        if (by < 1 && high - low >= 2 && high - low < want)
            want = (int)ceil(high - low - 1e-9);
        lct_axis_linear(a, low, high, n < want ? (int)n : want);
    }
}

/* Copy a name; one that is too long is cut at the end of a character. */
static void shorten(char out[LCT_DECIMAL_BYTES], const char *name)
{
    const size_t most = LCT_DECIMAL_BYTES - 3;
    size_t n = strlen(name);

    if (n >= LCT_DECIMAL_BYTES) {
        for (n = most; n > 0 && ((unsigned char)name[n] & 0xc0) == 0x80;)
            n--;
        snprintf(out, LCT_DECIMAL_BYTES, "%.*s..", (int)n, name);
    } else {
        memcpy(out, name, n + 1);
    }
}

/* Names at the centres of cells, of every k-th cell if there are many. */
static void name_axis(struct lct_axis *a, int64_t n, const char *const *names)
{
    const int64_t each = (n + LCT_TICKS - 1) / LCT_TICKS;

    *a = (struct lct_axis){ .low = -.5, .high = (double)n - .5 };
    for (int64_t i = 0; i < n; i += each) {
        a->tick[a->n] = (double)i;
        shorten(a->label[a->n++], names[i]);
    }
}

void lct_map_axes(struct lct_axis *x, struct lct_axis *y,
                  const locant_figure *f)
{
    double swap;

    if (f->col_names)
        name_axis(x, f->cols, f->col_names);
    else
        cell_axis(x, f->cols, f->x_first, f->x_step, 8);
    if (f->row_names)
        name_axis(y, f->rows, f->row_names);
    else
        cell_axis(y, f->rows, f->y_first, f->y_step, 8);
    swap = y->low;
    y->low = y->high;
    y->high = swap;
}

static const struct lct_pen thin = { LCT_FAINT, 1, 0.75, 0 };

/* The bar is a map of one column with the same scale. */
locant_status lct_map_bar(struct lct_canvas *c, const struct lct_box *plot,
                          const struct lct_scale *m,
                          const struct lct_axis *axis)
{
    enum { STEPS = 65, PAGE_STEPS = 11 }; /* fewer keep a page small */
    const int steps = c->most_cells > 0 ? PAGE_STEPS : STEPS;
    double cells[STEPS];
    struct lct_box box = { plot->x + plot->width + 16, plot->y, 12,
                           plot->height };
    struct lct_text style = { .size = 11, .role = LCT_FAINT, .align_y = 0.5 };

    for (int i = 0; i < steps; i++)
        cells[i] = m->high + (m->low - m->high) * i / (steps - 1);
    LCT_TRY(c->ops->cells(c->to, &box, m, cells, steps, 1));
    lct_outline(c, &box);
    for (int i = 0; i < axis->n; i++) {
        double y = lct_axis_y(axis, &box, axis->tick[i]);
        char room[LCT_TICK_BYTES];
        lct_segment(c, box.x + box.width, y, box.x + box.width + 3, y);
        lct_text_draw(c, box.x + box.width + 7, y,
                      lct_tick_label(room, axis, i), &style);
    }
    c->ops->stroke(c->to, &thin);
    return LOCANT_OK;
}

/* Pools by d->by; 1 x 1 takes the cells of the figure themselves. */
static locant_status pool(struct lct_pooled *d, const locant_figure *f)
{
    d->rows = (f->rows + d->by[0] - 1) / d->by[0];
    d->cols = (f->cols + d->by[1] - 1) / d->by[1];
    d->cells = f->cells;
    locant_release(d->memory);
    d->memory = NULL;
    if (d->by[0] == 1 && d->by[1] == 1)
        return LOCANT_OK;
    d->cells = d->memory =
        locant_alloc((size_t)(d->rows * d->cols) * sizeof *d->memory);
    if (!d->memory)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_figure: no memory for %lld x %lld cells",
                           (long long)d->rows, (long long)d->cols);
    for (int64_t i = 0; i < d->rows * d->cols; i++) {
        int64_t r = i / d->cols, k = i % d->cols, row[2], col[2];
        lct_cover(&row[0], &row[1], r, d->rows, f->rows);
        lct_cover(&col[0], &col[1], k, d->cols, f->cols);
        d->memory[i] = lct_largest_cell(f->cells, f->cols, row, col);
    }
    return LOCANT_OK;
}

/* While the cells do not fit, the longer side is halved. */
locant_status lct_pool(struct lct_pooled *out, const locant_figure *f,
                       int64_t most, const struct lct_scale *map,
                       bool (*fits)(const struct lct_scale *map,
                                    const double *cells, int64_t rows,
                                    int64_t cols))
{
    most = most > 0 ? most : INT64_MAX;
    *out = (struct lct_pooled){ .by = { (f->rows - 1) / most + 1,
                                        (f->cols - 1) / most + 1 } };
    LCT_TRY(pool(out, f));
    while (fits && out->rows * out->cols > 1 &&
           !fits(map, out->cells, out->rows, out->cols)) {
        int64_t *longer = &out->by[out->cols > out->rows];
        *longer *= 2;
        LCT_TRY(pool(out, f));
    }
    return LOCANT_OK;
}

/* Print each value, dark on pale shades, pale on dark ones. */
static void draw_numbers(struct lct_canvas *c, const struct lct_box *box,
                         const struct lct_scale *m, const locant_figure *f)
{
    double w = box->width / (double)f->cols, h = box->height / (double)f->rows;
    const int decimals = f->numbers == 3 ? 3 : 2;
    const double room = w / (decimals == 3 ? 2.9 : 2.6); /* ".125" */
    struct lct_text style = { .size = fmin(10, fmin(room, h * 0.8)),
                              .align_x = 0.5,
                              .align_y = 0.5 };

    for (int64_t i = 0; i < f->rows * f->cols; i++) {
        char text[LCT_DECIMAL_BYTES];
        double size = fabs(f->cells[i]);
        double t = (f->cells[i] - m->low) / (m->high - m->low);
        if (!isfinite(f->cells[i]))
            continue;
        t = m->diverging ? fabs(2 * t - 1) : t;
        style.role = t > 0.55 ? LCT_GROUND : LCT_INK;
        lct_decimal(text, f->cells[i],
                    size < 9.995   ? decimals
                    : size < 99.95 ? 1
                                   : 0);
        /* narrow cells: ".12" for "0.12" */
        lct_text_draw(c, box->x + w * ((double)(i % f->cols) + 0.5),
                      box->y + h * ((double)(i / f->cols) + 0.5),
                      text[0] == '0' && text[1] == '.' ? text + 1 : text,
                      &style);
    }
}

void lct_map_say_pooled(struct lct_canvas *c, const locant_figure *f,
                        const int64_t by[2])
{
    struct lct_text style = {
        .size = 9.5, .role = LCT_FAINT, .align_x = 1, .align_y = 1
    };
    char text[96], zh[96];

    snprintf(text, sizeof text,
             "each shows the largest magnitude of %lld "
             "\xc3\x97 %lld",
             (long long)by[0], (long long)by[1]);
    snprintf(zh, sizeof zh,
             "\xe6\xaf\x8f\xe6\xa0\xbc\xe6\x98\xbe\xe7\xa4\xba %lld "
             "\xc3\x97 %lld "
             "\xe4\xb8\xad\xe7\xbb\x9d\xe5\xaf\xb9\xe5\x80\xbc"
             "\xe6\x9c\x80\xe5\xa4\xa7\xe8\x80\x85",
             (long long)by[0], (long long)by[1]);
    style.zh = zh;
    lct_text_draw(c, c->width - 8, c->height - 3, f->chinese ? zh : text,
                  &style);
}

static bool shows_numbers(const locant_figure *f)
{
    return f->numbers && f->rows <= 16 && f->cols <= 16;
}

locant_status lct_map_draw(struct lct_canvas *c, const struct lct_box *box,
                           const locant_figure *f, const struct lct_scale *m,
                           int64_t by[2])
{
    struct lct_pooled d;
    locant_status status = lct_pool(&d, f, c->most_cells, m, c->ops->fits);

    if (status == LOCANT_OK)
        status = c->ops->cells(c->to, box, m, d.cells, d.rows, d.cols);
    if (status == LOCANT_OK && shows_numbers(f))
        draw_numbers(c, box, m, f);
    memcpy(by, d.by, sizeof d.by);
    locant_release(d.memory);
    return status;
}

static locant_status draw(struct lct_canvas *c, const locant_figure *f,
                          const struct lct_scale *m, const struct lct_pooled *d,
                          double top)
{
    struct lct_axis x, y, bar;
    struct lct_box box;
    struct lct_margins margins = { .above = top + 4,
                                   .below = d->memory ? 12 : 0 };

    lct_map_axes(&x, &y, f);
    lct_axis_linear(&bar, m->low, m->high, 6);
    margins.left = lct_axis_label_width(c, &y) + 14 + (f->y_label ? 22 : 6);
    /* gap, colour bar, ticks, labels, gap */
    margins.right = shows_numbers(f)
                        ? 14
                        : 16 + 12 + 10 + lct_axis_label_width(c, &bar) + 14;
    LCT_TRY(
        lct_plot_frame(&box, c, f, &margins, 20, "the map beside its labels"));
    LCT_TRY(c->ops->cells(c->to, &box, m, d->cells, d->rows, d->cols));
    if (shows_numbers(f))
        draw_numbers(c, &box, m, f);
    else
        LCT_TRY(lct_map_bar(c, &box, m, &bar));
    lct_plot_record(c, &box, &x, &y);
    lct_axis_draw_x(c, &box, &x, f, LCT_EDGE_ALL);
    lct_axis_draw_y(c, &box, &y, f);
    if (d->memory)
        lct_map_say_pooled(c, f, d->by);
    return LOCANT_OK;
}

locant_status lct_draw_heatmap(struct lct_canvas *c, const locant_figure *f,
                               double top)
{
    struct lct_scale m = lct_scale_of(f);
    struct lct_pooled d;
    locant_status status = lct_pool(&d, f, c->most_cells, &m, c->ops->fits);

    if (status == LOCANT_OK)
        status = draw(c, f, &m, &d, top);
    locant_release(d.memory);
    return status;
}
