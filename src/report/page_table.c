/* page_table.c - the tables: loss by length, what longer text changes, cost */
#include "../core/size.h"
#include "../figure/figure.h"
#include "page.h"
#include "words.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What every table needs of the groups, in the order of rank. */
struct ranking {
    const struct lct_results *r;
    size_t *order;
};

static void length_headings(struct lct_html *h, const struct lct_results *r,
                            int first)
{
    lct_html_counts(h, r, "protocol.lengths", first,
                    LOCANT_EVAL_LENGTHS - first);
}

static void open_table(struct lct_html *h, const char *label)
{
    lct_html_table(h, label, NULL);
}

static void number_cell(struct lct_html *h, const struct lct_results *r,
                        size_t row, const char *name, int decimals)
{
    lct_page_cell(h, r, decimals, "rows.%zu.%s", row, name);
}

static void signed_cell(struct lct_html *h, const struct lct_results *r,
                        size_t row, const char *name)
{
    lct_page_cell(h, r, LCT_SIGNED + 3, "rows.%zu.%s", row, name);
}

static void count_cell(struct lct_html *h, const struct lct_results *r,
                       size_t row, const char *name)
{
    lct_page_cell(h, r, LCT_COUNT, "rows.%zu.%s", row, name);
}

static void loss_table(struct lct_html *h, const struct ranking *k)
{
    const struct lct_results *r = k->r;

    open_table(h, "Loss by context length");
    lct_page_say(h, r,
                 "Loss in bits per byte on the same targets, by context length "
                 "in bytes, with 95 % intervals (bootstrap over seeds and "
                 "blocks). Lower is better. Rank by the context of "
                 "{protocol.judged} bytes: one more than there are encodings "
                 "with a lower loss, by the paired t test over seeds, "
                 "corrected for all pairs; below three seeds, in every run. "
                 "The mean of 1/rank is over the lengths from "
                 "beyond the trained one to that. With one seed, the intervals "
                 "know nothing of other seeds.",
                 NULL);
    lct_html_table_head(h);
    lct_html_column(h, "encoding");
    length_headings(h, r, 0);
    lct_html_column(h, "rank");
    lct_html_column(h, "mean of 1/rank");
    lct_html_table_body(h);
    for (size_t i = 0; i < r->n; i++) {
        size_t at = k->order[i];
        lct_html_row_head(h, r, at);
        for (int l = 0; l < LOCANT_EVAL_LENGTHS; l++)
            lct_html_interval(h, r, false, "rows.%zu.loss.%lld", at,
                              (long long)lct_length(r, l));
        count_cell(h, r, at, "rank");
        number_cell(h, r, at, "mean_reciprocal_rank", 2);
        lct_html_raw(h, "</tr>\n");
    }
    lct_html_table_end(h);
}

static void change_table(struct lct_html *h, const struct ranking *k)
{
    const struct lct_results *r = k->r;

    open_table(h, "Change of loss beyond the trained length");
    lct_html_word(h, "Change against the same model at its trained length, "
                     "in nats per byte (1 nat = 1.443 bits), with 95 % "
                     "intervals. G is the loss of a sliding window of the "
                     "trained length minus the loss at the longest context: "
                     "above zero, the model gains from text beyond the "
                     "window.");
    lct_html_table_head(h);
    lct_html_column(h, "encoding");
    length_headings(h, r, 1);
    lct_html_column(h, "own window");
    lct_html_raw(h, "<th scope=\"col\">G(");
    lct_page_count(h, r, "protocol.lengths.%d", LOCANT_EVAL_LENGTHS - 1);
    lct_html_raw(h, ")</th>");
    lct_html_table_body(h);
    for (size_t i = 0; i < r->n; i++) {
        size_t at = k->order[i];
        lct_html_row_head(h, r, at);
        for (int l = 1; l < LOCANT_EVAL_LENGTHS; l++)
            lct_html_interval(h, r, true, "rows.%zu.change.%lld", at,
                              (long long)lct_length(r, l));
        number_cell(h, r, at, "own_window", 3);
        signed_cell(h, r, at, "gain");
        lct_html_raw(h, "</tr>\n");
    }
    lct_html_table_end(h);
}

/* Empty where more than a report takes are needed. */
static void seeds_cell(struct lct_html *h, const struct lct_results *r,
                       size_t row)
{
    if (isnan(lct_page_value(r, "rows.%zu.declared.seeds", row)))
        lct_html_raw(h, "<td></td>");
    else
        count_cell(h, r, row, "declared.seeds");
}

