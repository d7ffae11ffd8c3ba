/*
 * page_extension.c - reading beyond the trained length: the section of the job
 * 'report --with extension', from the numbers that --json prints too.
 */
#include "../lab/extension.h"
#include "page.h"
#include "words.h"
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool lct_page_has_extension(const struct lct_results *r)
{
    return r->extension != NULL;
}

static const char *text_at(const struct lct_results *r, const char *list,
                           int i, const char *key)
{
    char path[96];

    snprintf(path, sizeof path, "extension.%s.%d.%s", list, i, key);
    return json_string_value(lct_numbers_at(r->numbers, path));
}

static int64_t length_at(int f)
{
    return lct_extension_factor(f) * LCT_EXT_TRAINED;
}

/* ------------------------------------------------------------------- tables */

static void length_headings(struct lct_html *h, const struct lct_results *r)
{
    for (int f = 0; f < r->extension->plan->factors; f++) {
        lct_html_raw(h, "<th scope=\"col\">");
        lct_page_count(h, r, "extension.lengths.%d", f);
        lct_html_raw(h, "</th>");
    }
}

static void row_head(struct lct_html *h, const struct lct_results *r,
                     const char *list, int i)
{
    lct_html_raw(h, "<tr><th scope=\"row\">");
    lct_html_word(h, text_at(r, list, i, "title"));
    lct_html_raw(h, "<br><small><code>");
    lct_html_text(h, text_at(r, list, i, "spec"));
    lct_html_raw(h, "</code></small></th>");
}

/* mean, and its interval below; a difference has its sign. */
static void interval_cell(struct lct_html *h, const struct lct_results *r,
                          bool difference, const char *path)
{
    lct_html_raw(h, "<td>");
    if (difference)
        lct_page_signed(h, r, 3, "%s.mean", path);
    else
        lct_page_number(h, r, 3, "%s.mean", path);
    if (!isnan(lct_page_value(r, "%s.low", path))) {
        lct_html_raw(h, "<br><small>[");
        lct_page_number(h, r, 3, "%s.low", path);
        lct_html_raw(h, ", ");
        lct_page_number(h, r, 3, "%s.high", path);
        lct_html_raw(h, "]</small>");
    }
    lct_html_raw(h, "</td>");
}

static void row_cells(struct lct_html *h, const struct lct_results *r,
                      const char *list, int i, const char *name,
                      bool difference)
{
    char path[96];

    for (int f = 0; f < r->extension->plan->factors; f++) {
        snprintf(path, sizeof path, "extension.%s.%d.%s.%" PRId64, list, i,
                 name, length_at(f));
        interval_cell(h, r, difference, path);
    }
}

static void short_cells(struct lct_html *h, const struct lct_results *r,
                        const char *list, int i)
{
    char path[96];

    snprintf(path, sizeof path, "extension.%s.%d.short", list, i);
    interval_cell(h, r, false, path);
    snprintf(path, sizeof path, "extension.%s.%d.short_above_none", list, i);
    interval_cell(h, r, true, path);
}

