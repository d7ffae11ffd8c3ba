/*
 * canvas_cairo.c - the cairo canvas, for print and slides.
 *
 * Pango lays out all text: it knows every script and finds fallback fonts.  A
 * heat map has two pixels per point, whatever the size of its matrix.
 */
#include "canvas_cairo.h"
#include "../files/utf8.h"
#include "../files/html.h"

static void set_color(struct lct_cairo *c, int role, double alpha)
{
    /* LCT_INK, LCT_FAINT, LCT_RULE, LCT_GROUND */
    static const struct lct_color plain[] = { { 0.13, 0.13, 0.15 },
                                              { 0.36, 0.37, 0.40 },
                                              { 0.87, 0.88, 0.90 },
                                              { 1, 1, 1 } };
    struct lct_color color =
        role < LCT_SERIES ? plain[role] : lct_palette(role - LCT_SERIES);

    c->lib->cairo_set_source_rgba(c->cr, color.r, color.g, color.b, alpha);
}

static void move(void *to, double x, double y)
{
    struct lct_cairo *c = to;

    c->lib->cairo_move_to(c->cr, x, y);
}

static void line(void *to, double x, double y)
{
    struct lct_cairo *c = to;

    c->lib->cairo_line_to(c->cr, x, y);
}

static void close(void *to)
{
    struct lct_cairo *c = to;

    c->lib->cairo_close_path(c->cr);
}

static void dot(void *to, double x, double y, double radius)
{
    struct lct_cairo *c = to;

    c->lib->cairo_new_sub_path(c->cr);
    c->lib->cairo_arc(c->cr, x, y, radius, 0, 6.28318530717958647692);
}

static void stroke(void *to, const struct lct_pen *pen)
{
    struct lct_cairo *c = to;
    int n;
    const double *dash = lct_dash(&n, pen->dash);

    set_color(c, pen->role, pen->alpha);
    c->lib->cairo_set_line_width(c->cr, pen->width);
    c->lib->cairo_set_line_join(c->cr, CAIRO_LINE_JOIN_ROUND);
    c->lib->cairo_set_dash(c->cr, dash, n, 0);
    c->lib->cairo_stroke(c->cr);
    c->lib->cairo_set_dash(c->cr, NULL, 0, 0);
}

static void fill(void *to, int role, double alpha)
{
    struct lct_cairo *c = to;

    set_color(c, role, alpha);
    c->lib->cairo_fill(c->cr);
}

static void clip(void *to, const struct lct_box *box)
{
    struct lct_cairo *c = to;

    if (!box) {
        c->lib->cairo_restore(c->cr);
        return;
    }
    c->lib->cairo_save(c->cr);
    c->lib->cairo_rectangle(c->cr, box->x, box->y, box->width, box->height);
    c->lib->cairo_clip(c->cr);
}

/* Bytes that are not UTF-8 become U+FFFD; pango would complain on stderr. */
static void set_text(struct lct_cairo *c, const char *text)
{
    struct lct_html valid = { .data = NULL };

    while (*text) {
        const char *from = text;
        if (lct_utf8_next(&text) < 0)
            lct_html_raw(&valid, "\xef\xbf\xbd");
        else
            lct_html_append(&valid, from, (size_t)(text - from));
    }
    lct_html_append(&valid, "", 1);
    c->failed |= valid.failed;
    c->lib->pango_layout_set_text(c->layout, valid.failed ? "" : valid.data,
                                  -1);
    lct_html_free(&valid);
}

static void set_width(struct lct_cairo *c, double most)
{
    bool unlimited = most <= 0;

    c->lib->pango_layout_set_width(c->layout,
                                   unlimited ? -1 : (int)(most * PANGO_SCALE));
    c->lib->pango_layout_set_ellipsize(
        c->layout, unlimited ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_END);
}

/* Lay out one paragraph; sets its size in points. */
static void lay_out(struct lct_cairo *c, const char *text,
                    const struct lct_text *style, double *width, double *height)
{
    const struct lct_drawing *lib = c->lib;
    PangoFontDescription *font = lib->pango_font_description_new();
    PangoRectangle box;

    lib->pango_font_description_set_family_static(font, "sans-serif");
    lib->pango_font_description_set_absolute_size(font,
                                                  style->size * PANGO_SCALE);
    if (style->bold)
        lib->pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD);
    lib->pango_layout_set_font_description(c->layout, font);
    lib->pango_layout_set_single_paragraph_mode(c->layout, TRUE);
    set_text(c, text);
    set_width(c, style->max_width);
    lib->pango_layout_get_extents(c->layout, NULL, &box);
    c->no_glyphs |= lib->pango_layout_get_unknown_glyphs_count(c->layout) > 0;
    *width = (double)box.width / PANGO_SCALE;
    *height = (double)box.height / PANGO_SCALE;
    lib->pango_font_description_free(font);
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
    c->lib->cairo_save(c->cr);
    set_color(c, style->role, 1);
    c->lib->cairo_translate(c->cr, x, y);
    if (style->vertical)
        c->lib->cairo_rotate(c->cr, -1.57079632679489661923);
    c->lib->cairo_move_to(c->cr, -style->align_x * width,
                          -style->align_y * height);
    c->lib->pango_cairo_show_layout(c->cr, c->layout);
    c->lib->cairo_restore(c->cr);
}

/* -------------------------------------------------------------------- maps */

/* The colours of shades -1 (missing values) to LCT_SHADES - 1. */
static void make_shades(uint32_t shades[LCT_SHADES + 1],
                        const struct lct_scale *map)
{
    shades[0] = lct_rgb((struct lct_color){ 0.90, 0.90, 0.91 });
    for (int i = 0; i < LCT_SHADES; i++)
        shades[1 + i] =
            lct_rgb(lct_shade_color(map->diverging, i, LCT_SHADES, false));
}

static void show(struct lct_cairo *c, const struct lct_box *box,
                 uint32_t *pixels, const int size[2], int stride)
{
    const struct lct_drawing *lib = c->lib;
    cairo_surface_t *image = lib->cairo_image_surface_create_for_data(
        (unsigned char *)pixels, CAIRO_FORMAT_RGB24, size[0], size[1], stride);

    lib->cairo_save(c->cr);
    lib->cairo_translate(c->cr, box->x, box->y);
    lib->cairo_scale(c->cr, box->width / size[0], box->height / size[1]);
    lib->cairo_set_source_surface(c->cr, image, 0, 0);
    lib->cairo_pattern_set_filter(lib->cairo_get_source(c->cr),
                                  CAIRO_FILTER_NEAREST);
    lib->cairo_paint(c->cr);
    lib->cairo_restore(c->cr);
    /* a vector surface takes its snapshot of the image here */
    lib->cairo_surface_finish(image);
    lib->cairo_surface_destroy(image);
}

static locant_status cells(void *to, const struct lct_box *box,
                           const struct lct_scale *map, const double *values,
                           int64_t rows, int64_t cols)
{
    struct lct_cairo *c = to;
    const int size[2] = { (int)(2 * box->width), (int)(2 * box->height) };
    int stride =
        c->lib->cairo_format_stride_for_width(CAIRO_FORMAT_RGB24, size[0]);
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
            row[x] =
                shades[1 + lct_shade(map, lct_largest_cell(values, cols, r, k),
                                     LCT_SHADES)];
        }
    }
    show(c, box, pixels, size, stride);
    locant_release(pixels);
    return LOCANT_OK;
}

const struct lct_ops lct_cairo_ops = { move,       line,  close, dot,
                                       stroke,     fill,  clip,  text,
                                       text_width, cells, NULL,  NULL };
