/*
 * dense_heads.h - the gradient of a dense bias [1|B, 1|H, T, S] that several
 * heads share.
 *
 * Backward divides its work by heads of keys.  This pass divides it by tiles of
 * queries: it computes ds again, and each task sums the heads in order, with
 * memory for one row of tiles.
 */
#ifndef LCT_ATTENTION_DENSE_HEADS_H
#define LCT_ATTENTION_DENSE_HEADS_H
#include "backward.h"

void lct_dense_heads_backward(const struct lct_backward *job);
#endif
