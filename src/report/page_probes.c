/*
 * page_probes.c - what probes found, in numbers: a row for each encoding, and
 * how alike the heads of every two are.
 */
#include "page.h"
#include "words.h"
#include <math.h>
#include <stdio.h>

/* A cell with what lies at probes.rows.<row>.<key>; a dash where nothing
   does. */
static void cell(struct lct_html *h, const struct lct_results *r, size_t row,
                 const char *key, double scale, int decimals)
{
    char path[64];

    snprintf(path, sizeof path, "probes.rows.%zu.%s", row, key);
    if (isfinite(lct_page_value(r, "%s", path)))
        lct_page_scaled_cell(h, r, scale, decimals, "%s", path);
    else
        lct_html_raw(h, "<td>–</td>");
}

static const struct column {
    const char *title, *key;
    double scale;
    int decimals;
} columns[] = {
    { "weight within 8 bytes (%)", "within.8", 100, 1 },
    { "within 32", "within.32", 100, 1 },
    { "within 128", "within.128", 100, 1 },
    { "mean distance (bytes)", "distance", 1, 1 },
    { "entropy (nats)", "entropy", 1, 2 },
    { "its slope", "slope", 1, 2 },
    { "90 % of the gradient (bytes)", "width_90", 1, 1 },
    { "99 % of the gradient (bytes)", "width_99", 1, 1 },
    { "context that helps (bytes)", "effective_context", 1, 0 },
    { "position error (bytes)", "position_error", 1, 1 },
    { "sinks (% of heads)", "sinks", 100, 0 },
    { "the same, one byte repeated", "sinks_repeated", 100, 0 },
    { "Toeplitz share before", "toeplitz_initial", 1, 3 },
    { "Toeplitz share", "toeplitz", 1, 3 },
    { "fit of a line", "laws.linear", 1, 3 },
    { "fit of a logarithm", "laws.log", 1, 3 },
    { "fit of a power", "laws.power", 1, 3 },
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static void each(struct lct_html *h, const struct lct_results *r)
{
    size_t row = 0;

    lct_html_table(h, "What probes found, in numbers", "many");
    lct_html_word(
        h, "How near the weight lies, at the trained length, and how wide it "
           "is spread: the slope of entropy against the logarithm of the "
           "number of keys, means of all heads; how far back the gradient of "
           "a loss goes; the context up to which twice as much text lowers "
           "losses by one per cent or more of those of the best model with "
           "less (after Dai et al. 2019, arXiv:1901.02860, appendix C); the "
           "error of positions read off the last layer; heads that count as "
           "sinks, also of one byte repeated; of what is added to the input "
           "the share of products G = P P^T that is of the distance alone, "
           "sum n_k mean_k^2 / |G|^2 over the diagonals k of G; of a bias "
           "how well laws of the distance fit it, mean of R^2 of all heads.");
    lct_html_table_head(h);
    lct_html_column(h, "encoding");
    for (int k = 0; k < COLUMNS; k++)
        lct_html_column(h, columns[k].title);
    lct_html_table_body(h);
    for (size_t i = 0; i < r->n; i++) {
        if (r->groups[i].probe == NULL)
            continue;
        lct_html_row_head(h, r, i);
        for (int k = 0; k < COLUMNS; k++)
            cell(h, r, row, columns[k].key, columns[k].scale,
                 columns[k].decimals);
        lct_html_raw(h, "</tr>\n");
        row++;
    }
    lct_html_table_end(h);
}

static void match_row(struct lct_html *h, const struct lct_results *r,
                      size_t row, size_t rows)
{
    for (size_t k = 0; k < rows; k++) {
        if (k == row)
            lct_html_raw(h, "<td>–</td>");
        else
            lct_page_cell(h, r, 4, "probes.matching.%zu.%zu", row, k);
    }
    lct_html_raw(h, "</tr>\n");
}

static void matches(struct lct_html *h, const struct lct_results *r,
                    size_t rows)
{
    size_t row = 0;

    lct_html_table(h, "How alike the heads are", NULL);
    lct_html_word(
        h, "Jensen-Shannon divergence, in nats, of the weights by distance of "
           "a head of one model and a head of the other: the least of all "
           "pairs of heads, mean over layers (after Kazemnejad et al. 2023, "
           "arXiv:2305.19466, section 6). 0: each layer has a head that the "
           "other model has too.");
    lct_html_table_head(h);
    lct_html_column(h, "encoding");
    for (size_t i = 0; i < r->n; i++)
        if (r->groups[i].probe) {
            lct_html_raw(h, "<th scope=\"col\">");
            lct_html_text(h, r->groups[i].spec);
            lct_html_raw(h, "</th>");
        }
    lct_html_table_body(h);
    for (size_t i = 0; i < r->n; i++)
        if (r->groups[i].probe) {
            lct_html_row_head(h, r, i);
            match_row(h, r, row++, rows);
        }
    lct_html_table_end(h);
}

void lct_page_probe_tables(struct lct_html *h, const struct lct_results *r)
{
    size_t rows = 0;

    for (size_t i = 0; i < r->n; i++)
        rows += r->groups[i].probe != NULL;
    if (h->taker || rows == 0)
        return;
    lct_html_raw(h, "<div id=\"probes-numbers\">\n");
    each(h, r);
    if (rows > 1 && isfinite(lct_page_value(r, "probes.matching.0.1")))
        matches(h, r, rows);
    lct_html_raw(h, "</div>\n");
}
