/*
 * rows.c - a row for each series, named on the left: a bar from zero, dots for
 * its values (strips), or estimates with their intervals (points).
 */
#include "figure.h"
#include <math.h>
#include <stdio.h>

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
    return lct_axis_x(&p->axis, &p->box, value);
}

static double middle(const struct rows *p, size_t i)
{
    return p->box.y + p->row * ((double)i + 0.5);
}

/* Bars start at 0 and have one value. */
void lct_rows_range(double range[2], const locant_figure *f, bool marks)
{
    bool bars = f->kind == LOCANT_FIGURE_BARS;

    range[0] = bars ? 0 : INFINITY;
    range[1] = bars ? 0 : -INFINITY;
    for (size_t i = 0; i < f->n_series; i++) {
        const locant_series *s = &f->series[i];
        for (size_t k = 0; k < (bars ? 1 : s->n); k++) {
            lct_stretch(range, s->y[k]);
            if (s->low) {
                lct_stretch(range, s->low[k]);
                lct_stretch(range, s->high[k]);
            }
        }
    }
    for (size_t i = 0; marks && i < f->n_marks; i++)
        lct_stretch(range, f->marks[i].x);
    lct_widen(&range[0], &range[1]);
}

/* ----------------------------------------------------- strips and intervals */

/* The y of value k of row i: each value of a row has a lane of its own. */
static double lane_of(const struct rows *p, size_t i, size_t k)
{
    const double lane = 0.8 * p->row / (double)p->f->series[i].n;

    return middle(p, i) - 0.4 * p->row + lane * ((double)k + 0.5);
}

/*
 * Dots that would overlap are stacked: the n-th dot at a place lies n / 2 steps
 * above or below the middle by turns.  A dot with an interval stays in its
 * lane.
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

/* Lines from low to high, each in its lane. */
static void draw_intervals(const struct rows *p, size_t i,
                           const struct lct_pen *pen)
{
    const locant_series *s = &p->f->series[i];
    size_t drawn = 0;

    for (size_t k = 0; k < s->n; k++) {
        if (!s->low || !isfinite(s->low[k]) || !isfinite(s->high[k]))
            continue;
        lct_segment(p->c, at(p, s->low[k]), lane_of(p, i, k), at(p, s->high[k]),
                    lane_of(p, i, k));
        drawn++;
    }
    if (drawn > 0)
        p->c->ops->stroke(p->c->to, pen);
}

/* The dots and intervals of one row; false if it has no value. */
static bool draw_dots(const struct rows *p, size_t i)
{
    const locant_series *s = &p->f->series[i];
    const bool strip = p->f->kind == LOCANT_FIGURE_STRIPS;
    const int color = LCT_SERIES + lct_series_color(p->f, i);
    const struct lct_pen pen = { color, strip ? 0.6 : 1, strip ? 1 : 2,
                                 strip ? 0 : s->dashed };
    const double radius =
        fmin(4, strip ? 0.22 * p->row : 0.45 * (0.8 * p->row / (double)s->n));
    bool any = false;

    for (size_t k = 0; k < s->n; k++)
        any |= isfinite(s->y[k]) != 0;
    if (!any)
        return false;
    draw_intervals(p, i, &pen);
    for (size_t k = 0; k < s->n; k++)
        if (isfinite(s->y[k]))
            p->c->ops->dot(
                p->c->to, at(p, s->y[k]),
                strip ? height_of(p, i, k, radius) : lane_of(p, i, k), radius);
    p->c->ops->fill(p->c->to, color, strip ? 0.75 : 1);
    return true;
}

/* --------------------------------------------------------------------- bars */

/* An interval on a bar, with a short stroke at each end. */
static void draw_whisker(struct lct_canvas *c, double x0, double x1, double y)
{
    static const struct lct_pen pen = { LCT_INK, 0.9, 1.25, 0 };

    lct_line(c, x0, y, x1, y, &pen);
    lct_line(c, x0, y - 3, x0, y + 3, &pen);
    lct_line(c, x1, y - 3, x1, y + 3, &pen);
}

