/* rows_gates.h - forget gates (FoX) in double: biases from gates of tokens */
#ifndef LCT_ROWS_GATES_H
#define LCT_ROWS_GATES_H
#include "rows.h"

/* Sort the keys of a document. */
void lct_rows_gates_sort(const struct lct_rows_task *w);

/* Sort the keys of a document and fill their gates; 'end' adds to g. */
void lct_rows_gates_begin(const struct lct_rows_task *w);
void lct_rows_gates_end(const struct lct_content_gradient *g,
                        const struct lct_rows_task *w);

/* Scores += sums of logarithms of gates; its backward. */
void lct_rows_gates_scores(double *scores, const struct lct_rows_task *w);
void lct_rows_gates_backward(const double *dscores, const double *scores,
                             const struct lct_rows_task *w);
#endif
