/* text.c - all text goes through pango, so every script and fallback font */
#include "figure.h"
#include <string.h>

/* Lay out one paragraph; returns its size in points. */
static void lay_out(struct lct_canvas *c, const char *text,
                    const struct lct_text *style, double *width, double *height)
{
    PangoFontDescription *font = pango_font_description_new();
    char *valid = g_utf8_make_valid(text, -1);
    PangoRectangle box;

    pango_font_description_set_family_static(font, "sans-serif");
    pango_font_description_set_absolute_size(font, style->size * PANGO_SCALE);
    if (style->bold)
        pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD);
    pango_layout_set_font_description(c->layout, font);
    pango_layout_set_single_paragraph_mode(c->layout, TRUE);
    pango_layout_set_text(c->layout, valid, -1);
    if (style->max_width > 0) {
        pango_layout_set_width(c->layout,
                               (int)(style->max_width * PANGO_SCALE));
        pango_layout_set_ellipsize(c->layout, PANGO_ELLIPSIZE_END);
    } else {
        pango_layout_set_width(c->layout, -1);
        pango_layout_set_ellipsize(c->layout, PANGO_ELLIPSIZE_NONE);
    }
    pango_layout_get_extents(c->layout, NULL, &box);
    *width = (double)box.width / PANGO_SCALE;
    *height = (double)box.height / PANGO_SCALE;
    g_free(valid);
    pango_font_description_free(font);
}

double lct_text_width(struct lct_canvas *c, const char *text,
                      const struct lct_text *style)
{
    double width, height;

    lay_out(c, text, style, &width, &height);
    return width;
}

void lct_text_draw(struct lct_canvas *c, double x, double y, const char *text,
                   const struct lct_text *style)
{
    double width, height;

    if (!text || !*text)
        return;
    lay_out(c, text, style, &width, &height);
    cairo_save(c->cr);
    lct_set_color(c, style->color, 1);
    cairo_translate(c->cr, x, y);
    if (style->vertical)
        cairo_rotate(c->cr, -1.57079632679489661923);
    cairo_move_to(c->cr, -style->align_x * width, -style->align_y * height);
    pango_cairo_show_layout(c->cr, c->layout);
    cairo_restore(c->cr);
}
