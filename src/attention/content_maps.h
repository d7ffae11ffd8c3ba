/*
 * content_maps.h - maps along the path from key to query (PaTH), by tiles.
 *
 *     s_ij = <u, k_j>,  u = H_{j+1} .. H_i q_i,  H_t = I - b_t w_t w_t^T
 *
 * A tile of queries meets the tiles of keys from the newest to the oldest and
 * takes its queries u along.  With W the directions of a tile and A = u W^T,
 *
 *     M = B (I + tril(W W^T) B)^-1,  B = diag(b)
 *     s = u K^T + A X, X = -M tril(W K^T);   u' = u + A Z, Z = -M W
 *
 * tril is without the diagonal.  A is 0 for tokens after the query.  That is
 * for the four tiles of a group in which the query's last key is.  Older groups
 * are passed at once: their keys are taken to the end of the group, and
 *
 *     s = u K^T;   u' = P u, P = product of I + Z^T W of the group's tiles
 *
 * which takes little more than attention without maps.  Which form a row takes
 * depends on its own last key, so chunks have the bits of the whole.
 */
#ifndef LCT_ATTENTION_CONTENT_MAPS_H
#define LCT_ATTENTION_CONTENT_MAPS_H
#include "arithmetic.h"
#include "content.h"

enum { LCT_CONTENT_MAPS_GROUP_KEYS = LCT_CONTENT_MAPS_GROUP * LCT_TILE };

/* The end of the group of tile k, in keys. */
static inline int64_t lct_content_maps_end(int64_t k)
{
    return (k / LCT_CONTENT_MAPS_GROUP + 1) * LCT_CONTENT_MAPS_GROUP_KEYS;
}

/* Can tiles do it?  Keys must be in order in memory (key_order.h). */
bool lct_content_maps_has_tiles(const struct lct_plan *p);

/* Does content take queries along a path of maps? */
static inline bool lct_content_maps_are_used(const struct lct_plan *p)
{
    return p->request->content != NULL && p->content->products.maps.rank > 0;
}

void lct_content_maps_layout(struct lct_content_products *c,
                             const struct lct_plan *p, struct lct_arena *arena);
void lct_content_maps_fill(const struct lct_plan *p);

/* ------------------------------------------------------- a tile of queries */

/* The last key up to each query of a tile, masked or not; -1: padding. */
static inline const int64_t *lct_content_maps_last(const struct lct_plan *p,
                                                   const struct lct_tile *t)
{
    return p->content->last + lct_plan_row(p, t->b) * p->T + t->i;
}

/* Do the last keys of some queries lie in the group of tile k or before it, and
 * do some queries pass the whole group? */
struct lct_content_maps_kinds {
    bool last, older;
};

static inline struct lct_content_maps_kinds
lct_content_maps_kinds_of(const struct lct_content_maps_scratch *own, int64_t k)
{
    int64_t end = lct_content_maps_end(k);

    return (struct lct_content_maps_kinds){ own->low < end, own->high >= end };
}

/* A loaded tile of queries starts its way; returns the number of tiles of keys
 * that it meets, the newest last. */
int64_t lct_content_maps_open(const struct lct_plan *p,
                              const struct lct_tile *t, struct lct_scratch *s);
/* Meet tile k of keys, then form the scores s->s, then pass it. */
void lct_content_maps_meet(const struct lct_plan *p, const struct lct_tile *t,
                           struct lct_scratch *s, int64_t k);
void lct_content_maps_scores(const struct lct_plan *p, const struct lct_tile *t,
                             struct lct_scratch *s, const struct lct_loaded *l);
void lct_content_maps_pass(const struct lct_plan *p, const struct lct_tile *t,
                           struct lct_scratch *s, int64_t k);

/* Set x [TILE keys, lanes] to 0 for the tokens of tile k after each query, and
 * for queries that pass the whole group. */
void lct_content_maps_hide(const struct lct_plan *p, const struct lct_tile *t,
                           const struct lct_content_maps_scratch *own, float *x,
                           int64_t k);
/* to = from [keys, lanes] for the queries that do not pass the group. */
void lct_content_maps_select(const struct lct_plan *p, const struct lct_tile *t,
                             float *to, const float *from);
#endif
