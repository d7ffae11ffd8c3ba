/* scores.h - the scores of a tile: products, bias, content, mask, softcap */
#ifndef LCT_ATTENTION_SCORES_H
#define LCT_ATTENTION_SCORES_H
#include "arithmetic.h"

/*
 * s->s = scores of the tile, ready for the softmax.  If there is a softcap and
 * 'slope' [keys, lanes] is not NULL, 'slope' gets the derivative of the cap.
 * If a dense bias hides a key, t->guarded is set.
 */
void lct_scores_of_tile(const struct lct_plan *p, struct lct_tile *t,
                        struct lct_scratch *s, const struct lct_loaded *l,
                        float *slope);

/* Cap n scores; s and slope have room for n rounded up to LCT_PAD. */
static inline void lct_scores_cap(const struct lct_plan *p, float *s,
                                  float *slope, size_t n)
{
    if (p->request->softcap != 0)
        p->kernels->softcap(s, slope, (n + LCT_PAD - 1) / LCT_PAD * LCT_PAD,
                            (float)p->request->softcap);
}
#endif