static void loss_rows(struct lct_html *h, const struct lct_results *r,
                      const char *list, int n)
{
    length_headings(h, r);
    lct_html_raw(h, "<th scope=\"col\">");
    lct_page_count(h, r, "extension.trained_length");
    lct_html_raw(h, "</th>");
    lct_html_column(h, "short, above none");
    lct_html_table_body(h);
    for (int i = 0; i < n; i++) {
        row_head(h, r, list, i);
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
        row_head(h, r, list, i);
        row_cells(h, r, list, i, "above_crop", true);
        lct_html_raw(h, "<td>");
        lct_page_count(h, r, "extension.%s.%d.tokens_per_second", list, i);
        lct_html_raw(h, "</td><td>");
        lct_page_number(h, r, 2, "extension.%s.%d.cost", list, i);
        lct_html_raw(h, "</td></tr>\n");
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

static void share(struct lct_html *h, const struct lct_results *r,
                  const char *path)
{
    lct_page_scaled(h, r, 100, 0, "%s.share", path);
    lct_html_raw(h, " %<br><small>[");
    lct_page_scaled(h, r, 100, 0, "%s.low", path);
    lct_html_raw(h, ", ");
    lct_page_scaled(h, r, 100, 0, "%s.high", path);
    lct_html_raw(h, "]</small>");
}

static void needle_row(struct lct_html *h, const struct lct_results *r, int i)
{
    char path[96];

    row_head(h, r, "methods", i);
    lct_html_raw(h, "<td>");
    if (i == 0)
        share(h, r, "extension.needle_trained");
    lct_html_raw(h, "</td>");
    for (int f = 0; f < r->extension->plan->factors; f++) {
        lct_html_raw(h, "<td>");
        snprintf(path, sizeof path, "extension.methods.%d.needle.%" PRId64, i,
                 length_at(f));
        share(h, r, path);
        lct_html_raw(h, "</td>");
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
    lct_html_raw(h, "<th scope=\"col\">");
    lct_page_count(h, r, "extension.trained_length");
    lct_html_raw(h, "</th>");
    length_headings(h, r);
    lct_html_table_body(h);
    for (int i = 0; i < lct_extension_methods(); i++)
        needle_row(h, r, i);
    lct_html_table_end(h);
}

static void code_cell(struct lct_html *h, const char *text)
{
    lct_html_raw(h, "<td><code>");
    lct_html_text(h, text);
    lct_html_raw(h, "</code></td>");
}

static void ordering_table(struct lct_html *h, const struct lct_results *r)
{
    static const char *const signs[] = { "\xe2\x89\x88", "=" };

    lct_html_table(h, "Orderings that others found, and those found here",
                   NULL);
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
    for (int i = 0; text_at(r, "orderings", i, "setting"); i++) {
        lct_html_raw(h, "<tr><th scope=\"row\">");
        lct_html_word(h, text_at(r, "orderings", i, "setting"));
        lct_html_raw(h, "</th>");
        code_cell(h, text_at(r, "orderings", i, "expected"));
        code_cell(h, text_at(r, "orderings", i, "measured"));
        code_cell(h, text_at(r, "orderings", i, "evidence"));
        lct_html_raw(h, "</tr>\n");
    }
    lct_html_table_end(h);
}

/* ------------------------------------------------------------------ figures */

enum { MOST = 24, POINTS = LCT_EXT_BUCKETS };

struct lines {
    locant_series series[MOST];
    double x[MOST][POINTS], y[MOST][POINTS], low[MOST][LCT_EXT_FACTORS],
        high[MOST][LCT_EXT_FACTORS];
    size_t n;
};

static locant_series *add(struct lines *l, const char *label, size_t points)
{
    const size_t i = l->n++;

    l->series[i] = (locant_series){.label = label, .n = points, .x = l->x[i],
                                   .y = l->y[i], .color = (int)(i % 9),
                                   .dashed = (int)(i / 9) * 3};
    return &l->series[i];
}

/* Loss, or share of needles, of each row by length. */
static void add_rows(struct lines *l, const struct lct_results *r,
                     const char *list, int n, bool needle)
{
    const int factors = r->extension->plan->factors;

    for (int i = 0; i < n; i++) {
        const size_t at = l->n;
        locant_series *s = add(l, text_at(r, list, i, "title"),
                               (size_t)factors);

        s->marks = 1;
        if (!needle) {
            s->low = l->low[at];
            s->high = l->high[at];
        }
        for (int f = 0; f < factors; f++) {
            char path[96];

            snprintf(path, sizeof path, "extension.%s.%d.%s.%" PRId64, list, i,
                     needle ? "needle" : "loss", length_at(f));
            l->x[at][f] = (double)length_at(f);
            l->y[at][f] =
                needle ? 100 * lct_page_value(r, "%s.share", path)
                       : lct_page_value(r, "%s.mean", path);
            l->low[at][f] = lct_page_value(r, "%s.low", path);
            l->high[at][f] = lct_page_value(r, "%s.high", path);
        }
    }
}

static void add_positions(struct lines *l, const struct lct_results *r)
{
    const int64_t longest = length_at(r->extension->plan->factors - 1);
    const int64_t n = longest / LCT_EXT_BUCKET;

    for (int i = 0; i < lct_extension_methods(); i++) {
        const size_t at = l->n;

        if (lct_extension_method(i)->crop)
            continue;
        add(l, text_at(r, "methods", i, "title"), (size_t)n);
        for (int64_t k = 0; k < n; k++) {
            l->x[at][k] = ((double)k + .5) * LCT_EXT_BUCKET;
            l->y[at][k] = lct_page_value(
                r, "extension.methods.%d.position.%" PRId64, i, k);
        }
    }
}

static locant_status put(struct lct_html *h, const struct lct_results *r,
                         struct lines *l, const char *const text[5])
{
    locant_mark mark = lct_trained_mark(r);
    locant_figure f = LOCANT_FIGURE_INIT;

    mark.x = LCT_EXT_TRAINED;
    f.name = text[0];
    f.title = text[1];
    f.x_label = strstr(text[0], "position") ? "position (bytes from the start)"
                                            : "context length (bytes)";
    f.y_label = text[2];
    f.width = 760;
    f.height = 460;
    f.log_x = strstr(text[0], "position") == NULL;
    f.series = l->series;
    f.n_series = l->n;
    f.marks = &mark;
    f.n_marks = 1;
    return lct_page_figure(h, r, &f, text[3], text[4], 0);
}

static const char *const zero_shot[5] = {
    "extension", "Loss beyond the trained length, zero-shot",
    "loss (bits/byte)",
    "Loss on the same targets by context length, a line for each method.",
    "Loss on the same targets by what the model is given, with 95 % intervals. "
    "Crop is the same at every length. On this corpus, with the models named "
    "above."
};
static const char *const after[5] = {
    "extension-tuned", "Loss beyond the trained length, fine-tuned",
    "loss (bits/byte)",
    "Loss on the same targets by context length after a short fine-tune.",
    "The same after a short fine-tune for four times the trained length."
};
static const char *const by_position[5] = {
    "extension-position", "Loss by position, zero-shot", "loss (bits/byte)",
    "Loss by position in the longest texts, a line for each method.",
    "Mean loss of the longest texts, by position in buckets."
};
static const char *const needles[5] = {
    "extension-needle", "Needles found, zero-shot", "needles found (per cent)",
    "Share of needles found by length of the text, a line for each method.",
    "Needles found, of all depths."
};

static locant_status figures(struct lct_html *h, const struct lct_results *r,
                             struct lines *l)
{
    add_rows(l, r, "methods", lct_extension_methods(), false);
    LCT_TRY(put(h, r, l, zero_shot));
    l->n = 0;
    add_rows(l, r, "tuned", lct_extension_tunings(), false);
    LCT_TRY(put(h, r, l, after));
    l->n = 0;
    add_positions(l, r);
    LCT_TRY(put(h, r, l, by_position));
    l->n = 0;
    add_rows(l, r, "methods", lct_extension_methods(), true);
    return put(h, r, l, needles);
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
                       "its authors' code. Log n warms queries. The job took "
                       "{extension.seconds} seconds.", model);
    lct_html_raw(h, "</p>\n");
}

locant_status lct_page_extension(struct lct_html *h,
                                 const struct lct_results *r)
{
    struct lines *l = locant_alloc(sizeof *l);
    locant_status status;

    if (l == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "report: no memory for figures");
    introduction(h, r);
    status = figures(h, r, l);
    locant_release(l);
    LCT_TRY(status);
    loss_tables(h, r);
    tuned_tables(h, r);
    needle_table(h, r);
    ordering_table(h, r);
    return lct_html_status(h);
}
