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

/* Hooks of struct lct_real_pair, of bias, gain and after. */
void lct_formula_real_bias(double *out, const struct lct_call *c, int64_t head,
                           double q, const double *k, size_t n);
void lct_formula_real_bias_backward(const struct lct_real_gradients *g,
                                    const struct lct_call *c, int64_t head,
                                    double q, const double *k,
                                    const double *dout, size_t n);
void lct_formula_real_gain(double *out, const struct lct_call *c, int64_t head,
                           double q, const double *k, size_t n);
void lct_formula_real_gain_backward(const struct lct_real_gradients *g,
                                    const struct lct_call *c, int64_t head,
                                    double q, const double *k,
                                    const double *dout, size_t n);
void lct_formula_real_after(double *out, const struct lct_call *c, int64_t head,
                            double q, const double *k, size_t n);
void lct_formula_real_after_backward(const struct lct_real_gradients *g,
                                     const struct lct_call *c, int64_t head,
                                     double q, const double *k,
                                     const double *dout, size_t n);
#endif
