/*
 * page_extension.c - reading beyond the trained length: the section of the job
 * 'report --with extension', from the numbers that --json prints too.
 */
#include "page_extension.h"
#include "words.h"
#include <inttypes.h>
#include <stdio.h>

bool lct_page_has_extension(const struct lct_results *r)
{
    return r->extension != NULL;
}

static int factors_of(const struct lct_results *r)
{
    return lct_page_extension_rows(r, "lengths");
}

/* ------------------------------------------------------------------- tables */

static void length_headings(struct lct_html *h, const struct lct_results *r)
{
    lct_html_counts(h, r, "extension.lengths", 0, factors_of(r));
}

/* The trained length has a column of its own. */
static void trained_heading(struct lct_html *h, const struct lct_results *r)
{
    lct_html_raw(h, "<th scope=\"col\">");
    lct_page_count(h, r, "extension.trained_length");
    lct_html_raw(h, "</th>");
}

static void row_head(struct lct_html *h, const struct lct_results *r,
                     const char *list, int i, const char *source)
{
    lct_html_raw(h, "<tr><th scope=\"row\">");
    lct_html_word(h, lct_page_extension_text(r, list, i, "title"));
    lct_html_raw(h, "<small><code>");
    lct_html_text(h, lct_page_extension_text(r, list, i, "spec"));
    lct_html_raw(h, "</code>");
    if (source)
        lct_html_word(h, source);
    lct_html_raw(h, "</small></th>");
}

static void row_cells(struct lct_html *h, const struct lct_results *r,
                      const char *list, int i, const char *name,
                      bool difference)
{
    for (int f = 0; f < factors_of(r); f++)
        lct_html_interval(h, r, difference, "extension.%s.%d.%s.%" PRId64,
                          list, i, name, lct_page_extension_length(f));
}

static void short_cells(struct lct_html *h, const struct lct_results *r,
                        const char *list, int i)
{
    lct_html_interval(h, r, false, "extension.%s.%d.short", list, i);
    lct_html_interval(h, r, true, "extension.%s.%d.short_above_none", list, i);
}

static void loss_rows(struct lct_html *h, const struct lct_results *r,
                      const char *list, int n)
{
    length_headings(h, r);
    trained_heading(h, r);
    lct_html_column(h, "short, above none");
    lct_html_table_body(h);
    for (int i = 0; i < n; i++) {
        row_head(h, r, list, i,
                 lct_page_extension_text(r, list, i, "source"));
        row_cells(h, r, list, i, "loss", false);
        short_cells(h, r, list, i);
        lct_html_raw(h, "</tr>\n");
    }
    lct_html_table_end(h);
}

static void above_rows(struct lct_html *h, const struct lct_results *r,
                       const char *list, int n)
{
    length_headings(h, r);
    lct_html_column(h, "tokens per second");
    lct_html_column(h, "cost");
    lct_html_table_body(h);
    for (int i = 0; i < n; i++) {
        row_head(h, r, list, i, NULL);
        row_cells(h, r, list, i, "above_crop", true);
        lct_page_cell(h, r, LCT_COUNT, "extension.%s.%d.tokens_per_second",
                      list, i);
        lct_page_cell(h, r, 2, "extension.%s.%d.cost", list, i);
        lct_html_raw(h, "</tr>\n");
    }
    lct_html_table_end(h);
}

static void loss_tables(struct lct_html *h, const struct lct_results *r)
{
    lct_html_table(h, "Loss beyond the trained length, zero-shot", NULL);
    lct_html_word(h, "Zero-shot: loss in bits per byte on the same targets, by "
                     "context length in bytes, with 95 % intervals (bootstrap "
                     "over seeds and blocks). The last columns are short "
                     "inputs under what is used for the longest ones, and that "
                     "less the loss of the model as trained, in nats per byte. "
                     "Crop gives the model nothing but the bytes of its "
                     "trained length before each target.");
    lct_html_table_head(h);
    lct_html_column(h, "method");
    loss_rows(h, r, "methods", lct_extension_methods());
    lct_html_table(h, "What each method is above cropping, zero-shot", NULL);
    lct_html_word(h, "Zero-shot: the same less that of cropping, in nats per "
                     "byte; below zero, longer context is used. Speed is of "
                     "reading the longest inputs, of the fastest seed; cost is "
                     "the time against the model as trained. ReRoPE, "
                     "Self-Extend and StreamingLLM turn keys anew by distance, "
                     "or hide them.");
    lct_html_table_head(h);
    lct_html_column(h, "method");
    above_rows(h, r, "methods", lct_extension_methods());
}

static void tuned_tables(struct lct_html *h, const struct lct_results *r)
{
    lct_html_table(h, "Loss beyond the trained length, fine-tuned", NULL);
    lct_page_say(h, r, "Fine-tuned for {extension.tuned_steps} steps at a "
                       "constant tenth of the rate, on texts of "
                       "{extension.tuned.0.length} bytes, for a factor of "
                       "{extension.tuned_factor}; PoSE on "
                       "{extension.tuned.4.length} bytes that stand for as "
                       "many. Loss as above; beyond that factor nothing was "
                       "tuned.", NULL);
    lct_html_table_head(h);
    lct_html_column(h, "tuned with");
    loss_rows(h, r, "tuned", lct_extension_tunings());
    lct_html_table(h, "What each fine-tuned model is above cropping", NULL);
    lct_html_word(h, "Fine-tuned, less the loss of cropping the model as "
                     "trained, in nats per byte.");
    lct_html_table_head(h);
    lct_html_column(h, "tuned with");
    above_rows(h, r, "tuned", lct_extension_tunings());
}

