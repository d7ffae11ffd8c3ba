/*
 * curves.c - lines with bands, dots and gaps.
 *
 * Points that make no visible difference are left out of a line: a smooth one
 * needs a few dozen.
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

/* Layers and the like are counted: their ticks are whole numbers. */
static int whole_ticks(const locant_figure *f, double range, int want)
{
    for (size_t i = 0; i < f->n_series; i++)
        for (size_t k = 0; k < f->series[i].n; k++)
            if (f->series[i].x[k] != rint(f->series[i].x[k]))
                return want;
    return range >= 1 && range < want ? (int)range : want;
}

void lct_curve_axes(struct lct_axis *x_axis, struct lct_axis *y_axis,
                    const locant_figure *f)
{
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
        lct_axis_log2(x_axis, x[0], x[1], 10);
    else
        lct_axis_linear(x_axis, x[0], x[1], whole_ticks(f, x[1] - x[0], 8));
    lct_axis_linear(y_axis, y[0], y[1], 7);
}

static void draw_band(const struct plot *p, const locant_series *s, int role,
                      double alpha)
{
    const struct lct_ops *ops = p->c->ops;
    size_t k = 0, drawn = 0;

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
        ops->move(p->c->to, at_x(p, s->x[first]), at_y(p, s->low[first]));
        for (size_t i = first + 1; i < last; i++)
            ops->line(p->c->to, at_x(p, s->x[i]), at_y(p, s->low[i]));
        for (size_t i = last; i-- > first;)
            ops->line(p->c->to, at_x(p, s->x[i]), at_y(p, s->high[i]));
        ops->close(p->c->to);
        drawn++;
    }
    if (drawn > 0)
        ops->fill(p->c->to, role, alpha);
}

/*
 * The points since the last one drawn that one straight line can stand for.  It
 * passes each of them within a tenth of a point if its slope is between 'low'
 * and 'high'; the first point that needs another slope ends it.
 */
struct sleeve {
    double x, y;       /* the last point drawn */
    double low, high;  /* allowed slopes from there */
    double to_x, to_y; /* the point before this one */
};

static void begin_sleeve(struct sleeve *v, double x, double y)
{
    *v = (struct sleeve){ x, y, -INFINITY, INFINITY, x, y };
}

/* Whether the line still holds at (x, y); if so, the slopes are narrowed. */
static bool runs_on(struct sleeve *v, double x, double y)
{
    const double slack = 0.1;
    double dx = x - v->x, dy = y - v->y;

    if (!(dx > 1e-9) || dy < v->low * dx || dy > v->high * dx)
        return false;
    v->low = fmax(v->low, (dy - slack) / dx);
    v->high = fmin(v->high, (dy + slack) / dx);
    return true;
}

static void draw_run(const struct plot *p, const locant_series *s, size_t first,
                     size_t last)
{
    const struct lct_ops *ops = p->c->ops;
    struct sleeve v;

    begin_sleeve(&v, at_x(p, s->x[first]), at_y(p, s->y[first]));
    ops->move(p->c->to, v.x, v.y);
    for (size_t k = first + 1; k < last; k++) {
        double x = at_x(p, s->x[k]), y = at_y(p, s->y[k]);
        if (!runs_on(&v, x, y)) {
            /* a step back in x has no slope: draw it unchanged */
            if (v.to_x != v.x || v.to_y != v.y)
                ops->line(p->c->to, v.to_x, v.to_y);
            begin_sleeve(&v, v.to_x, v.to_y);
            if (!runs_on(&v, x, y)) {
                ops->line(p->c->to, x, y);
                begin_sleeve(&v, x, y);
            }
        }
        v.to_x = x;
        v.to_y = y;
    }
    if (v.to_x != v.x || v.to_y != v.y)
        ops->line(p->c->to, v.to_x, v.to_y);
}

/* One line, interrupted at values that are not finite. */
static void draw_line(const struct plot *p, const locant_series *s,
                      const struct lct_pen *pen)
{
    size_t k = 0, drawn = 0;

    while (k < s->n) {
        size_t first;
        while (k < s->n && !(isfinite(s->x[k]) && isfinite(s->y[k])))
            k++;
        first = k;
        while (k < s->n && isfinite(s->x[k]) && isfinite(s->y[k]))
            k++;
        if (k - first < 2)
            continue;
        draw_run(p, s, first, k);
        drawn++;
    }
    if (drawn > 0)
        p->c->ops->stroke(p->c->to, pen);
}

