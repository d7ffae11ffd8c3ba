/*
 * draw.c - a figure as a document: SVG, PNG, PDF.
 *
 * The document is made in memory and reaches the disk whole or not at all.  An
 * SVG gets a <title>, and ids that do not depend on what the process drew
 * before: the same figure gives the same bytes.
 */
#include "../core/size.h"
#include "../files/io.h"
#include "canvas_cairo.h"
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <stdlib.h>
#include <string.h>

enum format { FORMAT_NONE, FORMAT_SVG, FORMAT_PNG, FORMAT_PDF };

/* A document that grows; zero-terminated. */
struct bytes {
    char *data;
    size_t size, capacity;
};

static bool append(struct bytes *b, const void *data, size_t size)
{
    size_t need;

    if (!lct_add(&need, b->size, size) || !lct_add(&need, need, 1))
        return false;
    if (need > b->capacity) {
        size_t capacity = b->capacity ? b->capacity : 16384;
        char *grown;
        while (capacity < need)
            if (!lct_mul(&capacity, capacity, 2))
                return false;
        grown = locant_alloc(capacity);
        if (!grown)
            return false;
        if (b->size)
            memcpy(grown, b->data, b->size);
        locant_release(b->data);
        b->data = grown;
        b->capacity = capacity;
    }
    if (size)
        memcpy(b->data + b->size, data, size);
    b->size += size;
    b->data[b->size] = '\0';
    return true;
}

static cairo_status_t take(void *closure, const unsigned char *data,
                           unsigned int size)
{
    return append(closure, data, size) ? CAIRO_STATUS_SUCCESS
                                       : CAIRO_STATUS_NO_MEMORY;
}

static cairo_surface_t *make_surface(struct bytes *b, enum format format,
                                     double width, double height)
{
    if (format == FORMAT_SVG)
        return cairo_svg_surface_create_for_stream(take, b, width, height);
    if (format == FORMAT_PDF)
        return cairo_pdf_surface_create_for_stream(take, b, width, height);
    /* two pixels per point */
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, 2 * (int)width,
                                      2 * (int)height);
}

/* Outlines as designed, at positions that no screen has rounded. */
static void plain_fonts(struct lct_cairo *c)
{
    cairo_font_options_t *options = cairo_font_options_create();
    PangoContext *context = pango_layout_get_context(c->layout);

    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    pango_cairo_context_set_font_options(context, options);
    pango_cairo_context_set_resolution(context, 72);
    pango_context_set_round_glyph_positions(context, FALSE);
    pango_layout_context_changed(c->layout);
    cairo_font_options_destroy(options);
}

/* What cairo says after everything was drawn. */
static locant_status verdict(const char *fn, cairo_status_t status)
{
    if (status == CAIRO_STATUS_SUCCESS)
        return LOCANT_OK;
    if (status == CAIRO_STATUS_NO_MEMORY)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for the drawing",
                           fn);
    return locant_fail(LOCANT_ERR_IO, "%s: cairo: %s", fn,
                       cairo_status_to_string(status));
}

static locant_status render(struct bytes *b, const char *fn, enum format format,
                            const locant_figure *f)
{
    struct lct_cairo c;
    struct lct_canvas canvas = { .ops = &lct_cairo_ops, .to = &c,
                                 .width = f->width ? f->width : LCT_WIDTH,
                                 .height = f->height ? f->height : LCT_HEIGHT };
    cairo_surface_t *surface = make_surface(b, format, canvas.width,
                                            canvas.height);
    PangoFontMap *fonts;
    PangoContext *context;
    cairo_status_t drawn;
    locant_status status;

    c.cr = cairo_create(surface);
    if (format == FORMAT_PNG)
        cairo_scale(c.cr, 2, 2);
    /* The default font map lives as long as its thread, and so would the fonts
       of every figure; making one costs about a millisecond. */
    fonts = pango_cairo_font_map_new();
    context = pango_font_map_create_context(fonts);
    c.layout = pango_layout_new(context);
    plain_fonts(&c);
    cairo_set_source_rgb(c.cr, 1, 1, 1);
    cairo_paint(c.cr);
    status = lct_figure_draw(&canvas, f);
    drawn = cairo_status(c.cr);
    g_object_unref(c.layout);
    g_object_unref(context);
    g_object_unref(fonts);
    cairo_destroy(c.cr);
    if (format == FORMAT_PNG && status == LOCANT_OK && drawn == 0)
        drawn = cairo_surface_write_to_png_stream(surface, take, b);
    cairo_surface_finish(surface);
    if (drawn == CAIRO_STATUS_SUCCESS)
        drawn = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (status != LOCANT_OK)
        return status;
    return verdict(fn, drawn);
}

/* -------------------------------------------------------------- SVG, tidied */

/* Numbers cairo drew from a counter of the process, in order of appearance. */
struct renaming {
    unsigned long was[16];
    size_t n;
};

static size_t renamed(struct renaming *r, unsigned long number)
{
    size_t i = 0;

    while (i < r->n && r->was[i] != number)
        i++;
    if (i == r->n && r->n < sizeof r->was / sizeof r->was[0])
        r->was[r->n++] = number;
    return i;
}

