/*
 * picture_usage.c - how large each rotated channel pair is in the queries and
 * keys of every head.
 */
#include "page.h"
#include <jansson.h>
#include <math.h>

/* A row for the queries of each head and, below, one for its keys. */
static const char *const sides[] = { "q", "k" };

static double length_of(const json_t *heads, int64_t head, int side,
                        int64_t pair)
{
    return lct_page_real(json_array_get(
        json_object_get(json_array_get(heads, (size_t)head), sides[side]),
        (size_t)pair));
}

locant_status lct_draw_usage(struct lct_html *h, const struct lct_results *r,
                             const struct lct_group *g)
{
    const json_t *of = json_object_get(g->probe, "usage");
    const json_t *list = json_object_get(of, "heads");
    const int64_t heads = (int64_t)json_array_size(list);
    const int64_t pairs =
        (int64_t)json_array_size(json_object_get(of, "frequency"));
    const int64_t rows = 2 * heads + 1;
    locant_figure f = lct_figures_begin(FIG_USAGE_HEADS);
    double *cells;
    locant_status status;

    if (heads == 0 || pairs == 0 || !lct_page_wants(h, FIG_USAGE_HEADS))
        return LOCANT_OK;
    LCT_TRY(lct_page_numbers(&cells, (size_t)(rows * pairs)));
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < pairs; j++)
            cells[i * pairs + j] =
                i == heads ? NAN
                           : length_of(list, i < heads ? i : i - heads - 1,
                                       i > heads, j);
    f.height = 110 + 14 * (int)rows;
    lct_figures_map(&f, cells, rows, pairs);
    status = lct_page_figure(h, r, FIG_USAGE_HEADS, &f);
    locant_release(cells);
    return status;
}
