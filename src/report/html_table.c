/* html_table.c - the frame of a table that may be wider than the page */
#include "../figure/figure.h"
#include "page.h"
#include "words.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

void lct_html_counts(struct lct_html *h, const struct lct_results *r,
                     const char *list, int first, int n)
{
    for (int k = first; k < first + n; k++) {
        lct_html_raw(h, "<th scope=\"col\">");
        lct_page_count(h, r, "%s.%d", list, k);
        lct_html_raw(h, "</th>");
    }
}

static void put(struct lct_html *h, bool sign, double value)
{
    if (sign)
        lct_html_signed(h, value, 3);
    else
        lct_html_number(h, value, 3);
}

/* One element for all numbers of the cell: a page has hundreds of them. */
void lct_html_interval_of(struct lct_html *h, const struct lct_results *r,
                          bool sign, const char *own, const char *whose)
{
    const bool other = strcmp(own, whose) != 0;
    const double mean = lct_page_value(r, "%s.mean", whose);
    const double low = lct_page_value(r, "%s.low", whose);
    const bool interval = !isnan(low);

    lct_html_raw(h, "<td class=\"i\" data-number=\"");
    lct_html_text(h, own);
    lct_html_raw(h, ".mean");
    if (interval && other) {
        lct_html_raw(h, " ");
        lct_html_text(h, whose);
        lct_html_raw(h, ".mean");
    }
    lct_html_raw(h, interval ? " low high\">" : "\">");
    put(h, sign, lct_page_value(r, "%s.mean", own));
    if (interval) {
        lct_html_raw(h, "\n");
        if (other) {
            put(h, true, mean);
            lct_html_raw(h, " ");
        }
        lct_html_raw(h, "[");
        put(h, false, low);
        lct_html_raw(h, ", ");
        put(h, false, lct_page_value(r, "%s.high", whose));
        lct_html_raw(h, "]");
    }
    lct_html_raw(h, "</td>");
}

void lct_html_interval(struct lct_html *h, const struct lct_results *r,
                       bool difference, const char *path, ...)
{
    char at[128];
    va_list args;

    va_start(args, path);
    vsnprintf(at, sizeof at, path, args);
    va_end(args);
    lct_html_interval_of(h, r, difference, at, at);
}

void lct_html_table_body(struct lct_html *h)
{
    lct_html_raw(h, "</tr></thead><tbody>\n");
}

void lct_html_table_end(struct lct_html *h)
{
    lct_html_raw(h, "</tbody></table></div>\n");
}
