/* net_mlp.h - gated and plain MLPs */
#ifndef LCT_NET_MLP_H
#define LCT_NET_MLP_H
#include "net_bind.h"
#include "net_linear.h"

/* The MLP of the layer. */
locant_status lct_net_mlp_bind(struct lct_net_mlp *mlp,
                               struct lct_net_binder *b);

/* The activation of the family.  Errors: FORMAT (unknown name). */
locant_status lct_net_mlp_act(enum lct_net_act *out,
                              const struct lct_net_binder *b);

/* y [rows, D] = mlp(x).  Errors: NOMEM. */
locant_status lct_net_mlp_forward(void *y, const void *x, int64_t rows,
                                  const struct lct_net_mlp *mlp,
                                  struct lct_net_room *room);
#endif
