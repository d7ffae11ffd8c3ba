/*
 * panels.c - heat maps beside each other, on one scale with one colour bar.
 *
 * All panels get the same frame: the widest labels of any of them set the
 * margins.  Names of columns that are wider than the cells are turned upright.
 */
#include "figure.h"
#include <math.h>
#include <string.h>

static const double label_size = 11;

enum { TITLE = 22, TICKS = 22, LABEL = 17, GAP = 12, BAR = 16 + 12 + 10 + 14 };

struct panels {
    const locant_figure *f;
    struct lct_scale map;
    int cols, rows;
    struct lct_box all;   /* of the frames of all panels */
    double left, below;   /* margins of a panel */
    double width, height; /* of the frame of a panel */
    double across, down;  /* from one frame to the next */
    bool upright;         /* names of columns read upwards */
    int64_t by[2];        /* the most that a drawn cell covers */
};

locant_figure lct_panel(const locant_figure *f, size_t i,
                        const struct lct_scale *map)
{
    locant_figure panel = f->panels[i];

    panel.y_min = map->low;
    panel.y_max = map->high;
    panel.diverging = map->diverging;
    return panel;
}

static void choose_columns(struct panels *p)
{
    const int n = (int)p->f->n_panels;

    p->cols = p->f->panel_cols;
    if (p->cols == 0)
        p->cols = (int)ceil(sqrt(n));
    if (p->cols > n)
        p->cols = n;
    p->rows = (n + p->cols - 1) / p->cols;
}

/* The margins that hold the labels of every panel. */
static void find_margins(struct panels *p, struct lct_canvas *c)
{
    double names = 0, cell = INFINITY, title = 0;

    p->left = GAP;
    for (size_t i = 0; i < p->f->n_panels; i++) {
        const locant_figure *panel = &p->f->panels[i];
        struct lct_axis x, y;

        lct_map_axes(&x, &y, panel);
        p->left = fmax(p->left, GAP + 7 + lct_axis_label_width(c, &y) +
                                    (panel->y_label ? LABEL : 0));
        title = panel->x_label ? LABEL : title;
        if (panel->col_names) {
            names = fmax(names, lct_axis_label_width(c, &x));
            cell = fmin(cell, 1 / (double)panel->cols);
        }
    }
    p->upright = names > 0 && names + 2 > cell * (p->across - p->left);
    p->below = (p->upright ? fmax(TICKS, names + 12) : TICKS) + title;
}

static locant_status place(struct panels *p, struct lct_canvas *c, double top,
                           double bar)
{
    const locant_figure *f = p->f;
    const double first = f->y_label ? 22 : 0;
    const double wide = c->width - first - BAR - bar;
    const double tall = c->height - top - (f->x_label ? 24 : 8);

    p->across = wide / p->cols;
    find_margins(p, c);
    p->down = tall / p->rows;
    p->width = p->across - p->left;
    p->height = p->down - TITLE - p->below;
    p->all = (struct lct_box){ first + p->left, top + TITLE - 6, wide - p->left,
                               tall - TITLE - p->below };
    if (p->width >= 20 && p->height >= 20)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "locant_figure: %d x %d points leave no room for %d x "
                       "%d panels beside their labels",
                       (int)c->width, (int)c->height, p->rows, p->cols);
}

/* As lct_axis_draw_x(), with labels that read upwards. */
static void draw_upright(struct lct_canvas *c, const struct lct_box *box,
                         const struct lct_axis *a)
{
    static const struct lct_pen pen = { LCT_FAINT, 1, 0.75, 0 };
    const double bottom = box->y + box->height;
    struct lct_text style = { .size = label_size,
                              .role = LCT_FAINT,
                              .align_x = 1,
                              .align_y = 0.5,
                              .vertical = true };
    double last = -INFINITY;

    lct_outline(c, box);
    c->ops->stroke(c->to, &pen);
    for (int i = 0; i < a->n; i++) {
        const double x = lct_axis_x(a, box, a->tick[i]);
        char room[LCT_TICK_BYTES];

        if (x - last < label_size) /* would touch the previous label */
            continue;
        lct_text_draw(c, x, bottom + 6, lct_tick_label(room, a, i), &style);
        last = x;
    }
}

