/* formula_linear.h - biases that are a slope times a distance */
#ifndef LCT_FORMULA_LINEAR_H
#define LCT_FORMULA_LINEAR_H
#include "formula_graph.h"

/* The hooks score.fast.slope and score.fast.relative_positions of the row. */
bool lct_formula_linear_slope(double *out, const struct lct_call *c,
                              int64_t head);
void lct_formula_linear_positions(double *out, const struct lct_call *c,
                                  int64_t q_pos, const int64_t *k_pos,
                                  size_t n);
#endif
