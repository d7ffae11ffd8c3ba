/*
 * dots.c - values in rows that are named on the left: a dot for every seed
 * (strips), or an estimate with its interval (points).
 */
#include "figure.h"
#include <math.h>

static const double label_size = 11;

struct rows {
    struct lct_canvas *c;
    const locant_figure *f;
    struct lct_box box;
    struct lct_axis axis;
    double row; /* height of a row */
};

static double at(const struct rows *p, double value)
{
    return p->box.x + p->box.width * lct_axis_at(&p->axis, value);
}

static double middle(const struct rows *p, size_t i)
{
    return p->box.y + p->row * ((double)i + 0.5);
}

static double widest_label(struct lct_canvas *c, const locant_figure *f)
{
    double widest = 0;

    for (size_t i = 0; i < f->n_series; i++) {
        struct lct_text style = { .size = label_size,
                                  .max_width = c->width * 0.4,
                                  .zh = f->series[i].label_zh };
        if (f->series[i].label)
            widest =
                fmax(widest, lct_text_width(c, f->series[i].label, &style));
    }
    return widest;
}

static void stretch(double range[2], double value)
{
    if (isfinite(value)) {
        range[0] = fmin(range[0], value);
        range[1] = fmax(range[1], value);
    }
}

static void make_axis(struct rows *p)
{
    double range[2] = { INFINITY, -INFINITY }, air;

    for (size_t i = 0; i < p->f->n_series; i++) {
        const locant_series *s = &p->f->series[i];
        for (size_t k = 0; k < s->n; k++) {
            stretch(range, s->y[k]);
            if (s->low) {
                stretch(range, s->low[k]);
                stretch(range, s->high[k]);
            }
        }
    }
    for (size_t i = 0; i < p->f->n_marks; i++)
        stretch(range, p->f->marks[i].x);
    lct_widen(&range[0], &range[1], false);
    air = 0.04 * (range[1] - range[0]);
    lct_axis_linear(&p->axis, range[0] - air, range[1] + air, 6);
}

static void draw_marks(const struct rows *p)
{
    static const struct lct_pen pen = { LCT_INK, 0.75, 1.25, 2 };
    struct lct_text style = { .size = label_size, .align_x = 0.5 };

    for (size_t i = 0; i < p->f->n_marks; i++) {
        const locant_mark *m = &p->f->marks[i];
        double x = at(p, m->x), half;
        lct_line(p->c, x, p->box.y, x, p->box.y + p->box.height, &pen);
        style.zh = m->label_zh;
        half = m->label ? lct_text_width(p->c, m->label, &style) / 2 : 0;
        lct_text_draw(p->c, fmin(fmax(x, half + 6), p->c->width - half - 6),
                      p->box.y - 17, m->label, &style);
    }
}

/* The middle of the lane of value k. */
static double lane_of(const struct rows *p, size_t i, size_t k)
{
    const double lane = 0.8 * p->row / (double)p->f->series[i].n;

    return middle(p, i) - 0.4 * p->row + lane * ((double)k + 0.5);
}

/*
 * Dots that would overlap are stacked: dot k moves up or down by the number of
 * earlier dots that it would cover.  A dot with an interval stays in its lane.
 */
static double height_of(const struct rows *p, size_t i, size_t k, double radius)
{
    const locant_series *s = &p->f->series[i];
    const double room = 0.42 * p->row;
    size_t covered = 0;
    double step;

    if (s->low)
        return lane_of(p, i, k);
    for (size_t j = 0; j < k && covered < 64; j++)
        covered += isfinite(s->y[j]) &&
                   fabs(at(p, s->y[j]) - at(p, s->y[k])) < 1.6 * radius;
    step = (double)((covered + 1) / 2) * 1.7 * radius;
    return middle(p, i) +
           fmin(step, fmax(room - radius, 0)) * (covered % 2 ? -1 : 1);
}

/* Intervals from low to high, each in its lane. */
static void draw_whiskers(const struct rows *p, size_t i,
                          const struct lct_pen *pen)
{
    const locant_series *s = &p->f->series[i];
    size_t drawn = 0;

    for (size_t k = 0; k < s->n; k++) {
        if (!s->low || !isfinite(s->low[k]) || !isfinite(s->high[k]))
            continue;
        p->c->ops->move(p->c->to, at(p, s->low[k]), lane_of(p, i, k));
        p->c->ops->line(p->c->to, at(p, s->high[k]), lane_of(p, i, k));
        drawn++;
    }
    if (drawn > 0)
        p->c->ops->stroke(p->c->to, pen);
}

