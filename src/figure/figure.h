/*
 * figure.h - what the parts of a figure share: colours, canvas, axes.
 *
 * Units are points; the origin is the top left corner. lct_figure_check() finds
 * all errors in a figure first, so drawing operations do not fail: a document
 * keeps its own errors until the end.
 */
#ifndef LCT_FIGURE_H
#define LCT_FIGURE_H
#include "../core/error.h"
#include "../files/decimal.h"
#include "locant/figure.h"
#include <stdbool.h>

enum { LCT_WIDTH = 640, LCT_HEIGHT = 400 }; /* where a figure says 0 */

struct lct_box {
    double x, y, width, height;
};

/* Check the whole figure; 'fn' names the public function in error messages. */
locant_status lct_figure_check(const char *fn, const locant_figure *f);

/* ----------------------------------------------------------------- palette */

struct lct_color {
    double r, g, b; /* sRGB, 0 .. 1 */
};

enum { LCT_COLORS = 10, LCT_GREY = 9 };
/* Kinds of line: solid, dashed, dotted, dots between dashes, long dashes. */
enum { LCT_DASHES = 5 };

/* Lengths of dash, gap, dash, .. of kind 'dash'; *n is their number, 0 for a
   solid line. */
const double *lct_dash(int *n, int dash);

/* Categorical colour 0 .. 9; colour 9 is the grey of reference lines. */
struct lct_color lct_palette(int i);

/* The same colour for dark pages, with the same contrast. */
struct lct_color lct_palette_dark(int i);

/* 0xRRGGBB */
uint32_t lct_rgb(struct lct_color c);

/* The colour of t in [0, 1], from near the background to far from it.  'dark':
   for a dark page. */
struct lct_color lct_sequential(double t, bool dark);

/* The colour of t in [-1, 1]: blue, background, red. */
struct lct_color lct_diverging(double t, bool dark);

/* The colour of shade 0 .. shades - 1 of a map. */
struct lct_color lct_shade_color(bool diverging, int shade, int shades,
                                 bool dark);

/* The colour of series i: its own, or by order, skipping the grey. */
int lct_series_color(const locant_figure *f, size_t i);

/* ------------------------------------------------------------------ canvas */

/* What a colour is used for; the document knows the colour itself.  LCT_SERIES
   + i is colour i of the palette. */
enum lct_pen_role { LCT_INK, LCT_FAINT, LCT_RULE, LCT_GROUND, LCT_SERIES };

struct lct_pen {
    int role;            /* enum lct_pen_role, or LCT_SERIES + colour */
    double alpha, width; /* opacity 0 .. 1; points */
    int dash;            /* 0 .. LCT_DASHES - 1 */
};

struct lct_text {
    double size;
    int role;
    double align_x, align_y; /* 0: the point is left, top; 1: right, bottom */
    double max_width;        /* 0: any; longer text ends in an ellipsis */
    bool bold, vertical;     /* vertical: rotated to read upwards */
    const char *zh;          /* the same text in Chinese, or NULL */
};

/* Which shades values get; of an odd number of shades one stands for 0. */
struct lct_scale {
    double low, high;
    bool diverging;
};

/*
 * How a document draws.  A path is made of moves and lines, or of dots, and
 * ends with stroke() or fill(); dots are only filled.
 */
struct lct_ops {
    void (*move)(void *to, double x, double y);
    void (*line)(void *to, double x, double y);
    void (*close)(void *to);
    void (*dot)(void *to, double x, double y, double radius);
    void (*stroke)(void *to, const struct lct_pen *pen);
    void (*fill)(void *to, int role, double alpha);
    /* clips what follows to 'box'; NULL ends clipping */
    void (*clip)(void *to, const struct lct_box *box);
    /* 'text' is any bytes; U+FFFD replaces those that are not UTF-8 */
    void (*text)(void *to, double x, double y, const char *text,
                 const struct lct_text *style);
    double (*text_width)(void *to, const char *text,
                         const struct lct_text *style);
    /* a matrix [rows, cols], row 0 on top, in shades of 'scale' */
    locant_status (*cells)(void *to, const struct lct_box *box,
                           const struct lct_scale *map, const double *cells,
                           int64_t rows, int64_t cols);
    /* what follows belongs to series i, or to none if -1; NULL if the document
       does not record it */
    void (*series)(void *to, int i);
    /* whether the document stays small with these cells; NULL: always */
    bool (*fits)(const struct lct_scale *map, const double *cells, int64_t rows,
                 int64_t cols);
};

