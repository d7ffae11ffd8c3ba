/* net_attention.h - attention of one layer, over the keys of a cache */
#ifndef LCT_NET_ATTENTION_H
#define LCT_NET_ATTENTION_H
#include "locant/attention.h"
#include "net_bind.h"
#include "net_cache.h"
#include "net_linear.h"

struct lct_net_memory;
struct lct_net_share;

/* Called with the attention of each layer: queries and keys after their norms,
   rotated where the call does not do that, and the log-sum-exp of each query.
   A failure ends the run. */
struct lct_net_watch {
    locant_status (*seen)(void *context, int64_t layer,
                          const locant_attention *call,
                          const locant_tensor *lse);
    void *context;
    /* The same of attention over an encoder, or NULL; the first query is token
       'from' of its row. */
    locant_status (*cross)(void *context, int64_t layer,
                           const locant_attention *call,
                           const locant_tensor *lse, int64_t from);
};

/* T tokens of each row of the cache, in slots 'from' .. from + T - 1. */
struct lct_net_step {
    const struct lct_net *n;
    struct lct_net_cache *cache;
    int64_t from, T;
    struct lct_net_share *share; /* other ranks have other tokens; or NULL */
    int64_t rows, columns;       /* of patches of an image, T in all */
    int64_t *windows; /* [B, T]: of patches, whose layers with windows see their
                         own alone; or NULL */
    int64_t *docs; /* [B, capacity]: scratch for chunks, if a layer has any */
    const locant_encoding *encoding;     /* instead of that of the layers; NULL:
                                        theirs */
    const struct lct_net_memory *memory; /* of an encoder; or NULL */
    const void *inputs; /* of layers, [B T, layers, width]; or NULL */
    struct lct_net_room *room;
    const struct lct_net_watch *watch; /* or NULL */
};

/* Rows [B T, heads width] as [B, heads, T, width]. */
locant_tensor lct_net_attention_heads(void *x, locant_dtype dtype, int64_t B,
                                      int64_t T, int64_t heads, int64_t width);

/* Columns from .. from + n - 1 of an array [B, capacity, axes] of the cache; of
   [B, capacity] if axes is 0. */
locant_tensor lct_net_attention_slots(void *x, locant_dtype dtype,
                                      const struct lct_net_cache *c,
                                      int64_t from, int64_t n, int axes);

/* Run one call of attention in scratch of its own.  Errors: NOMEM too. */
locant_status lct_net_attention_call(locant_tensor *out, locant_tensor *lse,
                                     const locant_attention *call,
                                     struct lct_net_room *room);

/*
 * y [B T, D] = attention of x [B T, D], whose keys and values go to the slots
 * of the last T tokens of layer 'layer'.
 * Errors: as locant_attention_forward().
 */
locant_status lct_net_attention_forward(void *y, const void *x,
                                        const struct lct_net_step *step,
                                        const struct lct_net_attention *a,
                                        int64_t layer);
#endif
