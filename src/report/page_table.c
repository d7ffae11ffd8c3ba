/* page_table.c - the tables: loss by length, what longer text changes, cost */
#include "../core/size.h"
#include "../figure/figure.h"
#include "page.h"
#include <math.h>
#include <stdio.h>

/* What every table needs of the groups, in the order of rank. */
struct ranking {
    const struct lct_results *r;
    int *rank;
    size_t *order;
};

static int64_t length_of(const struct lct_results *r, int k)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->groups[i].n)
            return r->groups[i].results[0].eval.length[k];
    return 0;
}

static void open_table(struct lct_html *h, const char *label)
{
    lct_html_raw(h, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
                    "aria-label=\"");
    lct_html_text(h, label);
    lct_html_raw(h, "\"><table>\n<caption><span>");
}

static void close_table(struct lct_html *h)
{
    lct_html_raw(h, "</tbody></table></div>\n");
}

static void heading(struct lct_html *h, const char *text)
{
    lct_html_raw(h, "<th scope=\"col\">");
    lct_html_text(h, text);
    lct_html_raw(h, "</th>");
}

static void length_headings(struct lct_html *h, const struct lct_results *r,
                            int first)
{
    for (int k = first; k < LOCANT_EVAL_LENGTHS; k++) {
        lct_html_raw(h, "<th scope=\"col\">");
        lct_html_count(h, length_of(r, k));
        lct_html_raw(h, "</th>");
    }
}

/* Name of group i with its colour in the curves, as the head of a row. */
static void row_head(struct lct_html *h, const struct lct_results *r, size_t i)
{
    char chip[80];

    snprintf(chip, sizeof chip,
             "<tr><th scope=\"row\"><span class=\"chip c%d\"></span>",
             (int)(i % LCT_GREY));
    lct_html_raw(h, chip);
    lct_html_text(h, r->groups[i].spec);
    lct_html_raw(h, "</th>");
}

/* The row of a group, zero where it has no runs. */
static locant_report_row row_of(const struct lct_group *g)
{
    locant_report_row row = { .seeds = 0, .gain = NAN, .seconds = NAN };

    if (g->n)
        lct_report_row_of(&row, g);
    for (int k = 0; k < LOCANT_EVAL_LENGTHS && !g->n; k++)
        row.loss[k] = row.half_width[k] = NAN;
    return row;
}

static void number_cell(struct lct_html *h, double value, int decimals)
{
    lct_html_raw(h, "<td>");
    lct_html_number(h, value, decimals);
    lct_html_raw(h, "</td>");
}

static void rank_cell(struct lct_html *h, int rank)
{
    if (rank == 0) {
        lct_html_raw(h, "<td><span class=\"none\">undefined</span></td>");
        return;
    }
    lct_html_raw(h, "<td>");
    lct_html_count(h, rank);
    lct_html_raw(h, "</td>");
}

/* An estimate with its interval below; 'scale' turns nats into the unit. */
static void estimate_cell(struct lct_html *h, const struct lct_estimate *e,
                          double scale, bool sign)
{
    lct_html_raw(h, "<td>");
    if (sign)
        lct_html_signed(h, e->mean * scale, 3);
    else
        lct_html_number(h, e->mean * scale, 3);
    if (!isnan(e->mean)) {
        lct_html_raw(h, "<br><small>");
        lct_html_number(h, e->low * scale, 3);
        lct_html_raw(h, " to ");
        lct_html_number(h, e->high * scale, 3);
        lct_html_raw(h, "</small>");
    }
    lct_html_raw(h, "</td>");
}

static locant_status loss_table(struct lct_html *h, const struct ranking *k)
{
    const struct lct_results *r = k->r;

    open_table(h, "Loss by context length");
    lct_html_raw(h, "Loss in bits per byte on the same targets, by context "
                    "length in bytes, with 95 % intervals (bootstrap over "
                    "seeds and blocks). Lower is better. Rank by the longest "
                    "context; encodings whose paired difference from the best "
                    "of a rank cannot be told from zero share it. With one "
                    "seed, the intervals know nothing of other seeds."
                    "</span></caption>\n<thead><tr>");
    heading(h, "encoding");
    length_headings(h, r, 0);
    heading(h, "rank");
    lct_html_raw(h, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < r->n; i++) {
        size_t at = k->order[i];
        row_head(h, r, at);
        for (int l = 0; l < LOCANT_EVAL_LENGTHS; l++) {
            struct lct_estimate e;
            LCT_TRY(lct_page_loss(&e, &r->groups[at], l, -1));
            estimate_cell(h, &e, LCT_BITS, false);
        }
        rank_cell(h, k->rank[at]);
        lct_html_raw(h, "</tr>\n");
    }
    close_table(h);
    return LOCANT_OK;
}

