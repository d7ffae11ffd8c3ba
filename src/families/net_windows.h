/* net_windows.h - attention within windows of patches, and merged patches
   (Swin) */
#ifndef LCT_NET_WINDOWS_H
#define LCT_NET_WINDOWS_H
#include "net_attention.h"

/* Set the width of the first stage, and where stages begin.  Nothing for other
   families.  Errors: FORMAT, UNSUPPORTED. */
locant_status lct_net_windows_begin(struct lct_net_binder *b);

/* Windows of the layer, and the merge after it, which doubles the width of the
   model; nothing for other families. */
locant_status lct_net_windows_bind(struct lct_net_layer *l,
                                   const struct lct_net_stack *s,
                                   struct lct_net_binder *b);

/* y = attention of x within windows, both [B T, D].  Errors: as
   lct_net_attention_forward(). */
locant_status lct_net_windows_forward(void *y, const void *x,
                                      const struct lct_net_step *step,
                                      const struct lct_net_layer *l);

/* x [B T, D] becomes [B T', 2 D], and step->T its T'.  Errors: NOMEM. */
locant_status lct_net_windows_merge(void *x, struct lct_net_step *step,
                                    const struct lct_net_layer *l);
#endif