/* Length of "surface or "image or "#image at p, followed by a digit; or 0. */
static size_t counted_id(const char *p)
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

/* Copy an id whose quote is at *from, its number renamed. */
static bool append_id(struct bytes *to, const char **from, size_t id,
                      struct renaming *r)
{
    char digits[24];
    char *end;
    size_t number = renamed(r, strtoul(*from + id, &end, 10));

    if (!append(to, *from, id))
        return false;
    g_snprintf(digits, sizeof digits, "%zu", number);
    *from = end;
    return append(to, digits, strlen(digits));
}

/* Copy the numbers of a path up to its closing quote, cut to hundredths of a
   point: finer than print, and half the bytes. */
static bool append_path(struct bytes *to, const char **from)
{
    const char *p = *from;

    while (*p && *p != '"') {
        const char *start = p;
        while (*p && *p != '"' && *p != '.')
            p++;
        for (int kept = 0; kept < 3 && (*p == '.' || g_ascii_isdigit(*p));)
            p++, kept++;
        if (!append(to, start, (size_t)(p - start)))
            return false;
        while (g_ascii_isdigit(*p))
            p++;
    }
    *from = p;
    return true;
}

static bool append_body(struct bytes *to, const char *from)
{
    struct renaming r = { .n = 0 };
    const char *quote;

    while ((quote = strchr(from, '"'))) {
        size_t id = counted_id(quote);
        bool path = quote - from > 2 && strncmp(quote - 3, " d=", 3) == 0;
        if (!append(to, from, (size_t)(quote - from)))
            return false;
        from = quote;
        if (id > 0 && !append_id(to, &from, id, &r))
            return false;
        if (id == 0) {
            if (!append(to, "\"", 1))
                return false;
            from++;
        }
        if (path && !append_path(to, &from))
            return false;
    }
    return append(to, from, strlen(from));
}

/* <title>, its text escaped; bytes that are not UTF-8 become U+FFFD, and
   characters that XML forbids go. */
static bool append_title(struct bytes *to, const char *title)
{
    char *valid = g_utf8_make_valid(title, -1), *escaped;
    bool ok;

    for (char *p = valid; *p; p++)
        if ((unsigned char)*p < ' ')
            *p = ' ';
    escaped = g_markup_escape_text(valid, -1);
    ok = append(to, "<title>", 7) && append(to, escaped, strlen(escaped)) &&
         append(to, "</title>\n", 9);
    g_free(escaped);
    g_free(valid);
    return ok;
}

static locant_status tidy(struct bytes *b, const char *fn,
                          const locant_figure *f)
{
    struct bytes out = { NULL, 0, 0 };
    const char *root = strstr(b->data, "<svg");
    const char *body = root ? strchr(root, '>') : NULL;
    bool ok;

    if (!body)
        return locant_fail(LOCANT_ERR_IO, "%s: cairo wrote no SVG", fn);
    body += body[1] == '\n' ? 2 : 1;
    ok = append(&out, b->data, (size_t)(body - b->data));
    if (f->title && *f->title)
        ok = ok && append_title(&out, f->title);
    ok = ok && append_body(&out, body);
    locant_release(b->data);
    *b = out;
    if (!ok)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for the drawing",
                           fn);
    return LOCANT_OK;
}

static locant_status document(struct bytes *b, const char *fn,
                              enum format format, const locant_figure *f)
{
    locant_status status;

    LCT_TRY(lct_figure_check(fn, f));
    status = render(b, fn, format, f);
    if (status == LOCANT_OK && format == FORMAT_SVG)
        status = tidy(b, fn, f);
    if (status != LOCANT_OK) {
        locant_release(b->data);
        *b = (struct bytes){ NULL, 0, 0 };
    }
    return status;
}

/* ------------------------------------------------------------------- public */

static enum format format_of(const char *path)
{
    static const struct {
        const char *ending;
        enum format format;
    } known[] = { { ".svg", FORMAT_SVG }, { ".png", FORMAT_PNG },
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
    struct bytes b = { NULL, 0, 0 };
    enum format format;
    locant_status status;

    if (!path)
        return locant_fail(LOCANT_ERR_NULL, "%s: path is NULL", fn);
    format = format_of(path);
    if (format == FORMAT_NONE)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: path is '%.200s', expected an ending .svg, "
                           ".png or .pdf",
                           fn, path);
    LCT_TRY(document(&b, fn, format, figure));
    status = lct_write_file(path, &(struct lct_piece){ b.data, b.size }, 1);
    locant_release(b.data);
    return status;
}

locant_status locant_figure_svg(char **out, size_t *size,
                                const locant_figure *figure)
{
    static const char fn[] = "locant_figure_svg";
    struct bytes b = { NULL, 0, 0 };

    if (!out || !size)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", fn,
                           out ? "size" : "out");
    LCT_TRY(document(&b, fn, FORMAT_SVG, figure));
    *out = b.data;
    *size = b.size;
    return LOCANT_OK;
}