static bool alone(const locant_series *s, size_t k)
{
    bool before = k > 0 && isfinite(s->y[k - 1]) && isfinite(s->x[k - 1]);
    bool after = k + 1 < s->n && isfinite(s->y[k + 1]) && isfinite(s->x[k + 1]);

    return !before && !after;
}

/* Dots where the caller asked, and on single points, which no line shows. */
static void draw_dots(const struct plot *p, const locant_series *s,
                      const struct lct_pen *pen)
{
    size_t drawn = 0;

    for (size_t k = 0; k < s->n; k++) {
        if (!isfinite(s->x[k]) || !isfinite(s->y[k]) ||
            (!s->marks && !alone(s, k)))
            continue;
        p->c->ops->dot(p->c->to, at_x(p, s->x[k]), at_y(p, s->y[k]), 3);
        drawn++;
    }
    if (drawn > 0)
        p->c->ops->fill(p->c->to, pen->role, pen->alpha);
}

static void draw_series(const struct plot *p)
{
    const struct lct_ops *ops = p->c->ops;
    const locant_figure *f = p->f;
    const struct lct_box inside = { p->box.x - 4, p->box.y - 4,
                                    p->box.width + 8, p->box.height + 8 };
    size_t bands = 0;

    ops->clip(p->c->to, &inside);
    for (size_t i = 0; i < f->n_series; i++)
        bands += f->series[i].low != NULL;
    for (size_t i = 0; i < f->n_series; i++)
        /* many bands on top of each other must not become opaque */
        if (f->series[i].low) {
            lct_series(p->c, (int)i);
            draw_band(p, &f->series[i], LCT_SERIES + lct_series_color(f, i),
                      bands > 4 ? 0.07 : 0.13);
        }
    for (size_t i = 0; i < f->n_series; i++) {
        const locant_series *s = &f->series[i];
        const struct lct_pen pen = { LCT_SERIES + lct_series_color(f, i),
                                     s->dashed == 1 ? 0.8 : 1,
                                     s->dashed == 1 ? 1.25
                                     : s->dashed    ? 1.75
                                                    : 2,
                                     s->dashed };
        lct_series(p->c, (int)i);
        draw_line(p, s, &pen);
        draw_dots(p, s, &pen);
    }
    lct_series(p->c, -1);
    ops->clip(p->c->to, NULL);
}

/* Vertical lines; a label that would touch the previous one is a row higher. */
static void draw_marks(const struct plot *p)
{
    static const struct lct_pen pen = { LCT_INK, 0.75, 1.25, 2 };
    struct lct_text style = { .size = 11, .align_x = 0.5 };
    double free_from = -1e9;
    bool higher = false;

    for (size_t i = 0; i < p->f->n_marks; i++) {
        const locant_mark *m = &p->f->marks[i];
        double x = at_x(p, m->x), half, center;
        lct_line(p->c, x, p->box.y, x, p->box.y + p->box.height, &pen);
        if (!m->label)
            continue;
        style.zh = m->label_zh;
        half = lct_text_width(p->c, m->label, &style) / 2;
        center = fmin(fmax(x, half + 6), p->c->width - half - 6);
        higher = center - half < free_from && !higher;
        lct_text_draw(p->c, center, p->box.y - (higher ? 32 : 17), m->label,
                      &style);
        free_from = center + half + 6;
    }
}

/* The y at which each line reaches the right edge, perhaps outside the frame;
   NAN if it ends before the edge. */
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
    double end[256]; /* lct_figure_check() limits n_series */
    double left, right = lct_legend_width(c, f);
    double above = f->n_marks > 1 ? 32 : f->n_marks ? 18 : 4;
    double below = f->x_label ? 44 : 28;

    lct_curve_axes(&p.x, &p.y, f);
    left = lct_axis_width(c, &p.y) + 14 + (f->y_label ? 22 : 6);
    right = right > 0 ? right : 20;
    p.box = (struct lct_box){ left, top + above, c->width - left - right,
                              c->height - top - above - below };
    if (p.box.width < 20 || p.box.height < 20)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_figure: %d x %d points leave no room for "
                           "the plot beside its labels",
                           (int)c->width, (int)c->height);
    lct_plot_at(c, &p.box, &p.x, &p.y);
    lct_axes_grid(c, &p.box, &p.x, &p.y);
    lct_axis_draw_x(c, &p.box, &p.x, f, LCT_EDGE_BOTTOM);
    lct_axis_draw_y(c, &p.box, &p.y, f);
    draw_series(&p);
    draw_marks(&p);
    find_ends(&p, end);
    lct_legend_draw(c, f, &p.box, end);
    return LOCANT_OK;
}
