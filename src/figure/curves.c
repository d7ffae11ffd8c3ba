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
    return lct_axis_x(&p->x, &p->box, value);
}

static double at_y(const struct plot *p, double value)
{
    return lct_axis_y(&p->y, &p->box, value);
}

static bool has_point(const locant_series *s, size_t k)
{
    return isfinite(s->x[k]) && isfinite(s->y[k]);
}

static bool has_band(const locant_series *s, size_t k)
{
    return s->low && isfinite(s->x[k]) && isfinite(s->low[k]) &&
           isfinite(s->high[k]);
}

static void range_of_series(const locant_series *s, double x[2], double y[2])
{
    for (size_t k = 0; k < s->n; k++) {
        bool band = has_band(s, k);
        if (!has_point(s, k) && !band)
            continue;
        lct_stretch(x, s->x[k]);
        lct_stretch(y, s->y[k]);
        if (band) {
            lct_stretch(y, s->low[k]);
            lct_stretch(y, s->high[k]);
        }
    }
}

/* How many ticks an x axis gets.  If all x are whole numbers, as those of
   layers, so are its ticks. */
static int ticks_across(const locant_figure *f, double range, int want)
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
        lct_stretch(x, f->marks[i].x);
    if (f->log_x)
        lct_widen_log(&x[0], &x[1]);
    else
        lct_widen(&x[0], &x[1]);
    lct_widen(&y[0], &y[1]);
    if (f->y_min < f->y_max) {
        y[0] = f->y_min;
        y[1] = f->y_max;
    } else {
        double margin = 0.04 * (y[1] - y[0]);
        y[0] -= margin;
        y[1] += margin;
    }
    if (f->log_x)
        lct_axis_log2(x_axis, x[0], x[1], 10);
    else
        lct_axis_linear(x_axis, x[0], x[1], ticks_across(f, x[1] - x[0], 8));
    lct_axis_linear(y_axis, y[0], y[1], 7);
}

/* Find the next two or more consecutive points, [run[0], run[1]), for which
   shown() is true, from run[1] on; false if there are none. */
static bool next_run(size_t run[2], const locant_series *s,
                     bool (*shown)(const locant_series *s, size_t k))
{
    do {
        for (run[0] = run[1]; run[0] < s->n && !shown(s, run[0]);)
            run[0]++;
        for (run[1] = run[0]; run[1] < s->n && shown(s, run[1]);)
            run[1]++;
    } while (run[1] < s->n && run[1] - run[0] < 2);
    return run[1] - run[0] >= 2;
}

static void draw_band(const struct plot *p, const locant_series *s, int role,
                      double alpha)
{
    const struct lct_ops *ops = p->c->ops;
    size_t run[2] = { 0, 0 }, drawn = 0;

    for (; next_run(run, s, has_band); drawn++) {
        ops->move(p->c->to, at_x(p, s->x[run[0]]), at_y(p, s->low[run[0]]));
        for (size_t i = run[0] + 1; i < run[1]; i++)
            ops->line(p->c->to, at_x(p, s->x[i]), at_y(p, s->low[i]));
        for (size_t i = run[1]; i-- > run[0];)
            ops->line(p->c->to, at_x(p, s->x[i]), at_y(p, s->high[i]));
        ops->close(p->c->to);
    }
    if (drawn > 0)
        ops->fill(p->c->to, role, alpha);
}

/*
 * A straight line that replaces the points since the last one drawn.  It passes
 * each within a tenth of a point of the page if its slope is between 'low' and
 * 'high'.  The first point that needs another slope starts another line.
 */
struct segment {
    double x, y;       /* the last point drawn */
    double low, high;  /* allowed slopes */
    double to_x, to_y; /* the last point that it replaces */
};

static void begin_segment(struct segment *v, double x, double y)
{
    *v = (struct segment){ x, y, -INFINITY, INFINITY, x, y };
}

/* Narrow the slopes so that the line passes (x, y), too; false if it cannot. */
static bool extend(struct segment *v, double x, double y)
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
    struct segment v;

    begin_segment(&v, at_x(p, s->x[first]), at_y(p, s->y[first]));
    ops->move(p->c->to, v.x, v.y);
    for (size_t k = first + 1; k < last; k++) {
        double x = at_x(p, s->x[k]), y = at_y(p, s->y[k]);
        if (!extend(&v, x, y)) {
            if (v.to_x != v.x || v.to_y != v.y)
                ops->line(p->c->to, v.to_x, v.to_y);
            begin_segment(&v, v.to_x, v.to_y);
            /* no slope goes back in x: draw the step unchanged */
            if (!extend(&v, x, y)) {
                ops->line(p->c->to, x, y);
                begin_segment(&v, x, y);
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
    size_t run[2] = { 0, 0 }, drawn = 0;

    for (; next_run(run, s, has_point); drawn++)
        draw_run(p, s, run[0], run[1]);
    if (drawn > 0)
        p->c->ops->stroke(p->c->to, pen);
}

static bool is_alone(const locant_series *s, size_t k)
{
    return !(k > 0 && has_point(s, k - 1)) &&
           !(k + 1 < s->n && has_point(s, k + 1));
}

/* Dots on all points if the series has marks, else on single points, which no
   line shows. */
static void draw_dots(const struct plot *p, const locant_series *s,
                      const struct lct_pen *pen)
{
    size_t drawn = 0;

    for (size_t k = 0; k < s->n; k++) {
        if (!has_point(s, k) || (!s->marks && !is_alone(s, k)))
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
        if (f->series[i].low) {
            lct_series(p->c, (int)i);
            /* many bands on top of each other must not become opaque */
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

/* The y at which each line reaches the right edge, perhaps outside the frame;
   NAN if it ends before the edge. */
static void find_ends(const struct plot *p, double *end)
{
    for (size_t i = 0; i < p->f->n_series; i++) {
        const locant_series *s = &p->f->series[i];
        end[i] = NAN;
        for (size_t k = s->n; k-- > 0;) {
            if (!has_point(s, k))
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
    double legend = lct_legend_width(c, f);
    struct lct_margins margins = {
        .above = top + (f->n_marks > 1 ? 32
                        : f->n_marks   ? 18
                                       : 4),
        .right = legend > 0 ? legend : 20,
    };

    lct_curve_axes(&p.x, &p.y, f);
    margins.left = lct_axis_label_width(c, &p.y) + 14 + (f->y_label ? 22 : 6);
    LCT_TRY(lct_plot_frame(&p.box, c, f, &margins, 20,
                           "the plot beside its labels"));
    lct_plot_record(c, &p.box, &p.x, &p.y);
    lct_axes_grid(c, &p.box, &p.x, &p.y);
    lct_axis_draw_x(c, &p.box, &p.x, f, LCT_EDGE_BOTTOM);
    lct_axis_draw_y(c, &p.box, &p.y, f);
    draw_series(&p);
    lct_marks_draw(c, &p.box, &p.x, f);
    find_ends(&p, end);
    lct_legend_draw(c, f, &p.box, end);
    return LOCANT_OK;
}
