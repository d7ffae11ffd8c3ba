/*
 * page_surface.c - the section about loss by trained length and length read
 * (job 'report --with surface'), from the numbers that --json prints, too.
 */
#include "figures.h"
#include "page.h"
#include "html_message.h"
#include "html_table.h"
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16 }; /* lengths; more are ignored */

bool lct_page_has_surface(const struct lct_results *r)
{
    return r->surface != NULL;
}

static int encodings_of(const struct lct_results *r)
{
    return (int)lct_page_size(r, "surface.encodings");
}

/* The number of lengths in list "trained" or "lengths", at most MOST. */
static int count_of(const struct lct_results *r, const char *list)
{
    const size_t n = lct_page_size(r, "surface.%s", list);

    return n < MOST ? (int)n : MOST;
}

/* Length i of a list; 0 if it is not a whole number. */
static int64_t length_at(const struct lct_results *r, const char *list, int i)
{
    return json_integer_value(lct_page_at(r, "surface.%s.%d", list, i));
}

static const char *spec_of(const struct lct_results *r, int e)
{
    return lct_page_text(r, "surface.encodings.%d.encoding", e);
}

bool lct_page_surface_has(const struct lct_results *r, const char *encoding)
{
    for (int e = 0; e < encodings_of(r); e++)
        if (spec_of(r, e) && strcmp(encoding, spec_of(r, e)) == 0)
            return true;
    return false;
}

/* --------------------------------------------------------------------- maps */

/* The cells of encoding e: a row for each trained length. */
static void read_cells(double *cells, const struct lct_results *r, int e)
{
    const int trained = count_of(r, "trained"), n = count_of(r, "lengths");

    for (int t = 0; t < trained; t++)
        for (int k = 0; k < n; k++)
            cells[t * n + k] = lct_page_value(
                r, "surface.encodings.%d.loss.%" PRId64 ".%" PRId64 ".mean", e,
                length_at(r, "trained", t), length_at(r, "lengths", k));
}

/* All maps share one range of colours. */
static void find_range(locant_figure *f, const struct lct_results *r)
{
    const int n = count_of(r, "trained") * count_of(r, "lengths");
    double cells[MOST * MOST], low = INFINITY, high = -INFINITY;

    for (int e = 0; e < encodings_of(r); e++) {
        read_cells(cells, r, e);
        for (int i = 0; i < n; i++) {
            low = isfinite(cells[i]) ? fmin(low, cells[i]) : low;
            high = isfinite(cells[i]) ? fmax(high, cells[i]) : high;
        }
    }
    if (low < high) {
        f->y_min = low;
        f->y_max = high;
    }
}

static locant_status draw_map(struct lct_html *h, const struct lct_results *r,
                              locant_figure *f, int e)
{
    double cells[MOST * MOST];

    read_cells(cells, r, e);
    if (lct_page_all_missing(cells, (size_t)(f->rows * f->cols)))
        return LOCANT_OK; /* every run of this encoding failed */
    f->title = f->title_zh = spec_of(r, e);
    f->cells = cells;
    return lct_page_figure(h, r, FIG_SURFACE, f);
}

/* The lengths of a list as text. */
struct names {
    char text[MOST][24];
    const char *list[MOST];
};

static const char *const *
name_lengths(struct names *to, const struct lct_results *r, const char *list)
{
    for (int i = 0; i < count_of(r, list); i++) {
        snprintf(to->text[i], sizeof to->text[i], "%" PRId64,
                 length_at(r, list, i));
        to->list[i] = to->text[i];
    }
    return to->list;
}

locant_status lct_page_surface_maps(struct lct_html *h,
                                    const struct lct_results *r,
                                    const char *encoding)
{
    locant_figure f = lct_figures_begin(FIG_SURFACE);
    struct names rows, cols;

    f.rows = count_of(r, "trained");
    f.cols = count_of(r, "lengths");
    if (f.rows == 0 || f.cols == 0)
        return LOCANT_OK;
    f.row_names = name_lengths(&rows, r, "trained");
    f.col_names = name_lengths(&cols, r, "lengths");
    find_range(&f, r);
    for (int e = 0; e < encodings_of(r); e++)
        if (encoding == NULL ||
            (spec_of(r, e) && strcmp(encoding, spec_of(r, e)) == 0))
            LCT_TRY(draw_map(h, r, &f, e));
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- tables */

/* Columns with part[trained][*] of an encoding; empty if there is no value. */
/* clang-format off */
#define COLUMN(list, from, kind)                                              \
    { LCT_HEADING(MSG_TRAINED_LENGTH),                                        \
      { .each = "surface." list, .first = from, .path = "*", .cell = kind,    \
        .missing = "" } }
/* clang-format on */
static const struct lct_column loss[] = COLUMN("lengths", 0, LCT_CELL_INTERVAL);
static const struct lct_column change[] = COLUMN("lengths", 1, LCT_CELL_CHANGE);
static const struct lct_column shorter[] =
    COLUMN("trained", 1, LCT_CELL_CHANGE);

#define TABLE(name, columns)                                                   \
    {                                                                          \
        MSG_SURFACE_##name, MSG_SURFACE_##name##_CAPTION, NULL, MSG_ENCODING,  \
            LCT_COLUMNS(columns)                                               \
    }
static const struct {
    const char *part;
    int left_out; /* how many of the largest trained lengths have no row */
    struct lct_html_table table;
} tables[] = {
    { "loss", 0, TABLE(LOSS, loss) },
    { "change", 0, TABLE(CHANGE, change) },
    { "above_own", 1, TABLE(SHORTER, shorter) },
};

static void put_row(struct lct_html *h, const struct lct_results *r, int i,
                    int e, int t)
{
    struct lct_html_table cells = tables[i].table;
    char row[128];

    lct_html_print(h, "<tr><th scope=\"row\"><code>%s</code></th><td>",
                   spec_of(r, e));
    lct_page_count(h, r, "surface.trained.%d", t);
    lct_html_raw(h, "</td>");
    cells.columns++;
    cells.n--;
    snprintf(row, sizeof row, "surface.encodings.%d.%s.%" PRId64, e,
             tables[i].part, length_at(r, "trained", t));
    lct_html_table_cells(h, r, &cells, row);
}

static void put_tables(struct lct_html *h, const struct lct_results *r)
{
    for (int i = 0; i < (int)(sizeof tables / sizeof tables[0]); i++) {
        const int n = count_of(r, "trained") - tables[i].left_out;

        lct_html_table_open(h, r, &tables[i].table, NULL);
        for (int e = 0; e < encodings_of(r); e++)
            for (int t = 0; t < n; t++)
                put_row(h, r, i, e, t);
        lct_html_table_close(h);
    }
}

locant_status lct_page_surface(struct lct_html *h, const struct lct_results *r)
{
    const char *const model[] = { lct_page_text(r, "surface.model") };

    lct_html_raw(h, "<p>");
    lct_html_message_values(h, r, MSG_SURFACE_LEAD, model);
    lct_html_message_if_some(h, r, "surface", "left_out", MSG_SURFACE_LEFT_OUT);
    lct_html_message_if_some(h, r, "surface", "failures", MSG_FAILURES);
    lct_html_raw(h, "</p>\n<div class=\"grid\">\n");
    LCT_TRY(lct_page_surface_maps(h, r, NULL));
    lct_html_raw(h, "</div>\n");
    put_tables(h, r);
    lct_html_message_in(h, "<p>", MSG_SURFACE_CONCLUSION, "</p>\n");
    return lct_html_status(h);
}
