/*
 * net_doubling.h - the base of Qwen 1 beyond its trained length, which grows by
 * steps of doubled lengths; a plan writes it as dynamic NTK, which agrees at
 * the trained length times a power of two
 */
#ifndef LCT_NET_DOUBLING_H
#define LCT_NET_DOUBLING_H
#include "net_cache.h"

/* The encoding of a length, kept while it does not change; begin with zeros. */
struct lct_net_doubling {
    locant_encoding *encoding; /* NULL: that of the layers */
    double factor;             /* of its base, before the power */
};

/*
 * Choose the encoding of all tokens in the cache, for all layers.
 * Errors: NOMEM, UNSUPPORTED (rows of other lengths have other bases).
 */
locant_status lct_net_doubling_choose(struct lct_net_doubling *d,
                                      const struct lct_net *n,
                                      const struct lct_net_cache *c);
#endif
