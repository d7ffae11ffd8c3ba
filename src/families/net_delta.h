/* net_delta.h - linear attention by a gated delta rule, instead of softmax */
#ifndef LCT_NET_DELTA_H
#define LCT_NET_DELTA_H
#include "net_attention.h"

/* The tensors of a layer.  Errors: FORMAT, NOMEM. */
locant_status lct_net_delta_bind(struct lct_net_delta **out,
                                 struct lct_net_binder *b);

/* Channels that the convolution passes over: of q, k and v. */
int64_t lct_net_delta_channels(const struct lct_net_delta *d);

/*
 * y [B T, D] = the delta rule over x [B T, D], from the state of layer 'layer'
 * in the cache, which it moves on by T tokens.  Padding counts as x = 0.
 * Errors: NOMEM.
 */
locant_status lct_net_delta_forward(void *y, const void *x,
                                    const struct lct_net_step *s,
                                    const struct lct_net_delta *d,
                                    int64_t layer);
#endif