/* A bar and its interval; returns the x where both have ended. */
static double draw_bar(const struct rows *p, size_t i)
{
    const locant_series *s = &p->f->series[i];
    double zero = at(p, 0), end = zero, y = middle(p, i);

    if (isfinite(s->y[0])) {
        end = at(p, s->y[0]);
        lct_outline(p->c, &(struct lct_box){ fmin(zero, end), y - 0.36 * p->row,
                                             fabs(end - zero), 0.72 * p->row });
        p->c->ops->fill(p->c->to, LCT_SERIES + lct_series_color(p->f, i), 1);
    }
    end = fmax(zero, end);
    if (s->low && isfinite(s->low[0]) && isfinite(s->high[0])) {
        draw_whisker(p->c, at(p, s->low[0]), at(p, s->high[0]), y);
        end = fmax(end, at(p, s->high[0]));
    }
    return end;
}

/* --------------------------------------------------------------- every kind */

static void draw_row(const struct rows *p, size_t i)
{
    const locant_series *s = &p->f->series[i];
    struct lct_text style = { .size = fmin(label_size, p->row * 0.85),
                              .align_y = 0.5,
                              .align_x = 1,
                              .zh = s->label_zh,
                              .max_width = p->c->width * 0.4 };
    char value[LCT_DECIMAL_BYTES];

    lct_text_draw(p->c, p->box.x - 8, middle(p, i), s->label, &style);
    style.align_x = 0;
    style.role = LCT_FAINT;
    if (p->f->kind == LOCANT_FIGURE_BARS) {
        double end = draw_bar(p, i);
        lct_decimal_short(value, isfinite(s->y[0]) ? s->y[0] : NAN);
        style.zh = NULL;
        lct_text_draw(p->c, end + 6, middle(p, i), value, &style);
    } else if (!draw_dots(p, i)) {
        style.zh = "\xe6\x97\xa0\xe5\xae\x9a\xe4\xb9\x89";
        lct_text_draw(p->c, p->box.x + 6, middle(p, i), "undefined", &style);
    }
}

/* A line through the middle of each row, under its dots. */
static void draw_middles(const struct rows *p)
{
    static const struct lct_pen rule = { LCT_RULE, 1, 0.75, 0 };

    for (size_t i = 0; i < p->f->n_series; i++)
        lct_segment(p->c, p->box.x, middle(p, i), p->box.x + p->box.width,
                    middle(p, i));
    p->c->ops->stroke(p->c->to, &rule);
}

static locant_status make_frame(struct rows *p, double top)
{
    const locant_figure *f = p->f;
    const bool bars = f->kind == LOCANT_FIGURE_BARS;
    const struct lct_margins margins = {
        .left = lct_widest_label(p->c, f, p->c->width * 0.4, !bars) + 22,
        .above = top + (f->n_marks && !bars ? 18 : 4),
        .right = bars ? 64 : 24,
    };
    double range[2], margin;
    char what[64];

    snprintf(what, sizeof what, "%zu %s beside their labels", f->n_series,
             bars ? "bars" : "rows");
    LCT_TRY(lct_plot_frame(&p->box, p->c, f, &margins, 4 * (double)f->n_series,
                           what));
    lct_rows_range(range, f, !bars);
    margin = bars ? 0 : 0.04 * (range[1] - range[0]);
    lct_axis_linear(&p->axis, range[0] - margin, range[1] + margin, 6);
    p->row = fmin(p->box.height / (double)f->n_series, 34);
    return LOCANT_OK;
}

locant_status lct_draw_rows(struct lct_canvas *c, const locant_figure *f,
                            double top)
{
    static const struct lct_pen axis = { LCT_FAINT, 1, 0.75, 0 };
    const bool bars = f->kind == LOCANT_FIGURE_BARS;
    struct rows p = { .c = c, .f = f };

    LCT_TRY(make_frame(&p, top));
    lct_plot_record(c, &p.box, &p.axis, NULL);
    lct_axes_grid(c, &p.box, &p.axis, NULL);
    lct_axis_draw_x(c, &p.box, &p.axis, f, LCT_EDGE_NONE);
    if (!bars)
        draw_middles(&p);
    for (size_t i = 0; i < f->n_series; i++) {
        lct_series(c, (int)i);
        draw_row(&p, i);
    }
    lct_series(c, -1);
    if (bars)
        lct_line(c, at(&p, 0), p.box.y, at(&p, 0), p.box.y + p.box.height,
                 &axis);
    else
        lct_marks_draw(c, &p.box, &p.axis, f);
    return LOCANT_OK;
}
