/*
 * net_cache.h - keys and values of the tokens so far, or a state that sums them
 * up, and where these sit
 *
 * Slots are in the order of tokens; rotated keys are stored where the rotation
 * does not depend on the length.
 */
#ifndef LCT_NET_CACHE_H
#define LCT_NET_CACHE_H
#include "net_room.h"

/* What a layer has; NULL: none, or that of another one. */
struct lct_net_slots {
    void *k, *v; /* [B, kv_heads, capacity, width] */
    /* of a delta rule (net_delta.c): [B, heads, keys, values], and [B, kernel -
       1, channels] of the last tokens */
    void *state, *recent;
};

struct lct_net_cache {
    int64_t B, capacity, length; /* rows, slots, slots in use */
    int axes;
    bool padded;        /* some token is padding */
    bool coordinates;   /* positions are given: masks go by slot */
    bool given;         /* some positions were, and others go on from these */
    int64_t *positions; /* [B, capacity] */
    int64_t *docs;      /* [B, capacity]: 0, or -1 for padding */
    double *coords;     /* [B, capacity, axes] */
    int64_t *start;     /* [B]: first slot that is no padding, -1: none yet */
    struct lct_net_slots *layers;
};

/* Of the room, whose keys and values must be zeros if they are read before they
   are written.  Errors: NOMEM. */
locant_status lct_net_cache_create(struct lct_net_cache **out,
                                   struct lct_net_room *room,
                                   const struct lct_net_stack *s, int64_t B,
                                   int64_t capacity);

/*
 * Add T tokens to each row: 'mask' [B, T] is 0 where one is padding (NULL:
 * nowhere), their positions 'given' [axes, B, T] or NULL: counted as the tower
 * says, or after given ones from the last of these.  Rows of mask and given are
 * 'stride' apart, axes 'axis' apart.
 */
void lct_net_cache_append(struct lct_net_cache *c, enum lct_plan_ids ids,
                          int64_t T, const int64_t *mask, const int64_t *given,
                          int64_t stride, int64_t axis);

/* Before all tokens are read again: states begin anew. */
void lct_net_cache_restart(struct lct_net_cache *c,
                           const struct lct_net_stack *s, size_t item);
#endif
