/* formula_gradient.h - gradients of a formula */
#ifndef LCT_FORMULA_GRADIENT_H
#define LCT_FORMULA_GRADIENT_H
#include "formula_evaluate.h"

/* Derivatives that have reached the nodes. */
struct lct_formula_reached {
    struct lct_formula_rows of;
    double number[LCT_FORMULA_NODES];
};

/*
 * dparam[k] += sum_j dout[j] d value[j] / dparam[k], ds[j] += dout[j] d
 * value[j] / ds[j], and so for tokens and real positions.  Derivatives pass
 * from the root to the leaves.  A node to which nothing passes adds exactly 0,
 * so the branch of if(..) that is not taken may be infinite.
 */
void lct_formula_gradient(double *const *dparam,
                          const struct lct_formula_run *run, int64_t q_pos,
                          const int64_t *k_pos, const double *dout, size_t n);

/*
 * The same in steps, for one query and at most LCT_FORMULA_PAIRS keys: 'clear',
 * 'add' derivatives of roots, pass them on by the nodes with rows, then by the
 * numbers.  'dparam' may be NULL: not wanted.
 */
void lct_formula_gradient_clear(struct lct_formula_reached *r,
                                const struct lct_formula_run *run);
void lct_formula_gradient_add(struct lct_formula_reached *r,
                              const struct lct_formula_run *run, int node,
                              const double *d, size_t n);
void lct_formula_gradient_rows(struct lct_formula_reached *r,
                               double *const *dparam,
                               const struct lct_formula_run *run,
                               const struct lct_formula_rows *value, size_t n);
void lct_formula_gradient_numbers(struct lct_formula_reached *r,
                                  double *const *dparam,
                                  const struct lct_formula_run *run);
#endif
