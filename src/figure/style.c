/* style.c - the style sheet of figures in a page, light, dark and on paper */
#include "inline.h"

static void put_shades(struct lct_html *h, const char *name, bool diverging,
                       bool dark)
{
    for (int i = 0; i < LCT_PAGE_SHADES; i++)
        lct_html_format(h, "--%s%d:#%06x;", name, i,
                        (unsigned)lct_rgb(lct_shade_color(
                            diverging, i, LCT_PAGE_SHADES, dark)));
}

static void put_colors(struct lct_html *h, bool dark)
{
    for (int i = 0; i < LCT_COLORS; i++)
        lct_html_format(
            h, "--c%d:#%06x;", i,
            (unsigned)lct_rgb(dark ? lct_palette_dark(i) : lct_palette(i)));
    put_shades(h, "q", false, dark);
    put_shades(h, "d", true, dark);
    lct_html_raw(h, dark ? "--ci:#e7e9ec;--ct:#a9b0ba;--cr:#363b42;"
                           "--cg:#1e2125;--qn:#3a3d42"
                         : "--ci:#212126;--ct:#5c5e66;--cr:#dedfe5;--cg:#fff;"
                           "--qn:#e6e6e8");
}

/* A class for each of n colours, which has the name of its variable. */
static void put_classes(struct lct_html *h, const char *name, int n)
{
    for (int i = 0; i < n; i++)
        lct_html_format(h, ".%s%d{color:var(--%s%d)}", name, i, name, i);
}

void lct_figure_style(struct lct_html *h)
{
    static const char *const plain[] = { "ci", "ct", "cr", "cg", "qn" };

    lct_html_raw(h, ":root{");
    put_colors(h, false);
    lct_html_raw(h, "}@media screen and (prefers-color-scheme:dark){:root{");
    put_colors(h, true);
    lct_html_raw(h, "}}");
    for (int i = 0; i < 5; i++)
        lct_html_format(h, ".%s{color:var(--%s)}", plain[i], plain[i]);
    put_classes(h, "c", LCT_COLORS);
    put_classes(h, "q", LCT_PAGE_SHADES);
    put_classes(h, "d", LCT_PAGE_SHADES);
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

    LCT_NOT_NULL("locant_figure_css", out);
    LCT_NOT_NULL("locant_figure_css", size);
    lct_figure_style(&h);
    lct_html_raw(&h, "html:not([lang|=zh]) .zh,html[lang|=zh] .en"
                     "{display:none}");
    return lct_html_finish(out, size, &h, LOCANT_OK);
}
