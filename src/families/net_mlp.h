/* net_mlp.h - gated and plain MLPs */
#ifndef LCT_NET_MLP_H
#define LCT_NET_MLP_H
#include "net_bind.h"
#include "net_linear.h"

/* The maps of these roles: gate, of which there is none if the family has no
   such role, up and down; from 'in' numbers by 'width' (-1: as many as the file
   has) to 'out'. */
locant_status lct_net_mlp_bind_maps(struct lct_net_mlp *mlp,
                                    struct lct_net_binder *b,
                                    const enum lct_net_role roles[3],
                                    int64_t in, int64_t width, int64_t out);

/* The MLP of the layer. */
locant_status lct_net_mlp_bind(struct lct_net_mlp *mlp,
                               struct lct_net_binder *b);

/* y [rows, D] = mlp(x).  Errors: NOMEM. */
locant_status lct_net_mlp_forward(void *y, const void *x, int64_t rows,
                                  const struct lct_net_mlp *mlp,
                                  struct lct_net_room *room);
#endif
