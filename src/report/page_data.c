/*
 * page_data.c - the numbers of a figure as text below it, for readers who
 * cannot see it or have no script.
 *
 * To keep a page of fifty figures small, one element holds comma-separated
 * numbers of four digits, and long figures show every n-th row (and column)
 * and the last; 'locant figure --csv' prints all.
 */
#include "../figure/figure.h"
#include "page.h"
#include "html_message.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_POINTS = 33, MOST_CELLS = 16 };

/* Every how many of n items one is shown, so that at most 'most' are. */
static int64_t stride(int64_t n, int64_t most)
{
    return (n + most - 2) / (most - 1) > 1 ? (n + most - 2) / (most - 1) : 1;
}

/* What is shown after item k of n: the last item is never left out. */
static int64_t after(int64_t k, int64_t by, int64_t n)
{
    return k + by < n || k == n - 1 ? k + by : n - 1;
}

static void put_number(struct lct_html *h, double value)
{
    char text[LCT_DECIMAL_BYTES] = "";

    if (isfinite(value))
        lct_decimal_digits(text, value, 4);
    lct_html_raw(h, text);
}

/* A name as a field: ';' replaces commas and line ends. */
static void put_name(struct lct_html *h, const char *name)
{
    char field[300];

    snprintf(field, sizeof field, "%s", name);
    for (char *p = field; (p = strpbrk(p, ",\n")) != NULL;)
        *p = ';';
    lct_html_text(h, field);
}

/* ------------------------------------------------------------------ curves */

/* A series of one or two points is no data if it has no label (a reference
   line, whose value a table has) or no finite y (an entry of the legend). */
static bool is_data(const locant_series *s)
{
    return s->n > 2 || (s->label && isfinite(s->y[0]));
}

static bool same_x(const locant_series *a, const locant_series *b)
{
    return a->n == b->n && memcmp(a->x, b->x, a->n * sizeof *a->x) == 0;
}

/* The name of series i.  A series without a label continues an earlier series
   and has its name with a number: "rope (2)". */
static void put_series_name(struct lct_html *h, const locant_figure *f,
                            size_t i, const char *of)
{
    char text[24] = "";
    size_t named = i;

    while (named > 0 && !f->series[named].label)
        named--;
    lct_html_raw(h, ",");
    put_name(h, f->series[named].label ? f->series[named].label : "");
    if (named != i)
        snprintf(text, sizeof text, " (%zu)", i - named + 1);
    lct_html_raw(h, text);
    lct_html_raw(h, of);
}

/* The series first .. last - 1, which have the same x. */
static void put_block(struct lct_html *h, const locant_figure *f, size_t first,
                      size_t last)
{
    const int64_t n = (int64_t)f->series[first].n;
    const int64_t by = stride(n, MOST_POINTS);

    put_name(h, f->x_label ? f->x_label : "x");
    for (size_t i = first; i < last; i++) {
        put_series_name(h, f, i, "");
        if (f->series[i].low) {
            put_series_name(h, f, i, " low");
            put_series_name(h, f, i, " high");
        }
    }
    for (int64_t k = 0; k < n; k = after(k, by, n)) {
        lct_html_raw(h, "\n");
        put_number(h, f->series[first].x[k]);
        for (size_t i = first; i < last; i++) {
            const locant_series *s = &f->series[i];
            lct_html_raw(h, ",");
            put_number(h, s->y[k]);
            lct_html_raw(h, s->low ? "," : "");
            put_number(h, s->low ? s->low[k] : NAN);
            lct_html_raw(h, s->low ? "," : "");
            put_number(h, s->low ? s->high[k] : NAN);
        }
    }
    lct_html_raw(h, "\n");
}

static void put_curves(struct lct_html *h, const locant_figure *f)
{
    for (size_t i = 0, next; i < f->n_series; i = next) {
        next = i + 1;
        if (f->series[i].n == 0 || !is_data(&f->series[i]))
            continue;
        while (next < f->n_series && is_data(&f->series[next]) &&
               same_x(&f->series[i], &f->series[next]))
            next++;
        put_block(h, f, i, next);
    }
}

/* A message with n <= 9 numbers of four digits. */
static void put_values(struct lct_html *h, const struct lct_results *r,
                       enum lct_message id, const double *value, int n)
{
    char number[9][LCT_DECIMAL_BYTES];
    const char *text[9] = { NULL };

