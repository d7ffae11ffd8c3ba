/* net_whole.h - the tensors of a whole model */
#ifndef LCT_NET_WHOLE_H
#define LCT_NET_WHOLE_H
#include "net_bind.h"

/* What the configuration says of the family of n, and how its tensors are
   named.  Errors: FORMAT (a key is wrong). */
locant_status lct_net_whole_begin(struct lct_net_binder *b, struct lct_net *n);

/* Bind input, stacks and head; 'path' is for messages and for files beside.
   Errors: FORMAT, UNSUPPORTED, NOMEM. */
locant_status lct_net_whole_bind(struct lct_net *n, struct lct_net_binder b,
                                 const char *path);
#endif
