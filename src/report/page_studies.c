/*
 * page_studies.c - the page that compares two studies: what the tests show,
 * settings, losses, orders. It has no script: it can be printed or sent alone.
 */
#include "page_studies.h"
#include "../files/io.h"
#include "../figure/inline.h"
#include "cell.h"
#include "html_message.h"
#include "html_table.h"
#include "page.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 64, LENGTHS = LOCANT_EVAL_LENGTHS };

static bool is_true(const struct lct_results *r, const char *key)
{
    return json_is_true(lct_page_at(r, "%s", key));
}

/* ----------------------------------------------------------------- findings */

/* What the test of a row shows at a length. */
enum finding { HIGHER, LOWER, NOTHING_SHOWN, NOT_TESTED, FINDINGS };

static enum finding find(const struct lct_results *r, size_t row, long length)
{
    const double p =
        lct_page_value(r, "rows.%zu.loss.%ld.corrected", row, length);

    if (isnan(p))
        return NOT_TESTED;
    if (!(p < LCT_ALPHA))
        return NOTHING_SHOWN;
    return lct_page_value(r, "rows.%zu.loss.%ld.mean", row, length) > 0 ? HIGHER
                                                                        : LOWER;
}

/* The sentences of a length, each with its encodings. */
static void put_findings(struct lct_html *h, const struct lct_results *r, int k)
{
    static const enum lct_message sentences[FINDINGS] = {
        MSG_STUDIES_HIGHER, MSG_STUDIES_LOWER, MSG_STUDIES_NOTHING_SHOWN,
        MSG_STUDIES_NOT_TESTED
    };
    const long length = 128L << k;

    lct_html_raw(h, "<li>");
    lct_html_message_in(h, "", MSG_STUDIES_AT, " ");
    lct_page_count(h, r, "lengths.%d", k);
    for (int f = 0; f < FINDINGS; f++) {
        struct lct_html list = { .data = NULL };

        for (size_t i = 0; i < lct_page_size(r, "rows"); i++)
            if (find(r, i, length) == (enum finding)f)
                lct_html_format(&list, "%s%s", list.size ? "\n" : "",
                                lct_page_text(r, "rows.%zu.encoding", i));
        lct_html_append(&list, "", 1);
        if (list.size > 1 && !list.failed) {
            const char *const text[] = { list.data };

            lct_html_message_values(h, r, sentences[f], text);
        }
        h->failed |= list.failed;
        lct_html_free(&list);
    }
    lct_html_raw(h, "</li>\n");
}

static void put_verdict(struct lct_html *h, const struct lct_results *r)
{
    const bool same =
        lct_page_value(r, "losses") > 0 &&
        lct_page_value(r, "identical") == lct_page_value(r, "losses");

    lct_html_raw(h, "<section class=\"verdict\"><p>");
    if (!is_true(r, "claims"))
        lct_html_message(h, MSG_STUDIES_BROKEN);
    else if (!is_true(r, "same_text"))
        lct_html_message(h, MSG_STUDIES_OTHER_TEXT);
    else
        lct_html_message_values(h, r, MSG_STUDIES_TESTED, NULL);
    if (same) {
        lct_html_raw(h, "</p>\n<p>");
        lct_html_message_values(h, r, MSG_STUDIES_IDENTICAL, NULL);
    }
    lct_html_raw(h, "</p>\n");
    if (is_true(r, "claims") && is_true(r, "same_text")) {
        lct_html_raw(h, "<ul>\n");
        for (int k = 0; k < LENGTHS; k++)
            put_findings(h, r, k);
        lct_html_raw(h, "</ul>\n");
    }
    if (is_true(r, "same_text") && !is_true(r, "same_tokens"))
        lct_html_message_in(h, "<p>", MSG_STUDIES_OTHER_TOKENS, "</p>\n");
    else if (is_true(r, "same_tokens") && !is_true(r, "same_protocol"))
        lct_html_message_in(h, "<p>", MSG_STUDIES_OTHER_BLOCKS, "</p>\n");
    lct_html_raw(h, "</section>\n");
}

/* ----------------------------------------------------------------- settings */

static enum lct_message name_of(const char *setting)
{
    static const struct {
        const char *setting;
        enum lct_message name;
    } names[] = {
        { "preset", MSG_PRESET },
        { "runs", MSG_RUNS_CHOSEN },
        { "seeds", MSG_SEEDS },
        { "steps", MSG_STUDIES_STEPS },
        { "optimizer", MSG_OPTIMIZER },
        { "batch", MSG_STUDIES_BATCH },
        { "length", MSG_STUDIES_LENGTH },
        { "vocabulary", MSG_STUDIES_VOCABULARY },
        { "model", MSG_MODEL },
        { "corpus", MSG_STUDIES_TEXT },
        { "sha256", MSG_STUDIES_SHA256 },
        { "blocks", MSG_STUDIES_BLOCKS },
        { "failed", MSG_STUDIES_FAILED },
        { "cpu", MSG_CPU },
        { "isa", MSG_INSTRUCTION_SET },
        { "threads", MSG_THREADS },
        { "compiler", MSG_COMPILER },
        { "commit", MSG_COMMIT },
        { "date", MSG_DATE },
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].setting, setting) == 0)
            return names[i].name;
    return MSG_MODEL;
}