static void draw_strip(const struct rows *p, size_t i, double radius)
{
    const locant_series *s = &p->f->series[i];
    const struct lct_pen pen = { LCT_SERIES + lct_series_color(p->f, i), 0.6, 1,
                                 0 };

    draw_whiskers(p, i, &pen);
    for (size_t k = 0; k < s->n; k++)
        if (isfinite(s->y[k]))
            p->c->ops->dot(p->c->to, at(p, s->y[k]), height_of(p, i, k, radius),
                           radius);
}

/* Estimates with intervals; each of the n values has its own lane. */
static void draw_intervals(const struct rows *p, size_t i)
{
    const locant_series *s = &p->f->series[i];
    const struct lct_pen pen = { LCT_SERIES + lct_series_color(p->f, i), 1, 2,
                                 s->dashed };
    const double lane = 0.8 * p->row / (double)s->n;

    draw_whiskers(p, i, &pen);
    for (size_t k = 0; k < s->n; k++)
        if (isfinite(s->y[k]))
            p->c->ops->dot(p->c->to, at(p, s->y[k]), lane_of(p, i, k),
                           fmin(4, 0.45 * lane));
}

static void draw_row(const struct rows *p, size_t i)
{
    const locant_series *s = &p->f->series[i];
    struct lct_text style = { .size = fmin(label_size, p->row * 0.85),
                              .align_y = 0.5,
                              .align_x = 1,
                              .zh = s->label_zh,
                              .max_width = p->c->width * 0.4 };
    bool strip = p->f->kind == LOCANT_FIGURE_STRIPS;
    bool seen = false;

    for (size_t k = 0; k < s->n; k++)
        seen |= isfinite(s->y[k]) != 0;
    lct_text_draw(p->c, p->box.x - 8, middle(p, i), s->label, &style);
    if (!seen) {
        style.align_x = 0;
        style.role = LCT_FAINT;
        style.zh = "\xe6\x97\xa0\xe5\xae\x9a\xe4\xb9\x89";
        lct_text_draw(p->c, p->box.x + 6, middle(p, i), "undefined", &style);
        return;
    }
    if (strip)
        draw_strip(p, i, fmin(4, 0.22 * p->row));
    else
        draw_intervals(p, i);
    p->c->ops->fill(p->c->to, LCT_SERIES + lct_series_color(p->f, i),
                    strip ? 0.75 : 1);
}

locant_status lct_draw_dots(struct lct_canvas *c, const locant_figure *f,
                            double top)
{
    struct rows p = { .c = c, .f = f };
    static const struct lct_pen rule = { LCT_RULE, 1, 0.75, 0 };
    double left = widest_label(c, f) + 22, below = f->x_label ? 44 : 28;
    double above = f->n_marks ? 18 : 4;

    p.box = (struct lct_box){ left, top + above, c->width - left - 24,
                              c->height - top - above - below };
    if (p.box.width < 20 || p.box.height < 4 * (double)f->n_series)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_figure: %d x %d points leave no room for "
                           "%zu rows beside their labels",
                           (int)c->width, (int)c->height, f->n_series);
    make_axis(&p);
    p.row = fmin(p.box.height / (double)f->n_series, 34);
    lct_plot_at(c, &p.box, &p.axis, NULL);
    lct_axes_grid(c, &p.box, &p.axis, NULL);
    lct_axis_draw_x(c, &p.box, &p.axis, f, LCT_EDGE_NONE);
    for (size_t i = 0; i < f->n_series; i++) {
        c->ops->move(c->to, p.box.x, middle(&p, i));
        c->ops->line(c->to, p.box.x + p.box.width, middle(&p, i));
    }
    c->ops->stroke(c->to, &rule);
    for (size_t i = 0; i < f->n_series; i++) {
        lct_series(c, (int)i);
        draw_row(&p, i);
    }
    lct_series(c, -1);
    draw_marks(&p);
    return LOCANT_OK;
}
