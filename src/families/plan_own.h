/* plan_own.h - widths, heads and keys that single layers of a decoder have */
#ifndef LCT_PLAN_OWN_H
#define LCT_PLAN_OWN_H
#include "plan_layers.h"
#include "plan_sizes.h"

/* Set them in the layers of k->tower, which have the sizes n of all.  Errors:
   as lct_plan_keys_whole(); FORMAT. */
locant_status lct_plan_own_layers(struct lct_plan_keys *k,
                                  const struct lct_plan_sizes *n,
                                  const struct lct_plan_layer_kind *kinds);
#endif
