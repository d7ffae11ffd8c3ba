/* formula_content.h - formulas that read the score */
#ifndef LCT_FORMULA_CONTENT_H
#define LCT_FORMULA_CONTENT_H
#include "content.h"
#include "formula_graph.h"

/* The hooks content.scores and content.backward of the row. */
void lct_formula_content_scores(double *s, const struct lct_content *c,
                                const struct lct_query *q);
void lct_formula_content_backward(double *ds,
                                  const struct lct_content_gradient *g,
                                  const double *s, const struct lct_content *c,
                                  const struct lct_query *q);
#endif
