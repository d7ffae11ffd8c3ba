/* html_table.c - the frame of a table that may be wider than the page */
#include "../figure/figure.h"
#include "page.h"
#include "words.h"
#include <stdio.h>

void lct_html_table(struct lct_html *h, const char *label, const char *kind)
{
    lct_html_raw(h, "<div class=\"scroll\" role=\"region\" tabindex=\"0\"");
    lct_html_spoken(h, label);
    lct_html_raw(h, "><table");
    if (kind) {
        lct_html_raw(h, " class=\"");
        lct_html_raw(h, kind);
        lct_html_raw(h, "\"");
    }
    lct_html_raw(h, ">\n<caption><span>");
}

void lct_html_table_head(struct lct_html *h)
{
    lct_html_raw(h, "</span></caption>\n<thead><tr>");
}

void lct_html_column(struct lct_html *h, const char *name)
{
    lct_html_raw(h, "<th scope=\"col\">");
    lct_html_word(h, name);
    lct_html_raw(h, "</th>");
}

void lct_html_row_head(struct lct_html *h, const struct lct_results *r,
                       size_t i)
{
    char chip[80];

    snprintf(chip, sizeof chip,
             "<tr><th scope=\"row\"><span class=\"chip c%d\"></span>",
             (int)(i % LCT_GREY));
    lct_html_raw(h, chip);
    lct_html_text(h, r->groups[i].spec);
    lct_html_raw(h, "</th>");
}

void lct_html_table_body(struct lct_html *h)
{
    lct_html_raw(h, "</tr></thead><tbody>\n");
}

void lct_html_table_end(struct lct_html *h)
{
    lct_html_raw(h, "</tbody></table></div>\n");
}
