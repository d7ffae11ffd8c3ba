/*
 * draw.c - writes a figure as SVG, PNG or PDF.
 *
 * The document is made in memory, so the file is written whole or not at all.
 * An SVG gets a <title>.  Its ids do not depend on what the process drew
 * before, so equal figures give equal bytes.
 */
#include "../files/io.h"
#include "../files/html.h"
#include "canvas_cairo.h"
#include <stdlib.h>
#include <string.h>

enum format { FORMAT_NONE, FORMAT_SVG, FORMAT_PNG, FORMAT_PDF };

static cairo_status_t append(void *closure, const unsigned char *data,
                             unsigned int size)
{
    struct lct_html *b = closure;

    lct_html_append(b, (const char *)data, size);
    return b->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *make_surface(const struct lct_drawing *lib,
                                     struct lct_html *b, enum format format,
                                     double width, double height)
{
    if (format == FORMAT_SVG)
        return lib->cairo_svg_surface_create_for_stream(append, b, width,
                                                        height);
    if (format == FORMAT_PDF)
        return lib->cairo_pdf_surface_create_for_stream(append, b, width,
                                                        height);
    /* two pixels per point */
    return lib->cairo_image_surface_create(CAIRO_FORMAT_RGB24, 2 * (int)width,
                                           2 * (int)height);
}

/* No hinting: glyphs keep their designed outlines and exact positions. */
static void use_unhinted_fonts(struct lct_cairo *c)
{
    const struct lct_drawing *lib = c->lib;
    cairo_font_options_t *options = lib->cairo_font_options_create();
    PangoContext *context = lib->pango_layout_get_context(c->layout);

    lib->cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    lib->cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    lib->cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    lib->pango_cairo_context_set_font_options(context, options);
    lib->pango_cairo_context_set_resolution(context, 72);
    lib->pango_context_set_round_glyph_positions(context, FALSE);
    lib->pango_layout_context_changed(c->layout);
    lib->cairo_font_options_destroy(options);
}

static locant_status no_memory(const char *fn)
{
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for the drawing", fn);
}

/* The status of a drawing; 'drawn' is what cairo reported at its end. */
static locant_status verdict(const char *fn, const struct lct_cairo *c,
                             cairo_status_t drawn)
{
    if (drawn == CAIRO_STATUS_NO_MEMORY || c->failed)
        return no_memory(fn);
    if (drawn == CAIRO_STATUS_SUCCESS)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_IO, "%s: cairo: %s", fn,
                       c->lib->cairo_status_to_string(drawn));
}

/* Draws the figure on white; sets 'drawn' to cairo's own status. */
static locant_status paint(cairo_status_t *drawn, struct lct_cairo *c,
                           struct lct_canvas *canvas, const locant_figure *f)
{
    const struct lct_drawing *lib = c->lib;
    /* The default font map, with the fonts of every figure, would live as long
       as its thread; making a map takes about a millisecond. */
    PangoFontMap *fonts = lib->pango_cairo_font_map_new();
    PangoContext *context = lib->pango_font_map_create_context(fonts);
    locant_status status;

    c->layout = lib->pango_layout_new(context);
    use_unhinted_fonts(c);
    lib->cairo_set_source_rgb(c->cr, 1, 1, 1);
    lib->cairo_paint(c->cr);
    status = lct_figure_draw(canvas, f);
    *drawn = lib->cairo_status(c->cr);
    lib->g_object_unref(c->layout);
    lib->g_object_unref(context);
    lib->g_object_unref(fonts);
    return status;
}

static locant_status render(struct lct_html *b, const char *fn,
                            enum format format, const locant_figure *f)
{
    struct lct_cairo c = { .failed = false };
    struct lct_canvas canvas = { .ops = &lct_cairo_ops,
                                 .to = &c,
                                 .width = f->width ? f->width : LCT_WIDTH,
                                 .height = f->height ? f->height : LCT_HEIGHT };
    const struct lct_drawing *lib;
    cairo_surface_t *surface;
    cairo_status_t drawn;
    locant_status status;

    LCT_TRY(lct_drawing_load(&lib, fn));
    c.lib = lib;
    surface = make_surface(lib, b, format, canvas.width, canvas.height);
    c.cr = lib->cairo_create(surface);
    if (format == FORMAT_PNG)
        lib->cairo_scale(c.cr, 2, 2);
    status = paint(&drawn, &c, &canvas, f);
    lib->cairo_destroy(c.cr);
    if (format == FORMAT_PNG && status == LOCANT_OK && drawn == 0)
        drawn = lib->cairo_surface_write_to_png_stream(surface, append, b);
    lib->cairo_surface_finish(surface);
    if (drawn == CAIRO_STATUS_SUCCESS)
        drawn = lib->cairo_surface_status(surface);
    lib->cairo_surface_destroy(surface);
    if (status == LOCANT_OK)
        status = verdict(fn, &c, drawn);
    if (status == LOCANT_OK && f->chinese && c.no_glyphs)
        status = locant_fail(LOCANT_ERR_UNSUPPORTED,
                             "%s: no font of this machine has all characters "
                             "of the Chinese text",
                             fn);
    return status;
}

/* --------------------------------------------------------------------- SVG */