static void declared_caption(struct lct_html *h, const struct lct_results *r)
{
    lct_page_say(h, r,
                 "The comparison declared beforehand: the change of loss from "
                 "the trained length to {declared.length} bytes, in nats per "
                 "byte; mean over seeds \xc2\xb1 half of the 95 % t interval. "
                 "p: exact, by flipping the signs of the seeds; Holm: "
                 "corrected for as many comparisons as there are encodings. "
                 "Seeds: {protocol.seeds}; so p cannot be below "
                 "{declared.least_p:3}, nor the least of "
                 "{declared.comparisons} corrected ones below "
                 "{declared.least_holm:3}; for that to be below 0.05 it takes "
                 "{declared.seeds} seeds. Power: the chance that the corrected "
                 "test finds a change, and the seeds that make it 0.8, if "
                 "change and spread are as seen here. The last columns are "
                 "standard errors of the mean: what other seeds, and what "
                 "other blocks of text, would change.",
                 NULL);
    lct_html_table_head(h);
}

static void declared_table(struct lct_html *h, const struct ranking *k)
{
    const struct lct_results *r = k->r;
    const long long length = lct_length(r, lct_declared(r));

    open_table(h, "The declared comparison");
    declared_caption(h, r);
    lct_html_column(h, "encoding");
    lct_html_column(h, "change");
    lct_html_column(h, "p");
    lct_html_column(h, "p, Holm");
    lct_html_column(h, "power");
    lct_html_column(h, "seeds for power 0.8");
    lct_html_column(h, "error of seeds");
    lct_html_column(h, "error of blocks");
    lct_html_table_body(h);
    for (size_t i = 0; i < r->n; i++) {
        size_t at = k->order[i];
        char path[64], half[64];
        lct_html_row_head(h, r, at);
        snprintf(path, sizeof path, "rows.%zu.declared.mean", at);
        snprintf(half, sizeof half, "rows.%zu.declared.half", at);
        lct_html_raw(h, "<td>");
        lct_html_half(h, r, true, path, half);
        lct_html_raw(h, "</td>");
        number_cell(h, r, at, "declared.p", 3);
        number_cell(h, r, at, "declared.holm", 3);
        number_cell(h, r, at, "declared.power", 2);
        seeds_cell(h, r, at);
        snprintf(path, sizeof path, "change.%lld.seed_error", length);
        number_cell(h, r, at, path, 3);
        snprintf(path, sizeof path, "change.%lld.data_error", length);
        number_cell(h, r, at, path, 3);
        lct_html_raw(h, "</tr>\n");
    }
    lct_html_table_end(h);
}

/* The difference at rows.i.what.length, and its corrected p below it. */
static void test_cell(struct lct_html *h, const struct lct_results *r,
                      size_t row, const char *what, long long length)
{
    char path[64], half[64];

    snprintf(path, sizeof path, "rows.%zu.%s.%lld.mean", row, what, length);
    snprintf(half, sizeof half, "rows.%zu.%s.%lld.half", row, what, length);
    lct_html_raw(h, "<td>");
    lct_html_half(h, r, true, path, half);
    if (!isnan(lct_page_value(r, "rows.%zu.%s.%lld.p", row, what, length))) {
        lct_html_raw(h, "<br><small>p ");
        lct_page_number(h, r, 3, "rows.%zu.%s.%lld.corrected", row, what,
                        length);
        lct_html_raw(h, "</small>");
    }
    lct_html_raw(h, "</td>");
}

/* Nothing stands behind the first itself, which has a loss. */
static bool is_first(const struct lct_results *r, size_t row, long long length)
{
    return isnan(lct_page_value(r, "rows.%zu.behind.%lld.mean", row, length)) &&
           !isnan(lct_page_value(r, "rows.%zu.loss.%lld.mean", row, length));
}

static void tests_table(struct lct_html *h, const struct ranking *k)
{
    const struct lct_results *r = k->r;

    open_table(h, "The tests of the verdict");
    lct_html_word(h, "What the verdict claims, in nats per byte: the change "
                     "from the trained length, and the difference from the "
                     "encoding of the lowest loss at each length; mean over "
                     "seeds \xc2\xb1 half of the 95 % t interval. p: of the "
                     "paired t test over seeds; of changes corrected for all "
                     "encodings (Holm), of differences for all pairs of them "
                     "(Bonferroni). Below 0.05 there is a claim; with fewer "
                     "than three seeds there is none.");
    lct_html_table_head(h);
    lct_html_column(h, "encoding");
    for (int group = 0; group < 2; group++)
        for (int i = group == 0; i < LCT_ANSWERED; i++) {
            lct_html_raw(h, "<th scope=\"col\">");
            lct_html_word(h, group == 0 ? "change at" : "behind at");
            lct_html_raw(h, " ");
            lct_page_count(h, r, "protocol.lengths.%d", lct_answered[i]);
            lct_html_raw(h, "</th>");
        }
    lct_html_table_body(h);
    for (size_t i = 0; i < r->n; i++) {
        size_t at = k->order[i];
        lct_html_row_head(h, r, at);
        for (int l = 1; l < LCT_ANSWERED; l++)
            test_cell(h, r, at, "change",
                      (long long)lct_length(r, lct_answered[l]));
        for (int l = 0; l < LCT_ANSWERED; l++) {
            const long long length = (long long)lct_length(r, lct_answered[l]);

            if (is_first(r, at, length))
                lct_html_raw(h, "<td></td>");
            else
                test_cell(h, r, at, "behind", length);
        }
        lct_html_raw(h, "</tr>\n");
    }
    lct_html_table_end(h);
}

