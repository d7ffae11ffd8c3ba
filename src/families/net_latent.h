/* net_latent.h - queries, keys and values of multi-head latent attention */
#ifndef LCT_NET_LATENT_H
#define LCT_NET_LATENT_H
#include "net_bind.h"
#include "net_linear.h"

locant_status lct_net_latent_bind(struct lct_net_latent **out,
                                  struct lct_net_binder *b,
                                  const struct lct_layer_plan *p);

/* q [rows, H, nope + rope], k the same, v [rows, H, v_dim] of x [rows, D].
   Errors: NOMEM. */
locant_status lct_net_latent_forward(void *q, void *k, void *v, const void *x,
                                     int64_t rows,
                                     const struct lct_net_attention *a,
                                     struct lct_net_room *room);
#endif
