/* net_stack.h - the tensors of a stack of layers */
#ifndef LCT_NET_STACK_H
#define LCT_NET_STACK_H
#include "net_bind.h"

/* Layers of s->plan, what is added to embeddings, and the norms of both ends.
   Errors: FORMAT, NOMEM. */
locant_status lct_net_stack_bind(struct lct_net_stack *s,
                                 struct lct_net_binder *b);
void lct_net_stack_end(struct lct_net_stack *s);
#endif