static void draw_labels(struct lct_canvas *c, const struct lct_box *box,
                        const locant_figure *panel, const struct panels *p,
                        double tick_width)
{
    struct lct_text style = { .size = 12,
                              .align_x = 0.5,
                              .bold = true,
                              .max_width = box->width + 8,
                              .zh = panel->title_zh };

    lct_text_draw(c, box->x + box->width / 2, box->y - 19, panel->title,
                  &style);
    style = (struct lct_text){ .size = label_size,
                               .align_x = 0.5,
                               .max_width = box->width,
                               .zh = panel->x_label_zh };
    lct_text_draw(c, box->x + box->width / 2,
                  box->y + box->height + p->below - LABEL, panel->x_label,
                  &style);
    style.vertical = true;
    style.max_width = box->height;
    style.zh = panel->y_label_zh;
    lct_text_draw(c, box->x - tick_width - 9 - LABEL, box->y + box->height / 2,
                  panel->y_label, &style);
}

static locant_status draw_panel(struct panels *p, struct lct_canvas *c,
                                size_t i)
{
    locant_figure panel = lct_panel(p->f, i, &p->map);
    const int row = (int)i / p->cols, col = (int)i % p->cols;
    struct lct_box box = { p->all.x + col * p->across, p->all.y + row * p->down,
                           p->width, p->height };
    struct lct_axis x, y;
    int64_t by[2];

    lct_map_axes(&x, &y, &panel);
    LCT_TRY(lct_map_draw(c, &box, &panel, &p->map, by));
    for (int k = 0; k < 2; k++)
        p->by[k] = by[k] > p->by[k] ? by[k] : p->by[k];
    draw_labels(c, &box, &panel, p, lct_axis_label_width(c, &y));
    panel.x_label = panel.y_label = NULL;
    if (p->upright)
        draw_upright(c, &box, &x);
    else
        lct_axis_draw_x(c, &box, &x, &panel, LCT_EDGE_ALL);
    lct_axis_draw_y(c, &box, &y, &panel);
    if (i == 0)
        lct_plot_record(c, &box, &x, &y);
    return LOCANT_OK;
}

/* The labels of the whole figure. */
static void draw_shared(const struct panels *p, struct lct_canvas *c)
{
    struct lct_text style = { .size = 12,
                              .align_x = 0.5,
                              .align_y = 1,
                              .max_width = p->all.width,
                              .zh = p->f->x_label_zh };

    lct_text_draw(c, p->all.x + p->all.width / 2, c->height - 8, p->f->x_label,
                  &style);
    style.vertical = true;
    style.align_y = 0;
    style.max_width = p->all.height;
    style.zh = p->f->y_label_zh;
    lct_text_draw(c, 8, p->all.y + p->all.height / 2, p->f->y_label, &style);
}

locant_status lct_draw_panels(struct lct_canvas *c, const locant_figure *f,
                              double top)
{
    struct panels p = { .f = f, .map = lct_scale_of(f), .by = { 1, 1 } };
    struct lct_axis bar;

    choose_columns(&p);
    lct_axis_linear(&bar, p.map.low, p.map.high, 6);
    LCT_TRY(place(&p, c, top, lct_axis_label_width(c, &bar)));
    for (size_t i = 0; i < f->n_panels; i++)
        LCT_TRY(draw_panel(&p, c, i));
    draw_shared(&p, c);
    if (p.by[0] > 1 || p.by[1] > 1)
        lct_map_say_pooled(c, f, p.by);
    return lct_map_bar(c, &p.all, &p.map, &bar);
}
