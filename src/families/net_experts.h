/* net_experts.h - mixtures of experts */
#ifndef LCT_NET_EXPERTS_H
#define LCT_NET_EXPERTS_H
#include "net_bind.h"
#include "net_linear.h"

/* y [rows, D] = experts(x); 'router_x' is what the router reads, x or other.
   Errors: NOMEM. */
locant_status lct_net_experts_forward(void *y, const void *x,
                                      const void *router_x, int64_t rows,
                                      const struct lct_net_experts *e,
                                      struct lct_net_room *room);
#endif
