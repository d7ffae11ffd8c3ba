/* lines.h - the lines of one figure and their memory */
#ifndef LCT_LINES_H
#define LCT_LINES_H
#include "messages.h"
#include "page.h"

/* Series, filled labels, and numbers; lct_lines_make() sets their capacity. */
struct lct_lines {
    locant_series *series;
    struct lct_label *labels;
    double *numbers;
    size_t n, n_labels, n_numbers;
};

locant_status lct_lines_make(struct lct_lines *l, size_t series, size_t labels,
                             size_t numbers);
void lct_lines_free(struct lct_lines *l);
/* The next n of the numbers, for the caller to fill in. */
double *lct_lines_take(struct lct_lines *l, size_t n);

/*
 * Adds a line of n points in the colour of group 'group'; x and y are taken
 * from 'numbers'.  Once the colours repeat, lines are dashed in ways that no
 * reference line uses.
 */
locant_series *lct_lines_add(struct lct_lines *l, size_t n, size_t group);

/* The x of a line, followed by its y, for the caller to fill in. */
double *lct_lines_points(struct lct_lines *l, const locant_series *s);

/* Adds the means of a loss of group i by context length.  'part' is "loss" or
   "non_overlapping". */
locant_series *lct_lines_losses(struct lct_lines *l,
                                const struct lct_results *r, size_t i,
                                const char *part);

/* Adds a grey reference line. */
locant_series *lct_lines_grey(struct lct_lines *l, size_t n);

/* Adds a legend entry that explains dashed lines; it draws no line. */
void lct_lines_dashed(struct lct_lines *l, double x, enum lct_message label);

/* Label the last line with a message that has no value, a text, or a number. */
void lct_lines_name(struct lct_lines *l, enum lct_message id);
void lct_lines_label(struct lct_lines *l, enum lct_message id,
                     const char *text);
void lct_lines_number(struct lct_lines *l, enum lct_message id, double value);

/* Whether some line has a value: false if every run failed. */
bool lct_lines_defined(const struct lct_lines *l);

/* A figure of these lines. */
locant_figure lct_lines_figure(const struct lct_lines *l,
                               enum lct_figure_id id);
#endif
