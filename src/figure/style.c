/* style.c - the style sheet of figures in a page: light, dark, on paper */
#include "inline.h"
#include <math.h>
#include <stdio.h>

static void put_color(struct lct_html *h, const char *name, int i,
                      struct lct_color c)
{
    char text[64];

    snprintf(text, sizeof text, "--%s%d:#%02x%02x%02x;", name, i,
             (unsigned)lrint(c.r * 255), (unsigned)lrint(c.g * 255),
             (unsigned)lrint(c.b * 255));
    lct_html_raw(h, text);
}

static void put_colors(struct lct_html *h, bool dark)
{
    for (int i = 0; i < LCT_COLORS; i++)
        put_color(h, "c", i, dark ? lct_palette_dark(i) : lct_palette(i));
    for (int i = 0; i < LCT_PAGE_SHADES; i++)
        put_color(h, "q", i,
                  lct_sequential((double)i / (LCT_PAGE_SHADES - 1), dark));
    for (int i = 0; i < LCT_PAGE_SHADES; i++)
        put_color(h, "d", i,
                  lct_diverging(2.0 * i / (LCT_PAGE_SHADES - 1) - 1, dark));
    lct_html_raw(h, dark ? "--ci:#e7e9ec;--ct:#a9b0ba;--cr:#363b42;"
                           "--cg:#1e2125;--qn:#3a3d42"
                         : "--ci:#212126;--ct:#5c5e66;--cr:#dedfe5;--cg:#fff;"
                           "--qn:#e6e6e8");
}

static void put_class(struct lct_html *h, const char *name, int i)
{
    char text[64];

    snprintf(text, sizeof text, ".%s%d{color:var(--%s%d)}", name, i, name, i);
    lct_html_raw(h, text);
}

void lct_figure_style(struct lct_html *h)
{
    static const char *const plain[] = { "ci", "ct", "cr", "cg", "qn" };

    lct_html_raw(h, ":root{");
    put_colors(h, false);
    lct_html_raw(h, "}@media screen and (prefers-color-scheme:dark){:root{");
    put_colors(h, true);
    lct_html_raw(h, "}}");
    for (int i = 0; i < 5; i++) {
        char text[64];
        snprintf(text, sizeof text, ".%s{color:var(--%s)}", plain[i], plain[i]);
        lct_html_raw(h, text);
    }
    for (int i = 0; i < LCT_COLORS; i++)
        put_class(h, "c", i);
    for (int i = 0; i < LCT_PAGE_SHADES; i++)
        put_class(h, "q", i);
    for (int i = 0; i < LCT_PAGE_SHADES; i++)
        put_class(h, "d", i);
    lct_html_raw(h, ".fig{display:block;width:100%;height:auto}"
                    ".fig .l{stroke:currentColor;fill:none;"
                    "stroke-linejoin:round}.fig .f{fill:currentColor}"
                    ".fig .m{text-anchor:middle}.fig .e{text-anchor:end}"
                    ".fig .b{font-weight:700}"
                    ".fig .cells{shape-rendering:crispEdges}"
                    ".cells rect{fill:currentColor}"
                    ".cells path{stroke:currentColor;fill:none}");
}

locant_status locant_figure_css(char **out, size_t *size)
{
    struct lct_html h = { .data = NULL };

    if (!out || !size)
        return locant_fail(LOCANT_ERR_NULL, "locant_figure_css: %s is NULL",
                           out ? "size" : "out");
    lct_figure_style(&h);
    lct_html_raw(&h, "html:not([lang|=zh]) .zh,html[lang|=zh] .en"
                     "{display:none}");
    return lct_html_give(out, size, &h, LOCANT_OK);
}
