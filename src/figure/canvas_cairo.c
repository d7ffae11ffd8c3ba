/*
 * canvas_cairo.c - the canvas of cairo: what print and slides want.
 *
 * All text goes through pango, so every script and fallback font.  A map holds
 * two pixels per point, whatever the size of the matrix.
 */
#include "canvas_cairo.h"
#include <math.h>

static void set_color(struct lct_cairo *c, int role, double alpha)
{
    static const struct lct_color plain[] = { { 0.13, 0.13, 0.15 },
                                              { 0.36, 0.37, 0.40 },
                                              { 0.87, 0.88, 0.90 },
                                              { 1, 1, 1 } };
    struct lct_color color = role < LCT_SERIES ? plain[role]
                                               : lct_palette(role - LCT_SERIES);

    cairo_set_source_rgba(c->cr, color.r, color.g, color.b, alpha);
}

static void move(void *to, double x, double y)
{
    cairo_move_to(((struct lct_cairo *)to)->cr, x, y);
}

static void line(void *to, double x, double y)
{
    cairo_line_to(((struct lct_cairo *)to)->cr, x, y);
}

static void close(void *to)
{
    cairo_close_path(((struct lct_cairo *)to)->cr);
}

static void dot(void *to, double x, double y, double radius)
{
    cairo_t *cr = ((struct lct_cairo *)to)->cr;

    cairo_new_sub_path(cr);
    cairo_arc(cr, x, y, radius, 0, 6.28318530717958647692);
}

static void stroke(void *to, const struct lct_pen *pen)
{
    struct lct_cairo *c = to;
    int n;
    const double *dash = lct_dash(&n, pen->dash);

    set_color(c, pen->role, pen->alpha);
    cairo_set_line_width(c->cr, pen->width);
    cairo_set_line_join(c->cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_dash(c->cr, dash, n, 0);
    cairo_stroke(c->cr);
    cairo_set_dash(c->cr, NULL, 0, 0);
}

static void fill(void *to, int role, double alpha)
{
    struct lct_cairo *c = to;

    set_color(c, role, alpha);
    cairo_fill(c->cr);
}

static void clip(void *to, const struct lct_box *box)
{
    cairo_t *cr = ((struct lct_cairo *)to)->cr;

    if (!box) {
        cairo_restore(cr);
        return;
    }
    cairo_save(cr);
    cairo_rectangle(cr, box->x, box->y, box->width, box->height);
    cairo_clip(cr);
}

/* Lay out one paragraph; returns its size in points. */
static void lay_out(struct lct_cairo *c, const char *text,
                    const struct lct_text *style, double *width,
                    double *height)
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

static double text_width(void *to, const char *text,
                         const struct lct_text *style)
{
    double width, height;

    lay_out(to, text, style, &width, &height);
    return width;
}

static void text(void *to, double x, double y, const char *words,
                 const struct lct_text *style)
{
    struct lct_cairo *c = to;
    double width, height;

    lay_out(c, words, style, &width, &height);
    cairo_save(c->cr);
    set_color(c, style->role, 1);
    cairo_translate(c->cr, x, y);
    if (style->vertical)
        cairo_rotate(c->cr, -1.57079632679489661923);
    cairo_move_to(c->cr, -style->align_x * width, -style->align_y * height);
    pango_cairo_show_layout(c->cr, c->layout);
    cairo_restore(c->cr);
}

/* -------------------------------------------------------------------- maps */

static uint32_t pack(struct lct_color c)
{
    return (uint32_t)lrint(c.r * 255) << 16 | (uint32_t)lrint(c.g * 255) << 8 |
           (uint32_t)lrint(c.b * 255);
}

/* Shade -1, of what is missing, first. */
static void make_shades(uint32_t shades[LCT_SHADES + 1],
                        const struct lct_map *map)
{
    shades[0] = pack((struct lct_color){ 0.90, 0.90, 0.91 });
    for (int i = 0; i < LCT_SHADES; i++) {
        double t = (double)i / (LCT_SHADES - 1);
        shades[1 + i] = pack(map->diverging ? lct_diverging(2 * t - 1, false)
                                            : lct_sequential(t, false));
    }
}

static void show(cairo_t *cr, const struct lct_box *box, uint32_t *pixels,
                 const int size[2], int stride)
{
    cairo_surface_t *image = cairo_image_surface_create_for_data(
        (unsigned char *)pixels, CAIRO_FORMAT_RGB24, size[0], size[1], stride);

    cairo_save(cr);
    cairo_translate(cr, box->x, box->y);
    cairo_scale(cr, box->width / size[0], box->height / size[1]);
    cairo_set_source_surface(cr, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
    cairo_paint(cr);
    cairo_restore(cr);
    /* a vector surface holds a snapshot of the image, taken here */
    cairo_surface_finish(image);
    cairo_surface_destroy(image);
}

static locant_status cells(void *to, const struct lct_box *box,
                           const struct lct_map *map, const double *values,
                           int64_t rows, int64_t cols)
{
    const int size[2] = { (int)(2 * box->width), (int)(2 * box->height) };
    int stride = cairo_format_stride_for_width(CAIRO_FORMAT_RGB24, size[0]);
    uint32_t *pixels = locant_alloc((size_t)stride * (size_t)size[1]);
    uint32_t shades[LCT_SHADES + 1];

    if (!pixels)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_figure: no memory for %d x %d pixels",
                           size[0], size[1]);
    make_shades(shades, map);
    for (int y = 0; y < size[1]; y++) {
        uint32_t *row = pixels + (size_t)y * ((size_t)stride / 4);
        int64_t r[2], k[2];
        lct_cover(&r[0], &r[1], y, size[1], rows);
        for (int x = 0; x < size[0]; x++) {
            lct_cover(&k[0], &k[1], x, size[0], cols);
            row[x] = shades[1 + lct_shade(map, lct_strongest(values, cols, r,
                                                             k),
                                          LCT_SHADES)];
        }
    }
    show(((struct lct_cairo *)to)->cr, box, pixels, size, stride);
    locant_release(pixels);
    return LOCANT_OK;
}

const struct lct_ops lct_cairo_ops = {
    move, line, close, dot, stroke, fill, clip, text, text_width, cells, NULL,
    NULL
};
