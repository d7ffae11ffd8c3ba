/*
 * picture_maps.c - attention of one head of each encoding before training,
 * after it, and far beyond the trained length, side by side in one colour
 * scale.
 */
#include "page.h"
#include "probe_points.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>

enum { MAPS = 3, GAP = 2 };

static const char *const places[MAPS] = { "initial", "trained", "long" };

/* A head to look at: by number, or the one whose attention lies nearest after
   training; layers one after another. */
static size_t head_of(const struct json_t *probe, int64_t wish)
{
    double distance[LCT_POINTS];
    const size_t n = lct_points_reach(NULL, distance, probe);
    size_t best = 0;

    if (wish > 0 && (size_t)wish <= n)
        return (size_t)wish - 1;
    for (size_t i = 1; i < n; i++)
        best = distance[i] < distance[best] ? i : best;
    return best;
}

static int64_t whole_of(const json_t *from, const char *key)
{
    return json_integer_value(json_object_get(from, key));
}

/* Copy one map to columns from 'left' on; the future is missing. */
static void place(double *cells, int64_t cols, int64_t left, const json_t *map,
                  size_t head)
{
    const json_t *values = json_array_get(json_object_get(map, "heads"), head);
    const int64_t rows = whole_of(map, "rows"), bins = whole_of(map, "bins");

    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < bins; j++) {
            const json_t *value =
                json_array_get(values, (size_t)(i * bins + j));

            cells[i * cols + left + j] =
                j > i ? NAN : lct_probe_number(value) / 1000;
        }
}

static locant_status show(struct lct_html *h, const struct lct_results *r,
                          const double *cells, int64_t rows, int64_t cols,
                          size_t head)
{
    locant_figure f = LOCANT_FIGURE_INIT;
    char caption[600];

    snprintf(caption, sizeof caption,
             "Layer %zu, head %zu: weights on one text before training, after "
             "it, and (where the encoding is defined) at 2048 bytes. "
             "Rows are 32 queries, the last one at the bottom; columns are "
             "keys in 32 bins, 2048 in bins of 64. One colour scale. The head "
             "is the one that attends nearest after training. Text of the "
             "built-in generator.",
             head / (size_t)r->heads + 1, head % (size_t)r->heads + 1);
    f.kind = LOCANT_FIGURE_HEATMAP;
    f.name = "maps";
    f.title = "One head before training, trained, at 2048";
    f.x_label = "bins of keys, three maps";
    f.y_label = "query";
    f.width = 640;
    f.height = 300;
    f.cells = cells;
    f.rows = rows;
    f.cols = cols;
    return lct_page_figure(h, r, &f,
                           "Heat maps of the attention of one head, before "
                           "training, trained, and far beyond the trained "
                           "length.",
                           caption, 1);
}

static locant_status draw_group(struct lct_html *h, const struct lct_results *r,
                                const struct lct_group *g, int64_t wish)
{
    const json_t *maps = json_object_get(g->probe, "maps");
    const json_t *any = json_object_get(maps, "trained");
    const int64_t rows = whole_of(any, "rows"), bins = whole_of(any, "bins");
    const int64_t cols = MAPS * bins + (MAPS - 1) * GAP;
    const size_t head = head_of(g->probe, wish);
    double *cells;
    locant_status status;

    if (rows < 1 || bins < 1)
        return LOCANT_OK;
    LCT_TRY(lct_page_numbers(&cells, (size_t)(rows * cols)));
    for (int64_t i = 0; i < rows * cols; i++)
        cells[i] = NAN;
    for (int64_t k = 0; k < MAPS; k++) {
        const json_t *map = json_object_get(maps, places[k]);

        if (whole_of(map, "rows") == rows && whole_of(map, "bins") == bins)
            place(cells, cols, k * (bins + GAP), map, head);
    }
    lct_html_raw(h, "<div><h4><code>");
    lct_html_text(h, g->spec);
    lct_html_raw(h, "</code></h4>\n");
    status = show(h, r, cells, rows, cols, head);
    lct_html_raw(h, "</div>\n");
    locant_release(cells);
    return status;
}

locant_status lct_page_maps(struct lct_html *h, const struct lct_results *r,
                            int64_t head)
{
    locant_status status = LOCANT_OK;

    if (!lct_page_wants(h, "maps"))
        return LOCANT_OK;
    for (size_t i = 0; i < r->n && status == LOCANT_OK; i++)
        if (r->groups[i].probe)
            status = draw_group(h, r, &r->groups[i], head);
    return status;
}
