/*
 * page_surface.c - loss by trained length and length read: the section of the
 * job 'report --with surface', from the numbers that --json prints too.
 */
#include "page.h"
#include "words.h"
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16 }; /* lengths, of a document of another build */

bool lct_page_has_surface(const struct lct_results *r)
{
    return r->surface != NULL;
}

static const json_t *list_of(const struct lct_results *r, const char *list)
{
    return json_object_get(json_object_get(r->numbers, "surface"), list);
}

static int encodings_of(const struct lct_results *r)
{
    return (int)json_array_size(list_of(r, "encodings"));
}

/* How many "trained", or "lengths". */
static int count_of(const struct lct_results *r, const char *list)
{
    const size_t n = json_array_size(list_of(r, list));

    return n < MOST ? (int)n : MOST;
}

/* Number i of "trained" or "lengths"; 0 where that is no whole number. */
static int64_t length_at(const struct lct_results *r, const char *list, int i)
{
    return json_integer_value(json_array_get(list_of(r, list), (size_t)i));
}

static const char *spec_of(const struct lct_results *r, int e)
{
    char path[64];

    snprintf(path, sizeof path, "surface.encodings.%d.encoding", e);
    return json_string_value(lct_numbers_at(r->numbers, path));
}

bool lct_page_surface_has(const struct lct_results *r, const char *encoding)
{
    for (int e = 0; e < encodings_of(r); e++)
        if (spec_of(r, e) && strcmp(encoding, spec_of(r, e)) == 0)
            return true;
    return false;
}

/* --------------------------------------------------------------------- maps */

/* All cells of encoding e, trained lengths from above. */
static void read_cells(double *cells, const struct lct_results *r, int e)
{
    const int trained = count_of(r, "trained"), n = count_of(r, "lengths");

    for (int t = 0; t < trained; t++)
        for (int k = 0; k < n; k++)
            cells[t * n + k] = lct_page_value(
                r, "surface.encodings.%d.loss.%" PRId64 ".%" PRId64 ".mean", e,
                length_at(r, "trained", t), length_at(r, "lengths", k));
}

/* One scale of colours for all encodings. */
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
        return LOCANT_OK; /* every run of it failed */
    f->title = spec_of(r, e);
    f->cells = cells;
    return lct_page_figure(
        h, r, f,
        "Heat map of the loss: a row for each trained length, a column for "
        "each length read.",
        "Loss in bits per byte, one scale for all these maps. Left of the "
        "diagonal a model reads less than it was trained on, right of it "
        "more.", 1);
}

struct names {
    char text[MOST][24];
    const char *list[MOST];
};

static const char *const *name_lengths(struct names *to,
                                       const struct lct_results *r,
                                       const char *list)
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
    locant_figure f = LOCANT_FIGURE_INIT;
    struct names rows, cols;

    f.kind = LOCANT_FIGURE_HEATMAP;
    f.name = "surface";
    f.x_label = "length read (bytes)";
    f.y_label = "trained length (bytes)";
    f.width = 460;
    f.height = 280;
    f.numbers = 1;
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

static void begin_table(struct lct_html *h, const struct lct_results *r,
                        const char *label, const char *caption,
                        const char *columns, int first)
{
    lct_html_table(h, label, NULL);
    lct_html_word(h, caption);
    lct_html_table_head(h);
    lct_html_column(h, "encoding");
    lct_html_column(h, "trained length");
    for (int k = first; k < count_of(r, columns); k++) {
        lct_html_raw(h, "<th scope=\"col\">");
        lct_page_count(h, r, "surface.%s.%d", columns, k);
        lct_html_raw(h, "</th>");
    }
    lct_html_table_body(h);
}

