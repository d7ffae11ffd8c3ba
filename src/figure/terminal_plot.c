/* terminal_plot.c - curves and heat maps as text, with their axes */
#include "terminal.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_LINES = 22 }; /* of a picture, at most */

static locant_status make_pixels(struct lct_screen *s, int width, int lines)
{
    size_t n = (size_t)width * (size_t)(lines * s->per_line);

    s->width = width;
    s->height = lines * s->per_line;
    s->pixels = locant_alloc(n * sizeof *s->pixels);
    if (!s->pixels)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_figure_terminal: no memory for %zu pixels",
                           n);
    memset(s->pixels, 0, n * sizeof *s->pixels);
    return LOCANT_OK;
}

/* The label of the tick that lies in [low, high) of the height, or "". */
static const char *tick_at(const struct lct_axis *a, double low, double high)
{
    for (int i = 0; i < a->n; i++) {
        double at = lct_axis_at(a, a->tick[i]);
        if (at >= low && at < high)
            return a->label[i];
    }
    return "";
}

static int widest(const struct lct_screen *s, const struct lct_axis *a)
{
    int most = 0;

    for (int i = 0; i < a->n; i++)
        if (lct_screen_width(s, a->label[i]) > most)
            most = lct_screen_width(s, a->label[i]);
    return most;
}

/* Columns for the labels of a vertical axis; names get at most two fifths. */
static int margin(const struct lct_screen *s, const struct lct_axis *a)
{
    const int most = s->columns * 2 / 5, n = widest(s, a);

    return (n < most ? n : most) + 2;
}

/* The picture with the vertical axis; row 0 is at the axis' high end. */
static void put_lines(struct lct_screen *s, const struct lct_axis *y, int left)
{
    bool ascii = s->colors == LOCANT_TERMINAL_ASCII;
    int lines = (s->height + s->per_line - 1) / s->per_line;

    for (int i = 0; i < lines; i++) {
        double high = 1 - (double)i / lines, low = 1 - (double)(i + 1) / lines;
        const char *label = tick_at(y, low, i == 0 ? high + 1e-9 : high);
        lct_screen_spaces(s, left - 1 - lct_screen_width(s, label));
        lct_screen_text(s, label, left - 1, 0);
        lct_screen_raw(s, ascii ? (*label ? "+" : "|")
                                : (*label ? "\xe2\x94\xa4" : "\xe2\x94\x82"));
        lct_screen_line(s, i);
        lct_screen_raw(s, "\n");
    }
}

/* As many labels below as fit, and the title of the axis. */
static void put_axis(struct lct_screen *s, const struct lct_axis *x, int left,
                     const char *title)
{
    bool ascii = s->colors == LOCANT_TERMINAL_ASCII;
    int at = 0;

    lct_screen_spaces(s, left - 1);
    lct_screen_raw(s, ascii ? "+" : "\xe2\x94\x94");
    for (int i = 0; i < s->width; i++)
        lct_screen_raw(s, ascii ? "-" : "\xe2\x94\x80");
    lct_screen_raw(s, "\n");
    for (int i = 0; i < x->n; i++) {
        int size = lct_screen_width(s, x->label[i]);
        int begin = left +
                    (int)(lct_axis_at(x, x->tick[i]) * (s->width - 1) + 0.5) -
                    size / 2;
        if (begin <= at && at > 0)
            continue;
        if (begin < 0 || begin + size > s->columns)
            continue;
        lct_screen_spaces(s, begin - at);
        lct_screen_text(s, x->label[i], size, 0);
        at = begin + size;
    }
    lct_screen_raw(s, "\n");
    if (!title || !*title)
        return;
    at = left + (s->width - lct_screen_width(s, title)) / 2;
    lct_screen_spaces(s, at);
    lct_screen_text(s, title, s->columns - (at > 0 ? at : 0), 0);
    lct_screen_raw(s, "\n");
}

/* ------------------------------------------------------------------- curves */

struct plot {
    struct lct_screen *s;
    struct lct_axis x, y;
};

static void set(struct lct_screen *s, int x, int y, uint32_t value, bool over)
{
    uint32_t *p;

    if (x < 0 || x >= s->width || y < 0 || y >= s->height)
        return;
    p = &s->pixels[(size_t)y * (size_t)s->width + (size_t)x];
    if (over || !*p)
        *p = value;
}

