/*
 * curves.c - lines with bands, dots and gaps.
 *
 * A line is thinned to the resolution of print: a point nearer than a quarter
 * of a point to the last one drawn adds bytes and nothing to see.
 */
#include "figure.h"
#include <math.h>

struct plot {
    struct lct_canvas *c;
    const locant_figure *f;
    struct lct_box box;
    struct lct_axis x, y;
};

static double at_x(const struct plot *p, double value)
{
    return p->box.x + p->box.width * lct_axis_at(&p->x, value);
}

static double at_y(const struct plot *p, double value)
{
    return p->box.y + p->box.height * (1 - lct_axis_at(&p->y, value));
}

static void stretch(double *low, double *high, double value)
{
    if (isfinite(value)) {
        *low = fmin(*low, value);
        *high = fmax(*high, value);
    }
}

static void range_of_series(const locant_series *s, double x[2], double y[2])
{
    for (size_t k = 0; k < s->n; k++) {
        bool band = s->low && isfinite(s->low[k]) && isfinite(s->high[k]);
        if (!isfinite(s->x[k]) || (!isfinite(s->y[k]) && !band))
            continue;
        stretch(&x[0], &x[1], s->x[k]);
        stretch(&y[0], &y[1], s->y[k]);
        if (band) {
            stretch(&y[0], &y[1], s->low[k]);
            stretch(&y[0], &y[1], s->high[k]);
        }
    }
}

/* The axes: ranges of the data, a little air above and below. */
static void make_axes(struct plot *p)
{
    const locant_figure *f = p->f;
    double x[2] = { INFINITY, -INFINITY }, y[2] = { INFINITY, -INFINITY };

    for (size_t i = 0; i < f->n_series; i++)
        range_of_series(&f->series[i], x, y);
    for (size_t i = 0; i < f->n_marks; i++)
        stretch(&x[0], &x[1], f->marks[i].x);
    lct_widen(&x[0], &x[1], f->log_x);
    lct_widen(&y[0], &y[1], false);
    if (f->y_min < f->y_max) {
        y[0] = f->y_min;
        y[1] = f->y_max;
    } else {
        double air = 0.04 * (y[1] - y[0]);
        y[0] -= air;
        y[1] += air;
    }
    if (f->log_x)
        lct_axis_log2(&p->x, x[0], x[1], 10);
    else
        lct_axis_linear(&p->x, x[0], x[1], 8);
    lct_axis_linear(&p->y, y[0], y[1], 7);
}

static void draw_band(const struct plot *p, const locant_series *s)
{
    cairo_t *cr = p->c->cr;
    size_t k = 0;

    while (k < s->n) {
        size_t first, last;
        while (k < s->n && !(isfinite(s->x[k]) && isfinite(s->low[k]) &&
                             isfinite(s->high[k])))
            k++;
        first = k;
        while (k < s->n && isfinite(s->x[k]) && isfinite(s->low[k]) &&
               isfinite(s->high[k]))
            k++;
        last = k;
        if (last - first < 2)
            continue;
        for (size_t i = first; i < last; i++)
            cairo_line_to(cr, at_x(p, s->x[i]), at_y(p, s->low[i]));
        for (size_t i = last; i-- > first;)
            cairo_line_to(cr, at_x(p, s->x[i]), at_y(p, s->high[i]));
        cairo_close_path(cr);
        cairo_fill(cr);
    }
}

/* One line, interrupted at values that are not finite. */
static void draw_line(const struct plot *p, const locant_series *s)
{
    cairo_t *cr = p->c->cr;
    double dash[2] = { 5, 3.5 }, last_x = 0, last_y = 0;
    bool pen_down = false;

    cairo_set_line_width(cr, s->dashed ? 1.25 : 2);
    cairo_set_dash(cr, dash, s->dashed ? 2 : 0, 0);
    for (size_t k = 0; k < s->n; k++) {
        double x, y;
        bool ends = k + 1 == s->n || !isfinite(s->x[k + 1]) ||
                    !isfinite(s->y[k + 1]);
        if (!isfinite(s->x[k]) || !isfinite(s->y[k])) {
            pen_down = false;
            continue;
        }
        x = at_x(p, s->x[k]);
        y = at_y(p, s->y[k]);
        if (pen_down && !ends && fabs(x - last_x) < 0.25 &&
            fabs(y - last_y) < 0.25)
            continue;
        if (pen_down)
            cairo_line_to(cr, x, y);
        else
            cairo_move_to(cr, x, y);
        pen_down = true;
        last_x = x;
        last_y = y;
    }
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
}

static bool alone(const locant_series *s, size_t k)
{
    bool before = k > 0 && isfinite(s->y[k - 1]) && isfinite(s->x[k - 1]);
    bool after = k + 1 < s->n && isfinite(s->y[k + 1]) && isfinite(s->x[k + 1]);

    return !before && !after;
}

