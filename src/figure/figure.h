/*
 * figure.h - what the parts of a figure share: canvas, text, colours, axes.
 *
 * Units are points, the origin is the top left corner.  Nothing here fails:
 * all that may be wrong with a figure is found by lct_figure_check(), and cairo
 * remembers its own errors until the end.
 */
#ifndef LCT_FIGURE_H
#define LCT_FIGURE_H
#include "../core/error.h"
#include "locant/figure.h"
#include <cairo.h>
#include <pango/pangocairo.h>
#include <stdbool.h>

struct lct_canvas {
    cairo_t *cr;
    PangoLayout *layout;
    double width, height;
};

struct lct_box {
    double x, y, width, height;
};

/* Check everything; 'fn' names the public function in sentences. */
locant_status lct_figure_check(const char *fn, const locant_figure *f);

/* ----------------------------------------------------------------- numbers */

enum { LCT_NUMBER_BYTES = 40 };

/*
 * 'value' with that many decimals, a point for the decimal point in every
 * locale; "e" notation from 1e7 on and below 1e-5.  A plain ASCII minus.
 */
void lct_number(char out[LCT_NUMBER_BYTES], double value, int decimals);

/* The same with three significant digits. */
void lct_number_short(char out[LCT_NUMBER_BYTES], double value);

/* ----------------------------------------------------------------- palette */

struct lct_color {
    double r, g, b; /* sRGB, 0 .. 1 */
};

enum { LCT_COLORS = 10, LCT_GREY = 9 };

/* Categorical colour 0 .. 9; 9 is the grey of references. */
struct lct_color lct_palette(int i);

/* t in [0, 1]: light to dark; and in [-1, 1]: blue, white, red. */
struct lct_color lct_sequential(double t);
struct lct_color lct_diverging(double t);

/* The colour of series i: its own, or by order without the grey. */
int lct_series_color(const locant_figure *f, size_t i);

/* -------------------------------------------------------------------- text */

struct lct_text {
    double size;
    struct lct_color color;
    double align_x, align_y; /* 0: the point is left, top; 1: right, bottom */
    double max_width;        /* 0: any; longer text ends in an ellipsis */
    bool bold, vertical;     /* vertical: turned to read upwards */
};

/* Text may be any bytes; what is not UTF-8 is drawn as U+FFFD. */
void lct_text_draw(struct lct_canvas *c, double x, double y, const char *text,
                   const struct lct_text *style);
double lct_text_width(struct lct_canvas *c, const char *text,
                      const struct lct_text *style);

/* -------------------------------------------------------------------- axes */

enum { LCT_TICKS = 32 };

struct lct_axis {
    double low, high;
    bool log;
    int n;
    double tick[LCT_TICKS];
    char label[LCT_TICKS][LCT_NUMBER_BYTES];
};

/* low < high; about 'want' ticks. */
void lct_axis_linear(struct lct_axis *a, double low, double high, int want);
/* Powers of two; 0 < low < high. */
void lct_axis_log2(struct lct_axis *a, double low, double high, int want);

/* Where 'value' lies: 0 at low, 1 at high. */
double lct_axis_at(const struct lct_axis *a, double value);

/* Make low < high by a visible amount. */
void lct_widen(double *low, double *high, bool log);

/* Space the labels of an axis take. */
double lct_axis_width(struct lct_canvas *c, const struct lct_axis *a);

/* Grid, tick labels and axis titles (NULL: none) around 'box'. */
void lct_axis_draw_x(struct lct_canvas *c, const struct lct_box *box,
                     const struct lct_axis *a, const char *title, bool grid);
void lct_axis_draw_y(struct lct_canvas *c, const struct lct_box *box,
                     const struct lct_axis *a, const char *title, bool grid);

/* Title of the figure; returns the height it took. */
double lct_title_draw(struct lct_canvas *c, const char *title);

void lct_set_color(struct lct_canvas *c, struct lct_color color, double alpha);

/* A line with ends and width; dash 0: solid. */
void lct_line(struct lct_canvas *c, double x0, double y0, double x1, double y1,
              double width, double dash);

extern const struct lct_color lct_ink, lct_faint, lct_rule;

/* ------------------------------------------------------------------- kinds */

/* Each draws below 'top' and returns NOMEM or OK. */
locant_status lct_draw_curves(struct lct_canvas *c, const locant_figure *f,
                              double top);
locant_status lct_draw_heatmap(struct lct_canvas *c, const locant_figure *f,
                               double top);
locant_status lct_draw_bars(struct lct_canvas *c, const locant_figure *f,
                            double top);

/* ------------------------------------------------------------------ legend */

/* Width the labels of the series need beside the plot; 0 without labels. */
double lct_legend_width(struct lct_canvas *c, const locant_figure *f);

/*
 * Labels right of 'box', each as near as the others allow to the height at
 * which its line ends: end[i], NAN for anywhere.  end holds n_series values
 * and is overwritten.
 */
void lct_legend_draw(struct lct_canvas *c, const locant_figure *f,
                     const struct lct_box *box, double *end);
#endif
