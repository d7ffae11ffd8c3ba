/*
 * tiled.h - attention by tiles of queries against tiles of keys.
 *
 * The path of a tile of queries (tile.h): load.h loads, rotates and scales it.
 * Then mask.h decides which tiles of keys to skip.  For each of the others,
 * scores.h forms scores with arithmetic.h, bias.h and content.h; softmax.h
 * turns these into weights and finds 'rescale'; arithmetic.h multiplies the
 * output by 'rescale' and adds weights times values.  At the end softmax.h
 * divides by the sums of the weights.  Backward takes the same path with
 * weights from lse.
 */
#ifndef LCT_ATTENTION_TILED_H
#define LCT_ATTENTION_TILED_H
#include "gradient_pass.h"

/* Run the engine; tables must be filled. */
void lct_tiled_forward(const struct lct_plan *p, const locant_tensor *out,
                       const locant_tensor *lse);
void lct_tiled_backward(const struct lct_plan *p,
                        const struct lct_gradient_pass *pass);
#endif
