/*
 * page_probes.c - tables of what probes measured: a row for each encoding, and
 * the similarity of heads for each pair of encodings.
 */
#include "page.h"
#include "html_message.h"
#include "html_table.h"
#include <math.h>
#include <stdio.h>

#define DASH "<td>–</td>"
/* clang-format off */
#define FOUND(heading, path_, scale_, decimals_)                              \
    { heading, .path = path_, .scale = scale_, .decimals = decimals_,         \
      .missing = "–" }
/* clang-format on */
static const struct lct_column columns[] = {
    FOUND(MSG_WITHIN_8, "within.8", 100, 1),
    FOUND(MSG_WITHIN_32, "within.32", 100, 1),
    FOUND(MSG_WITHIN_128, "within.128", 100, 1),
    FOUND(MSG_AXIS_MEAN_DISTANCE, "distance", 1, 1),
    FOUND(MSG_AXIS_ENTROPY, "entropy", 1, 2),
    FOUND(MSG_ENTROPY_SLOPE, "slope", 1, 2),
    FOUND(MSG_WIDTH_90, "width_90", 1, 1),
    FOUND(MSG_WIDTH_99, "width_99", 1, 1),
    FOUND(MSG_CONTEXT_THAT_HELPS, "effective_context", 1, 0),
    FOUND(MSG_POSITION_ERROR, "position_error", 1, 1),
    FOUND(MSG_SINKS, "sinks", 100, 0),
    FOUND(MSG_SINKS_REPEATED, "sinks_repeated", 100, 0),
    FOUND(MSG_TOEPLITZ_SHARE_BEFORE, "toeplitz_initial", 1, 3),
    FOUND(MSG_TOEPLITZ_SHARE, "toeplitz", 1, 3),
    FOUND(MSG_FIT_LINE, "laws.linear", 1, 3),
    FOUND(MSG_FIT_LOGARITHM, "laws.log", 1, 3),
    FOUND(MSG_FIT_POWER, "laws.power", 1, 3),
};
static const struct lct_html_table probes = { MSG_PROBES, MSG_PROBES_CAPTION,
                                              "many", MSG_ENCODING,
                                              LCT_COLUMNS(columns) };

static void put_probes(struct lct_html *h, const struct lct_results *r)
{
    size_t n = 0;

    lct_html_table_open(h, r, &probes, NULL);
    for (size_t i = 0; i < r->n; i++) {
        char row[48];

        if (r->groups[i].probe == NULL)
            continue;
        snprintf(row, sizeof row, "probes.rows.%zu", n++);
        lct_html_table_group(h, r, i);
        lct_html_table_cells(h, r, &probes, row);
    }
    lct_html_table_close(h);
}

/* Whether the heads of any two of n models were matched. */
static bool has_matches(const struct lct_results *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (isfinite(lct_page_value(r, "probes.matching.%zu.%zu", i, j)))
                return true;
    return false;
}

/* A table with a row and a column for each of n encodings. */
static void put_matches(struct lct_html *h, const struct lct_results *r,
                        size_t n)
{
    size_t row = 0;

    lct_html_table_begin(h, MSG_MATCHES, NULL);
    lct_html_message(h, MSG_MATCHES_CAPTION);
    lct_html_table_columns(h);
    lct_html_table_heading(h, MSG_ENCODING);
    for (size_t i = 0; i < r->n; i++)
        if (r->groups[i].probe)
            lct_html_print(h, "<th scope=\"col\">%s</th>", r->groups[i].spec);
    lct_html_table_rows(h);
    for (size_t i = 0; i < r->n; i++) {
        if (r->groups[i].probe == NULL)
            continue;
        lct_html_table_group(h, r, i);
        for (size_t k = 0; k < n; k++)
            if (k == row)
                lct_html_raw(h, DASH);
            else
                lct_page_cell(h, r, 1, 4, "probes.matching.%zu.%zu", row, k);
        lct_html_raw(h, "</tr>\n");
        row++;
    }
    lct_html_table_close(h);
}

void lct_page_probe_tables(struct lct_html *h, const struct lct_results *r)
{
    size_t rows = 0;

    for (size_t i = 0; i < r->n; i++)
        rows += r->groups[i].probe != NULL;
    if (h->taker || rows == 0)
        return;
    lct_html_raw(h, "<div id=\"probes-numbers\">\n");
    put_probes(h, r);
    if (has_matches(r, rows))
        put_matches(h, r, rows);
    lct_html_raw(h, "</div>\n");
}
