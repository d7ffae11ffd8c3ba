/*
 * figures_probe.c - what the trained models do: figures of what probes found,
 * a curve or a row of dots for each encoding.
 */
#include "../figure/figure.h"
#include "page.h"
#include "probe_points.h"
#include "words.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct picture {
    const char *name;
    locant_figure_kind kind;
    int log_x, trained; /* trained: the trained length is marked */
    const char *title, *x_label, *y_label, *alt, *caption;
    lct_points_fn points;
    lct_points_fn other;    /* a second line for each encoding, or NULL */
    const char *suffix; /* of its label */
    lct_points_fn reference; /* a grey line of that label; or NULL */
    const char *reference_label;
};

/* ----------------------------------------------------------------- the list */

#define TEXT "Text of the built-in generator, first seed of each encoding. "

static const struct picture pictures[] = {
#define LCT_PROBE_FIGURE(name, kind, ...)                                     \
    { name, LOCANT_FIGURE_##kind, __VA_ARGS__ },
#include "probe_figures.def"
#undef LCT_PROBE_FIGURE
};
enum { PICTURES = sizeof pictures / sizeof pictures[0] };

bool lct_page_probed(const struct lct_results *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->groups[i].probe)
            return true;
    return false;
}

/* ------------------------------------------------------------------ drawing */

/* The series of one figure, with the memory behind them. */
struct rows {
    locant_series *series;
    size_t n;
    double *numbers; /* x, y of each */
    char (*labels)[300];
};

static locant_status make_rows(struct rows *rows, size_t most)
{
    *rows = (struct rows){ .n = 0 };
    LCT_TRY(lct_page_numbers(&rows->numbers, 2 * LCT_POINTS * most));
    rows->series = locant_alloc(most * sizeof *rows->series);
    rows->labels = locant_alloc(most * sizeof *rows->labels);
    if (!rows->series || !rows->labels)
        return locant_fail(LOCANT_ERR_NOMEM, "report: no memory for %zu rows",
                           most);
    return LOCANT_OK;
}

static void free_rows(struct rows *rows)
{
    locant_release(rows->series);
    locant_release(rows->labels);
    locant_release(rows->numbers);
}

/* A group's points under its label; nothing where it has none. */
static void add_row(struct rows *rows, const struct lct_results *r, size_t i,
                    lct_points_fn points, const char *suffix)
{
    double *x = rows->numbers + 2 * LCT_POINTS * rows->n;
    double *y = x + LCT_POINTS;
    const size_t n = points(x, y, r->groups[i].probe);
    char *label = rows->labels[rows->n];

    if (n == 0)
        return;
    snprintf(label, sizeof *rows->labels, "%s%s", r->groups[i].spec, suffix);
    rows->series[rows->n++] = (locant_series){
        .label = label, .n = n, .x = x, .y = y, .color = (int)(i % LCT_GREY),
        .dashed = i < LCT_GREY ? 0 : 2 + (int)(i / LCT_GREY - 1) % 3 };
}

/* Of the group whose reference has the most points. */
static void add_reference(struct rows *rows, const struct lct_results *r,
                          const struct picture *p)
{
    double x[LCT_POINTS], y[LCT_POINTS], far = 0;
    size_t best = r->n;

    for (size_t i = 0; i < r->n; i++) {
        const size_t n =
            r->groups[i].probe ? p->reference(x, y, r->groups[i].probe) : 0;

        if (n > 0 && x[n - 1] > far) {
            far = x[n - 1];
            best = i;
        }
    }
    if (best == r->n)
        return;
    add_row(rows, r, best, p->reference, "");
    rows->series[rows->n - 1].label = p->reference_label;
    rows->series[rows->n - 1].color = LCT_GREY;
    rows->series[rows->n - 1].dashed = 1;
}

static void fill_rows(struct rows *rows, const struct lct_results *r,
                      const struct picture *p)
{
    for (size_t i = 0; i < r->n; i++) {
        if (r->groups[i].probe == NULL)
            continue;
        if (p->other && p->kind == LOCANT_FIGURE_STRIPS)
            add_row(rows, r, i, p->other, p->suffix);
        add_row(rows, r, i, p->points, "");
        if (p->other && p->kind == LOCANT_FIGURE_CURVES) {
            const size_t before = rows->n;

            add_row(rows, r, i, p->other, p->suffix);
            if (rows->n > before)
                rows->series[before].dashed = 1;
        }
    }
    if (p->reference)
        add_reference(rows, r, p);
}

enum { MOST_MARKS = 8 };

/* The trained length, or the pairs that are predicted; how many. */
static size_t make_marks(locant_mark *marks, const struct lct_results *r,
                         const struct picture *p)
{
    size_t n = 0;

    if (p->trained)
        marks[n++] = lct_trained_mark(r);
    for (size_t i = 0; i < r->n && (p->points == lct_points_usage_q ||
                                    p->points == lct_points_partial); i++) {
        const double at = lct_probe_number(json_object_get(
            json_object_get(r->groups[i].probe, p->name), "predicted"));

        if (isfinite(at) && n < MOST_MARKS)
            marks[n++] = (locant_mark){ .x = at, .label = r->groups[i].spec };
    }
    return n;
}

static locant_status draw(struct lct_html *h, const struct lct_results *r,
                          const struct picture *p)
{
    locant_mark marks[MOST_MARKS];
    locant_figure f = LOCANT_FIGURE_INIT;
    struct rows rows;
    locant_status status;

    if (!lct_page_wants(h, p->name))
        return LOCANT_OK;
    status = make_rows(&rows, 2 * r->n + 1);
    if (status == LOCANT_OK)
        fill_rows(&rows, r, p);
    f.kind = p->kind;
    f.name = p->name;
    f.title = p->title;
    f.x_label = p->x_label;
    f.y_label = p->y_label;
    f.log_x = p->log_x;
    f.width = 460;
    f.height = p->kind == LOCANT_FIGURE_CURVES ? 360
                                               : 90 + 20 * (int)rows.n;
    f.series = rows.series;
    f.n_series = rows.n;
    f.marks = marks;
    f.n_marks = make_marks(marks, r, p);
    if (status == LOCANT_OK && rows.n > 0)
        status = lct_page_figure(h, r, &f, p->alt, p->caption,
                                 LCT_TRAINED_HERE);
    free_rows(&rows);
    return status;
}

locant_status lct_page_probes(struct lct_html *h, const struct lct_results *r)
{
    locant_status status = LOCANT_OK;

    lct_html_raw(h, "<p>");
    lct_html_word(h, "What was found by running the trained models of the "
                     "first seed over a text that is the same for all, and no "
                     "part of the corpus. Maps and weights show what attention "
                     "does, not why the loss is what it is.");
    lct_html_raw(h, "</p>\n"
                    "<div class=\"grid\" id=\"probes\">\n");
    for (int i = 0; i < PICTURES && status == LOCANT_OK; i++)
        status = draw(h, r, &pictures[i]);
    if (status == LOCANT_OK)
        status = lct_page_learning(h, r);
    if (status == LOCANT_OK)
        status = lct_page_maps(h, r, 0);
    lct_html_raw(h, "</div>\n");
    lct_page_probe_tables(h, r);
    return status;
}
