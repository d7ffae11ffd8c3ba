/* bars.c - horizontal bars from zero, with labels, values and intervals */
#include "figure.h"
#include <math.h>

static const double label_size = 11;

static double widest_label(struct lct_canvas *c, const locant_figure *f)
{
    struct lct_text style = { .size = label_size, .max_width = c->width * 0.4 };
    double widest = 0;

    for (size_t i = 0; i < f->n_series; i++)
        if (f->series[i].label)
            widest =
                fmax(widest, lct_text_width(c, f->series[i].label, &style));
    return widest;
}

static void range_of_bars(const locant_figure *f, double *low, double *high)
{
    *low = *high = 0;
    for (size_t i = 0; i < f->n_series; i++) {
        const locant_series *s = &f->series[i];
        double ends[3] = { s->y[0], s->low ? s->low[0] : NAN,
                           s->low ? s->high[0] : NAN };
        for (int k = 0; k < 3; k++) {
            if (!isfinite(ends[k]))
                continue;
            *low = fmin(*low, ends[k]);
            *high = fmax(*high, ends[k]);
        }
    }
    lct_widen(low, high, false);
}

static void draw_interval(struct lct_canvas *c, double x0, double x1, double y)
{
    static const struct lct_pen pen = { LCT_INK, 0.9, 1.25, 0 };

    lct_line(c, x0, y, x1, y, &pen);
    lct_line(c, x0, y - 3, x0, y + 3, &pen);
    lct_line(c, x1, y - 3, x1, y + 3, &pen);
}

/* One bar in a row of height 'row' whose middle is y. */
static void draw_bar(struct lct_canvas *c, const locant_figure *f, size_t i,
                     const struct lct_box *box, const struct lct_axis *axis,
                     double y, double row)
{
    const locant_series *s = &f->series[i];
    struct lct_text style = { .size = fmin(label_size, row * 0.85),
                              .align_y = 0.5,
                              .align_x = 1,
                              .zh = s->label_zh,
                              .max_width = c->width * 0.4 };
    double zero = box->x + box->width * lct_axis_at(axis, 0);
    double end = zero, after;
    char value[LCT_DECIMAL_BYTES];

    lct_text_draw(c, box->x - 8, y, s->label, &style);
    if (isfinite(s->y[0])) {
        end = box->x + box->width * lct_axis_at(axis, s->y[0]);
        lct_rectangle(c,
                      &(struct lct_box){ fmin(zero, end), y - 0.36 * row,
                                         fabs(end - zero), 0.72 * row },
                      NULL, LCT_SERIES + lct_series_color(f, i), 1);
    }
    after = fmax(zero, end);
    if (s->low && isfinite(s->low[0]) && isfinite(s->high[0])) {
        double x0 = box->x + box->width * lct_axis_at(axis, s->low[0]);
        double x1 = box->x + box->width * lct_axis_at(axis, s->high[0]);
        draw_interval(c, x0, x1, y);
        after = fmax(after, x1);
    }
    if (isfinite(s->y[0]))
        lct_decimal_short(value, s->y[0]);
    else
        lct_decimal(value, NAN, 0);
    style.align_x = 0;
    style.zh = NULL;
    style.role = LCT_FAINT;
    lct_text_draw(c, after + 6, y, value, &style);
}

locant_status lct_draw_bars(struct lct_canvas *c, const locant_figure *f,
                            double top)
{
    struct lct_axis axis;
    double low, high, row, zero, left = widest_label(c, f) + 22;
    double below = f->x_label ? 44 : 28;
    struct lct_box box = { left, top + 4, c->width - left - 64,
                           c->height - top - 4 - below };

    if (box.width < 20 || box.height < 4 * (double)f->n_series)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_figure: %d x %d points leave no room for "
                           "%zu bars beside their labels",
                           (int)c->width, (int)c->height, f->n_series);
    range_of_bars(f, &low, &high);
    lct_axis_linear(&axis, low, high, 6);
    lct_plot_at(c, &box, &axis, NULL);
    lct_axes_grid(c, &box, &axis, NULL);
    lct_axis_draw_x(c, &box, &axis, f, LCT_EDGE_NONE);
    row = fmin(box.height / (double)f->n_series, 34);
    for (size_t i = 0; i < f->n_series; i++) {
        lct_series(c, (int)i);
        draw_bar(c, f, i, &box, &axis, box.y + row * ((double)i + 0.5), row);
    }
    lct_series(c, -1);
    zero = box.x + box.width * lct_axis_at(&axis, 0);
    lct_line(c, zero, box.y, zero, box.y + box.height,
             &(struct lct_pen){ LCT_FAINT, 1, 0.75, 0 });
    return LOCANT_OK;
}
