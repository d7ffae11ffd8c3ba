/*
 * tiled.h - attention by tiles of queries against tiles of keys.
 *
 * The way of a tile of queries (tile.h): it is loaded, rotated and scaled; for
 * each tile of keys, mask.h says whether it is skipped; else arithmetic.h forms
 * the products with its keys, scores.h adds bias, content and mask, softmax.h
 * turns scores into weights and rescales, and arithmetic.h adds the products
 * with its values.  At the end it is divided by the sums of the weights.
 * Backward takes the same way with the weights that lse gives.
 */
#ifndef LCT_ATTENTION_TILED_H
#define LCT_ATTENTION_TILED_H
#include "plan.h"

/* On tables that were filled. */
void lct_tiled_forward(const struct lct_plan *p, const locant_tensor *out,
                       const locant_tensor *lse);
void lct_tiled_backward(const struct lct_plan *p,
                        const locant_attention_gradients *g,
                        const locant_tensor *dout, const locant_tensor *out,
                        const locant_tensor *lse);
#endif
