/*
 * inline.c - figures as part of a page; see inline.h.
 *
 * Coordinates are tenths of a point, relative to the previous point.  Each
 * absolute coordinate is rounded once, so errors do not add up.
 */
#include "inline.h"
#include "data.h"
#include "inline_text.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct page {
    struct lct_html *h;
    struct lct_html path; /* of the element being made */
    long x, y;            /* pen position, in tenths */
    double radius;        /* of the dots in 'path' */
    int series;           /* to which elements belong; -1: none */
};

static long tenths(double points)
{
    return lrint(fmin(fmax(points, -1e6), 1e6) * 10);
}

/* Prints tenths as "-.5", "12", "3.1"; a blank separates digits from a number
   without sign. */
static void put_number(struct lct_html *h, long value)
{
    char text[32];
    long whole = labs(value) / 10, rest = labs(value) % 10;
    char last = h->size ? h->data[h->size - 1] : ' ';
    const char *gap = value >= 0 && last >= '0' && last <= '9' ? " " : "";
    const char *sign = value < 0 ? "-" : "";

    if (rest == 0)
        snprintf(text, sizeof text, "%s%s%ld", gap, sign, whole);
    else if (whole == 0)
        snprintf(text, sizeof text, "%s%s.%ld", gap, sign, rest);
    else
        snprintf(text, sizeof text, "%s%s%ld.%ld", gap, sign, whole, rest);
    lct_html_raw(h, text);
}

void lct_put_tenths(struct lct_html *h, double points)
{
    put_number(h, tenths(points));
}

static void put_attribute(struct lct_html *h, const char *name, double points)
{
    lct_html_print(h, " %s=\"", name);
    lct_put_tenths(h, points);
    lct_html_raw(h, "\"");
}

static void put_series(const struct page *p)
{
    if (p->series >= 0)
        lct_html_print(p->h, " data-s=\"%d\"", p->series);
}

static void series(void *to, int i)
{
    ((struct page *)to)->series = i;
}

static const char *class_of(int role, char room[16])
{
    static const char *const plain[] = { "ci", "ct", "cr", "cg" };

    if (role < LCT_SERIES)
        return plain[role];
    snprintf(room, 16, "c%d", role - LCT_SERIES);
    return room;
}

/* ------------------------------------------------------------------- paths */

static void move(void *to, double x, double y)
{
    struct page *p = to;

    p->x = tenths(x);
    p->y = tenths(y);
    lct_html_raw(&p->path, "M");
    put_number(&p->path, p->x);
    put_number(&p->path, p->y);
}

static void line(void *to, double x, double y)
{
    struct page *p = to;
    long dx = tenths(x) - p->x, dy = tenths(y) - p->y;

    p->x += dx;
    p->y += dy;
    lct_html_raw(&p->path, dy == 0 ? "h" : dx == 0 ? "v" : "l");
    if (dx != 0 || dy == 0)
        put_number(&p->path, dx);
    if (dy != 0)
        put_number(&p->path, dy);
}

static void close(void *to)
{
    lct_html_raw(&((struct page *)to)->path, "z");
}

/* A dot is a line of length 0 with round ends, so one path can hold all. */
static void dot(void *to, double x, double y, double radius)
{
    struct page *p = to;

    move(to, x, y);
    lct_html_raw(&p->path, "h0");
    p->radius = radius;
}

static void end_path(struct page *p)
{
    lct_html_raw(p->h, " d=\"");
    if (p->path.size && !p->path.failed) {
        lct_html_append(p->h, p->path.data, p->path.size);
        p->path.size = 0;
    }
    p->h->failed |= p->path.failed;
    lct_html_raw(p->h, "\"/>");
    p->radius = 0;
}

static void open_path(struct page *p, const char *how, int role)
{
    char room[16];

    lct_html_print(p->h, "\n<path class=\"%s%s\"", how, class_of(role, room));
    put_series(p);
}

static void put_alpha(struct page *p, double alpha)
{
    char text[32];

    if (alpha < 1) {
        snprintf(text, sizeof text, " opacity=\".%02d\"",
                 (int)lrint(alpha * 100));
        lct_html_raw(p->h, text);
    }
}

static void stroke(void *to, const struct lct_pen *pen)
{
    struct page *p = to;
    int n;
    const double *dash = lct_dash(&n, pen->dash);

    open_path(p, "l ", pen->role);
    put_attribute(p->h, "stroke-width", pen->width);
    if (n > 0)
        lct_html_raw(p->h, " stroke-dasharray=\"");
    for (int i = 0; i < n; i++)
        lct_put_tenths(p->h, dash[i]);
    lct_html_raw(p->h, n > 0 ? "\"" : "");
    put_alpha(p, pen->alpha);
    end_path(p);
}

static void fill(void *to, int role, double alpha)
{
    struct page *p = to;

    open_path(p, p->radius > 0 ? "l " : "f ", role);
    if (p->radius > 0) {
        put_attribute(p->h, "stroke-width", 2 * p->radius);
        lct_html_raw(p->h, " stroke-linecap=\"round\"");
    }
    put_alpha(p, alpha);
    end_path(p);
}

