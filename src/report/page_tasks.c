/*
 * page_tasks.c - what models trained on tasks reached, from the numbers that
 * --json prints too.
 */
#include "page_tasks.h"
#include "words.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

bool lct_page_has_tasks(const struct lct_results *r)
{
    return r->n_tasks > 0;
}

/* ------------------------------------------------------------- the document */

static size_t tasks_of(const struct lct_results *r)
{
    return json_array_size(json_object_get(r->numbers, "tasks"));
}

double lct_page_real(const json_t *number)
{
    return json_is_number(number) ? json_number_value(number) : NAN;
}

const json_t *lct_page_task(const struct lct_results *r, size_t t)
{
    return json_array_get(json_object_get(r->numbers, "tasks"), t);
}

const char *lct_page_task_text(const struct lct_results *r, size_t t,
                               const char *key)
{
    const char *text =
        json_string_value(json_object_get(lct_page_task(r, t), key));

    return text ? text : "";
}

size_t lct_page_task_tests(const struct lct_results *r, size_t t)
{
    return json_array_size(json_object_get(lct_page_task(r, t), "tests"));
}

const json_t *lct_page_test(const struct lct_results *r, size_t t, size_t k)
{
    return json_array_get(json_object_get(lct_page_task(r, t), "tests"), k);
}

