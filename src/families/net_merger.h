/* net_merger.h - patches that become one token of a text */
#ifndef LCT_NET_MERGER_H
#define LCT_NET_MERGER_H
#include "net_bind.h"
#include "net_linear.h"

/* Groups of b->n's patches to 'width': the one after all layers, then those of
   DeepStack after some.  Errors: FORMAT, NOMEM. */
locant_status lct_net_merger_bind(struct lct_net_binder *b, int64_t width);

/* out [groups, width] of x [groups, patches of a group, D].  Errors: NOMEM. */
locant_status lct_net_merger_forward(void *out, const void *x, int64_t groups,
                                     const struct lct_net_merger *merger,
                                     struct lct_net_room *room);
#endif
