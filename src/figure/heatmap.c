/*
 * heatmap.c - a matrix as one picture, row 0 on top, with a colour bar.
 *
 * The picture holds two pixels per point, whatever the size of the matrix.  A
 * pixel that covers several cells shows the one of largest magnitude, so that
 * a lone spike is never averaged away.
 */
#include "../core/size.h"
#include "figure.h"
#include <math.h>

enum { PIXELS_PER_POINT = 2, SHADES = 255 };

/* From values to pixels; an odd number of shades has one for 0. */
struct map {
    double low, high;
    uint32_t shade[SHADES], missing;
};

static uint32_t pack(struct lct_color c)
{
    return (uint32_t)lrint(c.r * 255) << 16 | (uint32_t)lrint(c.g * 255) << 8 |
           (uint32_t)lrint(c.b * 255);
}

static uint32_t shade_of(const struct map *m, double value)
{
    double t = (value - m->low) / (m->high - m->low);

    if (!isfinite(value))
        return m->missing;
    return m->shade[lrint(fmin(fmax(t, 0), 1) * (SHADES - 1))];
}

static struct map scale_of(const locant_figure *f)
{
    struct map m = { .low = INFINITY, .high = -INFINITY };
    int64_t n = f->rows * f->cols;

    m.missing = pack((struct lct_color){ 0.90, 0.90, 0.91 });
    for (int i = 0; i < SHADES; i++) {
        double t = (double)i / (SHADES - 1);
        m.shade[i] = pack(f->diverging ? lct_diverging(2 * t - 1)
                                       : lct_sequential(t));
    }

    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(f->cells[i]))
            continue;
        m.low = fmin(m.low, f->cells[i]);
        m.high = fmax(m.high, f->cells[i]);
    }
    if (f->diverging) {
        m.high = fmax(fabs(m.low), fabs(m.high));
        m.high = m.high > 0 ? m.high : 1;
        m.low = -m.high;
    } else {
        lct_widen(&m.low, &m.high, false);
    }
    return m;
}

/* Cells [first, last) that pixel i of n covers, at least one. */
static void cover(int64_t *first, int64_t *last, int64_t i, int64_t n,
                  int64_t cells)
{
    *first = i * cells / n;
    *last = (i + 1) * cells / n;
    if (*last <= *first)
        *last = *first + 1;
}

/* The cell of largest magnitude under one pixel; NAN only if all are. */
static double strongest(const locant_figure *f, int64_t row0, int64_t row1,
                        int64_t col0, int64_t col1)
{
    double best = NAN;

    for (int64_t r = row0; r < row1; r++)
        for (int64_t k = col0; k < col1; k++) {
            double value = f->cells[r * f->cols + k];
            if (isfinite(value) &&
                (isnan(best) || fabs(value) > fabs(best)))
                best = value;
        }
    return best;
}

/* Paint 'value' of each pixel into 'box'. */
static locant_status paint(struct lct_canvas *c, const struct lct_box *box,
                           const struct map *m, const locant_figure *f)
{
    int width = (int)(box->width * PIXELS_PER_POINT);
    int height = (int)(box->height * PIXELS_PER_POINT);
    int stride = cairo_format_stride_for_width(CAIRO_FORMAT_RGB24, width);
    uint32_t *pixels = locant_alloc((size_t)stride * (size_t)height);
    cairo_surface_t *image;

    if (!pixels)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_figure: no memory for %d x %d pixels", width,
                           height);
    for (int y = 0; y < height; y++) {
        uint32_t *line = pixels + (size_t)y * ((size_t)stride / 4);
        int64_t row0, row1, col0, col1;
        cover(&row0, &row1, y, height, f->rows);
        for (int x = 0; x < width; x++) {
            cover(&col0, &col1, x, width, f->cols);
            line[x] = shade_of(m, strongest(f, row0, row1, col0, col1));
        }
    }
    image = cairo_image_surface_create_for_data(
        (unsigned char *)pixels, CAIRO_FORMAT_RGB24, width, height, stride);
    cairo_save(c->cr);
    cairo_translate(c->cr, box->x, box->y);
    cairo_scale(c->cr, box->width / width, box->height / height);
    cairo_set_source_surface(c->cr, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(c->cr), CAIRO_FILTER_NEAREST);
    cairo_paint(c->cr);
    cairo_restore(c->cr);
    /* a vector surface holds a snapshot of the image, taken here */
    cairo_surface_finish(image);
    cairo_surface_destroy(image);
    locant_release(pixels);
    return LOCANT_OK;
}

