/* net_experts.h - mixtures of experts */
#ifndef LCT_NET_EXPERTS_H
#define LCT_NET_EXPERTS_H
#include "net_bind.h"
#include "net_linear.h"

/* Numbers of scratch for 'rows' rows of 'width' numbers. */
int64_t lct_net_experts_scratch(const struct lct_net_experts *e, int64_t rows,
                                int64_t width);

/* y [rows, D] = experts(x); 'router_x' is what the router reads, x or other. */
void lct_net_experts_forward(void *y, const void *x, const void *router_x,
                             int64_t rows, const struct lct_net *n,
                             const struct lct_net_experts *e, void *scratch,
                             const struct lct_net_room *room);
#endif
