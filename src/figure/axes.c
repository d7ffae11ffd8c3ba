/* axes.c - ticks at round numbers, a thin grid, labels outside the frame */
#include "figure.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double label_size = 11;

void lct_stretch(double range[2], double value)
{
    if (isfinite(value)) {
        range[0] = fmin(range[0], value);
        range[1] = fmax(range[1], value);
    }
}

void lct_widen(double *low, double *high)
{
    double size = fmax(fabs(*low), fabs(*high));

    if (*high - *low > 1e-9 * size)
        return;
    if (size < 1e-300) {
        *low = -1;
        *high = 1;
        return;
    }
    *low -= 0.1 * size;
    *high += 0.1 * size;
}

void lct_widen_log(double *low, double *high)
{
    if (*high <= *low * 1.000001) {
        *low /= 2;
        *high *= 2;
    }
}

/* The smallest of 1, 2 or 5 times a power of ten that needs at most 'want'
   steps. */
static double nice_step(double range, int want)
{
    double raw = range / want;
    double power = pow(10, floor(log10(raw)));
    double part = raw / power;

    if (part <= 1.0000001)
        return power;
    return power * (part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

void lct_axis_linear(struct lct_axis *a, double low, double high, int want)
{
    double step, first;
    int decimals;

    memset(a, 0, sizeof *a);
    a->low = low;
    a->high = high;
    step = nice_step(high - low, want);
    first = ceil(low / step - 1e-9);
    decimals = (int)-floor(log10(step) + 1e-9);
    while (a->n < LCT_TICKS && (first + a->n) * step <= high + 1e-9 * step) {
        double value = (first + a->n) * step;
        a->tick[a->n] = value;
        lct_decimal(a->label[a->n], value,
                    fabs(value) < 0.5 * step && decimals > 5 ? 0 : decimals);
        a->n++;
    }
}

void lct_axis_log2(struct lct_axis *a, double low, double high, int want)
{
    int first = (int)ceil(log2(low) - 1e-9);
    int last = (int)floor(log2(high) + 1e-9);
    int every = (last - first) / want + 1;

    memset(a, 0, sizeof *a);
    a->log = true;
    a->low = low;
    a->high = high;
    for (int k = first; k <= last && a->n < LCT_TICKS; k += every) {
        double value = ldexp(1, k);
        a->tick[a->n] = value;
        lct_decimal_short(a->label[a->n], value);
        if (value >= 1 && value < 1e7)
            lct_decimal(a->label[a->n], value, 0);
        a->n++;
    }
}

double lct_axis_at(const struct lct_axis *a, double value)
{
    if (a->log)
        return log2(value / a->low) / log2(a->high / a->low);
    return (value - a->low) / (a->high - a->low);
}

double lct_axis_x(const struct lct_axis *a, const struct lct_box *box,
                  double value)
{
    return box->x + box->width * lct_axis_at(a, value);
}

double lct_axis_y(const struct lct_axis *a, const struct lct_box *box,
                  double value)
{
    return box->y + box->height * (1 - lct_axis_at(a, value));
}

locant_status lct_plot_frame(struct lct_box *box, const struct lct_canvas *c,
                             const locant_figure *f,
                             const struct lct_margins *m, double least,
                             const char *what)
{
    const double below = m->below + (f->x_label ? 44 : 28);

    *box = (struct lct_box){ m->left, m->above, c->width - m->left - m->right,
                             c->height - m->above - below };
    if (box->width >= 20 && box->height >= least)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "locant_figure: %d x %d points leave no room for %s",
                       (int)c->width, (int)c->height, what);
}

void lct_plot_record(struct lct_canvas *c, const struct lct_box *box,
                     const struct lct_axis *x, const struct lct_axis *y)
{
    c->plot = *box;
    c->x[0] = x->low;
    c->x[1] = x->high;
    c->y[0] = y ? y->low : 0;
    c->y[1] = y ? y->high : 0;
}

const char *lct_tick_label(char room[LCT_TICK_BYTES], const struct lct_axis *a,
                           int i)
{
    const char *label = a->label[i];
    bool minus = label[0] == '-';

    snprintf(room, LCT_TICK_BYTES, "%s%s", minus ? "\xe2\x88\x92" : "",
             label + minus);
    return room;
}

double lct_axis_label_width(struct lct_canvas *c, const struct lct_axis *a)
{
    struct lct_text style = { .size = label_size };
    double widest = 0;

    for (int i = 0; i < a->n; i++) {
        char room[LCT_TICK_BYTES];
        widest =
            fmax(widest, lct_text_width(c, lct_tick_label(room, a, i), &style));
    }
    return widest;
}

static const struct lct_pen rule = { LCT_RULE, 1, 0.75, 0 };
static const struct lct_pen tick = { LCT_FAINT, 1, 0.75, 0 };

/* Adds a vertical line at each tick to the path. */
static void add_verticals(struct lct_canvas *c, const struct lct_box *box,
                          const struct lct_axis *a, double from, double to)
{
    for (int i = 0; i < a->n; i++) {
        double x = lct_axis_x(a, box, a->tick[i]);
        lct_segment(c, x, from, x, to);
    }
}

void lct_axes_grid(struct lct_canvas *c, const struct lct_box *box,
                   const struct lct_axis *x, const struct lct_axis *y)
{
    add_verticals(c, box, x, box->y, box->y + box->height);
    for (int i = 0; y && i < y->n; i++) {
        double at = lct_axis_y(y, box, y->tick[i]);
        lct_segment(c, box->x, at, box->x + box->width, at);
    }
    if (x->n > 0 || (y && y->n > 0))
        c->ops->stroke(c->to, &rule);
}

/* The ticks, and the edges of the frame that 'edge' asks for, in one path. */
static void draw_ticks(struct lct_canvas *c, const struct lct_box *box,
                       const struct lct_axis *a, enum lct_edge edge)
{
    const double bottom = box->y + box->height;

    if (edge == LCT_EDGE_ALL)
        lct_outline(c, box);
    add_verticals(c, box, a, bottom, bottom + 4);
    if (edge == LCT_EDGE_BOTTOM)
        lct_segment(c, box->x, bottom, box->x + box->width, bottom);
    if (a->n > 0 || edge != LCT_EDGE_NONE)
        c->ops->stroke(c->to, &tick);
}

void lct_axis_draw_x(struct lct_canvas *c, const struct lct_box *box,
                     const struct lct_axis *a, const locant_figure *f,
                     enum lct_edge edge)
{
    struct lct_text style = { .size = label_size,
                              .role = LCT_FAINT,
                              .align_x = 0.5 };
    double bottom = box->y + box->height;
    double free_from = -INFINITY; /* where the previous label ends */

    draw_ticks(c, box, a, edge);
    for (int i = 0; i < a->n; i++) {
        double x = lct_axis_x(a, box, a->tick[i]);
        char room[LCT_TICK_BYTES];
        const char *label = lct_tick_label(room, a, i);
        double half = lct_text_width(c, label, &style) / 2;
        if (x - half < free_from) /* would touch the previous label */
            continue;
        lct_text_draw(c, x, bottom + 6, label, &style);
        free_from = x + half + 4;
    }
    style.role = LCT_INK;
    style.max_width = c->width - 20;
    style.zh = f->x_label_zh;
    lct_text_draw(c, box->x + box->width / 2, bottom + 22, f->x_label, &style);
}

void lct_axis_draw_y(struct lct_canvas *c, const struct lct_box *box,
                     const struct lct_axis *a, const locant_figure *f)
{
    struct lct_text style = {
        .size = label_size, .role = LCT_FAINT, .align_x = 1, .align_y = 0.5
    };

    double last = -INFINITY;

    for (int i = 0; i < a->n; i++) {
        char room[LCT_TICK_BYTES];
        double y = lct_axis_y(a, box, a->tick[i]);
        if (fabs(y - last) < label_size) /* would touch the previous label */
            continue;
        lct_text_draw(c, box->x - 7, y, lct_tick_label(room, a, i), &style);
        last = y;
    }
    style = (struct lct_text){ .size = label_size,
                               .align_x = 0.5,
                               .vertical = true,
                               .max_width = c->height - 20,
                               .zh = f->y_label_zh };
    lct_text_draw(c, 8, box->y + box->height / 2, f->y_label, &style);
}

void lct_marks_draw(struct lct_canvas *c, const struct lct_box *box,
                    const struct lct_axis *a, const locant_figure *f)
{
    static const struct lct_pen pen = { LCT_INK, 0.75, 1.25, 2 };
    /* curves have room for a second line of labels; other kinds do not */
    const bool two_lines = f->kind == LOCANT_FIGURE_CURVES;
    struct lct_text style = { .size = label_size, .align_x = 0.5 };
    double free_from = -INFINITY;
    bool higher = false;

    for (size_t i = 0; i < f->n_marks; i++) {
        const locant_mark *m = &f->marks[i];
        double x = lct_axis_x(a, box, m->x), half, center;
        lct_line(c, x, box->y, x, box->y + box->height, &pen);
        if (!m->label)
            continue;
        style.zh = m->label_zh;
        half = lct_text_width(c, m->label, &style) / 2;
        center = fmin(fmax(x, half + 6), c->width - half - 6);
        higher = two_lines && center - half < free_from && !higher;
        lct_text_draw(c, center, box->y - (higher ? 32 : 17), m->label, &style);
        free_from = center + half + 6;
    }
}

double lct_title_draw(struct lct_canvas *c, const locant_figure *f)
{
    struct lct_text style = { .size = 13.5,
                              .bold = true,
                              .zh = f->title_zh,
                              .max_width = c->width - 24 };

    if (!f->title || !*f->title)
        return 12;
    lct_text_draw(c, 12, 8, f->title, &style);
    return 34;
}