struct lct_canvas {
    const struct lct_ops *ops;
    void *to;
    double width, height;
    int64_t most_cells; /* per side of a map, 0: any; larger maps are pooled */
    /* set by lct_plot_record(), for documents that state where the plot is */
    struct lct_box plot;
    double x[2], y[2]; /* low and high of the axes; 0: no axis */
};

void lct_text_draw(struct lct_canvas *c, double x, double y, const char *text,
                   const struct lct_text *style);
double lct_text_width(struct lct_canvas *c, const char *text,
                      const struct lct_text *style);

/* What is drawn from here to lct_series(c, -1) belongs to series i. */
void lct_series(struct lct_canvas *c, int i);

/* Adds a line to the path. */
void lct_segment(struct lct_canvas *c, double x0, double y0, double x1,
                 double y1);
void lct_line(struct lct_canvas *c, double x0, double y0, double x1, double y1,
              const struct lct_pen *pen);
/* Adds a rectangle to the path, which the caller strokes or fills. */
void lct_outline(struct lct_canvas *c, const struct lct_box *box);

/* Shade 0 .. shades - 1 of a value; -1 if it is not finite. */
enum { LCT_SHADES = 255 };
int lct_shade(const struct lct_scale *map, double value, int shades);

/* The cells [first, last) that place i of n covers, at least one of 'cells'. */
void lct_cover(int64_t *first, int64_t *last, int64_t i, int64_t n,
               int64_t cells);

/* The cell of largest magnitude in rows [row[0], row[1]), columns [col[0],
   col[1]), so that pooling hides no outlier.  NAN if none is finite. */
double lct_largest_cell(const double *cells, int64_t cols, const int64_t row[2],
                        const int64_t col[2]);

/* Draw the title and the plot.  Errors: NOMEM; PARAM if there is no room. */
locant_status lct_figure_draw(struct lct_canvas *c, const locant_figure *f);

/* -------------------------------------------------------------------- axes */

enum { LCT_TICKS = 128 };

struct lct_axis {
    double low, high;
    bool log; /* logarithmic */
    int n;    /* number of ticks */
    double tick[LCT_TICKS];
    char label[LCT_TICKS][LCT_DECIMAL_BYTES];
};

/* A linear axis, low < high, with about 'want' ticks. */
void lct_axis_linear(struct lct_axis *a, double low, double high, int want);
/* A logarithmic one, 0 < low < high, with ticks at powers of two. */
void lct_axis_log2(struct lct_axis *a, double low, double high, int want);

/* The place of 'value' on the axis: 0 at low, 1 at high. */
double lct_axis_at(const struct lct_axis *a, double value);

/* Its x on the bottom edge of 'box'; its y on the left edge. */
double lct_axis_x(const struct lct_axis *a, const struct lct_box *box,
                  double value);
double lct_axis_y(const struct lct_axis *a, const struct lct_box *box,
                  double value);

/*
 * The frame of a plot: what remains of the page without the margins and, below
 * the frame, the ticks and the title of the x axis.  PARAM if less than 20
 * points of width or 'least' of height remain; the message says that there is
 * no room for 'what'.
 */
struct lct_margins {
    double left, above, right, below;
};
locant_status lct_plot_frame(struct lct_box *box, const struct lct_canvas *c,
                             const locant_figure *f,
                             const struct lct_margins *margins, double least,
                             const char *what);

/* Record the frame of the plot and its axes in the canvas; y may be NULL. */
void lct_plot_record(struct lct_canvas *c, const struct lct_box *box,
                     const struct lct_axis *x, const struct lct_axis *y);

/* Widen range[0] .. range[1] to hold 'value', unless it is not finite. */
void lct_stretch(double range[2], double value);

/* Move low and high apart if they are nearly equal, on a linear and on a
   logarithmic axis. */
void lct_widen(double *low, double *high);
void lct_widen_log(double *low, double *high);

/* The axes of curves: the range of the data with a small margin. */
void lct_curve_axes(struct lct_axis *x, struct lct_axis *y,
                    const locant_figure *f);