static void put_setting(struct lct_html *h, const struct lct_results *r,
                        size_t i)
{
    lct_html_raw(h, "<tr><th scope=\"row\">");
    lct_html_message(h, name_of(lct_page_text(r, "settings.%zu.setting", i)));
    lct_html_raw(h, "</th>");
    for (int s = 0; s < 2; s++) {
        const char *text =
            lct_page_text(r, s ? "settings.%zu.b" : "settings.%zu.a", i);

        /* digits of settings are not measurements */
        lct_html_print(h, "<td class=\"text fact\">%s</td>",
                       text ? text : "\xe2\x80\x93");
    }
    lct_html_raw(h, "<td>");
    if (json_is_true(lct_page_at(r, "settings.%zu.differs", i)))
        lct_html_message_in(h, "<strong>", MSG_STUDIES_DIFFERS, "</strong>");
    lct_html_raw(h, "</td></tr>\n");
}

static void put_settings(struct lct_html *h, const struct lct_results *r)
{
    static const struct lct_column columns[] = {
        LCT_HEADING(MSG_STUDIES_A), LCT_HEADING(MSG_STUDIES_B),
        LCT_HEADING(MSG_STUDIES_DIFFERENT)
    };
    static const struct lct_html_table table = { MSG_STUDIES_SETTINGS,
                                                 MSG_STUDIES_SETTINGS_CAPTION,
                                                 "words", MSG_STUDIES_SETTING,
                                                 LCT_COLUMNS(columns) };

    lct_html_table_open(h, r, &table, NULL);
    for (size_t i = 0; i < lct_page_size(r, "settings"); i++)
        put_setting(h, r, i);
    lct_html_table_close(h);
}

/* ------------------------------------------------------------------- losses */

/* The two losses and, below them, the difference with its test. */
static void put_losses(struct lct_html *h, const struct lct_results *r,
                       size_t row, int k)
{
    const long length = 128L << k;
    const enum finding f = find(r, row, length);
    const bool clear = is_true(r, "claims") && (f == HIGHER || f == LOWER);
    char mean[PATH_BYTES], half[PATH_BYTES];

    snprintf(mean, sizeof mean, "rows.%zu.loss.%ld.mean", row, length);
    snprintf(half, sizeof half, "rows.%zu.loss.%ld.half", row, length);
    lct_html_raw(h, "<td>");
    lct_page_number(h, r, 3, "rows.%zu.loss.%ld.a", row, length);
    lct_html_raw(h, "<br>");
    lct_page_number(h, r, 3, "rows.%zu.loss.%ld.b", row, length);
    if (!isnan(lct_page_value(r, "%s", mean))) {
        lct_html_raw(h, clear ? "<br><strong>" : "<br>");
        lct_cell_half(h, r, true, mean, half);
        lct_html_raw(h, clear ? "</strong>" : "");
    }
    if (f != NOT_TESTED) {
        lct_html_raw(h, "<br><small>p ");
        lct_page_number(h, r, 3, "rows.%zu.loss.%ld.corrected", row, length);
        lct_html_raw(h, "</small>");
    }
    lct_html_raw(h, "</td>");
}

static void put_row(struct lct_html *h, const struct lct_results *r, size_t i)
{
    lct_html_print(h, "<tr><th scope=\"row\"><code>%s</code></th><td>",
                   lct_page_text(r, "rows.%zu.encoding", i));
    lct_page_count(h, r, "rows.%zu.seeds_a", i);
    lct_html_raw(h, ", ");
    lct_page_count(h, r, "rows.%zu.seeds_b", i);
    lct_html_raw(h, "<br>");
    if (json_is_true(lct_page_at(r, "rows.%zu.paired", i))) {
        lct_html_message_in(h, "<small>", MSG_STUDIES_PAIRED, " ");
        lct_page_count(h, r, "rows.%zu.pairs", i);
        lct_html_raw(h, "</small>");
    } else if (is_true(r, "same_text")) {
        lct_html_message_in(h, "<small>", MSG_STUDIES_UNPAIRED, "</small>");
    }
    lct_html_raw(h, "</td>");
    for (int k = 0; k < LENGTHS; k++)
        put_losses(h, r, i, k);
    lct_html_raw(h, "</tr>\n");
}

static void put_table(struct lct_html *h, const struct lct_results *r)
{
    static const struct lct_column columns[] = {
        LCT_HEADING(MSG_SEEDS), { .each = "lengths", .path = "" }
    };
    const struct lct_html_table table = { MSG_STUDIES_LOSSES,
                                          is_true(r, "same_text")
                                              ? MSG_STUDIES_LOSSES_CAPTION
                                              : MSG_STUDIES_LOSSES_ALONE,
                                          NULL, MSG_ENCODING,
                                          LCT_COLUMNS(columns) };

    lct_html_table_open(h, r, &table, NULL);
    for (size_t i = 0; i < lct_page_size(r, "rows"); i++)
        put_row(h, r, i);
    lct_html_table_close(h);
}

