/* pairs.h - scores of a tile that content changes pair by pair (doors.h) */
#ifndef LCT_ATTENTION_PAIRS_H
#define LCT_ATTENTION_PAIRS_H
#include "scratch.h"
#include "tables.h"
#include "tile.h"

/* Do tiles have such scores? */
static inline bool lct_pairs_are_used(const struct lct_plan *p)
{
    return p->request->content != NULL && p->engine != LCT_REFERENCE &&
           p->request->content->e->row->content.pairs != NULL;
}

/* The scratch of backward. */
void lct_pairs_layout_scratch(struct lct_scratch *s, const struct lct_plan *p,
                              struct lct_arena *arena);

/* Change s->s, in scores, before the bias; backward keeps what it was. */
void lct_pairs_scores(const struct lct_plan *p, const struct lct_tile *t,
                      struct lct_scratch *s);
/* forward: lct_pairs_scores(); s->ds becomes the gradient of its argument. */
void lct_pairs_scores_backward(const struct lct_plan *p,
                               const struct lct_tile *t, struct lct_scratch *s,
                               int64_t chunk_row, bool learns);
#endif
