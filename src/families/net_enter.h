/* net_enter.h - the states that the first layer reads */
#ifndef LCT_NET_ENTER_H
#define LCT_NET_ENTER_H
#include "net_run.h"

/* Positions of RoBERTa's tokens, all of a step, that are in the cache: padding,
   which is a token whatever the mask says, has row pad of the table, and the
   others count from pad + 1 on. */
void lct_net_enter_positions(struct lct_net_run *r,
                             const struct lct_net_tokens *t);

/* Rows of r->x that stand for images become their states; or, after a layer of
   the text (-1: before the first), what it adds is added to them. */
void lct_net_enter_seen(struct lct_net_run *r, const struct lct_net_tokens *t,
                        int64_t layer);

/* r->x = states of tokens, which have slots from r->from on: embeddings, or
   patches, with what is added to them. */
locant_status lct_net_enter(struct lct_net_run *r,
                            const struct lct_net_tokens *t);
#endif
