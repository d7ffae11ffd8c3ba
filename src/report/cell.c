/* cell.c - table cells that have more than one number */
#include "cell.h"
#include "page.h"
#include <math.h>
#include <string.h>

/*
 * The decimals of an interval and of its mean: enough for two digits of the
 * width, and at least as many as other cells have.
 */
static int decimals_of(double width, int least)
{
    const double wanted = width > 0 ? 1 - floor(log10(width)) : least;

    return (int)fmin(fmax(wanted, least), fmax(least, 4));
}

static void put(struct lct_html *h, bool sign, double value, int decimals)
{
    if (sign)
        lct_page_put_signed(h, value, decimals);
    else
        lct_page_put_number(h, value, decimals);
}

/* A value that is not 0 but rounds to 0 keeps its sign: "-0.0000". */
static void put_bound(struct lct_html *h, double value, int decimals)
{
    if (value != 0 && fabs(value) < 0.5 * pow(10, -decimals)) {
        lct_html_raw(h, value < 0 ? "\xe2\x88\x92" : "+");
        value = 0;
    }
    lct_page_put_number(h, value, decimals);
}

static void put_ends(struct lct_html *h, double low, double high, int decimals)
{
    lct_html_raw(h, "[");
    put_bound(h, low, decimals);
    lct_html_raw(h, ", ");
    put_bound(h, high, decimals);
    lct_html_raw(h, "]");
}

/* A page has hundreds of these cells, so all numbers share one element. */
void lct_cell_interval(struct lct_html *h, const struct lct_results *r,
                       bool sign, const char *own, const char *whose)
{
    const bool other = strcmp(own, whose) != 0;
    const double low = lct_page_value(r, "%s.low", whose);
    const double high = lct_page_value(r, "%s.high", whose);
    const bool interval = !isnan(low);
    const int decimals = decimals_of(high - low, 3);

    lct_html_print(h, "<td class=\"i\" data-number=\"%s.mean", own);
    if (interval && other)
        lct_html_print(h, " %s.mean", whose);
    lct_html_raw(h, interval ? " low high\">" : "\">");
    put(h, sign, lct_page_value(r, "%s.mean", own), other ? 3 : decimals);
    if (interval) {
        lct_html_raw(h, "\n");
        if (other) {
            put(h, true, lct_page_value(r, "%s.mean", whose), decimals);
            lct_html_raw(h, " ");
        }
        put_ends(h, low, high, decimals);
    }
    lct_html_raw(h, "</td>");
}

void lct_cell_share_text(struct lct_html *h, const struct lct_results *r,
                         bool per_cent, const char *path, const char *name)
{
    const double scale = per_cent ? 100 : 1;
    const double low = scale * lct_page_value(r, "%s.low", path);
    const double high = scale * lct_page_value(r, "%s.high", path);
    const int decimals = decimals_of(high - low, per_cent ? 0 : 3);

    lct_page_put_number(h, scale * lct_page_value(r, "%s.%s", path, name),
                        decimals);
    if (isnan(low))
        return;
    lct_html_raw(h, per_cent ? " %\n" : "\n");
    put_ends(h, low, high, decimals);
}

void lct_cell_share(struct lct_html *h, const struct lct_results *r,
                    bool per_cent, const char *path, const char *name)
{
    lct_html_print(h, "<span data-number=\"%s.%s", path, name);
    lct_html_raw(h, isnan(lct_page_value(r, "%s.low", path)) ? "\""
                                                             : " low high\"");
    lct_html_raw(h, per_cent ? " data-scale=\"100\">" : ">");
    lct_cell_share_text(h, r, per_cent, path, name);
    lct_html_raw(h, "</span>");
}

void lct_cell_half(struct lct_html *h, const struct lct_results *r, bool sign,
                   const char *mean, const char *half)
{
    const double width = 2 * lct_page_value(r, "%s", half);
    const int decimals = decimals_of(width, 3);

    lct_html_print(h, "<span data-number=\"%s\">", mean);
    put(h, sign, lct_page_value(r, "%s", mean), decimals);
    lct_html_raw(h, "</span>");
    if (isnan(width))
        return;
    lct_html_print(h, " <small>\xc2\xb1 <span data-number=\"%s\">", half);
    put_bound(h, width / 2, decimals);
    lct_html_raw(h, "</span></small>");
}
