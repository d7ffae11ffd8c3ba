/* legend.c - labels beside the lines that they name, never over the data */
#include "figure.h"
#include <math.h>

static const double row_height = 16, least_row = 9, text_size = 11;
/* from the plot to a label: a gap, then a short line in the series' colour */
static const double lead = 14, swatch = 18, widest_text = 190;

double lct_widest_label(struct lct_canvas *c, const locant_figure *f,
                        double most, bool zh)
{
    double widest = 0;

    for (size_t i = 0; i < f->n_series; i++) {
        const locant_series *s = &f->series[i];
        struct lct_text style = { .size = text_size,
                                  .max_width = most,
                                  .zh = zh ? s->label_zh : NULL };
        if (s->label)
            widest = fmax(widest, lct_text_width(c, s->label, &style));
    }
    return widest;
}

double lct_legend_width(struct lct_canvas *c, const locant_figure *f)
{
    double widest =
        lct_widest_label(c, f, fmin(widest_text, c->width * 0.36), false);

    return widest > 0 ? lead + swatch + 6 + widest + 12 : 0;
}

/* The labelled series to place next: by increasing 'end', then those whose end
   is NAN, in order.  n_series if all are placed. */
static size_t next_label(const locant_figure *f, const double *end,
                         const bool *taken)
{
    size_t best = f->n_series;

    for (size_t i = 0; i < f->n_series; i++) {
        if (!f->series[i].label || taken[i])
            continue;
        if (best == f->n_series || end[i] < end[best] ||
            (isnan(end[best]) && !isnan(end[i])))
            best = i;
    }
    return best;
}

/* Move n heights at least 'row' apart, inside [low, high]. */
static void spread(double *y, size_t n, double row, double low, double high)
{
    double limit = low + row / 2;

    for (size_t k = 0; k < n; k++) {
        y[k] = isnan(y[k]) ? limit : fmax(y[k], limit);
        limit = y[k] + row;
    }
    limit = high - row / 2;
    for (size_t k = n; k-- > 0;) {
        y[k] = fmin(y[k], limit);
        limit = y[k] - row;
    }
}

static void draw_label(struct lct_canvas *c, const locant_figure *f, size_t i,
                       double x, double y, double size)
{
    struct lct_text style = { .size = size,
                              .align_y = 0.5,
                              .max_width = fmin(widest_text, c->width * 0.36),
                              .zh = f->series[i].label_zh };
    struct lct_pen pen = { LCT_SERIES + lct_series_color(f, i), 1, 2.5,
                           f->series[i].dashed };

    lct_line(c, x, y, x + swatch, y, &pen);
    lct_text_draw(c, x + swatch + 6, y, f->series[i].label, &style);
}

enum { MOST_LABELS = 64 };

void lct_legend_draw(struct lct_canvas *c, const locant_figure *f,
                     const struct lct_box *box, const double *end)
{
    bool taken[256] = { false }; /* lct_figure_check() allows 256 series */
    size_t order[MOST_LABELS], n = 0, fit;
    double y[MOST_LABELS], row, right = box->x + box->width;

    while (n < MOST_LABELS &&
           (order[n] = next_label(f, end, taken)) < f->n_series) {
        taken[order[n]] = true;
        y[n] = end[order[n]];
        n++;
    }
    if (n == 0)
        return;
    row = fmax(least_row, fmin(row_height, box->height / (double)n));
    fit = (size_t)(box->height / row + 1e-9);
    if (n > fit)
        n = fit;
    spread(y, n, row, box->y, box->y + box->height);
    for (size_t k = 0; k < n; k++) {
        double x = right + lead, line_end = end[order[k]];
        struct lct_pen thin = { LCT_SERIES + lct_series_color(f, order[k]),
                                0.55, 0.75, 0 };
        lct_series(c, (int)order[k]);
        if (line_end >= box->y - 1 && line_end <= box->y + box->height + 1)
            lct_line(c, right + 1, line_end, x - 1, y[k], &thin);
        draw_label(c, f, order[k], x, y[k], row < 13 ? row * 0.82 : text_size);
    }
    lct_series(c, -1);
}
