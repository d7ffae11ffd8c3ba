/* page_identities.c - what papers prove of encodings, tried by this build */
#include "page.h"
#include "words.h"

bool lct_page_has_identities(const struct lct_results *r)
{
    return r->n_identities > 0;
}

static void row(struct lct_html *h, const struct lct_results *r, int i)
{
    const struct lct_identity *one = &r->identities[i];

    lct_html_raw(h, "<tr><th scope=\"row\">");
    lct_html_word(h, one->name);
    lct_html_raw(h, "<small><code>");
    lct_html_text(h, one->formula);
    lct_html_raw(h, "</code> ");
    lct_html_text(h, one->source);
    lct_html_raw(h, "</small></th><td>");
    lct_page_scaled(h, r, 1e6, 3, "identities.%d.error", i);
    lct_html_raw(h, one->above ? "</td><td>&gt; " : "</td><td>&le; ");
    lct_page_scaled(h, r, 1e6, 3, "identities.%d.bound", i);
    lct_html_raw(h, "</td><td>");
    lct_html_word(h, one->holds ? "holds" : "FAILS");
    lct_html_raw(h, "</td></tr>\n");
}

locant_status lct_page_identities(struct lct_html *h,
                                  const struct lct_results *r)
{
    lct_html_table(h, "What is proven", NULL);
    lct_html_word(h, "The largest difference of the two sides over random "
                     "positions and vectors, in millionths. Part of gate g1.");
    lct_html_table_head(h);
    lct_html_column(h, "statement");
    lct_html_column(h, "largest difference");
    lct_html_column(h, "bound");
    lct_html_column(h, "here");
    lct_html_table_body(h);
    for (int i = 0; i < r->n_identities; i++)
        row(h, r, i);
    lct_html_table_end(h);
    return lct_html_status(h);
}
