/*
 * tiled.h - attention by tiles of queries against tiles of keys.
 *
 * The path of a tile of queries (tile.h): load.h loads, rotates and scales it.
 * For each tile of keys mask.h decides whether to skip it; if not, scores.h
 * forms scores with arithmetic.h, bias.h and content.h; softmax.h turns them
 * into weights and finds 'rescale', by which arithmetic.h multiplies the output
 * before it adds weights times values.  At the end softmax.h divides by the
 * sums of the weights.  Backward takes the same path with weights from lse.
 */
#ifndef LCT_ATTENTION_TILED_H
#define LCT_ATTENTION_TILED_H
#include "plan.h"

/* Run the engine; tables must be filled. */
void lct_tiled_forward(const struct lct_plan *p, const locant_tensor *out,
                       const locant_tensor *lse);
void lct_tiled_backward(const struct lct_plan *p,
                        const locant_attention_gradients *g,
                        const locant_tensor *dout, const locant_tensor *out,
                        const locant_tensor *lse);
#endif
