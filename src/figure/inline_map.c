/*
 * inline_map.c - a heat map in a page.
 *
 * Each shade is one path of runs.  A run consists of equal neighbours in a row,
 * or in a column if that takes fewer runs.  Units are cells; a line is one cell
 * wide.
 */
#include "inline.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct grid {
    signed char *shade; /* [rows, cols]; -1: missing */
    int64_t rows, cols;
    bool down; /* runs are vertical */
};

/* The number of rows, or columns, along which runs lie; the cells in each. */
static int64_t lines_of(const struct grid *g)
{
    return g->down ? g->cols : g->rows;
}

static int64_t length_of(const struct grid *g)
{
    return g->down ? g->rows : g->cols;
}

static int shade_at(const struct grid *g, int64_t line, int64_t k)
{
    return g->shade[g->down ? k * g->cols + line : line * g->cols + k];
}

/* Counts the runs of each shade, -1 first; returns their sum. */
static int64_t count_runs(int64_t runs[LCT_PAGE_SHADES + 1],
                          const struct grid *g)
{
    int64_t sum = 0;

    for (int s = 0; s <= LCT_PAGE_SHADES; s++)
        runs[s] = 0;
    for (int64_t i = 0; i < lines_of(g); i++)
        for (int64_t k = 0; k < length_of(g); k++)
            if (k == 0 || shade_at(g, i, k) != shade_at(g, i, k - 1))
                runs[1 + shade_at(g, i, k)]++, sum++;
    return sum;
}

/* "m2 0h3": the runs of one shade, each relative to the end of the previous. */
static void put_runs(struct lct_html *h, const struct grid *g, int shade)
{
    int64_t at_line = 0, at = 0;
    const char *format = g->down ? "m%lld %lldv%lld" : "m%lld %lldh%lld";

    for (int64_t i = 0; i < lines_of(g); i++)
        for (int64_t k = 0, n; k < length_of(g); k += n) {
            char run[80];
            long long across = (long long)(i - at_line);
            long long on = (long long)(k - at);
            for (n = 1; k + n < length_of(g) &&
                        shade_at(g, i, k + n) == shade_at(g, i, k);)
                n++;
            if (shade_at(g, i, k) != shade)
                continue;
            snprintf(run, sizeof run, format, g->down ? across : on,
                     g->down ? on : across, (long long)n);
            lct_html_raw(h, run);
            at_line = i;
            at = k + n;
        }
}

static void put_shade(struct lct_html *h, const char *element, bool diverging,
                      int shade)
{
    if (shade < 0)
        lct_html_print(h, "\n<%s class=\"qn\"", element);
    else
        lct_html_print(h, "\n<%s class=\"%s%d\"", element,
                       diverging ? "d" : "q", shade);
}

/* The shade with most runs is the background on which the others are drawn. */
static void put_grid(struct lct_html *h, const struct lct_box *box,
                     const struct grid *g, bool diverging)
{
    int64_t runs[LCT_PAGE_SHADES + 1];
    int ground = 0;

    count_runs(runs, g);
    for (int s = 1; s <= LCT_PAGE_SHADES; s++)
        ground = runs[s] > runs[ground] ? s : ground;
    lct_html_raw(h, "\n<g class=\"cells\" transform=\"translate(");
    lct_put_tenths(h, box->x);
    lct_put_tenths(h, box->y);
    /* millionths of a point add up to 0.001 over a thousand cells */
    lct_html_print(h, ")scale(%lde-6 %lde-6)\">",
                   lrint(box->width / (double)g->cols * 1e6),
                   lrint(box->height / (double)g->rows * 1e6));
    put_shade(h, "rect", diverging, ground - 1);
    lct_html_print(h, " width=\"%" PRId64 "\" height=\"%" PRId64 "\"/>",
                   g->cols, g->rows);
    for (int s = 0; s <= LCT_PAGE_SHADES; s++) {
        if (runs[s] == 0 || s == ground)
            continue;
        put_shade(h, "path", diverging, s - 1);
        lct_html_raw(h, g->down ? " d=\"M.5 0" : " d=\"M0 .5");
        put_runs(h, g, s - 1);
        lct_html_raw(h, "\"/>");
    }
    lct_html_raw(h, "</g>");
}

/* Finds the shades, and the direction with fewer runs.  Returns the number of
   runs; -1 if there is no memory. */
static int64_t make_grid(struct grid *g, const struct lct_scale *map,
                         const double *values, int64_t rows, int64_t cols)
{
    int64_t runs[LCT_PAGE_SHADES + 1], across, down;

    *g = (struct grid){ .rows = rows, .cols = cols };
    g->shade = locant_alloc((size_t)(rows * cols));
    if (!g->shade)
        return -1;
    for (int64_t i = 0; i < rows * cols; i++)
        g->shade[i] = (signed char)lct_shade(map, values[i], LCT_PAGE_SHADES);
    across = count_runs(runs, g);
    g->down = true;
    down = count_runs(runs, g);
    g->down = down < across;
    return g->down ? down : across;
}

/* A run takes about six bytes, so a map takes at most some 25 kB.  Without
   memory this is true: lct_inline_cells() then reports the error. */
bool lct_inline_fits(const struct lct_scale *map, const double *values,
                     int64_t rows, int64_t cols)
{
    enum { MOST_RUNS = 64 * 64 };
    struct grid g;
    int64_t runs = make_grid(&g, map, values, rows, cols);

    locant_release(g.shade);
    return runs <= MOST_RUNS;
}

locant_status lct_inline_cells(struct lct_html *h, const struct lct_box *box,
                               const struct lct_scale *map,
                               const double *values, int64_t rows, int64_t cols)
{
    struct grid g;

    if (make_grid(&g, map, values, rows, cols) < 0)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_figure: no memory for %lld x %lld cells",
                           (long long)rows, (long long)cols);
    put_grid(h, box, &g, map->diverging);
    locant_release(g.shade);
    return LOCANT_OK;
}