/* The axes of a heat map; rows count downwards, so y->low > y->high. */
void lct_map_axes(struct lct_axis *x, struct lct_axis *y,
                  const locant_figure *f);

/* Width of the widest tick label. */
double lct_axis_label_width(struct lct_canvas *c, const struct lct_axis *a);

/* Draw grid lines at the ticks of both axes, as one path, because each element
   makes the page larger; y may be NULL. */
void lct_axes_grid(struct lct_canvas *c, const struct lct_box *box,
                   const struct lct_axis *x, const struct lct_axis *y);

/* The label of tick i, in 'room', with a typographic minus. */
enum { LCT_TICK_BYTES = LCT_DECIMAL_BYTES + 4 };
const char *lct_tick_label(char room[LCT_TICK_BYTES], const struct lct_axis *a,
                           int i);

/* Draw ticks, labels, the title of the axis, and the edges 'edge' of 'box'. */
enum lct_edge { LCT_EDGE_NONE, LCT_EDGE_BOTTOM, LCT_EDGE_ALL };
void lct_axis_draw_x(struct lct_canvas *c, const struct lct_box *box,
                     const struct lct_axis *a, const locant_figure *f,
                     enum lct_edge edge);
void lct_axis_draw_y(struct lct_canvas *c, const struct lct_box *box,
                     const struct lct_axis *a, const locant_figure *f);

/* Draw vertical lines at the marks, labelled above 'box'. */
void lct_marks_draw(struct lct_canvas *c, const struct lct_box *box,
                    const struct lct_axis *a, const locant_figure *f);

/* Draw the title of the figure; returns the height it took. */
double lct_title_draw(struct lct_canvas *c, const locant_figure *f);

/* ------------------------------------------------------------------- kinds */

/* Each draws the part of the figure below y = 'top'.  Errors: NOMEM, PARAM. */
locant_status lct_draw_curves(struct lct_canvas *c, const locant_figure *f,
                              double top);
locant_status lct_draw_heatmap(struct lct_canvas *c, const locant_figure *f,
                               double top);
locant_status lct_draw_panels(struct lct_canvas *c, const locant_figure *f,
                              double top);
/* Kinds BARS, STRIPS and POINTS. */
locant_status lct_draw_rows(struct lct_canvas *c, const locant_figure *f,
                            double top);

/* Low and high of the axis below rows; 'marks': it includes the marks. */
void lct_rows_range(double range[2], const locant_figure *f, bool marks);

/* The scale of a heat map, or of all panels. */
struct lct_scale lct_scale_of(const locant_figure *f);

/* Panel i as a heat map on its own, with the scale of all. */
locant_figure lct_panel(const locant_figure *f, size_t i,
                        const struct lct_scale *map);

/* Draw the cells of a map, and its numbers if it has any; by[2] is what a drawn
   cell covers (struct lct_pooled). */
locant_status lct_map_draw(struct lct_canvas *c, const struct lct_box *box,
                           const locant_figure *f, const struct lct_scale *map,
                           int64_t by[2]);

/* Draw the colour bar right of 'plot', with the ticks of 'axis'. */
locant_status lct_map_bar(struct lct_canvas *c, const struct lct_box *plot,
                          const struct lct_scale *map,
                          const struct lct_axis *axis);

/* Say, in the corner of the page, that drawn cells cover several. */
void lct_map_say_pooled(struct lct_canvas *c, const locant_figure *f,
                        const int64_t by[2]);

/* ------------------------------------------------------------------ legend */

/* Width of the widest label of a series, at most 'most'.  'zh': in the
   wider language, else in English. */
double lct_widest_label(struct lct_canvas *c, const locant_figure *f,
                        double most, bool zh);

/* Width of the labels of the series beside the plot; 0 if none has one. */
double lct_legend_width(struct lct_canvas *c, const locant_figure *f);

/*
 * Draw labels right of 'box'.  Label i is as near to end[i], the y at which its
 * line ends, as the other labels allow; NAN: anywhere.  'end' has n_series
 * values.
 */
void lct_legend_draw(struct lct_canvas *c, const locant_figure *f,
                     const struct lct_box *box, const double *end);
#endif