/* Draws a segment: one pixel for each step along its longer side. */
static void draw_segment(const struct plot *p, const double from[2],
                         const double to[2], uint32_t value)
{
    double longer = fmax(fabs(to[0] - from[0]), fabs(to[1] - from[1]));
    int steps = (int)fmin(fmax(ceil(longer), 1), 1e5);

    for (int i = 0; i <= steps; i++) {
        double t = (double)i / steps;
        double x = from[0] + t * (to[0] - from[0]);
        double y = from[1] + t * (to[1] - from[1]);
        if (fabs(x) < 1e6 && fabs(y) < 1e6)
            set(p->s, (int)floor(x + 0.5), (int)floor(y + 0.5), value, true);
    }
}

static void draw_series(const struct plot *p, const locant_figure *f, size_t i)
{
    const locant_series *s = &f->series[i];
    bool ascii = p->s->colors == LOCANT_TERMINAL_ASCII;
    int color = lct_series_color(f, i);
    uint32_t value = ascii ? (uint32_t)lct_screen_glyph(color)
                           : lct_screen_color(p->s, color);
    double last[2] = { NAN, NAN };

    for (size_t k = 0; k < s->n; k++) {
        double to[2] = { lct_axis_at(&p->x, s->x[k]) * (p->s->width - 1),
                         (1 - lct_axis_at(&p->y, s->y[k])) *
                             (p->s->height - 1) };
        if (!isfinite(s->x[k]) || !isfinite(s->y[k])) {
            last[0] = NAN;
            continue;
        }
        draw_segment(p, isnan(last[0]) ? to : last, to, value);
        last[0] = to[0];
        last[1] = to[1];
    }
}

static void draw_marks(const struct plot *p, const locant_figure *f)
{
    bool ascii = p->s->colors == LOCANT_TERMINAL_ASCII;

    for (size_t i = 0; i < f->n_marks; i++) {
        double at = lct_axis_at(&p->x, f->marks[i].x) * (p->s->width - 1);
        for (int y = 0; y < p->s->height; y++)
            if (ascii ? y % 2 == 0 : y % 4 < 2)
                set(p->s, (int)floor(at + 0.5), y,
                    ascii ? ':' : (uint32_t)LCT_PLAIN, false);
    }
}

static void put_legend(struct lct_screen *s, const locant_figure *f)
{
    bool ascii = s->colors == LOCANT_TERMINAL_ASCII;

    for (size_t i = 0; i < f->n_series; i++) {
        char glyph[2] = { lct_screen_glyph(lct_series_color(f, i)), '\0' };
        if (!f->series[i].label)
            continue;
        lct_screen_raw(s, "  ");
        if (ascii)
            lct_screen_raw(s, glyph);
        else
            lct_screen_colored(s, lct_series_color(f, i),
                               "\xe2\x96\x80\xe2\x96\x80");
        lct_screen_raw(s, " ");
        lct_screen_text(s, f->series[i].label, s->columns - 6, 0);
        lct_screen_raw(s, "\n");
    }
    for (size_t i = 0; i < f->n_marks; i++) {
        char at[LCT_DECIMAL_BYTES];
        if (!f->marks[i].label)
            continue;
        lct_decimal_short(at, f->marks[i].x);
        lct_screen_raw(s, ascii ? "  : " : "  \xe2\x94\x8a  ");
        lct_screen_raw(s, at);
        lct_screen_raw(s, ": ");
        lct_screen_text(s, f->marks[i].label, s->columns - 20, 0);
        lct_screen_raw(s, "\n");
    }
}

locant_status lct_terminal_curves(struct lct_screen *s, const locant_figure *f)
{
    struct plot p = { .s = s };
    int left, lines = s->columns / 4;

    lct_curve_axes(&p.x, &p.y, f);
    left = margin(s, &p.y);
    lines = lines > TEXT_LINES ? TEXT_LINES : lines;
    LCT_TRY(make_pixels(s, s->columns - left - 1, lines));
    for (size_t i = f->n_series; i-- > 0;)
        draw_series(&p, f, i);
    draw_marks(&p, f);
    if (f->y_label) {
        lct_screen_text(s, f->y_label, s->columns, 0);
        lct_screen_raw(s, "\n");
    }
    put_lines(s, &p.y, left);
    put_axis(s, &p.x, left, f->x_label);
    put_legend(s, f);
    return LOCANT_OK;
}

/* --------------------------------------------------------------------- maps */

/* Small to large; for signed values, from the middle to both ends. */
static const char ramp[] = ".:-=+*#%@", signed_ramp[] = "NmLc-.+*o#@";