/* Ticks at the centres of cells: the axis runs from edge to edge. */
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
        lct_axis_linear(a, low, high, n < want ? (int)n : want);
    }
}

static void frame(struct lct_canvas *c, const struct lct_box *box)
{
    lct_set_color(c, lct_faint, 1);
    cairo_set_line_width(c->cr, 0.75);
    cairo_rectangle(c->cr, box->x, box->y, box->width, box->height);
    cairo_stroke(c->cr);
}

/* The colour bar: a map of one column over the same scale. */
static locant_status draw_bar(struct lct_canvas *c, const struct lct_box *plot,
                              const struct map *m, const struct lct_axis *axis)
{
    enum { STEPS = 128 };
    double cells[STEPS];
    locant_figure ramp = { .cells = cells, .rows = STEPS, .cols = 1 };
    struct lct_box box = { plot->x + plot->width + 16, plot->y, 12,
                           plot->height };
    struct lct_text style = { .size = 11, .color = lct_faint, .align_y = 0.5 };

    for (int i = 0; i < STEPS; i++)
        cells[i] = m->high + (m->low - m->high) * i / (STEPS - 1);
    LCT_TRY(paint(c, &box, m, &ramp));
    frame(c, &box);
    for (int i = 0; i < axis->n; i++) {
        double y = box.y + box.height * (1 - lct_axis_at(axis, axis->tick[i]));
        char text[LCT_NUMBER_BYTES + 4];
        bool minus = axis->label[i][0] == '-';
        g_snprintf(text, sizeof text, "%s%s", minus ? "\xe2\x88\x92" : "",
                   axis->label[i] + minus);
        lct_set_color(c, lct_faint, 1);
        lct_line(c, box.x + box.width, y, box.x + box.width + 3, y, 0.75, 0);
        lct_text_draw(c, box.x + box.width + 7, y, text, &style);
    }
    return LOCANT_OK;
}

locant_status lct_draw_heatmap(struct lct_canvas *c, const locant_figure *f,
                               double top)
{
    struct map m = scale_of(f);
    struct lct_axis x, y, bar;
    struct lct_box box;
    double left, right, swap;

    cell_axis(&x, f->cols, f->x_first, f->x_step, 8);
    cell_axis(&y, f->rows, f->y_first, f->y_step, 8);
    lct_axis_linear(&bar, m.low, m.high, 6);
    left = lct_axis_width(c, &y) + 14 + (f->y_label ? 22 : 6);
    right = 16 + 12 + 10 + lct_axis_width(c, &bar) + 14;
    box = (struct lct_box){ left, top + 4, c->width - left - right,
                            c->height - top - 4 - (f->x_label ? 44 : 28) };
    if (box.width < 20 || box.height < 20)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_figure: %d x %d points leave no room for "
                           "the map beside its labels",
                           (int)c->width, (int)c->height);
    LCT_TRY(paint(c, &box, &m, f));
    frame(c, &box);
    LCT_TRY(draw_bar(c, &box, &m, &bar));
    /* rows count downwards */
    swap = y.low;
    y.low = y.high;
    y.high = swap;
    lct_axis_draw_x(c, &box, &x, f->x_label, false);
    lct_axis_draw_y(c, &box, &y, f->y_label, false);
    return LOCANT_OK;
}
