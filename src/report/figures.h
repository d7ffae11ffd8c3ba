/* figures.h - the figures of the page, and what is fixed of each */
#ifndef LCT_FIGURES_H
#define LCT_FIGURES_H
#include "locant/figure.h"
#include "messages.h"

/* By row of figures.def. */
enum lct_figure_id {
#define LCT_FIGURE(id, ...) FIG_##id,
#include "figures.def"
#undef LCT_FIGURE
    LCT_FIGURES
};

enum { LCT_LOG_X = 1, LCT_DIVERGING = 2, LCT_CELL_NUMBERS = 4 };

/* What a caption says at its end. */
enum {
    LCT_MEASURED = 1,  /* on the corpus of the page */
    LCT_TRAINED = 2,   /* of models trained on it, which read another text */
    LCT_GENERATED = 4, /* that of the built-in generator */
    LCT_OF_TASK = 8    /* of models trained on a task */
};

struct lct_figure_row {
    locant_figure_info info;
    locant_figure_kind kind;
    int width, height, flags;
    enum lct_message x_label, y_label, title, alt, caption;
    int origin;
};
extern const struct lct_figure_row lct_figures[LCT_FIGURES];

/* A figure with all of that. */
locant_figure lct_figures_begin(enum lct_figure_id id);

/* Another title: a message, or one with values. */
void lct_figures_title(locant_figure *f, enum lct_message title);
void lct_figures_title_filled(locant_figure *f, const struct lct_label *title);
#endif
