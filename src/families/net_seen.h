/* net_seen.h - what a text sees of images: the states of their tokens */
#ifndef LCT_NET_SEEN_H
#define LCT_NET_SEEN_H
#include "net_run.h"

struct lct_net_seen {
    int64_t tokens; /* of all images */
    void *states;   /* [tokens, D], instead of embeddings */
    void **deep;    /* [n_deep] arrays [tokens, D], each added after a layer of
                       the text, the first ones */
    int64_t n_deep;
};

/* Rows of r->x that stand for images become their states; or, after a layer of
   the text (-1: before the first), what it adds is added to them. */
void lct_net_seen_put(struct lct_net_run *r, const struct lct_net_tokens *t,
                      int64_t layer);
#endif
