/* page_identities.c - theorems of papers on encodings, tested by this build */
#include "page.h"
#include "html_message.h"
#include "html_table.h"

bool lct_page_has_identities(const struct lct_results *r)
{
    return r->n_identities > 0;
}

static void put_row(struct lct_html *h, const struct lct_results *r, int i)
{
    const struct lct_identity *one = &r->identities[i];

    lct_html_raw(h, "<tr><th scope=\"row\">");
    lct_html_message_translated(h, one->name);
    lct_html_print(h, "<small><code>%s</code> %s</small></th><td>",
                   one->formula, one->source);
    lct_page_scaled(h, r, 1e6, 3, "identities.%d.error", i);
    lct_html_raw(h, one->above ? "</td><td>&gt; " : "</td><td>&le; ");
    lct_page_scaled(h, r, 1e6, 3, "identities.%d.bound", i);
    lct_html_message_in(h, "</td><td>",
                        one->holds ? MSG_HOLDS : MSG_DOES_NOT_HOLD,
                        "</td></tr>\n");
}

locant_status lct_page_identities(struct lct_html *h,
                                  const struct lct_results *r)
{
    static const struct lct_column columns[] = {
        LCT_HEADING(MSG_LARGEST_DIFFERENCE), LCT_HEADING(MSG_BOUND),
        LCT_HEADING(MSG_HERE)
    };
    static const struct lct_html_table table = { MSG_IDENTITIES,
                                                 MSG_IDENTITIES_CAPTION, NULL,
                                                 MSG_STATEMENT,
                                                 LCT_COLUMNS(columns) };

    lct_html_table_open(h, r, &table, NULL);
    for (int i = 0; i < r->n_identities; i++)
        put_row(h, r, i);
    lct_html_table_close(h);
    return lct_html_status(h);
}