bool lct_page_task_row(size_t *out, const json_t *test, const char *spec)
{
    const json_t *rows = json_object_get(test, "rows");

    for (size_t i = 0; i < json_array_size(rows); i++) {
        const char *own = json_string_value(
            json_object_get(json_array_get(rows, i), "encoding"));

        if (own && strcmp(own, spec) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

bool lct_page_task_has(const struct lct_results *r, size_t t, size_t i)
{
    size_t unused;

    for (size_t k = 0; k < lct_page_task_tests(r, t); k++)
        if (lct_page_task_row(&unused, lct_page_test(r, t, k),
                              r->groups[i].spec))
            return true;
    return false;
}

static bool is_true(const struct lct_results *r, size_t t, const char *key)
{
    return json_is_true(json_object_get(lct_page_task(r, t), key));
}

/* ------------------------------------------------------------------- tables */

static void test_heading(struct lct_html *h, const struct lct_results *r,
                         size_t t, size_t k)
{
    const char *setting = json_string_value(
        json_object_get(lct_page_test(r, t, k), "setting"));
    char other[64];

    lct_html_raw(h, "<th scope=\"col\">");
    lct_page_count(h, r, "tasks.%zu.tests.%zu.length", t, k);
    lct_html_raw(h, "<small>");
    /* the items are told below */
    setting = setting && strncmp(setting, "items=", 6) != 0 ? setting : "";
    if (*setting) {
        snprintf(other, sizeof other, "%.*s", (int)strcspn(setting, ";"),
                 setting);
        lct_html_raw(h, "<code>");
        lct_html_text(h, other);
        lct_html_raw(h, "</code>");
    }
    lct_page_count(h, r, "tasks.%zu.tests.%zu.items", t, k);
    lct_html_word(h, " items");
    lct_html_raw(h, "</small></th>");
}

/* The store has no score where an encoding is not defined. */
static void no_score(struct lct_html *h, const struct lct_results *r, size_t i)
{
    lct_html_raw(h, "<span class=\"none\">");
    lct_html_word(h, r->groups[i].traits & LOCANT_TRAIT_LIMIT ? "undefined"
                                                            : "not scored");
    lct_html_raw(h, "</span>");
}

/* All numbers of a cell in one element, the mean on a line of its own: seeds
   that solve it and items without an error are not of losses. */
static void scores(struct lct_html *h, const struct lct_results *r,
                   const char *row)
{
    const double solved = lct_page_value(r, "%s.solved", row);
    const bool items = !isnan(lct_page_value(r, "%s.exact", row));
    const bool ends = items && !isnan(lct_page_value(r, "%s.low", row));

    lct_html_raw(h, "<td class=\"i\" data-number=\"");
    lct_html_text(h, row);
    lct_html_raw(h, isnan(solved) ? ".mean seeds" : ".mean solved seeds");
    lct_html_raw(h, items ? " exact" : "");
    lct_html_raw(h, ends ? " low high\">" : "\">");
    lct_html_number(h, lct_page_value(r, "%s.mean", row), 3);
    lct_html_raw(h, "\n");
    if (!isnan(solved)) {
        lct_html_number(h, solved, 2);
        lct_html_raw(h, " / ");
    }
    lct_html_count(h, llround(lct_page_value(r, "%s.seeds", row)));
    if (items) {
        lct_html_raw(h, "\n");
        lct_html_share_text(h, r, false, row, "exact");
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

    lct_html_table(h, "Scores of a task", NULL);
    lct_html_word(h, "In each cell: the mean over seeds; the share of seeds "
                     "that get 0.9 or more right, and how many seeds there "
                     "are; the share of items without an error, all seeds "
                     "together, with its 95 % interval (Wilson), which tells "
                     "of items, not of seeds.");
    lct_html_table_head(h);
    lct_html_column(h, "encoding");
    for (size_t k = 0; k < tests; k++)
        test_heading(h, r, t, k);
    lct_html_table_body(h);
    for (size_t i = 0; i < r->n; i++) {
        if (!lct_page_task_has(r, t, i))
            continue;
        lct_html_row_head(h, r, i);
        for (size_t k = 0; k < tests; k++)
            cell(h, r, t, k, i);
        lct_html_raw(h, "</tr>\n");
    }
    lct_html_table_end(h);
}

/* --------------------------------------------------------------- hypotheses */

/*
 * The test at the trained length, or the first at twice that or more, of those
 * that differ from training in nothing else; false: there is none.
 */
static bool find_test(size_t *out, const struct lct_results *r, size_t t,
                      bool beyond)
{
    const double trained = lct_page_value(r, "tasks.%zu.trained_length", t);

    for (size_t k = 0; k < lct_page_task_tests(r, t); k++) {
        const char *setting = json_string_value(
            json_object_get(lct_page_test(r, t, k), "setting"));
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

static void text_cell(struct lct_html *h, const json_t *one, const char *key)
{
    lct_html_raw(h, "<td class=\"text\">");
    lct_html_word(h, json_string_value(json_object_get(one, key)));
    lct_html_raw(h, "</td>");
}

static void hypothesis_row(struct lct_html *h, const struct lct_results *r,
                           size_t t, const json_t *one)
{
    const char *spec = json_string_value(json_object_get(one, "encoding"));

    lct_html_raw(h, "<tr><th scope=\"row\">");
    lct_html_text(h, lct_page_task_text(r, t, "task"));
    lct_html_raw(h, " <code>");
    lct_html_text(h, spec);
    lct_html_raw(h, "</code></th>");
    text_cell(h, one, "expected");
    text_cell(h, one, "reason");
    lct_html_raw(h, "<td>");
    lct_html_word(h, lct_page_task_text(r, t, "metric"));
    lct_html_raw(h, "</td>");
    measured_cell(h, r, t, spec, false);
    measured_cell(h, r, t, spec, true);
    lct_html_raw(h, "</tr>\n");
}

static void hypotheses_table(struct lct_html *h, const struct lct_results *r)
{
    size_t all = 0;

    for (size_t t = 0; t < tasks_of(r); t++)
        all += json_array_size(
            json_object_get(lct_page_task(r, t), "hypotheses"));
    if (all == 0)
        return;
    lct_html_table(h, "Hypotheses about the tasks", "words");
    lct_html_word(h, "Hypotheses: what follows from how an encoding works, or "
                     "what larger models showed, beside the mean over seeds "
                     "measured here. They are no test: of a model this small, "
                     "a hypothesis that fails says little against it.");
    lct_html_table_head(h);
    lct_html_column(h, "task, encoding");
    lct_html_column(h, "expected");
    lct_html_column(h, "reason");
    lct_html_column(h, "metric");
    lct_html_column(h, "measured at the trained length");
    lct_html_column(h, "measured at twice that or the next");
    lct_html_table_body(h);
    for (size_t t = 0; t < tasks_of(r); t++) {
        const json_t *list =
            json_object_get(lct_page_task(r, t), "hypotheses");

        for (size_t i = 0; i < json_array_size(list); i++)
            hypothesis_row(h, r, t, json_array_get(list, i));
    }
    lct_html_table_end(h);
}

/* ------------------------------------------------------------------ section */

/* A # would stand for a number in the list of words. */
static const char *definition_of(const struct lct_results *r, size_t t)
{
    const char *text = lct_page_task_text(r, t, "definition");

    return strchr(text, '#') == NULL
               ? text
               : "a sentence of 40 bytes over and over, a key of four digits "
                 "somewhere in it, then the question: say the digits";
}

static void introduce(struct lct_html *h, const struct lct_results *r,
                      size_t t)
{
    char form[400];
    const char *const text[] = { lct_page_task_text(r, t, "metric"),
                                 lct_page_task_text(r, t, "unit"),
                                 lct_page_task_text(r, t, "model") };

    lct_html_raw(h, "<h3>");
    lct_html_text(h, lct_page_task_text(r, t, "task"));
    lct_html_raw(h, " ");
    lct_html_word(h, lct_page_task_text(r, t, "title"));
    lct_html_raw(h, "</h3>\n<p><cite>");
    lct_html_word(h, definition_of(r, t));
    lct_html_raw(h, "</cite></p>\n<p>");
    snprintf(form, sizeof form,
             "Score: \\1. Trained for {tasks.%zu.steps} steps of "
             "{tasks.%zu.batch} rows at %s {tasks.%zu.trained_length} (\\2). "
             "On this task, at {tasks.%zu.parameters} parameters (@3).",
             t, t, is_true(r, t, "upto") ? "lengths up to" : "length", t, t);
    lct_page_say(h, r, form, text);
    snprintf(form, sizeof form,
             " Of guessed answers, {tasks.%zu.chance:3} are right.", t);
    if (isfinite(lct_page_value(r, "tasks.%zu.chance", t)))
        lct_page_say(h, r, form, NULL);
    lct_html_raw(h, "</p>\n");
}

static locant_status show_tasks(struct lct_html *h,
                                const struct lct_results *r, bool controls)
{
    for (size_t t = 0; t < tasks_of(r); t++) {
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
    for (size_t t = 0; t < tasks_of(r); t++)
        if (is_true(r, t, "control"))
            return true;
    return false;
}

locant_status lct_page_tasks(struct lct_html *h, const struct lct_results *r)
{
    lct_html_raw(h, "<p>");
    lct_html_word(h, "Models of these encodings trained on tasks that the "
                     "store has scores of: answers alone are scored. A task "
                     "is found out or not, so seeds lie far apart and each is "
                     "a dot.");
    lct_html_raw(h, "</p>\n");
    LCT_TRY(show_tasks(h, r, false));
    hypotheses_table(h, r);
    if (!has_controls(r))
        return lct_html_status(h);
    lct_html_raw(h, "<section class=\"card\" id=\"controls\"><h3>");
    lct_html_word(h, "Negative controls");
    lct_html_raw(h, "</h3>\n<p>");
    lct_html_word(h, "Models of this size are expected to fail at these tasks "
                     "with every encoding, at the latest beyond the trained "
                     "length. They rank nothing; one that succeeds would be "
                     "news, or a mistake in the test.");
    lct_html_raw(h, "</p>\n");
    LCT_TRY(show_tasks(h, r, true));
    lct_html_raw(h, "</section>\n");
    return lct_html_status(h);
}
