/* net_patches.h - images as tokens, and classes from their states */
#ifndef LCT_NET_PATCHES_H
#define LCT_NET_PATCHES_H
#include "net_run.h"

/* *tokens of an image of so many pixels; false: these are no whole patches. */
bool lct_net_patches_count(int64_t *tokens, const struct lct_net *n,
                           int64_t height, int64_t width);

/* States of such an image after all layers. */
int64_t lct_net_patches_states(const struct lct_net *n, int64_t height,
                               int64_t width);

/* r->x [B, T, D] = prefix tokens and patches with their positions, whose
   coordinates go to the cache.  Errors: NOMEM. */
locant_status lct_net_patches_enter(struct lct_net_run *r,
                                    const struct lct_net_tokens *t);

/* Numbers that the head reads. */
int64_t lct_net_patches_pooled(const struct lct_net *n);

/* out [B, classes] from the states r->x [B, T, D].  Errors: NOMEM. */
locant_status lct_net_patches_head(void *out, struct lct_net_run *r, int64_t T);
#endif
