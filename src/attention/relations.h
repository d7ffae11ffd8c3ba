/*
 * relations.h - pairs of positions in several relations, for each of which a
 * query is rotated by another place (encodings/doors.h), in tiles.
 *
 * A tile of queries is loaded once for each relation.  A tile of keys takes the
 * queries of the relation that its pairs are in; if there are several, products
 * of all of them are formed and each pair takes its own.
 */
#ifndef LCT_ATTENTION_RELATIONS_H
#define LCT_ATTENTION_RELATIONS_H
#include "scratch.h"
#include "tables.h"
#include "tile.h"

void lct_relations_layout_queries(struct lct_scratch *s,
                                  const struct lct_plan *p,
                                  struct lct_arena *arena);
void lct_relations_layout_keys(struct lct_scratch *s, const struct lct_plan *p,
                               struct lct_arena *arena);

/* A tile of queries in relation r; 0 is that of s->q, s->q_cols and s->dq. */
static inline struct lct_relation_queries
lct_relations_queries(const struct lct_scratch *s, int r)
{
    return r == 0 ? (struct lct_relation_queries){ s->q, s->q_cols, s->dq }
                  : s->relation[r - 1];
}

/* Are pairs of the tile in relation r? */
static inline bool lct_relations_has(const struct lct_tile *t, int r)
{
    return t->relations >> r & 1;
}

/* Are all pairs of the tile in one relation? */
static inline bool lct_relations_are_one(const struct lct_tile *t)
{
    return (t->relations & (t->relations - 1)) == 0;
}

/* Load 'rows' queries from 'at' = b, h, i on in relation r: rotated. */
void lct_relations_rotated(const struct lct_plan *p, float *to,
                           const int64_t at[3], int64_t rows, int r);
/* Load the tile's queries in the relations that some key may be in, but the
 * first: rotated, scaled. */
void lct_relations_load(const struct lct_plan *p, const struct lct_tile *t,
                        struct lct_scratch *s);

/* to = from [keys, lanes] where a pair is in relation r; else to stays, or with
 * 'clear' becomes 0. */
void lct_relations_select(const struct lct_plan *p, const struct lct_tile *t,
                          float *to, const float *from, int r, bool clear);

/* Set dq of all relations but the first to 0. */
void lct_relations_clear(const struct lct_plan *p, const struct lct_tile *t,
                         const struct lct_scratch *s);
/* s->dq, whose rotation is undone, += dq of the other relations, undone. */
void lct_relations_add_queries(const struct lct_plan *p,
                               const struct lct_tile *t,
                               const struct lct_scratch *s);
#endif