/* A cell for each column; none where nothing lies in the document. */
static void put_row(struct lct_html *h, const struct lct_results *r,
                    const char *part, const char *columns, int first, int e,
                    int t)
{
    const int64_t trained = length_at(r, "trained", t);

    lct_html_raw(h, "<tr><th scope=\"row\"><code>");
    lct_html_text(h, spec_of(r, e));
    lct_html_raw(h, "</code></th><td>");
    lct_page_count(h, r, "surface.trained.%d", t);
    lct_html_raw(h, "</td>");
    for (int k = first; k < count_of(r, columns); k++) {
        char path[128];

        snprintf(path, sizeof path,
                 "surface.encodings.%d.%s.%" PRId64 ".%" PRId64, e, part,
                 trained, length_at(r, columns, k));
        if (lct_numbers_at(r->numbers, path))
            lct_html_interval(h, r, strcmp(part, "loss") != 0, "%s", path);
        else
            lct_html_raw(h, "<td></td>");
    }
    lct_html_raw(h, "</tr>\n");
}

static void put_rows(struct lct_html *h, const struct lct_results *r,
                     const char *part, const char *columns, int first,
                     int trained)
{
    for (int e = 0; e < encodings_of(r); e++)
        for (int t = 0; t < trained; t++)
            put_row(h, r, part, columns, first, e, t);
    lct_html_table_end(h);
}

static void tables(struct lct_html *h, const struct lct_results *r)
{
    const int trained = count_of(r, "trained");

    begin_table(h, r, "Loss by trained length and length read",
                "Loss in bits per byte by trained length, a row each, and by "
                "length read, a column each, with 95 % intervals (bootstrap "
                "over seeds and blocks).", "lengths", 0);
    put_rows(h, r, "loss", "lengths", 0, trained);
    begin_table(h, r, "What reading beyond each trained length changes",
                "The same less the loss of the same model at its trained "
                "length, in nats per byte, in pairs; below zero, more context "
                "helps.", "lengths", 1);
    put_rows(h, r, "change", "lengths", 1, trained);
    begin_table(h, r, "What training on shorter texts costs",
                "The same less the loss of the model that was trained at the "
                "length of the column, in nats per byte, in pairs; near zero, "
                "training on shorter texts was enough.", "trained", 1);
    put_rows(h, r, "above_own", "trained", 1, trained - 1);
}

locant_status lct_page_surface(struct lct_html *h, const struct lct_results *r)
{
    const char *const model[] = {
        json_string_value(lct_numbers_at(r->numbers, "surface.model"))
    };

    lct_html_raw(h, "<p>");
    lct_page_say(h, r,
                 "A model of each encoding (@1) was trained for each trained "
                 "length, always on {surface.tokens_per_step} bytes a step for "
                 "{surface.steps} steps, {surface.seeds} seeds. Each was read "
                 "at every length: the same 64 bytes of {surface.blocks} "
                 "blocks of the test text, by windows whose last sixteen bytes "
                 "tile those, so that no byte lacks more than fifteen bytes of "
                 "the context. The last call took {surface.seconds} s "
                 "for it.",
                 model);
    if (lct_page_value(r, "surface.left_out") > 0) {
        lct_html_raw(h, " ");
        lct_page_say(h, r, "Left out: {surface.left_out} that are not defined "
                           "at the longest of these lengths.", NULL);
    }
    if (lct_page_value(r, "surface.failures") > 0) {
        lct_html_raw(h, " ");
        lct_page_say(h, r, "{surface.failures} of the runs ended because "
                           "their loss stopped being finite; numbers are of "
                           "the others, undefined where there is none.", NULL);
    }
    lct_html_raw(h, "</p>\n");
    lct_html_raw(h, "<div class=\"grid\">\n");
    LCT_TRY(lct_page_surface_maps(h, r, NULL));
    lct_html_raw(h, "</div>\n");
    tables(h, r);
    lct_html_raw(h, "<p>");
    lct_html_word(h, "What may be concluded: where an interval leaves out "
                     "zero, whether an encoding gets worse or better beyond a "
                     "trained length, and what training on shorter texts "
                     "costs, in models of this size after as many bytes. Not: "
                     "magnitudes for larger models or longer training. In "
                     "table 5 of ALiBi's paper (arXiv:2108.12409) windows do "
                     "not overlap, and the first bytes of each have little "
                     "context: some of the gain of longer windows there is "
                     "that there are fewer such bytes. Here they are not "
                     "scored.");
    lct_html_raw(h, "</p>\n");
    return lct_html_status(h);
}
