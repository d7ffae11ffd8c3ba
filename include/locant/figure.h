/*
 * figure.h - heat maps, curves, dots: data plus a kind, drawn into a file, into
 * a page, into a terminal, or as numbers.
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
    LOCANT_FIGURE_BARS    = 2, /* first value of each series, by label */
    LOCANT_FIGURE_STRIPS  = 3, /* every value of each series as a dot, by
                                  label: one dot a seed */
    LOCANT_FIGURE_POINTS  = 4  /* values with their intervals, by label */
} locant_figure_kind;

/*
 * One line of a figure.  x and y hold n values; NAN leaves a gap.  Of BARS only
 * the first value is read, STRIPS and POINTS read all; none of them reads x.
 */
typedef struct locant_series {
    const char   *label;      /* UTF-8; NULL: not in the legend */
    size_t        n;
    const double *x, *y;
    const double *low, *high; /* NULL, or a band around y */
    int           dashed;     /* 0: solid; 1 dashed, 2 dotted, 3 dots between
                                 dashes, 4 long dashes */
    int           marks;      /* a dot on each point */
    int           color;      /* 0 .. 9 of the palette; -1: by order */
    const char   *label_zh;   /* for a page in two languages; or NULL */
} locant_series;

/* A vertical line with a label, e.g. the trained length. */
typedef struct locant_mark {
    double      x;
    const char *label, *label_zh;
} locant_mark;

typedef struct locant_figure {
    size_t             struct_size;
    locant_figure_kind kind;
    const char        *title, *x_label, *y_label; /* UTF-8 or NULL */
    int                log_x;      /* CURVES: base 2 ticks */
    int                width, height; /* in points; 0: 640 x 400 */

    const locant_series *series;   /* all kinds but HEATMAP */
    size_t               n_series;
    const locant_mark   *marks;    /* CURVES, STRIPS, POINTS */
    size_t               n_marks;

    const double *cells;           /* HEATMAP: [rows, cols] */
    int64_t       rows, cols;
    int           diverging;       /* colours centred on 0 */
    double        x_first, x_step; /* labels of columns; step 0: index */
    double        y_first, y_step;
    double        y_min, y_max;    /* CURVES: both 0: from the data */
    int           numbers;         /* HEATMAP: also written into the cells,
                                      where there are at most 16 a side */

    const char   *title_zh, *x_label_zh, *y_label_zh; /* or NULL */
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

/*
 * The same as a part of an HTML page: an <svg> with text as text, coloured by
 * classes that locant_figure_css() defines, so that the reader's theme applies;
 * no ids, styles, scripts, addresses.  Maps of more than 128 cells a side are
 * pooled by magnitude and say so.
 *
 * alt   what a screen reader says; NULL: the title
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_figure_inline(char **out, size_t *size, const locant_figure *figure,
                     const char *alt);

/* The style sheet of all such figures of a page: light, dark, paper. */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_figure_css(char **out, size_t *size);

#ifdef __cplusplus
}
#endif
#endif /* LOCANT_FIGURE_H */