    for (int i = 0; i < n; i++) {
        lct_decimal_digits(number[i], value[i], 4);
        text[i] = number[i];
    }
    lct_html_message_values(h, r, id, text);
}

/* "8 lines, .. from .. to .." */
static void sum_up_curves(struct lct_html *h, const struct lct_results *r,
                          const locant_figure *f)
{
    double low[2] = { NAN, INFINITY }, high[2] = { NAN, -INFINITY };
    double from = INFINITY, to = -INFINITY;
    int lines = 0;

    for (size_t i = 0; i < f->n_series; i++) {
        const locant_series *s = &f->series[i];
        lines += is_data(s);
        for (size_t k = 0; k < s->n && is_data(s); k++) {
            from = fmin(from, s->x[k]);
            to = fmax(to, s->x[k]);
            if (s->y[k] < low[1])
                low[0] = s->x[k], low[1] = s->y[k];
            if (s->y[k] > high[1])
                high[0] = s->x[k], high[1] = s->y[k];
        }
    }
    if (!isfinite(low[1]))
        return;
    put_values(
        h, r, MSG_FIGURE_LINES,
        (const double[]){ lines, from, to, low[1], low[0], high[1], high[0] },
        7);
}

/* -------------------------------------------------------------------- maps */

static double x_of(const locant_figure *f, int64_t col)
{
    return f->x_step != 0 ? f->x_first + f->x_step * (double)col : (double)col;
}

static double y_of(const locant_figure *f, int64_t row)
{
    return f->y_step != 0 ? f->y_first + f->y_step * (double)row : (double)row;
}

static void put_map(struct lct_html *h, const locant_figure *f)
{
    const int64_t down = stride(f->rows, MOST_CELLS + 1);
    const int64_t across = stride(f->cols, MOST_CELLS + 1);

    put_name(h, f->y_label ? f->y_label : "row");
    lct_html_raw(h, " \\ ");
    put_name(h, f->x_label ? f->x_label : "column");
    for (int64_t k = 0; k < f->cols; k = after(k, across, f->cols)) {
        lct_html_raw(h, ",");
        if (f->col_names)
            put_name(h, f->col_names[k]);
        else
            put_number(h, x_of(f, k));
    }
    for (int64_t r = 0; r < f->rows; r = after(r, down, f->rows)) {
        lct_html_raw(h, "\n");
        if (f->row_names)
            put_name(h, f->row_names[r]);
        else
            put_number(h, y_of(f, r));
        for (int64_t k = 0; k < f->cols; k = after(k, across, f->cols)) {
            lct_html_raw(h, ",");
            put_number(h, f->cells[r * f->cols + k]);
        }
    }
    lct_html_raw(h, "\n");
}

static void sum_up_map(struct lct_html *h, const struct lct_results *r,
                       const locant_figure *f)
{
    int64_t low = -1, high = -1;

    for (int64_t i = 0; i < f->rows * f->cols; i++) {
        if (!isfinite(f->cells[i]))
            continue;
        low = low < 0 || f->cells[i] < f->cells[low] ? i : low;
        high = high < 0 || f->cells[i] > f->cells[high] ? i : high;
    }
    if (low < 0)
        return;
    put_values(h, r, MSG_FIGURE_CELLS,
               (const double[]){ (double)f->rows, (double)f->cols,
                                 f->cells[low], y_of(f, low / f->cols),
                                 x_of(f, low % f->cols), f->cells[high],
                                 y_of(f, high / f->cols),
                                 x_of(f, high % f->cols) },
               8);
}

void lct_page_data(struct lct_html *h, const struct lct_results *r,
                   const locant_figure *f)
{
    const bool map = f->kind == LOCANT_FIGURE_HEATMAP;

    if (!map && f->kind != LOCANT_FIGURE_CURVES)
        return;
    if (map && f->numbers && f->rows <= MOST_CELLS && f->cols <= MOST_CELLS)
        return; /* its cells show their numbers */
    lct_html_raw(h, "<details class=\"data\"><summary>");
    lct_html_message(h, MSG_FIGURE_NUMBERS);
    lct_html_raw(h, "</summary>");
    if (map)
        sum_up_map(h, r, f);
    else
        sum_up_curves(h, r, f);
    lct_html_raw(h, "<pre>");
    if (map)
        put_map(h, f);
    else
        put_curves(h, f);
    lct_html_raw(h, "</pre></details>");
}
