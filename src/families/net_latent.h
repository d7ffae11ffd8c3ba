/* net_latent.h - queries, keys and values of multi-head latent attention */
#ifndef LCT_NET_LATENT_H
#define LCT_NET_LATENT_H
#include "net_bind.h"
#include "net_linear.h"

locant_status lct_net_latent_bind(struct lct_net_latent **out,
                                  struct lct_net_binder *b,
                                  const struct lct_layer_plan *p);

/* Numbers of scratch for each row. */
int64_t lct_net_latent_scratch(const struct lct_net_attention *a);

/* q [rows, H, nope + rope], k the same, v [rows, H, v_dim], and scratch */
struct lct_net_latent_work {
    void *q, *k, *v, *scratch;
};

/* Queries, keys and values of x [rows, D]. */
void lct_net_latent_forward(const struct lct_net_latent_work *work,
                            const void *x, int64_t rows,
                            const struct lct_net *n,
                            const struct lct_net_attention *a,
                            const struct lct_net_room *room);
#endif
