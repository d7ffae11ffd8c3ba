/*
 * figures_tasks.c - scores of tasks drawn: every seed as a dot, and maps of
 * what is scored by place.
 */
#include "../figure/figure.h"
#include "page_tasks.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CAPTION = 400, TITLE = 160 };

static double real(const json_t *number)
{
    return json_is_number(number) ? json_number_value(number) : NAN;
}

/* What has no value cannot be drawn. */
static bool is_empty(const double *values, size_t n)
{
    size_t i = 0;

    while (i < n && !isfinite(values[i]))
        i++;
    return i == n;
}

/* Ends with the size of the models of task t. */
static void make_caption(char out[CAPTION], const char *text, size_t t)
{
    snprintf(out, CAPTION, "%s On this task, at {tasks.%zu.parameters} "
             "parameters.", text, t);
}

/* ------------------------------------------------------------------- strips */

struct strips {
    locant_series *series; /* [r->n] */
    double *values;
    size_t n, used;
};

static locant_status make_strips(struct strips *s, const struct lct_results *r,
                                 const json_t *test)
{
    const json_t *rows = json_object_get(test, "rows");
    size_t values = 0;

    for (size_t i = 0; i < json_array_size(rows); i++)
        values += json_array_size(
            json_object_get(json_array_get(rows, i), "values"));
    *s = (struct strips){ .n = 0 };
    LCT_TRY(lct_page_numbers(&s->values, values));
    s->series = locant_alloc((r->n + 1) * sizeof *s->series);
    if (s->series == NULL) {
        locant_release(s->values);
        return locant_fail(LOCANT_ERR_NOMEM, "report: no memory for rows");
    }
    return LOCANT_OK;
}

static void add_strip(struct strips *s, const struct lct_results *r, size_t i,
                      const json_t *test)
{
    double *y = s->values + s->used;
    const json_t *values;
    size_t row, n;

    if (!lct_page_task_row(&row, test, r->groups[i].spec))
        return;
    values = json_object_get(
        json_array_get(json_object_get(test, "rows"), row), "values");
    n = json_array_size(values);
    for (size_t k = 0; k < n; k++)
        y[k] = real(json_array_get(values, k));
    s->used += n;
    s->series[s->n++] = (locant_series){ .label = r->groups[i].spec, .n = n,
                                         .x = y, .y = y,
                                         .color = (int)(i % LCT_GREY) };
}

static void make_title(char out[TITLE], const struct lct_results *r, size_t t,
                       const json_t *test)
{
    const char *setting = json_string_value(json_object_get(test, "setting"));

    snprintf(out, TITLE, "%s, length %lld%s%s",
             lct_page_task_text(r, t, "task"),
             (long long)json_integer_value(json_object_get(test, "length")),
             setting && *setting ? ", " : "", setting ? setting : "");
}

/*
 * Lines that say what a score is worth; they also keep the axis from closing in
 * on dots that lie together.  'out' has room for two.
 */
static size_t make_marks(locant_mark *out, const struct lct_results *r,
                         size_t t)
{
    const char *metric = lct_page_task_text(r, t, "metric");
    const double chance = lct_page_value(r, "tasks.%zu.chance", t);
    const bool error = strcmp(metric, "read error") == 0;

    if (strcmp(metric, "loss - floor") == 0) {
        out[0] = (locant_mark){ .x = 0, .label = "floor" };
        return 1;
    }
    out[0] = (locant_mark){ .x = error ? .1 : .9, .label = "solved" };
    out[1] = (locant_mark){ .x = error ? 1 - chance : chance,
                            .label = "guessing" };
    if (strcmp(metric, "exact match") == 0)
        out[1] = (locant_mark){ .x = 0, .label = "all wrong" };
    return 2;
}

static locant_status draw_strips(struct lct_html *h,
                                 const struct lct_results *r, size_t t,
                                 size_t k)
{
    const json_t *test = lct_page_test(r, t, k);
    char name[64], title[TITLE], caption[CAPTION];
    locant_figure f = LOCANT_FIGURE_INIT;
    locant_mark marks[2];
    struct strips s;
    locant_status status;

    LCT_TRY(make_strips(&s, r, test));
    for (size_t i = 0; i < r->n; i++)
        add_strip(&s, r, i, test);
    snprintf(name, sizeof name, "task-%zu-%zu", t + 1, k + 1);
    make_title(title, r, t, test);
    make_caption(caption, "One dot a seed.", t);
    f.kind = LOCANT_FIGURE_STRIPS;
    f.name = name;
    f.title = title;
    f.x_label = lct_page_task_text(r, t, "metric");
    f.width = 460;
    f.height = 105 + 22 * (int)s.n;
    f.series = s.series;
    f.n_series = s.n;
    f.marks = marks;
    f.n_marks = make_marks(marks, r, t);
    status = is_empty(s.values, s.used)
                 ? LOCANT_OK
                 : lct_page_figure(h, r, &f, "A row for each encoding, with "
                                   "one dot a seed: what it scored on this "
                                   "test.", caption, 0);
    locant_release(s.series);
    locant_release(s.values);
    return status;
}

/* --------------------------------------------------------------------- maps */

/* What was scored at place p of a row; NAN if nothing was. */
static double at_place(const json_t *test, const char *spec, int64_t place)
{
    const json_t *places;
    size_t row;

    if (!lct_page_task_row(&row, test, spec))
        return NAN;
    places = json_object_get(
        json_array_get(json_object_get(test, "rows"), row), "places");
    for (size_t i = 0; i < json_array_size(places); i++) {
        const json_t *one = json_array_get(places, i);

        if (json_integer_value(json_object_get(one, "place")) == place)
            return real(json_object_get(one, "mean"));
    }
    return NAN;
}

