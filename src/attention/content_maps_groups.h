/* content_maps_groups.h - groups of tiles of keys that queries pass at once
   (content_maps.h) */
#ifndef LCT_ATTENTION_CONTENT_MAPS_GROUPS_H
#define LCT_ATTENTION_CONTENT_MAPS_GROUPS_H
#include "backward.h"
#include "content_maps_tiles.h"

/* The map [D, padded] past whole group g of a head. */
static inline float *lct_content_maps_groups_map(const struct lct_plan *p,
                                                 int64_t b, int64_t h,
                                                 int64_t g)
{
    const struct lct_content_maps *m = &p->content->maps;

    return m->map + (((b * p->H + h) * m->groups + g) * p->D) * p->padded;
}

/* Fill the matrices of all tiles, and keys and maps of the groups that a query
 * passes. */
void lct_content_maps_groups_fill(const struct lct_plan *p);

/* Add the gradients of one head of keys, in the scratch, to dw [rows, padded],
 * db [rows] and dk. */
void lct_content_maps_groups_backward(const struct lct_backward *job, int64_t b,
                                      int64_t h, struct lct_scratch *s,
                                      float *dw, float *db);
#endif
