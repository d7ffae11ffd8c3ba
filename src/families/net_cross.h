/* net_cross.h - attention of a decoder over the states of an encoder */
#ifndef LCT_NET_CROSS_H
#define LCT_NET_CROSS_H
#include "net_attention.h"

/* Keys and values of all layers, made once from the states of the encoder. */
struct lct_net_memory {
    int64_t B, T, n_layers;
    bool padded;
    int64_t *docs; /* [B, T]: 0, or -1 for padding */
    void **k, **v; /* of each layer [B, T, heads width] */
};

/* Attention and norms of a layer; nothing if the family has none. */
locant_status lct_net_cross_bind(struct lct_net_layer *l,
                                 struct lct_net_binder *b,
                                 const struct lct_layer_plan *p);

/* y [B T, D] = attention of x [B T, D] over the memory of the step. */
locant_status lct_net_cross_forward(void *y, const void *x,
                                    const struct lct_net_step *step,
                                    const struct lct_net_attention *a,
                                    int64_t layer);
#endif