/* Numbers of ids, which cairo counts up over the whole process, in order of
   appearance; the index is the new number. */
struct renaming {
    unsigned long old[16];
    size_t n;
};

static size_t new_number(struct renaming *r, unsigned long old)
{
    size_t i = 0;

    while (i < r->n && r->old[i] != old)
        i++;
    if (i == r->n && r->n < sizeof r->old / sizeof r->old[0])
        r->old[r->n++] = old;
    return i;
}

/* Length of the quote and name of a counted id or reference at p, else 0. */
static size_t counted_id_at(const char *p)
{
    static const char *const ids[] = { "\"surface", "\"#surface", "\"image",
                                       "\"#image" };

    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        size_t n = strlen(ids[i]);
        if (strncmp(p, ids[i], n) == 0 && p[n] >= '0' && p[n] <= '9')
            return n;
    }
    return 0;
}

/* Copy the id at *from, of which 'id' characters precede its number. */
static void append_id(struct lct_html *to, const char **from, size_t id,
                      struct renaming *r)
{
    char *end;
    size_t number = new_number(r, strtoul(*from + id, &end, 10));

    lct_html_format(to, "%.*s%zu", (int)id, *from, number);
    *from = end;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Copy the numbers of a path up to the closing quote, cut to hundredths of a
   point: finer than print resolution, and half the bytes. */
static void append_path(struct lct_html *to, const char **from)
{
    const char *p = *from;

    while (*p && *p != '"') {
        const char *start = p;
        while (*p && *p != '"' && *p != '.')
            p++;
        for (int kept = 0; kept < 3 && (*p == '.' || is_digit(*p));)
            p++, kept++;
        lct_html_append(to, start, (size_t)(p - start));
        while (is_digit(*p))
            p++;
    }
    *from = p;
}

static void append_body(struct lct_html *to, const char *from)
{
    struct renaming r = { .n = 0 };
    const char *quote;

    while ((quote = strchr(from, '"'))) {
        size_t id = counted_id_at(quote);
        bool path = quote - from > 2 && strncmp(quote - 3, " d=", 3) == 0;
        lct_html_append(to, from, (size_t)(quote - from));
        from = quote;
        if (id > 0) {
            append_id(to, &from, id, &r);
        } else {
            lct_html_append(to, "\"", 1);
            from++;
        }
        if (path)
            append_path(to, &from);
    }
    lct_html_raw(to, from);
}

/* Adds the title to an SVG of cairo, and shortens its body. */
static locant_status tidy(struct lct_html *b, const char *fn,
                          const locant_figure *f)
{
    struct lct_html out = { .data = NULL };
    const char *root, *body;

    lct_html_append(b, "", 1);
    if (b->failed)
        return no_memory(fn);
    root = strstr(b->data, "<svg");
    body = root ? strchr(root, '>') : NULL;
    if (!body)
        return locant_fail(LOCANT_ERR_IO, "%s: cairo wrote no SVG", fn);
    body += body[1] == '\n' ? 2 : 1;
    lct_html_append(&out, b->data, (size_t)(body - b->data));
    if (f->title && *f->title) {
        lct_html_raw(&out, "<title>");
        lct_html_text(&out, f->title);
        lct_html_raw(&out, "</title>\n");
    }
    append_body(&out, body);
    lct_html_free(b);
    *b = out;
    return out.failed ? no_memory(fn) : LOCANT_OK;
}

static locant_status document(struct lct_html *b, const char *fn,
                              enum format format, const locant_figure *f)
{
    LCT_TRY(lct_figure_check(fn, f));
    LCT_TRY(render(b, fn, format, f));
    return format == FORMAT_SVG ? tidy(b, fn, f) : LOCANT_OK;
}

/* ------------------------------------------------------------------- public */

static enum format format_of(const char *path)
{
    static const struct {
        const char *ending;
        enum format format;
    } known[] = { { ".svg", FORMAT_SVG },
                  { ".png", FORMAT_PNG },
                  { ".pdf", FORMAT_PDF } };
    size_t n = strlen(path);

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (n > 4 && strcmp(path + n - 4, known[i].ending) == 0)
            return known[i].format;
    return FORMAT_NONE;
}

locant_status locant_figure_write(const locant_figure *figure, const char *path)
{
    static const char fn[] = "locant_figure_write";
    struct lct_html b = { .data = NULL };
    enum format format;
    locant_status status;

    LCT_NOT_NULL(fn, path);
    format = format_of(path);
    if (format == FORMAT_NONE)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: path is '%.200s', expected an ending .svg, "
                           ".png or .pdf",
                           fn, path);
    status = document(&b, fn, format, figure);
    if (status == LOCANT_OK)
        status = lct_write_file(path, &(struct lct_piece){ b.data, b.size }, 1);
    lct_html_free(&b);
    return status;
}

locant_status locant_figure_svg(char **out, size_t *size,
                                const locant_figure *figure)
{
    static const char fn[] = "locant_figure_svg";
    struct lct_html b = { .data = NULL };

    LCT_NOT_NULL(fn, out);
    LCT_NOT_NULL(fn, size);
    return lct_html_finish(out, size, &b, document(&b, fn, FORMAT_SVG, figure));
}
