/*
 * page_protocols.c - the same models by the other protocols, and evaluated
 * under other specs than they were trained with.
 */
#include "../figure/figure.h"
#include "../figure/inline.h"
#include "page.h"
#include "words.h"
#include <stdio.h>
#include <string.h>

enum { N = LOCANT_EVAL_LENGTHS };

/* ------------------------------------------------------------------ tables */

static void begin_table(struct lct_html *h, const char *label,
                        const char *caption)
{
    lct_html_table(h, label, NULL);
    lct_html_word(h, caption);
}

static void length_columns(struct lct_html *h, const struct lct_results *r,
                           int first)
{
    lct_html_counts(h, r, "protocol.lengths", first, N - first);
}

/* Ends the caption; columns 'first' and on are lengths. */
static void begin_rows(struct lct_html *h, const struct lct_results *r,
                       int first)
{
    lct_html_table_head(h);
    lct_html_column(h, "encoding");
    length_columns(h, r, first);
    lct_html_table_body(h);
}

/* What lies at rows.i.part.<length k>, over the interval of 'whose'. */
static void cell(struct lct_html *h, const struct lct_results *r, size_t i,
                 const char *part, const char *whose, int k, bool sign)
{
    const long long length = lct_length(r, k);
    char own[64], other[64];

    snprintf(own, sizeof own, "rows.%zu.%s.%lld", i, part, length);
    snprintf(other, sizeof other, "rows.%zu.%s.%lld", i, whose, length);
    lct_html_interval_of(h, r, sign, own, other);
}

static void table(struct lct_html *h, const struct lct_results *r,
                  const char *label, const char *caption, const char *part,
                  const char *whose, int first, bool sign)
{
    begin_table(h, label, caption);
    begin_rows(h, r, first);
    for (size_t i = 0; i < r->n; i++) {
        lct_html_row_head(h, r, i);
        for (int k = first; k < N; k++)
            cell(h, r, i, part, whose, k, sign);
        lct_html_raw(h, "</tr>\n");
    }
    lct_html_table_end(h);
}

static void policies_table(struct lct_html *h, const struct lct_results *r)
{
    static const struct {
        const char *name;
        enum lct_measure measure;
    } policies[] = {
        { "clamp", LCT_CLAMP }, { "wrap", LCT_WRAP },
        { "resample", LCT_RESAMPLE },
    };

    begin_table(h, "Beyond the end of a learned table",
                "A learned table has no rows beyond the trained length: there "
                "its loss is undefined. These are three ways to give it some "
                "without training, loss in bits per byte with 95 % intervals. "
                "clamp: its last row again and again; wrap: its rows from the "
                "first on; resample: its rows drawn out over the whole window, "
                "linearly, ends on ends.");
    lct_html_table_head(h);
    lct_html_column(h, "encoding");
    lct_html_column(h, "policy");
    length_columns(h, r, 1);
    lct_html_table_body(h);
    for (size_t i = 0; i < r->n; i++)
        for (size_t p = 0; p < sizeof policies / sizeof policies[0]; p++) {
            if (r->groups[i].n == 0 ||
                !r->groups[i].results[0].more[policies[p].measure])
                continue;
            lct_html_row_head(h, r, i);
            lct_html_raw(h, "<td>");
            lct_html_text(h, policies[p].name);
            lct_html_raw(h, "</td>");
            for (int k = 1; k < N; k++)
                cell(h, r, i, policies[p].name, policies[p].name, k, false);
            lct_html_raw(h, "</tr>\n");
        }
    lct_html_table_end(h);
}

static void cache_table(struct lct_html *h, const struct lct_results *r)
{
    lct_html_table(h, "What longer text has to give", NULL);
    lct_page_say(h, r,
                 "A reference without a neural network: the n-gram of order "
                 "{cache.order} mixed with one counted on the context alone (a "
                 "cache; weights fitted on the validation text). Loss in bits "
                 "per byte on the same targets: how far it falls is what "
                 "longer text has to give to a reader as simple as that.",
                 NULL);
    begin_rows(h, r, 0);
    lct_html_raw(h, "<tr><th scope=\"row\">");
    lct_html_word(h, "n-gram with cache");
    lct_html_raw(h, "</th>");
    for (int k = 0; k < N; k++) {
        lct_page_cell(h, r, 3, "cache.%lld", (long long)lct_length(r, k));
    }
    lct_html_raw(h, "</tr>\n");
    lct_html_table_end(h);
}