static uint32_t shade(const struct lct_screen *s, const struct lct_map *m,
                      double value)
{
    struct lct_color c;
    int k;

    if (s->colors == LOCANT_TERMINAL_ASCII) {
        const char *marks = m->diverging ? signed_ramp : ramp;
        k = lct_shade(m, value, (int)strlen(marks));
        return k < 0 ? 0 : (uint32_t)marks[k];
    }
    k = lct_shade(m, value, LCT_SHADES);
    if (k < 0)
        return 0;
    c = m->diverging ? lct_diverging(2.0 * k / (LCT_SHADES - 1) - 1, false)
                     : lct_sequential((double)k / (LCT_SHADES - 1), false);
    return LCT_COLORED | (uint32_t)lrint(c.r * 255) << 16 |
           (uint32_t)lrint(c.g * 255) << 8 | (uint32_t)lrint(c.b * 255);
}

static void put_scale(struct lct_screen *s, const struct lct_map *m)
{
    enum { STEPS = 24 };
    char low[LCT_DECIMAL_BYTES], high[LCT_DECIMAL_BYTES];

    lct_decimal_short(low, m->low);
    lct_decimal_short(high, m->high);
    lct_screen_raw(s, "  ");
    lct_screen_raw(s, low);
    lct_screen_raw(s, " ");
    if (s->colors == LOCANT_TERMINAL_ASCII) {
        lct_screen_raw(s, "[");
        lct_screen_raw(s, m->diverging ? signed_ramp : ramp);
        lct_screen_raw(s, "]");
    } else {
        uint32_t pixels[STEPS];
        struct lct_screen bar = *s;
        for (int i = 0; i < STEPS; i++)
            pixels[i] =
                shade(s, m, m->low + (m->high - m->low) * i / (STEPS - 1));
        bar.pixels = pixels;
        bar.width = STEPS;
        bar.height = 1;
        lct_screen_line(&bar, 0);
    }
    lct_screen_raw(s, " ");
    lct_screen_raw(s, high);
}

/* Say how many cells one pixel stands for, if more than one. */
static void put_pooled(struct lct_screen *s, const locant_figure *f)
{
    char text[80];
    int64_t down = (f->rows + s->height - 1) / s->height;
    int64_t across = (f->cols + s->width - 1) / s->width;

    if (down > 1 || across > 1) {
        snprintf(text, sizeof text, "\n  each the largest of %lld x %lld",
                 (long long)down, (long long)across);
        lct_screen_raw(s, text);
    }
    lct_screen_raw(s, "\n");
}

/* The side in pixels: a whole number for each cell, or else all the room. */
static int side(int64_t cells, int room, int most)
{
    int64_t each = room / cells;

    if (each < 1)
        return room;
    return (int)(cells * (each < most ? each : most));
}

locant_status lct_terminal_map(struct lct_screen *s, const locant_figure *f)
{
    struct lct_map m = lct_map_of(f);
    struct lct_axis x, y;
    int left, tall, most;

    lct_map_axes(&x, &y, f);
    left = margin(s, &y);
    tall = side(f->rows, TEXT_LINES * s->per_line, 2 * s->per_line);
    if (f->row_names && tall >= f->rows * s->per_line)
        tall -= tall % (int)(f->rows * s->per_line); /* whole lines per row */
    tall += tall % s->per_line;                      /* whole lines */
    most = s->per_line == 2 ? 4 : 3;
    if (f->col_names && widest(s, &x) + 2 > most)
        most = widest(s, &x) + 2;
    LCT_TRY(make_pixels(s, side(f->cols, s->columns - left - 1, most),
                        tall / s->per_line));
    for (int i = 0; i < s->height; i++)
        for (int k = 0; k < s->width; k++) {
            int64_t row[2], col[2];
            lct_cover(&row[0], &row[1], i, s->height, f->rows);
            lct_cover(&col[0], &col[1], k, s->width, f->cols);
            s->pixels[(size_t)i * (size_t)s->width + (size_t)k] =
                shade(s, &m, lct_strongest(f->cells, f->cols, row, col));
        }
    if (f->y_label) {
        lct_screen_text(s, f->y_label, s->columns, 0);
        lct_screen_raw(s, "\n");
    }
    put_lines(s, &y, left);
    put_axis(s, &x, left, f->x_label);
    put_scale(s, &m);
    put_pooled(s, f);
    return LOCANT_OK;
}
