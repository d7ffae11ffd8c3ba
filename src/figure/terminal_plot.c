/* terminal_plot.c - curves and heat maps as text, with their axes */
#include "terminal.h"
#include <math.h>
#include <string.h>

enum { MAX_LINES = 22 }; /* of text in a picture */

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

/* The picture with the vertical axis, high end on top, and its title. */
static void put_lines(struct lct_screen *s, const struct lct_axis *y, int left,
                      const char *title)
{
    int lines = (s->height + s->per_line - 1) / s->per_line;

    if (title) {
        lct_screen_text(s, title, s->columns, 0);
        lct_screen_raw(s, "\n");
    }
    for (int i = 0; i < lines; i++) {
        double high = 1 - (double)i / lines, low = 1 - (double)(i + 1) / lines;
        const char *label = tick_at(y, low, i == 0 ? high + 1e-9 : high);
        lct_screen_spaces(s, left - 1 - lct_screen_width(s, label));
        lct_screen_text(s, label, left - 1, 0);
        lct_screen_raw(s, *label ? lct_screen_pick(s, "+", "\xe2\x94\xa4")
                                 : lct_screen_pick(s, "|", "\xe2\x94\x82"));
        lct_screen_line(s, i);
        lct_screen_raw(s, "\n");
    }
}

/* The horizontal axis with as many labels as fit, and its title. */
static void put_axis(struct lct_screen *s, const struct lct_axis *x, int left,
                     const char *title)
{
    int at = 0;

    lct_screen_spaces(s, left - 1);
    lct_screen_raw(s, lct_screen_pick(s, "+", "\xe2\x94\x94"));
    for (int i = 0; i < s->width; i++)
        lct_screen_raw(s, lct_screen_pick(s, "-", "\xe2\x94\x80"));
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

/* NULL outside the picture. */
static uint32_t *pixel_at(const struct lct_screen *s, int x, int y)
{
    if (x < 0 || x >= s->width || y < 0 || y >= s->height)
        return NULL;
    return &s->pixels[(size_t)y * (size_t)s->width + (size_t)x];
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
        uint32_t *pixel =
            fabs(x) < 1e6 && fabs(y) < 1e6
                ? pixel_at(p->s, (int)floor(x + 0.5), (int)floor(y + 0.5))
                : NULL;
        if (pixel)
            *pixel = value;
    }
}

