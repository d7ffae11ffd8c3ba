/*
 * figure.h - heat maps and curves: data plus a kind, drawn by cairo and pango.
 */
#ifndef LOCANT_FIGURE_H
#define LOCANT_FIGURE_H

#include "core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum locant_figure_kind {
    LOCANT_FIGURE_CURVES  = 0, /* series */
    LOCANT_FIGURE_HEATMAP = 1, /* cells */
    LOCANT_FIGURE_BARS    = 2  /* first value of each series, by label */
} locant_figure_kind;

/* One line of a figure.  x and y hold n values; NAN leaves a gap. */
typedef struct locant_series {
    const char   *label;    /* UTF-8; NULL: not in the legend */
    size_t        n;
    const double *x, *y;
    const double *low, *high; /* NULL, or a band around y */
    int           dashed;
    int           marks;    /* a dot on each point */
    int           color;    /* 0 .. 9 of the palette; -1: by order */
} locant_series;

/* A vertical line with a label, e.g. the trained length. */
typedef struct locant_mark {
    double      x;
    const char *label;
} locant_mark;

typedef struct locant_figure {
    size_t             struct_size;
    locant_figure_kind kind;
    const char        *title, *x_label, *y_label; /* UTF-8 or NULL */
    int                log_x;      /* base 2 ticks */
    int                width, height; /* in points; 0: 640 x 400 */

    const locant_series *series;   /* CURVES, BARS */
    size_t               n_series;
    const locant_mark   *marks;
    size_t               n_marks;

    const double *cells;           /* HEATMAP: [rows, cols] */
    int64_t       rows, cols;
    int           diverging;       /* colours centred on 0 */
    double        x_first, x_step; /* labels of columns; step 0: index */
    double        y_first, y_step;
    double        y_min, y_max;    /* CURVES: both 0: from the data */
} locant_figure;

#define LOCANT_FIGURE_INIT { .struct_size = sizeof(locant_figure) }

/*
 * Draw into a file; the ending .svg, .png or .pdf chooses the format.
 * Errors: NULL, PARAM (ending, sizes, log of a value <= 0), IO, NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_figure_write(const locant_figure *figure, const char *path);

/* Draw as an SVG document in memory of locant_alloc(), zero-terminated. */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_figure_svg(char **out, size_t *size, const locant_figure *figure);

#ifdef __cplusplus
}
#endif
#endif /* LOCANT_FIGURE_H */
