/* dense_mask.h - a mask with an element for each query and key */
#ifndef LCT_ATTENTION_DENSE_MASK_H
#define LCT_ATTENTION_DENSE_MASK_H
#include "tile.h"

/* May query i of head h see key j?  'at' = b, h, i, j. */
bool lct_dense_mask_visible(const struct lct_plan *p, const int64_t at[4]);

/* How much of the tile the mask leaves visible; without a mask all of it. */
enum lct_visibility lct_dense_mask_classify(const struct lct_plan *p,
                                            const struct lct_tile *t);

/* masked [keys, lanes] |= does the mask hide the key from the query? */
void lct_dense_mask_hide(const struct lct_plan *p, const struct lct_tile *t,
                         char *masked);

/* Does the mask differ between heads? */
static inline bool lct_dense_mask_by_head(const struct lct_plan *p)
{
    return p->request->visible != NULL && p->request->visible->shape[1] > 1;
}
#endif
