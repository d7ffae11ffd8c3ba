/*
 * figures_tasks_maps.c - maps of task scores: encodings by place, depth by
 * length, and the share of seeds that solve each test.
 */
#include "figures_tasks.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 64 };

/* A matrix with the names of its rows and columns. */
struct map {
    double *cells;
    const char **rows, **cols;
    char (*text)[NAME]; /* names of the columns */
    size_t n_rows, n_cols;
};

static void free_map(struct map *m)
{
    locant_release(m->cells);
    locant_release(m->rows);
    locant_release(m->cols);
    locant_release(m->text);
}

static locant_status make_map(struct map *m, size_t rows, size_t cols)
{
    *m = (struct map){ .n_cols = cols };
    LCT_TRY(lct_page_allocate(&m->cells, rows * cols));
    m->rows = locant_alloc(rows * sizeof *m->rows);
    m->cols = locant_alloc(cols * sizeof *m->cols);
    m->text = locant_alloc(cols * sizeof *m->text);
    if (!m->rows || !m->cols || !m->text) {
        free_map(m);
        return locant_fail(LOCANT_ERR_NOMEM, "report: no memory for a map");
    }
    for (size_t i = 0; i < cols; i++)
        m->cols[i] = m->text[i];
    return LOCANT_OK;
}

/* Draws a map that has values, and frees it. */
static locant_status put(struct lct_html *h, const struct lct_results *r,
                         size_t t, struct map *m, struct lct_task_figure *f)
{
    locant_status status = LOCANT_OK;

    if (f->f.height == 0)
        f->f.height = 130 + 26 * (int)m->n_rows;
    lct_figures_map(&f->f, m->cells, (int64_t)m->n_rows, (int64_t)m->n_cols);
    f->f.row_names = m->rows[0] ? m->rows : NULL;
    f->f.col_names = m->cols;
    f->f.y_max = 1; /* a colour means the same share on every map */
    if (!lct_page_all_missing(m->cells, m->n_rows * m->n_cols))
        status = lct_task_put(h, r, t, f, MSG_NONE);
    free_map(m);
    return status;
}

/* ------------------------------------------------------------------- places */

static const json_t *row_of(const json_t *test, const char *spec)
{
    size_t row;

    return lct_page_task_row(&row, test, spec)
               ? json_array_get(json_object_get(test, "rows"), row)
               : NULL;
}

/* The score at 'place' of an encoding's row; NAN if there is none. */
static double score_at(const json_t *test, const char *spec, int64_t place)
{
    const json_t *places = json_object_get(row_of(test, spec), "places");

    for (size_t i = 0; i < json_array_size(places); i++) {
        const json_t *one = json_array_get(places, i);

        if (json_integer_value(json_object_get(one, "place")) == place)
            return lct_page_real(json_object_get(one, "mean"));
    }
    return NAN;
}

static int64_t place_at(const json_t *places, size_t i)
{
    return json_integer_value(
        json_object_get(json_array_get(places, i), "place"));
}

/* The longer of two lists of places; each is sorted. */
static const json_t *longer_list(const json_t *best, const json_t *row)
{
    const json_t *places = json_object_get(row, "places");

    return json_array_size(places) > json_array_size(best) ? places : best;
}

static const json_t *places_of(const json_t *test)
{
    const json_t *rows = json_object_get(test, "rows"), *best = NULL;

    for (size_t i = 0; i < json_array_size(rows); i++)
        best = longer_list(best, json_array_get(rows, i));
    return best;
}

/* The scores of one test: a row for each encoding, a column for each place. */
static void fill_places(struct map *m, const struct lct_results *r, size_t t,
                        const json_t *test, const json_t *places)
{
    for (size_t p = 0; p < m->n_cols; p++)
        snprintf(m->text[p], NAME, "%" PRId64, place_at(places, p));
    for (size_t i = 0; i < r->n; i++) {
        if (!lct_page_task_has(r, t, i) ||
            json_array_size(
                longer_list(NULL, row_of(test, r->groups[i].spec))) == 0)
            continue; /* an older build stored no places */
        for (size_t p = 0; p < m->n_cols; p++)
            m->cells[m->n_rows * m->n_cols + p] =
                score_at(test, r->groups[i].spec, place_at(places, p));
        m->rows[m->n_rows++] = r->groups[i].spec;
    }
}

static locant_status
draw_places(struct lct_html *h, const struct lct_results *r, size_t t, size_t k)
{
    const json_t *test = lct_page_test(r, t, k), *places = places_of(test);
    char name[40];
    struct lct_task_figure f;
    struct map m;

    if (!lct_task_wanted(h, FIG_TASK_PLACES, test) ||
        json_array_size(places) == 0)
        return LOCANT_OK;
    snprintf(name, sizeof name, "task-%zu-places-%zu", t + 1, k + 1);
    f = lct_task_begin(h, FIG_TASK_PLACES, name);
    lct_task_title(&f.title, r, t, test);
    lct_task_label(&f.f.x_label, &f.f.x_label_zh,
                   lct_page_task_text(r, t, "place"));
    LCT_TRY(make_map(&m, r->n, json_array_size(places)));
    fill_places(&m, r, t, test, places);
    return put(h, r, t, &m, &f);
}