/* Dots where asked, and on a point that no line would show. */
static void draw_dots(const struct plot *p, const locant_series *s)
{
    for (size_t k = 0; k < s->n; k++) {
        if (!isfinite(s->x[k]) || !isfinite(s->y[k]) ||
            (!s->marks && !alone(s, k)))
            continue;
        cairo_new_sub_path(p->c->cr);
        cairo_arc(p->c->cr, at_x(p, s->x[k]), at_y(p, s->y[k]), 3, 0,
                  6.28318530717958647692);
        cairo_fill(p->c->cr);
    }
}

static void draw_series(const struct plot *p)
{
    cairo_t *cr = p->c->cr;
    const locant_figure *f = p->f;
    size_t bands = 0;

    cairo_save(cr);
    cairo_rectangle(cr, p->box.x - 4, p->box.y - 4, p->box.width + 8,
                    p->box.height + 8);
    cairo_clip(cr);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    for (size_t i = 0; i < f->n_series; i++)
        bands += f->series[i].low != NULL;
    for (size_t i = 0; i < f->n_series; i++) {
        /* many bands one over the other must not add up to mud */
        lct_set_color(p->c, lct_palette(lct_series_color(f, i)),
                      bands > 4 ? 0.07 : 0.13);
        if (f->series[i].low)
            draw_band(p, &f->series[i]);
    }
    for (size_t i = 0; i < f->n_series; i++) {
        const locant_series *s = &f->series[i];
        lct_set_color(p->c, lct_palette(lct_series_color(f, i)),
                      s->dashed ? 0.8 : 1);
        draw_line(p, s);
        draw_dots(p, s);
    }
    cairo_restore(cr);
}

/* Vertical lines; a label that would touch the one before goes a row higher. */
static void draw_marks(const struct plot *p)
{
    struct lct_text style = { .size = 11, .color = lct_ink, .align_x = 0.5 };
    double free_from = -1e9;
    bool higher = false;

    for (size_t i = 0; i < p->f->n_marks; i++) {
        const locant_mark *m = &p->f->marks[i];
        double x = at_x(p, m->x), half, center;
        lct_set_color(p->c, lct_ink, 0.75);
        lct_line(p->c, x, p->box.y, x, p->box.y + p->box.height, 1.25, 2.5);
        if (!m->label)
            continue;
        half = lct_text_width(p->c, m->label, &style) / 2;
        center = fmin(fmax(x, half + 6), p->c->width - half - 6);
        higher = center - half < free_from && !higher;
        lct_text_draw(p->c, center, p->box.y - (higher ? 32 : 17), m->label,
                      &style);
        free_from = center + half + 6;
    }
}

/* Heights at which the lines end on the right, maybe outside the frame; NAN if
   they do not reach that side. */
static void find_ends(const struct plot *p, double *end)
{
    for (size_t i = 0; i < p->f->n_series; i++) {
        const locant_series *s = &p->f->series[i];
        end[i] = NAN;
        for (size_t k = s->n; k-- > 0;) {
            if (!isfinite(s->x[k]) || !isfinite(s->y[k]))
                continue;
            if (lct_axis_at(&p->x, s->x[k]) > 0.97)
                end[i] = at_y(p, s->y[k]);
            break;
        }
    }
}

locant_status lct_draw_curves(struct lct_canvas *c, const locant_figure *f,
                              double top)
{
    struct plot p = { .c = c, .f = f };
    double end[256]; /* n_series is checked */
    double left, right = lct_legend_width(c, f);
    double above = f->n_marks > 1 ? 32 : f->n_marks ? 18 : 4;
    double below = f->x_label ? 44 : 28;

    make_axes(&p);
    left = lct_axis_width(c, &p.y) + 14 + (f->y_label ? 22 : 6);
    right = right > 0 ? right : 20;
    p.box = (struct lct_box){ left, top + above, c->width - left - right,
                              c->height - top - above - below };
    if (p.box.width < 20 || p.box.height < 20)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_figure: %d x %d points leave no room for "
                           "the plot beside its labels",
                           (int)c->width, (int)c->height);
    lct_axis_draw_x(c, &p.box, &p.x, f->x_label, true);
    lct_axis_draw_y(c, &p.box, &p.y, f->y_label, true);
    lct_set_color(c, lct_faint, 1);
    lct_line(c, p.box.x, p.box.y + p.box.height, p.box.x + p.box.width,
             p.box.y + p.box.height, 0.75, 0);
    draw_series(&p);
    draw_marks(&p);
    find_ends(&p, end);
    lct_legend_draw(c, f, &p.box, end);
    return LOCANT_OK;
}