static void draw_series(const struct plot *p, const locant_figure *f, size_t i)
{
    const locant_series *s = &f->series[i];
    uint32_t value = lct_screen_color(p->s, lct_series_color(f, i));
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

/* Dashed vertical lines, under the curves. */
static void draw_marks(const struct plot *p, const locant_figure *f)
{
    bool ascii = p->s->colors == LOCANT_TERMINAL_ASCII;

    for (size_t i = 0; i < f->n_marks; i++) {
        double at = lct_axis_at(&p->x, f->marks[i].x) * (p->s->width - 1);
        for (int y = 0; y < p->s->height; y++) {
            uint32_t *pixel = pixel_at(p->s, (int)floor(at + 0.5), y);
            bool dash = ascii ? y % 2 == 0 : y % 4 < 2;
            if (pixel && !*pixel && dash)
                *pixel = ascii ? ':' : (uint32_t)LCT_PLAIN;
        }
    }
}

static void put_legend(struct lct_screen *s, const locant_figure *f)
{
    for (size_t i = 0; i < f->n_series; i++) {
        int color = lct_series_color(f, i);
        char letter[2] = { (char)lct_screen_color(s, color), '\0' };
        if (!f->series[i].label)
            continue;
        lct_screen_raw(s, "  ");
        lct_screen_colored(
            s, color, lct_screen_pick(s, letter, "\xe2\x96\x80\xe2\x96\x80"));
        lct_screen_raw(s, " ");
        lct_screen_text(s, f->series[i].label, s->columns - 6, 0);
        lct_screen_raw(s, "\n");
    }
    for (size_t i = 0; i < f->n_marks; i++) {
        char at[LCT_DECIMAL_BYTES];
        if (!f->marks[i].label)
            continue;
        lct_decimal_short(at, f->marks[i].x);
        lct_html_format(
            s->h, "  %s%s: ", lct_screen_pick(s, ": ", "\xe2\x94\x8a  "), at);
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
    lines = lines > MAX_LINES ? MAX_LINES : lines;
    LCT_TRY(make_pixels(s, s->columns - left - 1, lines));
    for (size_t i = f->n_series; i-- > 0;)
        draw_series(&p, f, i);
    draw_marks(&p, f);
    put_lines(s, &p.y, left, f->y_label);
    put_axis(s, &p.x, left, f->x_label);
    put_legend(s, f);
    return LOCANT_OK;
}

/* --------------------------------------------------------------------- maps */

/* From small to large; in the signed one '.' stands for 0. */
static const char ramp[] = ".:-=+*#%@", signed_ramp[] = "NmLc-.+*o#@";

static uint32_t shade(const struct lct_screen *s, const struct lct_scale *m,
                      double value)
{
    int k;

    if (s->colors == LOCANT_TERMINAL_ASCII) {
        const char *marks = m->diverging ? signed_ramp : ramp;
        k = lct_shade(m, value, (int)strlen(marks));
        return k < 0 ? 0 : (uint32_t)marks[k];
    }
    k = lct_shade(m, value, LCT_SHADES);
    if (k < 0)
        return 0;
    return LCT_COLORED |
           lct_rgb(lct_shade_color(m->diverging, k, LCT_SHADES, false));
}

void lct_terminal_scale(struct lct_screen *s, const struct lct_scale *m)
{
    enum { STEPS = 24 };
    char low[LCT_DECIMAL_BYTES], high[LCT_DECIMAL_BYTES];

    lct_decimal_short(low, m->low);
    lct_decimal_short(high, m->high);
    lct_html_format(s->h, "  %s ", low);
    if (s->colors == LOCANT_TERMINAL_ASCII) {
        lct_html_format(s->h, "[%s]", m->diverging ? signed_ramp : ramp);
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
    lct_html_format(s->h, " %s", high);
}

/* Say how many cells one pixel stands for, if they are more than one; end the
   line. */
void lct_terminal_pooled(struct lct_screen *s, const locant_figure *f)
{
    int64_t down = (f->rows + s->height - 1) / s->height;
    int64_t across = (f->cols + s->width - 1) / s->width;

    if (down > 1 || across > 1)
        lct_html_format(s->h,
                        f->chinese ? "\n  每格取 %lld x %lld 个值中最大的"
                                   : "\n  each the largest of %lld x %lld",
                        (long long)down, (long long)across);
    lct_screen_raw(s, "\n");
}

/* Pixels along a side: equally many for each cell, at most 'most'; all of
   'room' if there are more cells. */
static int side(int64_t cells, int room, int most)
{
    int64_t each = room / cells;

    if (each < 1)
        return room;
    return (int)(cells * (each < most ? each : most));
}

static void shade_pixels(struct lct_screen *s, const locant_figure *f,
                         const struct lct_scale *m)
{
    for (int i = 0; i < s->height; i++)
        for (int k = 0; k < s->width; k++) {
            int64_t row[2], col[2];
            lct_cover(&row[0], &row[1], i, s->height, f->rows);
            lct_cover(&col[0], &col[1], k, s->width, f->cols);
            *pixel_at(s, k, i) =
                shade(s, m, lct_largest_cell(f->cells, f->cols, row, col));
        }
}

locant_status lct_terminal_cells(struct lct_screen *s, const locant_figure *f,
                                 const struct lct_scale *m)
{
    struct lct_axis x, y;
    int left, tall, most;

    lct_map_axes(&x, &y, f);
    left = margin(s, &y);
    tall = side(f->rows, MAX_LINES * s->per_line, 2 * s->per_line);
    if (f->row_names && tall >= f->rows * s->per_line)
        tall -= tall % (int)(f->rows * s->per_line); /* whole lines per row */
    tall += tall % s->per_line;                      /* whole lines */
    most = s->per_line == 2 ? 4 : 3;
    if (f->col_names && widest(s, &x) + 2 > most)
        most = widest(s, &x) + 2;
    LCT_TRY(make_pixels(s, side(f->cols, s->columns - left - 1, most),
                        tall / s->per_line));
    shade_pixels(s, f, m);
    put_lines(s, &y, left, f->y_label);
    put_axis(s, &x, left, f->x_label);
    return LOCANT_OK;
}

locant_status lct_terminal_map(struct lct_screen *s, const locant_figure *f)
{
    const struct lct_scale m = lct_scale_of(f);

    LCT_TRY(lct_terminal_cells(s, f, &m));
    lct_terminal_scale(s, &m);
    lct_terminal_pooled(s, f);
    return LOCANT_OK;
}