static locant_status change_table(struct lct_html *h, const struct ranking *k)
{
    const struct lct_results *r = k->r;

    open_table(h, "Change of loss beyond the trained length");
    lct_html_raw(h, "Change against the same model at its trained length, in "
                    "nats per byte (1 nat = 1.443 bits), with 95 % intervals. "
                    "G is the loss of a sliding window of the trained length "
                    "minus the loss at the longest context: above zero, the "
                    "model gains from text beyond the window.</span>"
                    "</caption>\n<thead><tr>");
    heading(h, "encoding");
    length_headings(h, r, 1);
    heading(h, "own window");
    lct_html_raw(h, "<th scope=\"col\">G(");
    lct_html_count(h, length_of(r, LOCANT_EVAL_LENGTHS - 1));
    lct_html_raw(h, ")</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < r->n; i++) {
        size_t at = k->order[i];
        locant_report_row row = row_of(&r->groups[at]);
        row_head(h, r, at);
        for (int l = 1; l < LOCANT_EVAL_LENGTHS; l++) {
            struct lct_estimate e;
            LCT_TRY(lct_page_loss(&e, &r->groups[at], l, 0));
            estimate_cell(h, &e, 1, true);
        }
        number_cell(h, lct_page_own_window(&r->groups[at]), 3);
        lct_html_raw(h, "<td>");
        lct_html_signed(h, row.gain, 3);
        lct_html_raw(h, "</td></tr>\n");
    }
    close_table(h);
    return LOCANT_OK;
}

static void seeds_table(struct lct_html *h, const struct ranking *k)
{
    const struct lct_results *r = k->r;

    open_table(h, "Loss in nats with intervals over seeds");
    lct_html_raw(h, "Loss in nats per byte: mean over seeds \xc2\xb1 half of "
                    "the 95 % t interval over seeds alone. With two seeds that "
                    "interval is wide, and rightly so.</span></caption>\n"
                    "<thead><tr>");
    heading(h, "encoding");
    length_headings(h, r, 0);
    heading(h, "seeds");
    lct_html_raw(h, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < r->n; i++) {
        locant_report_row row = row_of(&r->groups[k->order[i]]);
        row_head(h, r, k->order[i]);
        for (int l = 0; l < LOCANT_EVAL_LENGTHS; l++) {
            lct_html_raw(h, "<td>");
            lct_html_number(h, row.loss[l], 3);
            if (!isnan(row.half_width[l]) && !isnan(row.loss[l])) {
                lct_html_raw(h, " <small>\xc2\xb1 ");
                lct_html_number(h, row.half_width[l], 3);
                lct_html_raw(h, "</small>");
            }
            lct_html_raw(h, "</td>");
        }
        lct_html_raw(h, "<td>");
        lct_html_count(h, row.seeds);
        lct_html_raw(h, "</td></tr>\n");
    }
    close_table(h);
}

static void cost_table(struct lct_html *h, const struct ranking *k)
{
    const struct lct_results *r = k->r;

    open_table(h, "What each encoding costs");
    lct_html_raw(h, "Cost of this implementation on this machine: parameters "
                    "the encoding adds, bytes trained on and evaluated per "
                    "second (forward at the longest context), memory of a "
                    "model in training, seconds of training one run. Runs "
                    "share the machine, so speeds are rough.</span></caption>\n"
                    "<thead><tr>");
    heading(h, "encoding");
    heading(h, "extra parameters");
    heading(h, "train tokens/s");
    heading(h, "eval tokens/s");
    heading(h, "memory, MiB");
    heading(h, "seconds");
    lct_html_raw(h, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < r->n; i++) {
        locant_report_row row = row_of(&r->groups[k->order[i]]);
        double speed[2];
        speed[0] = row.train_tokens_per_second;
        speed[1] = row.eval_tokens_per_second;
        row_head(h, r, k->order[i]);
        lct_html_raw(h, "<td>");
        lct_html_count(h, row.encoding_parameters);
        lct_html_raw(h, "</td>");
        for (int s = 0; s < 2; s++) {
            lct_html_raw(h, "<td>");
            if (speed[s] >= 0 && speed[s] < 1e15)
                lct_html_count(h, (int64_t)speed[s]);
            else
                lct_html_number(h, NAN, 0);
            lct_html_raw(h, "</td>");
        }
        number_cell(h, (double)row.bytes / (1 << 20), 1);
        number_cell(h, row.seconds, 1);
        lct_html_raw(h, "</tr>\n");
    }
    close_table(h);
}

locant_status lct_page_tables(struct lct_html *h, const struct lct_results *r)
{
    struct ranking k = { .r = r };
    size_t bytes;
    locant_status status = LOCANT_OK;

    if (!lct_mul(&bytes, r->n + 1, sizeof *k.order))
        return locant_fail(LOCANT_ERR_NOMEM, "report: %zu groups", r->n);
    k.order = locant_alloc(bytes);
    k.rank = locant_alloc(bytes);
    if (!k.order || !k.rank)
        status = locant_fail(LOCANT_ERR_NOMEM,
                             "report: no memory to rank %zu groups", r->n);
    if (status == LOCANT_OK)
        status = lct_page_rank(k.rank, k.order, r);
    if (status == LOCANT_OK)
        status = loss_table(h, &k);
    if (status == LOCANT_OK)
        status = change_table(h, &k);
    if (status == LOCANT_OK) {
        seeds_table(h, &k);
        cost_table(h, &k);
    }
    locant_release(k.order);
    locant_release(k.rank);
    return status;
}
