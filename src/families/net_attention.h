/* net_attention.h - attention of one layer, over the keys of a cache */
#ifndef LCT_NET_ATTENTION_H
#define LCT_NET_ATTENTION_H
#include "net_bind.h"
#include "net_cache.h"
#include "net_matrix.h"

locant_status lct_net_attention_bind(struct lct_net_attention *a,
                                     struct lct_net_binder *b,
                                     const struct lct_layer_plan *plan,
                                     int64_t layer);

/* The last T tokens of each row of the cache. */
struct lct_net_step {
    const struct lct_net *n;
    struct lct_net_cache *cache;
    int64_t T;
    int64_t *docs; /* [B, capacity]: scratch for chunks; NULL if no layer has
                      any */
    const void *inputs; /* of layers, [B T, layers, width]; or NULL */
    const struct lct_net_room *room;
};

/* Numbers of scratch for 'rows' rows of x. */
int64_t lct_net_attention_scratch(const struct lct_net_attention *a,
                                  int64_t rows);

/*
 * y [B T, D] = attention of x [B T, D], whose keys and values go to the slots
 * of the last T tokens of layer 'layer'.
 * Errors: as locant_attention_forward().
 */
locant_status lct_net_attention_forward(void *y, const void *x,
                                        const struct lct_net_step *step,
                                        const struct lct_net_attention *a,
                                        int64_t layer, void *scratch);
#endif
