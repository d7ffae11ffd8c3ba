/* speed.h - how fast a run was trained */
#ifndef LCT_SPEED_H
#define LCT_SPEED_H
#include "store.h"

/* Milliseconds per training token of the forward and the backward pass, without
   AdamW: means over the last session, NAN if not known. */
struct lct_speed {
    double forward, backward;
};
locant_status lct_speed_keep(locant_store *store, int64_t run,
                             const struct lct_speed *x);
locant_status lct_speed_read(struct lct_speed *x, locant_store *store,
                             int64_t run);
#endif
