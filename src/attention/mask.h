/* mask.h - which keys a query sees, and which tiles are skipped */
#ifndef LCT_ATTENTION_MASK_H
#define LCT_ATTENTION_MASK_H
#include "scratch.h"
#include "tables.h"
#include "tile.h"

/* May query i see key j, of batch row b?  Content may mask more. */
bool lct_mask_visible(const struct lct_plan *p, int64_t b, int64_t h, int64_t i,
                      int64_t j);

/*
 * Point t at key tile n and classify it: all visible, or some masked.  false:
 * no query sees any of its keys, and the tile is skipped.
 */
bool lct_mask_classify(const struct lct_plan *p, struct lct_tile *t, int64_t n,
                       struct lct_scratch *s);

/* s->s = -infinity where masked. */
void lct_mask_apply(const struct lct_plan *p, const struct lct_tile *t,
                    struct lct_scratch *s);
#endif
