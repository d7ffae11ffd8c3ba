/* relations.c - queries of tiles in several relations to their keys */
#include "relations.h"
#include "load.h"
#include "product.h"
#include <string.h>

void lct_relations_layout_queries(struct lct_scratch *s,
                                  const struct lct_plan *p,
                                  struct lct_arena *arena)
{
    for (int r = 1; r < lct_tables_relations(p); r++)
        s->relation[r - 1] = (struct lct_relation_queries){
            lct_arena_floats(arena, LCT_TILE, p->padded_q),
            lct_arena_floats(arena, LCT_COLUMNS_ROW, p->Dq),
            lct_arena_floats(arena, LCT_TILE, p->padded_q)
        };
}

void lct_relations_layout_keys(struct lct_scratch *s, const struct lct_plan *p,
                               struct lct_arena *arena)
{
    bool any = lct_tables_relations(p) > 1;

    s->pairs = lct_arena_floats(arena, any ? LCT_TILE : 0, LCT_TILE);
}

void lct_relations_rotated(const struct lct_plan *p, float *to,
                           const int64_t at[3], int64_t rows, int r)
{
    lct_load_rotated(p, to, p->padded_q, &p->request->q, at, rows,
                     lct_tables_relation_angles(p, r, at[0], at[2]));
}

static void scale_rows(const struct lct_plan *p, const struct lct_tile *t,
                       float *x)
{
    for (int64_t i = 0; i < t->rows; i++, x += p->padded_q) {
        float scale = lct_load_query_scale(p, t->b, t->h, t->i + i);

        for (int64_t d = 0; d < p->padded_q; d++)
            x[d] *= scale;
    }
}

/* The relations that the tile's queries may be in to any key. */
static unsigned relations_of_tile(const struct lct_plan *p,
                                  const struct lct_tile *t)
{
    const locant_encoding *e = p->request->relations;
    int64_t row = lct_plan_row(p, t->b);
    const struct lct_extent *q =
        &p->tables->q_extent[row * p->q_tiles + t->i / LCT_TILE];
    const struct lct_extent *k = p->tables->k_extent + row * p->k_tiles;
    struct lct_span keys = { INT64_MAX, INT64_MIN };

    for (int64_t n = 0; n < lct_plan_key_tiles(p, t->b); n++) {
        keys.low = k[n].low < keys.low ? k[n].low : keys.low;
        keys.high = k[n].high > keys.high ? k[n].high : keys.high;
    }
    return keys.low > keys.high
               ? 1
               : e->row->relations.classify_range(
                     e, (struct lct_span){ q->low, q->high }, keys);
}

void lct_relations_load(const struct lct_plan *p, const struct lct_tile *t,
                        struct lct_scratch *s)
{
    s->relations = 1;
    if (lct_tables_relations(p) > 1)
        s->relations = relations_of_tile(p, t);
    for (int r = 1; r < lct_tables_relations(p); r++) {
        struct lct_relation_queries x = lct_relations_queries(s, r);

        if (!(s->relations >> r & 1))
            continue;

        lct_relations_rotated(p, x.q, (int64_t[3]){ t->b, t->h, t->i }, t->rows,
                              r);
        scale_rows(p, t, x.q);
        lct_product_columns(p, t, x.q_cols, x.q, p->padded_q, p->Dq);
    }
}

void lct_relations_select(const struct lct_plan *p, const struct lct_tile *t,
                          float *to, const float *from, int r, bool clear)
{
    const locant_encoding *e = p->request->relations;
    int64_t row = lct_plan_row(p, t->b);
    const int64_t *q_pos = p->tables->q_pos + row * p->T + t->i;
    const int64_t *k_pos = p->tables->k_pos + row * p->S + t->j;
    char relation[LCT_TILE] = { 0 };

    for (int64_t j = 0; j < t->keys; j++, to += t->lanes, from += t->lanes) {
        e->row->relations.classify(relation, e, q_pos, (size_t)t->rows,
                                   k_pos[j]);
        for (size_t i = 0; i < t->lanes; i++)
            to[i] = relation[i] == r ? from[i] : clear ? 0 : to[i];
    }
}

void lct_relations_clear(const struct lct_plan *p, const struct lct_tile *t,
                         const struct lct_scratch *s)
{
    for (int r = 1; r < lct_tables_relations(p); r++)
        if (s->relations >> r & 1)
            memset(lct_relations_queries(s, r).dq, 0,
                   (size_t)(t->rows * p->padded_q) * sizeof(float));
}

void lct_relations_add_queries(const struct lct_plan *p,
                               const struct lct_tile *t,
                               const struct lct_scratch *s)
{
    for (int r = 1; r < lct_tables_relations(p); r++) {
        float *dq = lct_relations_queries(s, r).dq;

        if (!(s->relations >> r & 1))
            continue;
        scale_rows(p, t, dq);
        lct_load_rotate(p, dq, p->padded_q, t->rows,
                        lct_tables_relation_angles(p, r, t->b, t->i), -1);
        for (int64_t i = 0; i < t->rows * p->padded_q; i++)
            s->dq[i] += dq[i];
    }
}
