/* rows_far.h - scores of queries and keys rotated near or far, in double */
#ifndef LCT_ROWS_FAR_H
#define LCT_ROWS_FAR_H
#include "../encodings/near_far.h"
#include "rows.h"

/* Rotate the keys of a document near and far; 'end' adds to g->dk. */
void lct_rows_far_begin(const struct lct_rows_task *w);
void lct_rows_far_end(const struct lct_content_gradient *g,
                      const struct lct_rows_task *w);

/* Replace scores that are not masked by near or far scores; its backward. */
void lct_rows_far_scores(double *scores, const struct lct_rows_task *w);
void lct_rows_far_backward(double *dscores,
                           const struct lct_content_gradient *g,
                           const double *scores, const struct lct_rows_task *w);
#endif
