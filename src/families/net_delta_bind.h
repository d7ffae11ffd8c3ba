/* net_delta_bind.h - what a layer with a delta rule has in the file */
#ifndef LCT_NET_DELTA_BIND_H
#define LCT_NET_DELTA_BIND_H
#include "net_bind.h"

/* Errors: FORMAT (a tensor is missing or has another shape), NOMEM. */
locant_status lct_net_delta_bind(struct lct_net_delta **out,
                                 struct lct_net_binder *b);
#endif
