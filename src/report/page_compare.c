/*
 * page_compare.c - a table of the encodings: what they are, what they cost, and
 * how they did beyond the trained length.  It says only what the registry knows
 * or a test shows.
 */
#include "page.h"
#include "html_message.h"
#include "html_table.h"

static const enum lct_message changes[LCT_CHANGES] = {
    [LCT_RISES] = MSG_LOSS_RISES,    [LCT_SMALL] = MSG_LOSS_CHANGES_LITTLE,
    [LCT_FALLS] = MSG_LOSS_FALLS,    [LCT_SAME] = MSG_LOSS_SAME,
    [LCT_UNDEFINED] = MSG_UNDEFINED, [LCT_UNJUDGED] = MSG_NOT_JUDGED,
};

static void put_row(struct lct_html *h, const struct lct_results *r, size_t i)
{
    const struct lct_group *g = &r->groups[i];
    const long long length = (long long)lct_page_value(r, "declared.length");

    lct_html_table_group(h, r, i);
    lct_html_raw(h, "<td class=\"text\">");
    lct_html_message_translated(h, g->info->title);
    lct_html_raw(h, "</td><td class=\"text\">");
    lct_page_doors(h, g->doors);
    lct_html_raw(h, "</td>");
    lct_page_cell(h, r, 1, LCT_NO_DECIMALS, "rows.%zu.encoding_parameters", i);
    lct_html_raw(h, "<td class=\"text\">");
    lct_html_message(h, lct_page_failed_gate(r)
                            ? MSG_NOT_JUDGED
                            : changes[lct_page_change(r, i, length)]);
    /* facts of the registry: their digits are not measurements */
    lct_html_raw(h, "</td><td class=\"text fact\">");
    lct_html_message_translated(h, g->info->used_by);
    lct_html_raw(h, "</td><td class=\"text long fact\">");
    lct_html_message_translated(h, g->info->pitfalls);
    lct_html_print(h,
                   "</td><td class=\"text long\"><cite>%s</cite></td></tr>\n",
                   g->info->source);
}

locant_status lct_page_compare(struct lct_html *h, const struct lct_results *r)
{
    static const struct lct_column columns[] = {
        LCT_HEADING(MSG_WHAT_IT_IS),
        LCT_HEADING(MSG_DOORS),
        LCT_HEADING(MSG_EXTRA_PARAMETERS),
        LCT_HEADING(MSG_BEYOND_TRAINED_LENGTH),
        LCT_HEADING(MSG_USED_BY),
        LCT_HEADING(MSG_PITFALLS),
        LCT_HEADING(MSG_SOURCE)
    };
    static const struct lct_html_table table = { MSG_COMPARE,
                                                 MSG_COMPARE_CAPTION,
                                                 "words compare", MSG_ENCODING,
                                                 LCT_COLUMNS(columns) };

    lct_html_table_open(h, r, &table, NULL);
    for (size_t i = 0; i < r->n; i++)
        if (r->groups[i].n > 0 && r->groups[i].info)
            put_row(h, r, i);
    lct_html_table_close(h);
    return lct_html_status(h);
}