/* An inner <svg> shows only what lies in its frame. */
static void clip(void *to, const struct lct_box *box)
{
    struct lct_html *h = ((struct page *)to)->h;

    if (!box) {
        lct_html_raw(h, "</svg>");
        return;
    }
    lct_html_raw(h, "\n<svg");
    put_attribute(h, "x", box->x);
    put_attribute(h, "y", box->y);
    put_attribute(h, "width", box->width);
    put_attribute(h, "height", box->height);
    lct_html_raw(h, " viewBox=\"");
    lct_put_tenths(h, box->x);
    lct_put_tenths(h, box->y);
    lct_put_tenths(h, box->width);
    lct_put_tenths(h, box->height);
    lct_html_raw(h, "\">");
}

/* -------------------------------------------------------------------- text */

static void put_text(const struct page *p, double x, double y,
                     const char *words, const char *language,
                     const struct lct_text *style)
{
    struct lct_html *h = p->h;
    char room[16];

    lct_html_print(h, "\n<text class=\"f %s%s%s%s\"",
                   class_of(style->role, room),
                   style->align_x > 0.9   ? " e"
                   : style->align_x > 0.1 ? " m"
                                          : "",
                   style->bold ? " b" : "", language);
    put_series(p);
    if (style->vertical) {
        lct_html_raw(h, " transform=\"translate(");
        lct_put_tenths(h, x);
        lct_put_tenths(h, y);
        lct_html_raw(h, ")rotate(-90)\"");
        x = y = 0;
    }
    /* in font sizes, a line is 1.16 high and its baseline 0.92 below its top */
    put_attribute(h, "x", x);
    put_attribute(h, "y", y + style->size * (0.92 - 1.16 * style->align_y));
    put_attribute(h, "font-size", style->size);
    lct_html_raw(h, ">");
    lct_inline_text_put(h, words, style);
    lct_html_raw(h, "</text>");
}

static void text(void *to, double x, double y, const char *words,
                 const struct lct_text *style)
{
    const struct page *p = to;
    const bool bilingual = style->zh && strcmp(style->zh, words) != 0;

    put_text(p, x, y, words, bilingual ? " en" : "", style);
    if (bilingual)
        put_text(p, x, y, style->zh, " zh", style);
}

static double text_width(void *to, const char *words,
                         const struct lct_text *style)
{
    (void)to;
    return lct_inline_text_width(words, style);
}

static locant_status cells(void *to, const struct lct_box *box,
                           const struct lct_scale *map, const double *values,
                           int64_t rows, int64_t cols)
{
    return lct_inline_cells(((struct page *)to)->h, box, map, values, rows,
                            cols);
}

/* ------------------------------------------------------------------ figure */

static const struct lct_ops ops = {
    move, line, close,      dot,   stroke, fill,
    clip, text, text_width, cells, series, lct_inline_fits
};

/* Numbers for the script, with all digits. */
static void put_range(struct lct_html *h, const char *name, const double *value,
                      int n)
{
    lct_html_print(h, " data-%s=\"", name);
    for (int i = 0; i < n; i++) {
        char number[LCT_DECIMAL_BYTES];

        lct_decimal_exact(number, value[i]);
        lct_html_print(h, "%s%s", i ? " " : "", number);
    }
    lct_html_raw(h, "\"");
}

static void open_figure(struct lct_html *h, const struct lct_canvas *c,
                        const locant_figure *f, const char *alt,
                        const char *alt_zh)
{
    const double box[4] = { c->plot.x, c->plot.y, c->plot.width,
                            c->plot.height };

    lct_html_print(h,
                   "<svg class=\"fig\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                   "height=\"%d\" role=\"img\" data-kind=\"%s\"",
                   (int)c->width, (int)c->height, (int)c->width, (int)c->height,
                   lct_figure_data_kinds[f->kind]);
    if (f->name)
        lct_html_print(h, " data-name=\"%s\"", f->name);
    put_range(h, "box", box, 4);
    put_range(h, "x", c->x, 2);
    put_range(h, "y", c->y, 2);
    lct_html_raw(h, f->log_x ? " data-log=\"x\"" : "");
    lct_html_label(h, alt ? alt : f->title, alt ? alt_zh : f->title_zh);
    lct_html_raw(h, ">");
}

locant_status lct_figure_inline(struct lct_html *h, const locant_figure *f,
                                const char *alt, const char *alt_zh)
{
    struct lct_html body = { .data = NULL };
    struct page page = { .h = &body, .series = -1 };
    struct lct_canvas c = { .ops = &ops,
                            .to = &page,
                            .most_cells = LCT_PAGE_CELLS };
    locant_status status;

    LCT_TRY(lct_figure_check("locant_figure_inline", f));
    c.width = f->width ? f->width : LCT_WIDTH;
    c.height = f->height ? f->height : LCT_HEIGHT;
    status = lct_figure_draw(&c, f);
    if (status == LOCANT_OK) {
        open_figure(h, &c, f, alt, alt_zh);
        h->failed |= body.failed;
        if (!body.failed && body.size)
            lct_html_append(h, body.data, body.size);
        lct_html_raw(h, "</svg>\n");
    }
    lct_html_free(&page.path);
    lct_html_free(&body);
    return status == LOCANT_OK ? lct_html_status(h) : status;
}

locant_status locant_figure_inline(char **out, size_t *size,
                                   const locant_figure *figure, const char *alt)
{
    struct lct_html h = { .data = NULL };
    locant_status status;

    if (!out || !size)
        return locant_fail(LOCANT_ERR_NULL, "locant_figure_inline: %s is NULL",
                           out ? "size" : "out");
    status = lct_figure_inline(&h, figure, alt, NULL);
    return lct_html_finish(out, size, &h, status);
}
