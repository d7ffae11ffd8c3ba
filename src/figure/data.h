/* data.h - the numbers of a figure, for scripts and for spreadsheets */
#ifndef LCT_FIGURE_DATA_H
#define LCT_FIGURE_DATA_H
#include "../files/html.h"
#include "figure.h"

/* A JSON string: "<" and what a script would end a line at are escaped, so
   that it may stand inside <script>; bytes that are not UTF-8 are U+FFFD. */
void lct_json_string(struct lct_html *h, const char *text);

/*
 * The figure as one JSON object (locant_figure_json()).
 *
 * packed   for the page, small instead of exact: numbers have six digits, and
 *          cells are pooled as in the page and two bytes each, the low one
 *          first, base64: "u16"; 0 is missing, else
 *          low + (u - 1) / 65534 (high - low)
 */
locant_status lct_figure_data(struct lct_html *h, const locant_figure *f,
                              bool packed);

/* A map as it will be drawn: the figure's own cells, or pooled ones. */
struct lct_pooled {
    int64_t rows, cols, by[2]; /* one place is by[0] x by[1] cells */
    const double *cells;
    double *memory;            /* of 'cells'; or NULL */
};

/* Pool to 'most' a side (0: any), then until 'fits' (NULL: any); the memory is
   to be released, also after a failure. */
locant_status lct_pool(struct lct_pooled *out, const locant_figure *f,
                       int64_t most, const struct lct_map *map,
                       bool (*fits)(const struct lct_map *map,
                                    const double *cells, int64_t rows,
                                    int64_t cols));
#endif
