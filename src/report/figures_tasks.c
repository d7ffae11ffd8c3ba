/* figures_tasks.c - scores of tasks: a dot for every seed */
#include "../figure/figure.h"
#include "figures_tasks.h"
#include "lines.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

struct lct_task_figure lct_task_begin(const struct lct_html *h,
                                      enum lct_figure_id id, const char *name)
{
    struct lct_task_figure f = { lct_figures_begin(id), .id = id };

    snprintf(f.name, sizeof f.name, "%s", name);
    f.renamed = h->taker == NULL;
    return f;
}

locant_status lct_task_put(struct lct_html *h, const struct lct_results *r,
                           size_t t, struct lct_task_figure *f,
                           enum lct_message caption)
{
    char at[32];

    snprintf(at, sizeof at, "tasks.%zu", t);
    if (f->renamed)
        f->f.name = f->name;
    lct_figures_title_filled(&f->f, &f->title);
    return lct_page_figure_with(h, r, f->id, &f->f, caption, NULL, at);
}

bool lct_task_wanted(const struct lct_html *h, enum lct_figure_id id,
                     const json_t *test)
{
    const int64_t length = h->taker ? h->taker->length : 0;

    return lct_page_wants(h, id) &&
           (length == 0 || test == NULL ||
            json_integer_value(json_object_get(test, "length")) == length);
}

void lct_task_label(const char **en, const char **zh, const char *text)
{
    *en = text;
    *zh = locant_chinese(text);
}

/* ------------------------------------------------------------------- strips */

/* Room for a row of dots, with intervals, for each row of a test. */
static locant_status make_strips(struct lct_lines *l,
                                 const struct lct_results *r,
                                 const json_t *test)
{
    const json_t *rows = json_object_get(test, "rows");
    size_t values = 0;

    for (size_t i = 0; i < json_array_size(rows); i++)
        values +=
            json_array_size(json_object_get(json_array_get(rows, i), "values"));
    return lct_lines_make(l, r->n, 0, 4 * values);
}

/* Adds the row of group i, if it has one; returns whether it has intervals. */
static bool add_strip(struct lct_lines *l, const struct lct_results *r,
                      size_t i, const json_t *test)
{
    static const char *const keys[] = { "values", "values_low", "values_high" };
    locant_series *s;
    const json_t *one;
    double *part[3];
    size_t row, n;

    if (!lct_page_task_row(&row, test, r->groups[i].spec))
        return false;
    one = json_array_get(json_object_get(test, "rows"), row);
    n = json_array_size(json_object_get(one, "values"));
    s = lct_lines_add(l, n, i);
    part[0] = lct_lines_points(l, s) + n;
    part[1] = lct_lines_take(l, 2 * n);
    part[2] = part[1] + n;
    for (int p = 0; p < 3; p++)
        for (size_t k = 0; k < n; k++)
            part[p][k] =
                lct_page_real(json_array_get(json_object_get(one, keys[p]), k));
    s->label = r->groups[i].spec;
    s->dashed = 0;
    if (lct_page_all_missing(part[1], n))
        return false;
    s->low = part[1];
    s->high = part[2];
    return true;
}

void lct_task_title(struct lct_label *out, const struct lct_results *r,
                    size_t t, const json_t *test)
{
    const char *setting = json_string_value(json_object_get(test, "setting"));
    char length[24];
    const char *const text[] = { lct_page_task_text(r, t, "task"), length,
                                 setting };

    snprintf(length, sizeof length, "%lld",
             (long long)json_integer_value(json_object_get(test, "length")));
    lct_messages_label(out,
                       setting && *setting ? MSG_TASK_TITLE_WITH_SETTING
                                           : MSG_TASK_SCORES_TITLE,
                       text);
}

/*
 * Lines for solved, guessing and the like.  They also keep the axis wide when
 * all dots are close together.  'out' has room for two.
 */
static size_t make_marks(locant_mark *out, const struct lct_results *r,
                         size_t t)
{
    const char *metric = lct_page_task_text(r, t, "metric");
    const double chance = lct_page_value(r, "tasks.%zu.chance", t);
    const bool error = strcmp(metric, "read error") == 0;

    if (strcmp(metric, "loss - floor") == 0) {
        out[0] = (locant_mark){ .x = 0, LCT_LABEL(MSG_FLOOR) };
        return 1;
    }
    out[0] = (locant_mark){ .x = error ? .1 : .9, LCT_LABEL(MSG_SOLVED) };
    out[1] = (locant_mark){ .x = error ? 1 - chance : chance,
                            LCT_LABEL(MSG_GUESSING) };
    if (strcmp(metric, "exact match") == 0)
        out[1] = (locant_mark){ .x = 0, LCT_LABEL(MSG_ALL_WRONG) };
    return 2;
}

static locant_status
draw_strips(struct lct_html *h, const struct lct_results *r, size_t t, size_t k)
{
    const json_t *test = lct_page_test(r, t, k);
    char name[40];
    struct lct_task_figure f;
    locant_mark marks[2];
    struct lct_lines l;
    bool intervals = false; /* whether some row has them */
    locant_status status = LOCANT_OK;

    if (!lct_task_wanted(h, FIG_TASK_SCORES, test))
        return LOCANT_OK;
    LCT_TRY(make_strips(&l, r, test));
    for (size_t i = 0; i < r->n; i++)
        intervals |= add_strip(&l, r, i, test);
    snprintf(name, sizeof name, "task-%zu-%zu", t + 1, k + 1);
    f = lct_task_begin(h, FIG_TASK_SCORES, name);
    lct_task_title(&f.title, r, t, test);
    lct_task_label(&f.f.x_label, &f.f.x_label_zh,
                   lct_page_task_text(r, t, "metric"));
    f.f.height = 105 + 22 * (int)l.n;
    lct_figures_lines(&f.f, l.series, l.n);
    lct_figures_marks(&f.f, marks, make_marks(marks, r, t));
    if (lct_lines_defined(&l))
        status = lct_task_put(
            h, r, t, &f, intervals ? MSG_TASK_SCORES_CAPTION_ITEMS : MSG_NONE);
    lct_lines_free(&l);
    return status;
}

locant_status lct_page_task_figures(struct lct_html *h,
                                    const struct lct_results *r, size_t t)
{
    const size_t tests = lct_page_task_tests(r, t);

    lct_html_raw(h, "<div class=\"grid\">\n");
    for (size_t k = 0; k < tests; k++)
        LCT_TRY(draw_strips(h, r, t, k));
    LCT_TRY(lct_page_task_maps(h, r, t));
    lct_html_raw(h, "</div>\n");
    return lct_html_status(h);
}