static void seeds_table(struct lct_html *h, const struct ranking *k)
{
    const struct lct_results *r = k->r;

    open_table(h, "Loss in nats with intervals over seeds");
    lct_html_word(h, "Loss in nats per byte: mean over seeds \xc2\xb1 half "
                     "of the 95 % t interval over seeds alone. With two "
                     "seeds that interval is wide, and rightly so.");
    lct_html_table_head(h);
    lct_html_column(h, "encoding");
    length_headings(h, r, 0);
    lct_html_column(h, "seeds");
    lct_html_table_body(h);
    for (size_t i = 0; i < r->n; i++) {
        size_t at = k->order[i];
        lct_html_row_head(h, r, at);
        for (int l = 0; l < LOCANT_EVAL_LENGTHS; l++) {
            const long long length = lct_length(r, l);
            char path[64], half[64];
            snprintf(path, sizeof path, "rows.%zu.lengths.%lld.loss", at,
                     length);
            snprintf(half, sizeof half, "rows.%zu.lengths.%lld.half_width", at,
                     length);
            lct_html_raw(h, "<td>");
            lct_html_half(h, r, false, path, half);
            lct_html_raw(h, "</td>");
        }
        count_cell(h, r, at, "seeds");
        lct_html_raw(h, "</tr>\n");
    }
    lct_html_table_end(h);
}

static void cost_table(struct lct_html *h, const struct ranking *k)
{
    const struct lct_results *r = k->r;

    open_table(h, "What each encoding costs");
    lct_html_word(h, "Cost of this implementation on this machine: "
                     "parameters the encoding adds, bytes trained on and "
                     "evaluated per second (forward at the longest context), "
                     "milliseconds a token of training takes forward and "
                     "backward, memory of a model in training, seconds of "
                     "training one run. Runs share the machine, so speeds are "
                     "rough.");
    lct_html_table_head(h);
    lct_html_column(h, "encoding");
    lct_html_column(h, "extra parameters");
    lct_html_column(h, "train tokens/s");
    lct_html_column(h, "eval tokens/s");
    lct_html_column(h, "forward, ms/token");
    lct_html_column(h, "backward, ms/token");
    lct_html_column(h, "memory, MiB");
    lct_html_column(h, "seconds");
    lct_html_table_body(h);
    for (size_t i = 0; i < r->n; i++) {
        size_t at = k->order[i];
        lct_html_row_head(h, r, at);
        count_cell(h, r, at, "encoding_parameters");
        count_cell(h, r, at, "train_tokens_per_second");
        count_cell(h, r, at, "eval_tokens_per_second");
        number_cell(h, r, at, "forward_ms", 4);
        number_cell(h, r, at, "backward_ms", 4);
        lct_page_scaled_cell(h, r, 0x1p-20, 1, "rows.%zu.bytes", at);
        number_cell(h, r, at, "seconds", 1);
        lct_html_raw(h, "</tr>\n");
    }
    lct_html_table_end(h);
}

/* Groups by rank, within one by loss, the undefined last. */
static void sort(size_t *order, const struct lct_results *r)
{
    const long long last = lct_length(r, lct_judged(r));

    for (size_t i = 0; i < r->n; i++) {
        double own = lct_page_value(r, "rows.%zu.loss.%lld.mean", i, last);
        size_t at = i;

        for (; at > 0 && !isnan(own); at--) {
            double before = lct_page_value(r, "rows.%zu.loss.%lld.mean",
                                           order[at - 1], last);

            if (before <= own)
                break;
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

locant_status lct_page_tables(struct lct_html *h, const struct lct_results *r)
{
    struct ranking k = { .r = r };
    size_t bytes;

    if (lct_mul(&bytes, r->n + 1, sizeof *k.order))
        k.order = locant_alloc(bytes);
    if (!k.order)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "report: no memory to order %zu groups", r->n);
    sort(k.order, r);
    loss_table(h, &k);
    change_table(h, &k);
    tests_table(h, &k);
    declared_table(h, &k);
    seeds_table(h, &k);
    cost_table(h, &k);
    locant_release(k.order);
    return LOCANT_OK;
}
