/* formula_block_gradient.h - gradients of a formula in a tile of pairs */
#ifndef LCT_FORMULA_BLOCK_GRADIENT_H
#define LCT_FORMULA_BLOCK_GRADIENT_H
#include "formula_block.h"

/*
 * After lct_formula_block_open() 'begin'.  After lct_formula_block_take() of
 * each block: clear it, add to lct_formula_block_reached() of the roots, and
 * 'pass'.  At the end 'close' adds to the gradients of numbers and tokens.
 */
void lct_formula_block_begin(struct lct_formula_tile *x);
void lct_formula_block_clear(struct lct_formula_tile *x);
void lct_formula_block_pass(struct lct_formula_tile *x, double *const *dparam);
void lct_formula_block_close(struct lct_formula_tile *x,
                             const struct lct_pair_gradients *g);

/* Where the gradients of a root's values are added; NULL: it is left out. */
double *lct_formula_block_reached(const struct lct_formula_tile *x, int root);

/* What has reached s; NULL: no root reads it. */
const double *lct_formula_block_of_scores(const struct lct_formula_tile *x);
#endif