/* Encodings over k = 1, 2, 4 .. 64, at one length. */
static locant_status draw_delays(struct lct_html *h,
                                 const struct lct_results *r, size_t t,
                                 size_t k)
{
    enum { DELAYS = 7 };
    const json_t *test = lct_page_test(r, t, k);
    char name[64], title[TITLE], caption[CAPTION], own[TITLE];
    locant_figure f = LOCANT_FIGURE_INIT;
    double *cells;
    locant_status status;

    LCT_TRY(lct_page_numbers(&cells, DELAYS * r->n));
    for (size_t i = 0; i < r->n; i++) {
        if (!lct_page_task_has(r, t, i))
            continue;
        for (int d = 0; d < DELAYS; d++)
            cells[f.rows * DELAYS + d] =
                at_place(test, r->groups[i].spec, INT64_C(1) << d);
        f.rows++;
    }
    snprintf(name, sizeof name, "task-%zu-delays-%zu", t + 1, k + 1);
    make_title(own, r, t, test);
    snprintf(title, sizeof title, "%.120s, by k", own);
    make_caption(caption, "Accuracy by k, mean over seeds; rows as in the "
                 "table.", t);
    f.kind = LOCANT_FIGURE_HEATMAP;
    f.name = name;
    f.title = title;
    f.x_label = "log2 k";
    f.y_label = "row of the table";
    f.width = 460;
    f.height = 130 + 26 * (int)f.rows;
    f.cells = cells;
    f.cols = DELAYS;
    f.x_step = f.y_first = f.y_step = 1;
    f.numbers = 1;
    status = is_empty(cells, DELAYS * (size_t)f.rows)
                 ? LOCANT_OK
                 : lct_page_figure(h, r, &f, "A map of accuracy: a row for "
                                   "each encoding, a column for each k.",
                                   caption, 0);
    locant_release(cells);
    return status;
}

/* Places of the row that has the most; they come sorted. */
static const json_t *depths_of(const struct lct_results *r, size_t t,
                               const char *spec)
{
    const json_t *best = NULL;

    for (size_t k = 0; k < lct_page_task_tests(r, t); k++) {
        const json_t *test = lct_page_test(r, t, k), *places;
        size_t row;

        if (!lct_page_task_row(&row, test, spec))
            continue;
        places = json_object_get(
            json_array_get(json_object_get(test, "rows"), row), "places");
        if (json_array_size(places) > json_array_size(best))
            best = places;
    }
    return best;
}

static int64_t place_at(const json_t *places, size_t i)
{
    return json_integer_value(
        json_object_get(json_array_get(places, i), "place"));
}

static void label_depths(locant_figure *f, const json_t *places)
{
    const size_t n = json_array_size(places);

    f->y_first = (double)place_at(places, 0);
    f->y_step = 1;
    if (n > 1)
        f->y_step = ((double)place_at(places, n - 1) - f->y_first) /
                    (double)(n - 1);
}

/* Depth over tests, which are in the order of the table. */
static locant_status draw_depths(struct lct_html *h,
                                 const struct lct_results *r, size_t t,
                                 size_t i)
{
    const char *spec = r->groups[i].spec;
    const json_t *places = depths_of(r, t, spec);
    char name[64], title[300], caption[CAPTION];
    locant_figure f = LOCANT_FIGURE_INIT;
    double *cells;
    locant_status status;

    f.rows = (int64_t)json_array_size(places);
    f.cols = (int64_t)lct_page_task_tests(r, t);
    if (f.rows == 0)
        return LOCANT_OK;
    LCT_TRY(lct_page_numbers(&cells, (size_t)(f.rows * f.cols)));
    for (int64_t d = 0; d < f.rows; d++)
        for (int64_t k = 0; k < f.cols; k++)
            cells[d * f.cols + k] = at_place(lct_page_test(r, t, (size_t)k),
                                             spec, place_at(places, (size_t)d));
    snprintf(name, sizeof name, "task-%zu-depths-%zu", t + 1, i + 1);
    snprintf(title, sizeof title, "%s: %s", lct_page_task_text(r, t, "task"),
             spec);
    make_caption(caption, "Keys found by depth and by test, mean over seeds; "
                 "columns as in the table.", t);
    label_depths(&f, places);
    f.kind = LOCANT_FIGURE_HEATMAP;
    f.name = name;
    f.title = title;
    f.x_label = "column of the table";
    f.y_label = "depth (per cent)";
    f.width = 460;
    f.height = 320;
    f.cells = cells;
    f.x_first = f.x_step = 1;
    f.numbers = 1;
    status = is_empty(cells, (size_t)(f.rows * f.cols))
                 ? LOCANT_OK
                 : lct_page_figure(h, r, &f, "A map of the keys found: a row "
                                   "for each depth, a column for each length.",
                                   caption, 0);
    locant_release(cells);
    return status;
}

locant_status lct_page_task_figures(struct lct_html *h,
                                    const struct lct_results *r, size_t t)
{
    const size_t tests = lct_page_task_tests(r, t);
    const char *task = lct_page_task_text(r, t, "task");

    lct_html_raw(h, "<div class=\"grid\">\n");
    for (size_t k = 0; k < tests; k++)
        LCT_TRY(draw_strips(h, r, t, k));
    for (size_t k = 0; k < tests && strcmp(task, "T1") == 0; k++)
        LCT_TRY(draw_delays(h, r, t, k));
    for (size_t i = 0; i < r->n && strcmp(task, "T12") == 0; i++)
        LCT_TRY(draw_depths(h, r, t, i));
    lct_html_raw(h, "</div>\n");
    return lct_html_status(h);
}
