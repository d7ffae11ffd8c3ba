/* net_attention_bind.h - what the attention of one layer has in the file */
#ifndef LCT_NET_ATTENTION_BIND_H
#define LCT_NET_ATTENTION_BIND_H
#include "net_bind.h"

/* Find the tensors of the layer, and choose its encoding by the plan.
   Errors: FORMAT, UNSUPPORTED, NOMEM. */
locant_status lct_net_attention_bind(struct lct_net_attention *a,
                                     struct lct_net_binder *b,
                                     const struct lct_layer_plan *plan);

#endif