/* Encodings of one study only. */
static void put_only(struct lct_html *h, const struct lct_results *r,
                     const char *key, enum lct_message id)
{
    struct lct_html list = { .data = NULL };

    for (size_t i = 0; i < lct_page_size(r, "%s", key); i++)
        lct_html_format(&list, "%s%s", i ? "\n" : "",
                        lct_page_text(r, "%s.%zu", key, i));
    if (list.size > 0) {
        lct_html_append(&list, "", 1);
        if (!list.failed) {
            const char *const text[] = { list.data };

            lct_html_raw(h, "<p>");
            lct_html_message_values(h, r, id, text);
            lct_html_raw(h, "</p>\n");
        }
    }
    h->failed |= list.failed;
    lct_html_free(&list);
}

/* ------------------------------------------------------------------- orders */

static void put_opposed(struct lct_html *h, const struct lct_results *r,
                        size_t i)
{
    for (size_t k = 0; k < lct_page_size(r, "orders.%zu.opposed", i); k++)
        lct_html_print(h, "%s<code>%s</code> &lt; <code>%s</code>",
                       k ? "<br>" : "",
                       lct_page_text(r, "orders.%zu.opposed.%zu.first", i, k),
                       lct_page_text(r, "orders.%zu.opposed.%zu.second", i, k));
}

static void put_orders(struct lct_html *h, const struct lct_results *r)
{
    static const struct lct_column columns[] = {
        LCT_HEADING(MSG_STUDIES_TAU), LCT_HEADING(MSG_STUDIES_SWAPPED),
        LCT_HEADING(MSG_STUDIES_AGREED), LCT_HEADING(MSG_STUDIES_OPPOSED)
    };
    static const struct lct_html_table table = { MSG_STUDIES_ORDERS,
                                                 MSG_STUDIES_ORDERS_CAPTION,
                                                 NULL, MSG_STUDIES_CONTEXT,
                                                 LCT_COLUMNS(columns) };

    lct_html_table_open(h, r, &table, NULL);
    for (size_t i = 0; i < lct_page_size(r, "orders"); i++) {
        lct_html_raw(h, "<tr><th scope=\"row\">");
        lct_page_count(h, r, "orders.%zu.length", i);
        lct_html_raw(h, "</th>");
        lct_page_cell(h, r, 1, LCT_WITH_SIGN + 2, "orders.%zu.tau", i);
        lct_html_raw(h, "<td>");
        lct_page_count(h, r, "orders.%zu.swapped", i);
        lct_html_raw(h, " / ");
        lct_page_count(h, r, "orders.%zu.pairs", i);
        lct_html_raw(h, "</td>");
        lct_page_cell(h, r, 1, LCT_NO_DECIMALS, "orders.%zu.agreed", i);
        lct_html_raw(h, "<td class=\"text fact\">");
        put_opposed(h, r, i);
        lct_html_raw(h, "</td></tr>\n");
    }
    lct_html_table_close(h);
}

/* --------------------------------------------------------------------- page */

static void body(struct lct_html *h, const struct lct_results *r)
{
    const char *const names[] = { lct_page_text(r, "names.a"),
                                  lct_page_text(r, "names.b") };

    lct_html_message_in(h, "<header><h1>", MSG_STUDIES_HEADING,
                        "</h1>\n<p class=\"lead\">");
    lct_html_message_values(h, r, MSG_STUDIES_LEAD, names);
    lct_html_raw(h, "</p></header>\n");
    put_verdict(h, r);
    lct_html_message_in(h, "<h2>", MSG_STUDIES_SETTINGS, "</h2>\n");
    put_settings(h, r);
    lct_html_message_in(h, "<h2>", MSG_STUDIES_LOSSES, "</h2>\n");
    put_table(h, r);
    put_only(h, r, "only_a", MSG_STUDIES_ONLY_A);
    put_only(h, r, "only_b", MSG_STUDIES_ONLY_B);
    lct_html_message_in(h, "<h2>", MSG_STUDIES_ORDERS, "</h2>\n");
    put_orders(h, r);
}

locant_status lct_page_studies_write(const char *path, const json_t *numbers)
{
    const struct lct_results r = { .numbers = (json_t *)numbers };
    struct lct_html h = { .data = NULL };
    locant_status status;

    lct_page_open(&h, "Two studies compared · 两项研究的对比");
    lct_html_raw(&h, "<main id=\"main\" tabindex=\"-1\">\n");
    body(&h, &r);
    lct_html_raw(&h, "</main>\n</body>\n</html>\n");
    status = lct_html_status(&h);
    if (status == LOCANT_OK)
        status = lct_write_file(path, &(struct lct_piece){ h.data, h.size }, 1);
    lct_html_free(&h);
    return status;
}
