/* formula_operations.h - the operations of a formula, and their derivatives */
#ifndef LCT_FORMULA_OPERATIONS_H
#define LCT_FORMULA_OPERATIONS_H
#include "formula_graph.h"

/* Apply x, which is neither a leaf nor a table, to n rows of arguments in[k];
 * those that it lacks are NULL. */
void lct_formula_operations_row(double *out, const struct lct_formula *f,
                                const struct lct_formula_node *x,
                                const double *const in[3], size_t n);

/* slope[k] = d x / d in[k] where x has the value y; slopes that are 0 are not
 * written. */
void lct_formula_operations_slope(double slope[3], const struct lct_formula *f,
                                  const struct lct_formula_node *x,
                                  const double in[3], double y);
#endif
