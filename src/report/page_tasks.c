/*
 * page_tasks.c - scores of models trained on tasks, from the numbers that
 * --json prints, too.
 */
#include "figures_tasks.h"
#include "cell.h"
#include "html_table.h"
#include "html_message.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

bool lct_page_has_tasks(const struct lct_results *r)
{
    return r->n_tasks > 0;
}

static bool is_true(const struct lct_results *r, size_t t, const char *key)
{
    return json_is_true(lct_page_at(r, "tasks.%zu.%s", t, key));
}

/* ------------------------------------------------------------------- tables */

static void test_heading(struct lct_html *h, const struct lct_results *r,
                         size_t t, size_t k)
{
    const char *setting = lct_page_text(r, "tasks.%zu.tests.%zu.setting", t, k);
    char other[64];

    lct_html_raw(h, "<th scope=\"col\">");
    lct_page_count(h, r, "tasks.%zu.tests.%zu.length", t, k);
    lct_html_raw(h, "<small>");
    /* the number of items is printed below */
    setting = setting && strncmp(setting, "items=", 6) != 0 ? setting : "";
    if (*setting) {
        snprintf(other, sizeof other, "%.*s", (int)strcspn(setting, ";"),
                 setting);
        lct_html_print(h, "<code>%s</code>", other);
    }
    lct_page_count(h, r, "tasks.%zu.tests.%zu.items", t, k);
    lct_html_message_in(h, "", MSG_ITEMS, "</small></th>");
}

/* An encoding that is not defined at this length has no score. */
static void no_score(struct lct_html *h, const struct lct_results *r, size_t i)
{
    lct_html_message_in(h, "<span class=\"none\">",
                        r->groups[i].traits & LOCANT_TRAIT_LIMIT
                            ? MSG_UNDEFINED
                            : MSG_NOT_SCORED,
                        "</span>");
}

/*
 * The numbers of a cell in one element: on three lines the mean, the share of
 * seeds that solve the task, and the share of items without an error.  Scores
 * that are losses have no shares.
 */
static void scores(struct lct_html *h, const struct lct_results *r,
                   const char *row)
{
    const double solved = lct_page_value(r, "%s.solved", row);
    const bool items = !isnan(lct_page_value(r, "%s.exact", row));
    const bool ends = items && !isnan(lct_page_value(r, "%s.low", row));

    lct_html_print(h, "<td class=\"i\" data-number=\"%s", row);
    lct_html_raw(h, isnan(solved) ? ".mean seeds" : ".mean solved seeds");
    lct_html_raw(h, items ? " exact" : "");
    lct_html_raw(h, ends ? " low high\">" : "\">");
    lct_page_put_number(h, lct_page_value(r, "%s.mean", row), 3);
    lct_html_raw(h, "\n");
    if (!isnan(solved)) {
        lct_page_put_number(h, solved, 2);
        lct_html_raw(h, " / ");
    }
    lct_page_put_count(h, llround(lct_page_value(r, "%s.seeds", row)));
    if (items) {
        lct_html_raw(h, "\n");
        lct_cell_share_text(h, r, false, row, "exact");
    }
    lct_html_raw(h, "</td>");
}

static void cell(struct lct_html *h, const struct lct_results *r, size_t t,
                 size_t k, size_t i)
{
    char path[96];
    size_t row;

    if (lct_page_task_row(&row, lct_page_test(r, t, k), r->groups[i].spec)) {
        snprintf(path, sizeof path, "tasks.%zu.tests.%zu.rows.%zu", t, k, row);
        scores(h, r, path);
        return;
    }
    lct_html_raw(h, "<td>");
    no_score(h, r, i);
    lct_html_raw(h, "</td>");
}

static void scores_table(struct lct_html *h, const struct lct_results *r,
                         size_t t)
{
    const size_t tests = lct_page_task_tests(r, t);

    lct_html_table_begin(h, MSG_TASK_TABLE, NULL);
    lct_html_message(h, MSG_TASK_TABLE_CAPTION);
    lct_html_table_columns(h);
    lct_html_table_heading(h, MSG_ENCODING);
    for (size_t k = 0; k < tests; k++)
        test_heading(h, r, t, k);
    lct_html_table_rows(h);
    for (size_t i = 0; i < r->n; i++) {
        if (!lct_page_task_has(r, t, i))
            continue;
        lct_html_table_group(h, r, i);
        for (size_t k = 0; k < tests; k++)
            cell(h, r, t, k, i);
        lct_html_raw(h, "</tr>\n");
    }
    lct_html_table_close(h);
}

/* --------------------------------------------------------------- hypotheses */

/*
 * Finds the test at the trained length or, if 'beyond', the first at twice that
 * or more, among tests in the setting of training.  false: there is none.
 */
static bool find_test(size_t *out, const struct lct_results *r, size_t t,
                      bool beyond)
{
    const double trained = lct_page_value(r, "tasks.%zu.trained_length", t);

    for (size_t k = 0; k < lct_page_task_tests(r, t); k++) {
        const char *setting =
            lct_page_text(r, "tasks.%zu.tests.%zu.setting", t, k);
        const double length =
            lct_page_value(r, "tasks.%zu.tests.%zu.length", t, k);

        if (setting && *setting && strncmp(setting, "items=", 6) != 0)
            continue;
        if (beyond ? length >= 2 * trained : length == trained) {
            *out = k;
            return true;
        }
    }
    return false;
}

