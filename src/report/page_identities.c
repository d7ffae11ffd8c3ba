/* page_identities.c - what papers prove of encodings, tried by this build */
#include "page.h"

bool lct_page_has_identities(const struct lct_results *r)
{
    return r->n_identities > 0;
}

static void heading(struct lct_html *h, const char *text)
{
    lct_html_raw(h, "<th scope=\"col\">");
    lct_html_text(h, text);
    lct_html_raw(h, "</th>");
}

static void row(struct lct_html *h, const struct lct_results *r, int i)
{
    const struct lct_identity *one = &r->identities[i];

    lct_html_raw(h, "<tr><th scope=\"row\">");
    lct_html_text(h, one->name);
    lct_html_raw(h, "<br><small><code>");
    lct_html_text(h, one->formula);
    lct_html_raw(h, "</code> ");
    lct_html_text(h, one->source);
    lct_html_raw(h, "</small></th><td>");
    lct_page_scaled(h, r, 1e6, 3, "identities.%d.error", i);
    lct_html_raw(h, one->above ? "</td><td>above " : "</td><td>");
    lct_page_scaled(h, r, 1e6, 3, "identities.%d.bound", i);
    lct_html_raw(h, one->holds ? "</td><td>holds" : "</td><td>FAILS");
    lct_html_raw(h, "</td></tr>\n");
}

locant_status lct_page_identities(struct lct_html *h,
                                  const struct lct_results *r)
{
    lct_html_raw(h, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
                    "aria-label=\"What is proven\"><table>\n<caption><span>"
                    "The largest difference of the two sides over random "
                    "positions and vectors, in millionths. Part of gate g1."
                    "</span></caption>\n<thead><tr>");
    heading(h, "Statement");
    heading(h, "Largest difference");
    heading(h, "Bound");
    heading(h, "Here");
    lct_html_raw(h, "</tr></thead>\n<tbody>\n");
    for (int i = 0; i < r->n_identities; i++)
        row(h, r, i);
    lct_html_raw(h, "</tbody></table></div>\n");
    return lct_html_status(h);
}
