/* data.h - the numbers of a figure as JSON, and its cells pooled */
#ifndef LCT_FIGURE_DATA_H
#define LCT_FIGURE_DATA_H
#include "../files/html.h"
#include "figure.h"

/* The names of locant_figure_kind in the JSON. */
extern const char *const lct_figure_data_kinds[];

/*
 * Append the figure as one JSON object (locant_figure_json()).
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
    int64_t rows, cols;
    int64_t
        by[2]; /* a cell of this matrix covers by[0] x by[1] of the figure */
    const double *cells;
    double *memory; /* holds 'cells' if they are pooled, else NULL */
};

/* Pool to at most 'most' cells a side (0: any), then until fits() is true (if
   not NULL).  The caller releases 'memory', also after a failure. */
locant_status lct_pool(struct lct_pooled *out, const locant_figure *f,
                       int64_t most, const struct lct_scale *map,
                       bool (*fits)(const struct lct_scale *map,
                                    const double *cells, int64_t rows,
                                    int64_t cols));
#endif