static void measured_cell(struct lct_html *h, const struct lct_results *r,
                          size_t t, const char *spec, bool beyond)
{
    size_t k, row, i = 0;

    while (i + 1 < r->n && strcmp(r->groups[i].spec, spec) != 0)
        i++;
    lct_html_raw(h, "<td>");
    if (find_test(&k, r, t, beyond) &&
        lct_page_task_row(&row, lct_page_test(r, t, k), spec))
        lct_page_number(h, r, 3, "tasks.%zu.tests.%zu.rows.%zu.mean", t, k,
                        row);
    else
        no_score(h, r, i);
    lct_html_raw(h, "</td>");
}

static const struct lct_column hypothesis[] = {
    { MSG_EXPECTED, .path = "expected", .cell = LCT_CELL_TEXT },
    { MSG_REASON, .path = "reason", .cell = LCT_CELL_TEXT },
    LCT_HEADING(MSG_METRIC),
    LCT_HEADING(MSG_MEASURED_AT_TRAINED),
    LCT_HEADING(MSG_MEASURED_BEYOND),
};
static const struct lct_html_table hypotheses = {
    MSG_HYPOTHESES, MSG_HYPOTHESES_CAPTION, "words", MSG_TASK_AND_ENCODING,
    LCT_COLUMNS(hypothesis)
};

static void hypothesis_row(struct lct_html *h, const struct lct_results *r,
                           size_t t, size_t i)
{
    const struct lct_column *c = hypothesis;
    const char *spec =
        lct_page_text(r, "tasks.%zu.hypotheses.%zu.encoding", t, i);
    char row[64];

    snprintf(row, sizeof row, "tasks.%zu.hypotheses.%zu", t, i);
    lct_html_print(h, "<tr><th scope=\"row\">%s <code>%s</code></th>",
                   lct_page_task_text(r, t, "task"), spec);
    lct_html_table_cell(h, r, &c[0], row);
    lct_html_table_cell(h, r, &c[1], row);
    lct_html_raw(h, "<td>");
    lct_html_message_translated(h, lct_page_task_text(r, t, "metric"));
    lct_html_raw(h, "</td>");
    measured_cell(h, r, t, spec, false);
    measured_cell(h, r, t, spec, true);
    lct_html_raw(h, "</tr>\n");
}

static void hypotheses_table(struct lct_html *h, const struct lct_results *r)
{
    bool any = false;

    for (size_t t = 0; t < lct_page_size(r, "tasks"); t++) {
        const size_t n = lct_page_size(r, "tasks.%zu.hypotheses", t);

        if (n > 0 && !any)
            lct_html_table_open(h, r, &hypotheses, NULL);
        any |= n > 0;
        for (size_t i = 0; i < n; i++)
            hypothesis_row(h, r, t, i);
    }
    if (any)
        lct_html_table_close(h);
}

/* ------------------------------------------------------------------ section */

static void introduce(struct lct_html *h, const struct lct_results *r, size_t t)
{
    const enum lct_message said[] = {
        is_true(r, t, "upto") ? MSG_TASK_LEAD_UP_TO : MSG_TASK_LEAD,
        isfinite(lct_page_value(r, "tasks.%zu.chance", t)) ? MSG_TASK_CHANCE
                                                           : MSG_NONE
    };
    const char *const text[] = { lct_page_task_text(r, t, "metric"),
                                 lct_page_task_text(r, t, "unit"),
                                 lct_page_task_text(r, t, "model") };
    char at[32];

    lct_html_print(h, "<h3>%s ", lct_page_task_text(r, t, "task"));
    lct_html_message_translated(h, lct_page_task_text(r, t, "title"));
    lct_html_raw(h, "</h3>\n<p><cite>");
    lct_html_message_translated(h, lct_page_task_text(r, t, "definition"));
    lct_html_raw(h, "</cite></p>\n<p>");
    snprintf(at, sizeof at, "tasks.%zu", t);
    lct_html_message_all(h, r, at, said, 2, text);
    lct_html_raw(h, "</p>\n");
}

static locant_status show_tasks(struct lct_html *h, const struct lct_results *r,
                                bool controls)
{
    for (size_t t = 0; t < lct_page_size(r, "tasks"); t++) {
        if (is_true(r, t, "control") != controls)
            continue;
        introduce(h, r, t);
        LCT_TRY(lct_page_task_figures(h, r, t));
        scores_table(h, r, t);
    }
    return lct_html_status(h);
}

static bool has_controls(const struct lct_results *r)
{
    for (size_t t = 0; t < lct_page_size(r, "tasks"); t++)
        if (is_true(r, t, "control"))
            return true;
    return false;
}

locant_status lct_page_tasks(struct lct_html *h, const struct lct_results *r)
{
    lct_html_message_in(h, "<p>", MSG_TASKS_LEAD, "</p>\n");
    LCT_TRY(show_tasks(h, r, false));
    hypotheses_table(h, r);
    if (!has_controls(r))
        return lct_html_status(h);
    lct_html_message_in(h, "<section class=\"card\" id=\"controls\"><h3>",
                        MSG_CONTROLS, "</h3>\n<p>");
    lct_html_message_in(h, "", MSG_CONTROLS_LEAD, "</p>\n");
    LCT_TRY(show_tasks(h, r, true));
    lct_html_raw(h, "</section>\n");
    return lct_html_status(h);
}
