/* net_patches_bind.h - the map of patches, tokens before them, and places */
#ifndef LCT_NET_PATCHES_BIND_H
#define LCT_NET_PATCHES_BIND_H
#include "net_bind.h"

/* Errors: FORMAT (a tensor, image_size or patch_size), NOMEM. */
locant_status lct_net_patches_bind(struct lct_net_patches **out,
                                   struct lct_net_binder *b);

#endif
