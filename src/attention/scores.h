/* scores.h - the scores of a tile: products, bias, content, mask, softcap */
#ifndef LCT_ATTENTION_SCORES_H
#define LCT_ATTENTION_SCORES_H
#include "arithmetic.h"

/*
 * s->s = scores of the tile, as the softmax takes them.  'slope' [keys, lanes]
 * gets the derivative of the softcap, if there is one; NULL: not wanted.
 */
void lct_scores_of_tile(const struct lct_plan *p, const struct lct_tile *t,
                        struct lct_scratch *s, const struct lct_loaded *l,
                        float *slope);

/* Cap n scores, where there is room for a multiple of LCT_PAD. */
static inline void lct_scores_cap(const struct lct_plan *p, float *s,
                                  float *slope, size_t n)
{
    if (p->request->softcap != 0)
        p->kernels->softcap(s, slope, (n + LCT_PAD - 1) / LCT_PAD * LCT_PAD,
                            (float)p->request->softcap);
}
#endif
