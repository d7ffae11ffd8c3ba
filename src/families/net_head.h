/* net_head.h - the maps from the last states of a model to its logits */
#ifndef LCT_NET_HEAD_H
#define LCT_NET_HEAD_H
#include "net_bind.h"

/*
 * Find the head of a model whose embeddings and layers are bound, what stands
 * before it, and its bias.  A file without one leaves n->no_head, a sentence.
 * Errors: FORMAT, UNSUPPORTED, NOMEM.
 */
locant_status lct_net_head_bind(struct lct_net *n, struct lct_net_binder *b);
#endif
