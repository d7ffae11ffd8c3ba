/* plan_sizes.h - layers, heads and their widths of a decoder */
#ifndef LCT_PLAN_SIZES_H
#define LCT_PLAN_SIZES_H
#include "plan_keys.h"

struct lct_plan_sizes {
    int64_t layers, hidden, heads, kv_heads;
    int64_t head_dim; /* for scores */
    int64_t v_dim;
    int64_t rope_dim; /* width of the part that may be rotated */
    int64_t length;
};

/* Read them, and the lengths of the plan.  Errors: as lct_plan_keys_whole();
   FORMAT (they do not fit together). */
locant_status lct_plan_sizes_read(struct lct_plan_sizes *n,
                                  struct lct_plan_keys *k);
#endif
