/* net_block.h - layers: norms, attention, MLP or experts, and their sums */
#ifndef LCT_NET_BLOCK_H
#define LCT_NET_BLOCK_H
#include "net_attention.h"

/* x [B T, D] becomes the output of layer i of the stack. */
locant_status lct_net_block_forward(void *x, const struct lct_net_step *step,
                                    const struct lct_net_layer *l, int64_t i);
#endif
