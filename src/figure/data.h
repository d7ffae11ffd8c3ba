/* data.h - the numbers of a figure, for scripts and for spreadsheets */
#ifndef LCT_FIGURE_DATA_H
#define LCT_FIGURE_DATA_H
#include "../files/html.h"
#include "figure.h"

/* The name of each locant_figure_kind. */
extern const char *const lct_figure_data_kinds[];

/*
 * The figure as one JSON object (locant_figure_json()).
 *
 * packed: for the page, smaller and less exact.  Numbers have six digits.
 * Cells are pooled as in the drawing and stored as "u16": two bytes each, low
 * byte first, in base64. 0 is missing; u > 0 stands for low + (u - 1) / 65534
 * (high - low).
 */
locant_status lct_figure_data(struct lct_html *h, const locant_figure *f,
                              bool packed);

/* The matrix that will be drawn: the cells of the figure, or pooled ones. */
struct lct_pooled {
    int64_t rows, cols, by[2]; /* each pools by[0] x by[1] cells */
    const double *cells;
    double *memory; /* of 'cells' if they are pooled, or NULL */
};

/* Pool to at most 'most' cells a side (0: any), and until 'fits' (NULL: any).
   The caller releases 'memory', also after a failure. */
locant_status lct_pool(struct lct_pooled *out, const locant_figure *f,
                       int64_t most, const struct lct_map *map,
                       bool (*fits)(const struct lct_map *map,
                                    const double *cells, int64_t rows,
                                    int64_t cols));
#endif