/* -------------------------------------------------------------------- tests */

/* "256 ignored=98"; the number of items is left to the table. */
static void name_test(char out[NAME], const json_t *test)
{
    const char *setting = json_string_value(json_object_get(test, "setting"));
    const char *items = setting ? strstr(setting, "items=") : NULL;
    int n = setting ? (int)strlen(setting) : 0;

    if (items)
        n = items > setting ? (int)(items - setting) - 1 : 0;
    snprintf(out, NAME, "%lld%s%.*s",
             (long long)json_integer_value(json_object_get(test, "length")),
             n > 0 ? " " : "", n < 40 ? n : 40, setting ? setting : "");
}

/* Scores of one encoding: a row for each depth, a column for each test. */
static locant_status
draw_depths(struct lct_html *h, const struct lct_results *r, size_t t, size_t i)
{
    const char *spec = r->groups[i].spec;
    const json_t *places = NULL;
    const size_t tests = lct_page_task_tests(r, t);
    const char *const title[] = { lct_page_task_text(r, t, "task"), spec };
    char name[40];
    struct lct_task_figure f;
    struct map m;

    for (size_t k = 0; k < tests; k++)
        places = longer_list(places, row_of(lct_page_test(r, t, k), spec));
    if (!lct_task_wanted(h, FIG_TASK_DEPTHS, NULL) ||
        json_array_size(places) == 0)
        return LOCANT_OK;
    LCT_TRY(make_map(&m, json_array_size(places), tests));
    m.n_rows = json_array_size(places);
    for (size_t k = 0; k < tests; k++) {
        name_test(m.text[k], lct_page_test(r, t, k));
        for (size_t d = 0; d < m.n_rows; d++)
            m.cells[d * tests + k] =
                score_at(lct_page_test(r, t, k), spec, place_at(places, d));
    }
    snprintf(name, sizeof name, "task-%zu-depths-%zu", t + 1, i + 1);
    f = lct_task_begin(h, FIG_TASK_DEPTHS, name);
    lct_messages_label(&f.title, MSG_TASK_DEPTHS_TITLE, title);
    f.f.y_first = (double)place_at(places, 0);
    f.f.y_step = json_array_size(places) < 2
                     ? 1
                     : ((double)place_at(places, json_array_size(places) - 1) -
                        f.f.y_first) /
                           (double)(json_array_size(places) - 1);
    return put(h, r, t, &m, &f);
}

/* The share of seeds that solve each test, for each encoding. */
static locant_status draw_solved(struct lct_html *h,
                                 const struct lct_results *r, size_t t)
{
    const size_t tests = lct_page_task_tests(r, t);
    const char *const title[] = { lct_page_task_text(r, t, "task") };
    char name[40];
    struct lct_task_figure f;
    struct map m;

    if (!lct_task_wanted(h, FIG_TASK_SOLVED, NULL))
        return LOCANT_OK;
    LCT_TRY(make_map(&m, r->n, tests));
    for (size_t k = 0; k < tests; k++)
        name_test(m.text[k], lct_page_test(r, t, k));
    for (size_t i = 0; i < r->n; i++) {
        if (!lct_page_task_has(r, t, i))
            continue;
        for (size_t k = 0; k < tests; k++)
            m.cells[m.n_rows * tests + k] = lct_page_real(json_object_get(
                row_of(lct_page_test(r, t, k), r->groups[i].spec), "solved"));
        m.rows[m.n_rows++] = r->groups[i].spec;
    }
    snprintf(name, sizeof name, "task-%zu-solved", t + 1);
    f = lct_task_begin(h, FIG_TASK_SOLVED, name);
    lct_messages_label(&f.title, MSG_TASK_SOLVED_TITLE, title);
    return put(h, r, t, &m, &f);
}

locant_status lct_page_task_maps(struct lct_html *h,
                                 const struct lct_results *r, size_t t)
{
    const size_t tests = lct_page_task_tests(r, t);
    const bool needle = strcmp(lct_page_task_text(r, t, "task"), "T12") == 0;

    LCT_TRY(draw_solved(h, r, t));
    for (size_t k = 0; k < tests && !needle; k++)
        LCT_TRY(draw_places(h, r, t, k));
    for (size_t i = 0; i < r->n && needle; i++)
        LCT_TRY(draw_depths(h, r, t, i));
    return LOCANT_OK;
}
