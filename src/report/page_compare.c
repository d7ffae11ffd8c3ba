/*
 * page_compare.c - the encodings side by side: what they are, what they cost,
 * and what was measured of them beyond the trained length; nothing is said that
 * the registry does not know or a test does not show.
 */
#include "page.h"
#include "words.h"
#include <stdio.h>

static const char *const words[LCT_CHANGES] = {
    [LCT_RISES] = "loss rises",
    [LCT_SMALL] = "changes by less than 0.02 nats",
    [LCT_FALLS] = "loss falls",
    [LCT_SAME] = "no change that can be told",
    [LCT_UNDEFINED] = "undefined",
};

static void open_cell(struct lct_html *h)
{
    lct_html_raw(h, "</td><td class=\"text\">");
}

static void row(struct lct_html *h, const struct lct_results *r, size_t i)
{
    const struct lct_group *g = &r->groups[i];
    const long long length = (long long)lct_page_value(r, "declared.length");

    lct_html_row_head(h, r, i);
    lct_html_raw(h, "<td class=\"text\">");
    lct_html_word(h, g->info->title);
    open_cell(h);
    lct_html_doors(h, g->doors);
    lct_html_raw(h, "</td>");
    lct_page_cell(h, r, LCT_COUNT, "rows.%zu.encoding_parameters", i);
    lct_html_raw(h, "<td class=\"text\">");
    lct_html_word(h, lct_page_doubt(r) ? "not judged"
                                       : words[lct_page_change(r, i, length)]);
    /* facts of the registry: their digits are no measurements */
    lct_html_raw(h, "</td><td class=\"text fact\">");
    if (g->info->used_by)
        lct_html_word(h, g->info->used_by);
    lct_html_raw(h, "</td><td class=\"text long fact\">");
    if (g->info->pitfalls)
        lct_html_word(h, g->info->pitfalls);
    lct_html_raw(h, "</td><td class=\"text long\"><cite>");
    lct_html_text(h, g->info->source);
    lct_html_raw(h, "</cite></td></tr>\n");
}

locant_status lct_page_compare(struct lct_html *h, const struct lct_results *r)
{
    lct_html_table(h, "The encodings side by side",
                   "words compare");
    lct_page_say(h, r,
                 "What each encoding is, where it enters, the parameters it "
                 "adds, what its loss was seen to do from the trained length "
                 "to {declared.length} bytes (by its corrected t test, below "
                 "three seeds where all runs agree; on this corpus, at "
                 "{model.parameters:M} parameters), which models use it, "
                 "and what to mind.",
                 NULL);
    lct_html_table_head(h);
    lct_html_column(h, "encoding");
    lct_html_column(h, "what it is");
    lct_html_column(h, "doors");
    lct_html_column(h, "extra parameters");
    lct_html_column(h, "beyond the trained length");
    lct_html_column(h, "used by");
    lct_html_column(h, "pitfalls");
    lct_html_column(h, "source");
    lct_html_table_body(h);
    for (size_t i = 0; i < r->n; i++)
        if (r->groups[i].n > 0 && r->groups[i].info)
            row(h, r, i);
    lct_html_table_end(h);
    return lct_html_status(h);
}
