/* content_maps_tiles.h - the matrices of each tile of keys (content_maps.h),
   and their gradients */
#ifndef LCT_ATTENTION_CONTENT_MAPS_TILES_H
#define LCT_ATTENTION_CONTENT_MAPS_TILES_H
#include "content_maps.h"

/* One tile of keys of a head. */
struct lct_content_maps_tile {
    const float *w, *b;          /* [TILE, padded], [TILE] */
    float *keys, *pass, *inside; /* as in lct_content_maps */
};

static inline struct lct_content_maps_tile
lct_content_maps_tile_of(const struct lct_plan *p, int64_t b, int64_t h,
                         int64_t k)
{
    const struct lct_content_maps *m = &p->content->maps;
    int64_t at = (b * p->H + h) * m->rows + k * LCT_TILE;

    return (struct lct_content_maps_tile){ m->w + at * p->padded, m->b + at,
                                           m->keys + at * p->padded,
                                           m->pass + at * p->padded,
                                           m->inside + at * LCT_TILE };
}

static inline struct lct_content_maps_scratch *
lct_content_maps_scratch_of(const struct lct_plan *p,
                            const struct lct_scratch *s)
{
    return &p->content->maps
                .scratch[(s - p->tiled->scratch) / p->tiles_per_task];
}

/* Fill pass and inside from w, b and the keys of the call; unless NULL, write
 * the keys taken to the end of the tile to taken [TILE, padded]. */
void lct_content_maps_tiles_fill(const struct lct_plan *p,
                                 const struct lct_tile *t,
                                 struct lct_scratch *s, float *taken);

/* These keys alone; those that are not finite become 0. */
void lct_content_maps_tiles_take(const struct lct_plan *p,
                                 const struct lct_tile *t,
                                 struct lct_scratch *s, float *taken);

/*
 * Add gradients to dw and db of the tile and to dk (dk.at = NULL: not wanted):
 * those of pass and inside, in the scratch, and of the taken keys.
 */
void lct_content_maps_tiles_backward(const struct lct_plan *p,
                                     const struct lct_tile *t,
                                     struct lct_scratch *s, const float *dtaken,
                                     float *dw, float *db,
                                     struct lct_product_rows dk);
#endif
