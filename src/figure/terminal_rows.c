/* terminal_rows.c - bars, strips and intervals as lines of text */
#include "terminal.h"
#include <math.h>
#include <string.h>

struct rows {
    struct lct_screen *s;
    const locant_figure *f;
    struct lct_axis axis;
    int label, width; /* columns of the names, and of the picture */
};

static int column(const struct rows *r, double value)
{
    double at = lct_axis_at(&r->axis, value);

    return (int)floor(fmin(fmax(at, 0), 1) * (r->width - 1) + 0.5);
}

/* What is shown in one column; MANY: several dots. */
enum { NOTHING, LINE, END_LOW, END_HIGH, DOT, MANY, BAR, MARK, SYMBOLS };

static void fill(char *symbols, int from, int to, char what)
{
    for (int k = from < to ? from : to; k <= (from < to ? to : from); k++)
        symbols[k] = what;
}

static void place_interval(char *symbols, const struct rows *r,
                           const locant_series *s, size_t k)
{
    if (!s->low || !isfinite(s->low[k]) || !isfinite(s->high[k]))
        return;
    fill(symbols, column(r, s->low[k]), column(r, s->high[k]), LINE);
    symbols[column(r, s->low[k])] = END_LOW;
    symbols[column(r, s->high[k])] = END_HIGH;
}

static void place_row(char *symbols, const struct rows *r, size_t i)
{
    const locant_series *s = &r->f->series[i];

    memset(symbols, NOTHING, (size_t)r->width);
    for (size_t k = 0; k < r->f->n_marks; k++)
        symbols[column(r, r->f->marks[k].x)] = MARK;
    if (r->f->kind == LOCANT_FIGURE_BARS) {
        if (isfinite(s->y[0]))
            fill(symbols, column(r, 0), column(r, s->y[0]), BAR);
        return;
    }
    for (size_t k = 0; k < s->n; k++)
        place_interval(symbols, r, s, k);
    for (size_t k = 0; k < s->n; k++) {
        char *at = &symbols[isfinite(s->y[k]) ? column(r, s->y[k]) : 0];
        if (isfinite(s->y[k]))
            *at = *at == DOT || *at == MANY ? MANY : DOT;
    }
}

static void put_row(const struct rows *r, size_t i, const char *symbols)
{
    static const char *const ascii[SYMBOLS] = { " ", "-", "|", "|",
                                                "o", "O", "#", ":" };
    static const char *const blocks[SYMBOLS] = { " ",
                                                 "\xe2\x94\x80",
                                                 "\xe2\x94\x9c",
                                                 "\xe2\x94\xa4",
                                                 "\xe2\x97\x8f",
                                                 "\xe2\x97\x89",
                                                 "\xe2\x96\x88",
                                                 "\xe2\x94\x8a" };
    const char *const *shown =
        r->s->colors == LOCANT_TERMINAL_ASCII ? ascii : blocks;
    int end = r->width;

    while (end > 0 && symbols[end - 1] == NOTHING)
        end--;
    for (int k = 0; k < end; k++) {
        bool plain = symbols[k] == NOTHING || symbols[k] == MARK;
        if (plain)
            lct_screen_raw(r->s, shown[(int)symbols[k]]);
        else
            lct_screen_colored(r->s, lct_series_color(r->f, i),
                               shown[(int)symbols[k]]);
    }
}

/* Print the first value and its interval; nothing for a strip of several. */
static void put_value(const struct rows *r, size_t i)
{
    const locant_series *s = &r->f->series[i];
    char value[LCT_DECIMAL_BYTES], low[LCT_DECIMAL_BYTES],
        high[LCT_DECIMAL_BYTES];

    if (r->f->kind == LOCANT_FIGURE_STRIPS && s->n > 1)
        return;
    lct_decimal_short(value, s->y[0]);
    lct_html_format(r->s->h, "  %s", value);
    if (s->low && isfinite(s->low[0]) && isfinite(s->high[0])) {
        lct_decimal_short(low, s->low[0]);
        lct_decimal_short(high, s->high[0]);
        lct_html_format(r->s->h, " [%s, %s]", low, high);
    }
}

static void put_ends(const struct rows *r)
{
    char low[LCT_DECIMAL_BYTES], high[LCT_DECIMAL_BYTES];

    lct_decimal_short(low, r->axis.low);
    lct_decimal_short(high, r->axis.high);
    lct_screen_spaces(r->s, r->label + 2);
    lct_screen_raw(r->s, low);
    lct_screen_spaces(r->s, r->width - (int)strlen(low) - (int)strlen(high));
    lct_html_format(r->s->h, "%s\n", high);
    if (r->f->x_label) {
        int n = lct_screen_width(r->s, r->f->x_label);
        lct_screen_spaces(r->s, r->label + 2 + (r->width - n) / 2);
        lct_screen_text(r->s, r->f->x_label, r->s->columns - r->label - 2, 0);
        lct_screen_raw(r->s, "\n");
    }
    for (size_t i = 0; i < r->f->n_marks; i++) {
        const char *label = r->f->marks[i].label;
        lct_decimal_short(low, r->f->marks[i].x);
        lct_html_format(r->s->h, "  : %s%s", low, label ? ": " : "");
        lct_screen_text(r->s, label ? label : "", r->s->columns - 20, 0);
        lct_screen_raw(r->s, "\n");
    }
}

void lct_terminal_rows(struct lct_screen *s, const locant_figure *f)
{
    struct rows r = { .s = s, .f = f };
    double range[2];
    char symbols[1000]; /* a terminal has at most 1000 columns */

    lct_rows_range(range, f, true);
    lct_axis_linear(&r.axis, range[0], range[1], 6);
    for (size_t i = 0; i < f->n_series; i++)
        if (f->series[i].label &&
            lct_screen_width(s, f->series[i].label) > r.label)
            r.label = lct_screen_width(s, f->series[i].label);
    r.label = r.label > s->columns * 2 / 5 ? s->columns * 2 / 5 : r.label;
    /* leaves room for "  1.23 [1.01, 1.45]" */
    r.width = s->columns - r.label - 2 - 22;
    r.width = r.width < 8 ? 8 : r.width;
    for (size_t i = 0; i < f->n_series; i++) {
        lct_screen_text(s, f->series[i].label ? f->series[i].label : "",
                        r.label, r.label);
        lct_screen_raw(s, "  ");
        place_row(symbols, &r, i);
        put_row(&r, i, symbols);
        put_value(&r, i);
        lct_screen_raw(s, "\n");
    }
    put_ends(&r);
}
