/* plan_layers.h - which layers of a decoder have windows, chunks, rotation */
#ifndef LCT_PLAN_LAYERS_H
#define LCT_PLAN_LAYERS_H
#include "plan_keys.h"

enum lct_plan_kind {
    LCT_KIND_FULL,
    LCT_KIND_WINDOW,
    LCT_KIND_CHUNK,
    LCT_KIND_LINEAR
};

struct lct_plan_layer_kind {
    enum lct_plan_kind kind;
    bool rotated;
};

/*
 * Fill out[n] by the rule of the family, or by layer_types and no_rope_layers
 * if the class reads them.  'window' is 0 if the configuration has none.
 */
locant_status lct_plan_layers_read(struct lct_plan_layer_kind *out,
                                   struct lct_plan_keys *k, int64_t n,
                                   int64_t window);

/* sliding_window as the class takes it, keys that a query sees with its own;
   0: none. */
locant_status lct_plan_layers_window(int64_t *out, struct lct_plan_keys *k,
                                     bool *both_sides);
#endif
