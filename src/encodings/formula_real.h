/* formula_real.h - formulas at real positions, with derivatives by them */
#ifndef LCT_FORMULA_REAL_H
#define LCT_FORMULA_REAL_H
#include "formula_graph.h"

/*
 * For the hook positions.real_of: does each of bias, gain and after that reads
 * positions change between whole ones?  Not by pick(..), floor(..), sign(..),
 * step(..) and comparisons alone; nor if future=hide compares positions, or
 * scores or tokens are read.
 */
bool lct_formula_real_has(const locant_encoding *e);

/* One of bias, gain and after, by its root, which must be given: what the hooks
   of struct lct_real_pair compute. */
void lct_formula_real_at(double *out, const struct lct_call *c, int root,
                         const struct lct_real_keys *x);
void lct_formula_real_backward(const struct lct_real_gradients *g,
                               const struct lct_call *c, int root,
                               const struct lct_real_keys *x,
                               const double *dout);
#endif
