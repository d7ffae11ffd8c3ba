/* net_learned.h - what the encoding of a layer has learned, from its tensors */
#ifndef LCT_NET_LEARNED_H
#define LCT_NET_LEARNED_H
#include "net_bind.h"

/* a->params and a->n_params, in the order of locant_encoding_param().  Errors:
   FORMAT (a tensor is missing or has another shape), NOMEM. */
locant_status lct_net_learned_bind(struct lct_net_attention *a,
                                   struct lct_net_binder *b);
#endif
