/* mask.h - which keys a query sees, and which tiles are skipped */
#ifndef LCT_ATTENTION_MASK_H
#define LCT_ATTENTION_MASK_H
#include "dense_mask.h"
#include "scratch.h"
#include "tables.h"
#include "tile.h"

/* May query i see key j in batch row b?  Content may mask more keys. */
bool lct_mask_visible(const struct lct_plan *p, int64_t b, int64_t h, int64_t i,
                      int64_t j);

/*
 * Set the keys of t to tile n and find out which keys are masked.  false: no
 * query of t sees any of these keys, and the caller skips the tile.
 */
bool lct_mask_classify(const struct lct_plan *p, struct lct_tile *t, int64_t n,
                       struct lct_scratch *s);

/* Must each head be classified? */
static inline bool lct_mask_by_head(const struct lct_plan *p)
{
    return p->request->mask_hooks > 0 || lct_dense_mask_by_head(p);
}

/* s->s = -infinity where masked. */
void lct_mask_apply(const struct lct_plan *p, const struct lct_tile *t,
                    struct lct_scratch *s);
#endif