static void rates_table(struct lct_html *h, const struct lct_results *r)
{
    begin_table(h, "Learning rates tried",
                "Learning rates tried with the first seed: loss on the "
                "validation text at the trained length, in nats per byte. Each "
                "encoding was then trained at the rate of the least; losses of "
                "the test text had no say.");
    lct_html_table_head(h);
    lct_html_column(h, "encoding");
    for (int k = 0; k < r->n_rates; k++) {
        lct_html_raw(h, "<th scope=\"col\">");
        lct_page_number(h, r, 4, "rows.0.rates.%d.rate", k);
        lct_html_raw(h, "</th>");
    }
    lct_html_column(h, "chosen");
    lct_html_table_body(h);
    for (size_t i = 0; i < r->n; i++) {
        lct_html_row_head(h, r, i);
        for (int k = 0; k < r->n_rates; k++) {
            lct_page_cell(h, r, 3, "rows.%zu.rates.%d.valid", i, k);
        }
        lct_page_cell(h, r, 4, "rows.%zu.rate", i);
        lct_html_raw(h, "</tr>\n");
    }
    lct_html_table_end(h);
}

/* ------------------------------------------------------------------ figure */

static void add_line(locant_series *s, const struct lct_results *r, size_t i,
                     const char *part, double *x)
{
    double *y = x + N;

    for (int k = 0; k < N; k++) {
        const long long length = lct_length(r, k);

        x[k] = (double)length;
        y[k] = lct_page_value(r, "rows.%zu.%s.%lld.mean", i, part, length);
    }
    *s = (locant_series){ .n = N, .x = x, .y = y, .marks = 1,
                          .color = (int)(i % LCT_GREY) };
}

static locant_status draw(struct lct_html *h, const struct lct_results *r,
                          const locant_series *series, size_t n)
{
    locant_mark mark = lct_trained_mark(r);
    locant_figure f = LOCANT_FIGURE_INIT;

    f.name = "protocols";
    f.title = "The same models, two protocols";
    f.x_label = "context length (bytes)";
    f.y_label = "loss (bits/byte)";
    f.log_x = 1;
    f.width = 820;
    f.height = 430;
    f.series = series;
    f.n_series = n;
    f.marks = &mark;
    f.n_marks = 1;
    return lct_page_figure(
        h, r, &f,
        "Curves of loss against context length, two per encoding: of the same "
        "targets, and of all targets of non-overlapping windows.",
        "Solid: the same targets at every length. Dashed: all bytes of "
        "non-overlapping windows over the same text; includes early tokens. A "
        "longer window has a smaller share of early bytes, which are hard to "
        "predict, so a dashed line can fall even where nothing beyond the "
        "trained length is used.",
        1);
}

static locant_status draw_protocols(struct lct_html *h,
                                    const struct lct_results *r)
{
    locant_series *series = locant_alloc((2 * r->n + 2) * sizeof *series);
    double *numbers = NULL;
    size_t n = 0;
    locant_status status = lct_page_numbers(&numbers, 4 * N * (r->n + 1));

    if (status == LOCANT_OK && series == NULL)
        status = locant_fail(LOCANT_ERR_NOMEM, "report: no memory for lines");
    for (size_t i = 0; i < r->n && status == LOCANT_OK; i++) {
        add_line(&series[n], r, i, "loss", numbers + 2 * N * n);
        series[n++].label = r->groups[i].spec;
        add_line(&series[n], r, i, "non_overlapping", numbers + 2 * N * n);
        series[n++].dashed = 1;
    }
    if (status == LOCANT_OK && n > 0) {
        series[n] = lct_page_dashed(numbers + 2 * N * n,
                                    (double)lct_length(r, 0),
                                    "dashed: windows");
        status = draw(h, r, series, n + 1);
    }
    locant_release(series);
    locant_release(numbers);
    return status;
}

/* ----------------------------------------------------------------- section */

locant_status lct_page_protocols(struct lct_html *h,
                                 const struct lct_results *r)
{
    if (lct_has_measure(r, LCT_P3)) {
        LCT_TRY(draw_protocols(h, r));
        table(h, r, "Loss of non-overlapping windows",
              "Loss of all bytes of non-overlapping windows, in bits per byte "
              "with 95 % intervals; includes early tokens. The bytes are the "
              "same at every length.",
              "non_overlapping", "non_overlapping", 0, false);
    }
    if (lct_has_measure(r, LCT_P4))
        table(h, r, "Gain over the model's own window",
              "G: loss of a sliding window of the trained length minus the "
              "loss after so much context, in nats per byte with 95 % "
              "intervals. Above zero, text beyond the window is used; below, "
              "cutting the text would have been better.",
              "gains", "gains", 0, true);
    if (lct_has_measure(r, LCT_LOGN))
        table(h, r, "Queries scaled by log n at evaluation",
              "The same models with queries scaled by log n at evaluation "
              "alone: q at position p times max(1, ln(p + 1) / ln L), L the "
              "trained length (Chiang and Cholak 2022, arXiv:2202.12172, who "
              "train with it). The product of query and key grows, a bias "
              "added to the score does not. Loss in bits per byte; below it, "
              "the change against the model as trained in nats per byte with "
              "its 95 % interval.",
              "logn", "logn_change", 1, false);
    if (lct_has_measure(r, LCT_CLAMP))
        policies_table(h, r);
    if (r->n_rates > 0 && r->n > 0)
        rates_table(h, r);
    if (r->cache_order > 0)
        cache_table(h, r);
    return lct_html_status(h);
}
