/* figures.h - the figures of the page, and their fixed properties */
#ifndef LCT_FIGURES_H
#define LCT_FIGURES_H
#include "locant/figure.h"
#include "messages.h"

enum lct_figure_id {
#define LCT_FIGURE(id, ...) FIG_##id,
#include "figures.def"
#undef LCT_FIGURE
    LCT_FIGURES
};

enum { LCT_LOG_X = 1, LCT_DIVERGING = 2, LCT_CELL_NUMBERS = 4 };

/* Where the numbers come from, combined by |; a caption ends with it. */
enum {
    LCT_MEASURED = 1,  /* measured on the corpus of the page */
    LCT_TRAINED = 2,   /* models trained on that corpus, fed other text */
    LCT_GENERATED = 4, /* measured on text of the built-in generator */
    LCT_OF_TASK = 8    /* models trained on a task */
};

struct lct_figure_row {
    locant_figure_info info;
    locant_figure_kind kind;
    int width, height, flags;
    enum lct_message x_label, y_label, title, alt, caption;
    int origin; /* LCT_MEASURED | .. */
};
extern const struct lct_figure_row lct_figures[LCT_FIGURES];

/* A figure with the fixed properties of its row. */
locant_figure lct_figures_begin(enum lct_figure_id id);

/* What a figure shows: lines, or a map. */
void lct_figures_lines(locant_figure *f, const locant_series *series, size_t n);
void lct_figures_map(locant_figure *f, const double *cells, int64_t rows,
                     int64_t cols);
/* A line with a message for its label. */
locant_series lct_figures_line(enum lct_message label, int64_t n,
                               const double *x, const double *y, int color);
/* Set the label of a line to a message with its values. */
void lct_figures_label(locant_series *line, const struct lct_label *label);
void lct_figures_marks(locant_figure *f, const locant_mark *marks, size_t n);

/* Change the title: to a message without values, or with its values. */
void lct_figures_title(locant_figure *f, enum lct_message title);
void lct_figures_title_filled(locant_figure *f, const struct lct_label *title);
#endif
