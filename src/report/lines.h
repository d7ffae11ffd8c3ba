/* lines.h - the lines of one figure, and the memory behind them */
#ifndef LCT_LINES_H
#define LCT_LINES_H
#include "messages.h"
#include "page.h"

/* Series, labels with values and numbers, each of a fixed room. */
struct lct_lines {
    locant_series *series;
    struct lct_label *labels;
    double *numbers;
    size_t n, n_labels, n_numbers;
};

locant_status lct_lines_make(struct lct_lines *l, size_t series, size_t labels,
                             size_t numbers);
void lct_lines_free(struct lct_lines *l);
double *lct_lines_take(struct lct_lines *l, size_t n);

/* A line of n points in the colour of a group, y after x in numbers that are
   taken: solid while colours last, then the dashes no reference line has. */
locant_series *lct_lines_add(struct lct_lines *l, size_t n, size_t group);

/* The numbers of a line, to be written: x, then y. */
double *lct_lines_of(struct lct_lines *l, const locant_series *s);

/* A grey line for reference. */
locant_series *lct_lines_grey(struct lct_lines *l, size_t n);

/* An entry of the legend that says what dashed lines are, and no line. */
void lct_lines_dashed(struct lct_lines *l, double x, enum lct_message label);

/* The label of the last line: a message with one text. */
void lct_lines_label(struct lct_lines *l, enum lct_message id,
                     const char *text);
#endif