static void share_cell(struct lct_html *h, const struct lct_results *r,
                       const char *path)
{
    lct_html_raw(h, "<td class=\"i\">");
    if (path)
        lct_html_share(h, r, true, path, "share");
    lct_html_raw(h, "</td>");
}

/* 'trained': where the share at the trained length is, or NULL. */
static void needle_row(struct lct_html *h, const struct lct_results *r,
                       const char *list, int i, const char *trained)
{
    char path[96];

    row_head(h, r, list, i, NULL);
    share_cell(h, r, trained);
    for (int f = 0; f < factors_of(r); f++) {
        snprintf(path, sizeof path, "extension.%s.%d.needle.%" PRId64, list, i,
                 lct_page_extension_length(f));
        share_cell(h, r, path);
    }
    lct_html_raw(h, "</tr>\n");
}

static void needle_table(struct lct_html *h, const struct lct_results *r)
{
    lct_html_table(h, "Needles found, zero-shot", NULL);
    lct_page_say(h, r, "Needles: four digits somewhere in a text of that "
                       "length, all of them right, with 95 % intervals "
                       "(Wilson). The models learned it in "
                       "{extension.needle_steps} steps at the trained length; "
                       "{extension.items} texts a seed.", NULL);
    lct_html_table_head(h);
    lct_html_column(h, "method");
    trained_heading(h, r);
    length_headings(h, r);
    lct_html_table_body(h);
    for (int i = 0; i < lct_extension_methods(); i++)
        needle_row(h, r, "methods", i,
                   i == 0 ? "extension.needle_trained" : NULL);
    lct_html_table_end(h);
}

static void tuned_needle_table(struct lct_html *h, const struct lct_results *r)
{
    char path[64];

    lct_html_table(h, "Needles found, fine-tuned", NULL);
    lct_page_say(h, r, "Fine-tuned: the same models trained on for "
                       "{extension.tuned_needle_steps} steps, on texts with a "
                       "needle of the lengths and at the rate of the other "
                       "fine-tunes, for a factor of {extension.tuned_factor}.",
                 NULL);
    lct_html_table_head(h);
    lct_html_column(h, "tuned with");
    trained_heading(h, r);
    length_headings(h, r);
    lct_html_table_body(h);
    for (int i = 0; i < lct_extension_tunings(); i++) {
        snprintf(path, sizeof path, "extension.tuned.%d.needle_short", i);
        needle_row(h, r, "tuned", i, path);
    }
    lct_html_table_end(h);
}

static void code_cell(struct lct_html *h, const char *text)
{
    lct_html_raw(h, "<td class=\"text\"><code>");
    lct_html_text(h, text);
    lct_html_raw(h, "</code></td>");
}

static void ordering_table(struct lct_html *h, const struct lct_results *r)
{
    static const char *const signs[] = { "\xe2\x89\x88", "=" };

    lct_html_table(h, "Orderings that others found, and those found here",
                   "words");
    lct_page_say(h, r, "Hypotheses: orders that larger models showed, beside "
                       "what was measured here, best first. $1 is between "
                       "neighbours whose paired difference cannot be told from "
                       "zero, $2 between equal ones.", signs);
    lct_html_table_head(h);
    lct_html_column(h, "setting");
    lct_html_column(h, "expected");
    lct_html_column(h, "measured");
    lct_html_column(h, "evidence");
    lct_html_table_body(h);
    for (int i = 0; i < lct_page_extension_rows(r, "orderings"); i++) {
        lct_html_raw(h, "<tr><th scope=\"row\">");
        lct_html_word(h, lct_page_extension_text(r, "orderings", i, "setting"));
        lct_html_raw(h, "</th>");
        code_cell(h, lct_page_extension_text(r, "orderings", i, "expected"));
        code_cell(h, lct_page_extension_text(r, "orderings", i, "measured"));
        code_cell(h, lct_page_extension_text(r, "orderings", i, "evidence"));
        lct_html_raw(h, "</tr>\n");
    }
    lct_html_table_end(h);
}

static void introduction(struct lct_html *h, const struct lct_results *r)
{
    const char *const model[] = {
        json_string_value(lct_numbers_at(r->numbers, "extension.model"))
    };

    lct_html_raw(h, "<p>");
    lct_page_say(h, r, "{extension.seeds} seeds of one model with rotary "
                       "positions (@1; heads of {extension.head_dim} "
                       "channels), trained for {extension.steps} steps on "
                       "texts of {extension.trained_length} bytes, and read "
                       "beyond: {extension.blocks} blocks of the test text. "
                       "The ramp of YaRN is linear in the pair's index, as in "
                       "its authors' code. Log n scales queries. The last "
                       "call took {extension.seconds} s for it.", model);
    if (lct_page_value(r, "extension.failures") > 0) {
        lct_html_raw(h, " ");
        lct_page_say(h, r, "{extension.failures} of the runs ended because "
                           "their loss stopped being finite; numbers are of "
                           "the others, undefined where there is none.", NULL);
    }
    lct_html_raw(h, "</p>\n");
}

locant_status lct_page_extension(struct lct_html *h,
                                 const struct lct_results *r)
{
    introduction(h, r);
    LCT_TRY(lct_page_extension_figures(h, r));
    loss_tables(h, r);
    tuned_tables(h, r);
    needle_table(h, r);
    tuned_needle_table(h, r);
    ordering_table(h, r);
    return lct_html_status(h);
}
