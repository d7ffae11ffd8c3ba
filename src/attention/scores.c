/* scores.c - scores of a tile: products, biases, content, mask, softcap */
#include "scores.h"
#include "bias.h"
#include "content.h"
#include "content_far.h"
#include "content_maps.h"
#include "dense_bias.h"
#include "factors.h"
#include "mask.h"
#include "pairs.h"

void lct_scores_of_tile(const struct lct_plan *p, struct lct_tile *t,
                        struct lct_scratch *s, const struct lct_loaded *l,
                        float *slope)
{
    if (lct_content_maps_are_used(p))
        lct_content_maps_scores(p, t, s, l);
    else if (t->nearness != LCT_FAR)
        p->arithmetic->scores(p, t, s, l);
    if (t->nearness != LCT_NEAR)
        lct_content_far_scores(p, t, s, l->keys);
    if (p->request->gain != NULL)
        lct_factors_gain(p, t, s);
    if (lct_pairs_are_used(p))
        lct_pairs_scores(p, t, s);
    if (p->request->score != NULL)
        lct_bias_add(p, t, s);
    if (p->request->content != NULL)
        lct_content_scores(p, t, s, l->keys, l->key_row);
    if (t->masked)
        lct_mask_apply(p, t, s);
    lct_scores_cap(p, s->s, slope, (size_t)t->keys * t->lanes);
    if (p->request->bias != NULL)
        t->guarded |= lct_dense_bias_add(p, t, s);
}
