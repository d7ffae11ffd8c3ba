/* axes.c - ticks at round numbers, a thin grid, labels outside the frame */
#include "figure.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const struct lct_color lct_ink = { 0.13, 0.13, 0.15 };
const struct lct_color lct_faint = { 0.36, 0.37, 0.40 };
const struct lct_color lct_rule = { 0.87, 0.88, 0.90 };

static const double label_size = 11;

void lct_widen(double *low, double *high, bool log)
{
    double size = fmax(fabs(*low), fabs(*high));

    if (log) {
        if (*high <= *low * 1.000001) {
            *low /= 2;
            *high *= 2;
        }
        return;
    }
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

/* 1, 2 or 5 times a power of ten, the first that gives at most 'want' steps. */
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
        lct_number(a->label[a->n], value, decimals);
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
        lct_number_short(a->label[a->n], value);
        if (value >= 1 && value < 1e7)
            lct_number(a->label[a->n], value, 0);
        a->n++;
    }
}

double lct_axis_at(const struct lct_axis *a, double value)
{
    if (a->log)
        return log2(value / a->low) / log2(a->high / a->low);
    return (value - a->low) / (a->high - a->low);
}

/* A typographic minus. */
static void with_minus(char *out, size_t size, const char *label)
{
    snprintf(out, size, "%s%s", label[0] == '-' ? "\xe2\x88\x92" : "",
             label + (label[0] == '-'));
}

double lct_axis_width(struct lct_canvas *c, const struct lct_axis *a)
{
    struct lct_text style = { .size = label_size };
    double widest = 0;

    for (int i = 0; i < a->n; i++) {
        char label[LCT_NUMBER_BYTES + 4];
        with_minus(label, sizeof label, a->label[i]);
        widest = fmax(widest, lct_text_width(c, label, &style));
    }
    return widest;
}

void lct_set_color(struct lct_canvas *c, struct lct_color color, double alpha)
{
    cairo_set_source_rgba(c->cr, color.r, color.g, color.b, alpha);
}

void lct_line(struct lct_canvas *c, double x0, double y0, double x1, double y1,
              double width, double dash)
{
    cairo_set_line_width(c->cr, width);
    cairo_set_dash(c->cr, &dash, dash > 0 ? 1 : 0, 0);
    cairo_move_to(c->cr, x0, y0);
    cairo_line_to(c->cr, x1, y1);
    cairo_stroke(c->cr);
    cairo_set_dash(c->cr, NULL, 0, 0);
}

void lct_axis_draw_x(struct lct_canvas *c, const struct lct_box *box,
                     const struct lct_axis *a, const char *title, bool grid)
{
    struct lct_text style = { .size = label_size, .color = lct_faint,
                              .align_x = 0.5 };
    double bottom = box->y + box->height;
    double free_from = -1e9;

    for (int i = 0; i < a->n; i++) {
        double x = box->x + box->width * lct_axis_at(a, a->tick[i]);
        char label[LCT_NUMBER_BYTES + 4];
        double half;
        with_minus(label, sizeof label, a->label[i]);
        half = lct_text_width(c, label, &style) / 2;
        lct_set_color(c, lct_rule, 1);
        if (grid)
            lct_line(c, x, box->y, x, bottom, 0.75, 0);
        lct_set_color(c, lct_faint, 1);
        lct_line(c, x, bottom, x, bottom + 4, 0.75, 0);
        if (x - half < free_from)
            continue;
        lct_text_draw(c, x, bottom + 6, label, &style);
        free_from = x + half + 4;
    }
    style.color = lct_ink;
    style.max_width = c->width - 20;
    lct_text_draw(c, box->x + box->width / 2, bottom + 22, title, &style);
}

void lct_axis_draw_y(struct lct_canvas *c, const struct lct_box *box,
                     const struct lct_axis *a, const char *title, bool grid)
{
    struct lct_text style = { .size = label_size, .color = lct_faint,
                              .align_x = 1, .align_y = 0.5 };

    for (int i = 0; i < a->n; i++) {
        double at = lct_axis_at(a, a->tick[i]);
        double y = box->y + box->height * (1 - at);
        char label[LCT_NUMBER_BYTES + 4];
        with_minus(label, sizeof label, a->label[i]);
        lct_set_color(c, lct_rule, 1);
        if (grid)
            lct_line(c, box->x, y, box->x + box->width, y, 0.75, 0);
        lct_text_draw(c, box->x - 7, y, label, &style);
    }
    style = (struct lct_text){ .size = label_size, .color = lct_ink,
                               .align_x = 0.5, .vertical = true,
                               .max_width = c->height - 20 };
    lct_text_draw(c, 8, box->y + box->height / 2, title, &style);
}

double lct_title_draw(struct lct_canvas *c, const char *title)
{
    struct lct_text style = { .size = 13.5, .color = lct_ink, .bold = true,
                              .max_width = c->width - 24 };

    if (!title || !*title)
        return 12;
    lct_text_draw(c, 12, 8, title, &style);
    return 34;
}
