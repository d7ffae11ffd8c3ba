/*
 * page_pairs.c - tables of the paired differences of all pairs of encodings:
 * differences above the diagonal, corrected p below it.
 */
#include "cell.h"
#include "page.h"
#include "html_message.h"
#include "html_table.h"
#include <math.h>
#include <stdio.h>

enum { PATH_BYTES = 64 };

/* A table: "loss" or "gain" at one length. */
struct table {
    const char *measure;
    long long length;
    enum lct_message title;
    bool open; /* unfolded at first */
};

/* The path of the test of groups i < j. */
static void path_of(char out[PATH_BYTES], const struct lct_results *r,
                    const struct table *t, size_t i, size_t j)
{
    snprintf(out, PATH_BYTES, "pairs.%s.%lld.pairs.%zu", t->measure, t->length,
             lct_claims_pair(r, i, j));
}

bool lct_page_pair_differs(const struct lct_results *r, const char *path)
{
    return lct_claims_enough_seeds(r) &&
           lct_page_value(r, "%s.corrected", path) < LCT_ALPHA;
}

static void put_difference(struct lct_html *h, const struct lct_results *r,
                           const char *path)
{
    const bool clear = lct_page_pair_differs(r, path);
    char mean[PATH_BYTES + 8], half[PATH_BYTES + 8];

    snprintf(mean, sizeof mean, "%s.mean", path);
    snprintf(half, sizeof half, "%s.half", path);
    lct_html_raw(h, clear ? "<td><strong>" : "<td>");
    lct_cell_half(h, r, true, mean, half);
    lct_html_raw(h, clear ? "</strong></td>" : "</td>");
}

static void put_row(struct lct_html *h, const struct lct_results *r,
                    const struct table *t, size_t i)
{
    char path[PATH_BYTES];

    lct_html_table_group(h, r, i);
    for (size_t j = 0; j < r->n; j++) {
        if (i == j) {
            lct_html_raw(h, "<td></td>");
            continue;
        }
        path_of(path, r, t, i < j ? i : j, i < j ? j : i);
        if (i < j)
            put_difference(h, r, path);
        else
            lct_page_cell(h, r, 1, 3, "%s.corrected", path);
    }
    lct_html_raw(h, "</tr>\n");
}

static void put_table(struct lct_html *h, const struct lct_results *r,
                      const struct table *t)
{
    const enum lct_message caption = MSG_PAIRS_CAPTION;
    char at[PATH_BYTES];

    snprintf(at, sizeof at, "pairs.%s.%lld", t->measure, t->length);
    lct_html_raw(h, t->open ? "<details open><summary>" : "<details><summary>");
    lct_html_message_all(h, r, at, &t->title, 1, NULL);
    lct_html_raw(h, "</summary>\n");
    lct_html_table_begin(h, MSG_SECTION_PAIRS, NULL);
    lct_html_message_all(h, r, at, &caption, 1, NULL);
    lct_html_table_columns(h);
    lct_html_table_heading(h, MSG_ENCODING);
    for (size_t j = 0; j < r->n; j++)
        lct_html_print(h, "<th scope=\"col\"><code>%s</code></th>",
                       r->groups[j].spec);
    lct_html_table_rows(h);
    for (size_t i = 0; i < r->n; i++)
        put_row(h, r, t, i);
    lct_html_table_close(h);
    lct_html_raw(h, "</details>\n");
}

bool lct_page_has_pairs(const struct lct_results *r)
{
    return r->n > 1;
}

locant_status lct_page_pairs(struct lct_html *h, const struct lct_results *r)
{
    const int judged = lct_losses_ranked_index(r);
    const long long last = lct_length(r, LOCANT_EVAL_LENGTHS - 1);

    lct_html_raw(h, "<p>");
    lct_html_message_values(h, r, MSG_PAIRS_LEAD, NULL);
    if (!lct_claims_enough_seeds(r))
        lct_html_message(h, MSG_PAIRS_FEW_SEEDS);
    lct_html_raw(h, "</p>\n");
    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
        put_table(h, r,
                  &(struct table){ "loss", lct_length(r, k), MSG_PAIRS_LOSS_AT,
                                   k == judged });
    if (lct_page_at(r, "pairs.gain"))
        put_table(h, r,
                  &(struct table){ "gain", last, MSG_PAIRS_GAIN_AT, false });
    return lct_html_status(h);
}
