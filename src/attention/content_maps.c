/* content_maps.c - maps along the path from key to query, for tiles of
   queries */
#include "content_maps.h"
#include "content_maps_groups.h"
#include "content_maps_tokens.h"
#include "content_state.h"
#include "product.h"
#include <math.h>
#include <string.h>

/* ----------------------------------------------------------------- planning */

bool lct_content_maps_has_tiles(const struct lct_plan *p)
{
    return p->request->gain == NULL && lct_positions_in_order(p->request);
}

static void lay_out_scratch(struct lct_content_maps_scratch *s,
                            const struct lct_plan *p, struct lct_arena *arena)
{
    const struct lct_content_maps *m = &p->content->maps;
    int64_t tokens = LCT_TILE + LCT_CONTENT_MAPS_REACH;
    int64_t rows = p->k_tiles * LCT_TILE;

    s->w_columns = lct_arena_floats(arena, LCT_COLUMNS_ROW, p->D);
    s->k_columns = lct_arena_floats(arena, LCT_COLUMNS_ROW, p->D);
    s->inner = lct_arena_floats(arena, LCT_TILE, LCT_TILE);
    s->unit = lct_arena_floats(arena, LCT_TILE, LCT_TILE);
    s->negative = lct_arena_floats(arena, LCT_TILE, LCT_TILE);
    s->y = lct_arena_floats(arena, LCT_TILE, LCT_TILE);
    s->rest = lct_arena_floats(arena, LCT_TILE, LCT_TILE);
    s->sum = lct_arena_floats(arena, LCT_TILE, LCT_TILE);
    s->dkeys = lct_arena_floats(arena, rows, p->padded);
    s->dpass = lct_arena_floats(arena, rows, p->padded);
    s->dinside = lct_arena_floats(arena, rows, LCT_TILE);
    s->dmap = lct_arena_floats(arena, p->S / LCT_CONTENT_MAPS_GROUP_KEYS * p->D,
                               p->padded);
    s->dk = lct_arena_floats(arena, LCT_TILE, p->padded);
    s->maps = lct_arena_floats(
        arena, m->groups > 0 ? LCT_CONTENT_MAPS_GROUP : 0, p->D * p->padded);
    s->turned = lct_arena_floats(arena, p->D, p->padded);
    s->dturned = lct_arena_floats(arena, p->D, p->padded);
    s->taken = lct_arena_floats(arena, LCT_TILE, p->padded);
    s->dtaken = lct_arena_floats(arena, LCT_TILE, p->padded);
    s->v = lct_arena_floats(arena, LCT_TILE, p->padded);
    s->dv = lct_arena_floats(arena, LCT_TILE, p->padded);
    s->along = lct_arena_floats(arena, LCT_TILE, LCT_TILE);
    s->other = lct_arena_floats(arena, LCT_TILE, LCT_TILE);
    s->transposed = lct_arena_floats(arena, LCT_TILE, LCT_TILE);
    s->passed = lct_arena_floats(arena, LCT_COLUMNS_ROW, p->D);
    s->u = lct_arena_floats(arena, LCT_TILE, p->padded);
    s->du = lct_arena_floats(arena, LCT_TILE, p->padded);
    s->du_columns = lct_arena_floats(arena, LCT_COLUMNS_ROW, p->D);
    s->dalong = lct_arena_floats(arena, LCT_TILE, LCT_TILE);
    s->walked = lct_arena_floats(arena, p->k_tiles * p->D, LCT_COLUMNS_ROW);
    s->walked_along = lct_arena_floats(arena, rows, LCT_TILE);
    s->x = lct_arena_floats(arena, LCT_TILE, m->wide);
    s->columns = lct_arena_floats(arena, LCT_TILE, LCT_TILE);
    s->up_sums = lct_arena_floats(arena, p->D, m->rank8);
    s->first_sums = lct_arena_floats(arena, m->inner, LCT_TILE);
    s->values = lct_arena_floats(arena, tokens, p->padded);
    s->a = lct_arena_floats(arena, LCT_TILE, p->padded);
    s->gate = lct_arena_floats(arena, LCT_TILE, p->padded);
    s->zeros = lct_arena_floats(arena, 1, p->padded);
}

void lct_content_maps_layout(struct lct_content_products *c,
                             const struct lct_plan *p, struct lct_arena *arena)
{
    struct lct_content_maps *m = &c->maps;
    struct lct_content_state *state = lct_content_state_of(p->request);
    struct lct_arena kept = lct_content_state_arena(state);
    int64_t most = state == NULL ? p->S : state->capacity;

    m->rows = lct_sizes_round_up(most, LCT_TILE);
    m->groups = most / LCT_CONTENT_MAPS_GROUP_KEYS;
    lct_content_state_layout(m, p, state == NULL ? arena : &kept);
    m->newest = lct_arena_ints(arena, p->position_rows, 1);
    m->dw = lct_arena_floats(arena, p->chunk * p->H * p->k_tiles * LCT_TILE,
                             p->padded);
    m->db = lct_arena_floats(arena, p->chunk * p->H, p->k_tiles * LCT_TILE);
    lct_content_maps_tokens_layout(c, p, arena);
    m->scratch = lct_arena_alloc(arena, p->slots, 1, sizeof(*m->scratch));
    for (int slot = 0; slot < p->slots; slot++) {
        struct lct_content_maps_scratch s = { 0 };

        lay_out_scratch(&s, p, arena);
        if (lct_arena_is_real(arena))
            m->scratch[slot] = s;
    }
}

void lct_content_maps_fill(const struct lct_plan *p)
{
    lct_content_maps_tokens_fill(p);
    lct_content_maps_groups_fill(p);
    lct_content_state_advance(p);
}

/* ------------------------------------------------------- a tile of queries */

int64_t lct_content_maps_open(const struct lct_plan *p,
                              const struct lct_tile *t, struct lct_scratch *s)
{
    struct lct_content_maps_scratch *own = lct_content_maps_scratch_of(p, s);
    const int64_t *last = lct_content_maps_last(p, t);

    own->low = INT64_MAX;
    own->high = -1;
    for (int64_t i = 0; i < t->rows; i++) {
        if (last[i] >= 0 && last[i] < own->low)
            own->low = last[i];
        if (last[i] > own->high)
            own->high = last[i];
    }
    return (own->high + LCT_TILE) / LCT_TILE;
}

void lct_content_maps_hide(const struct lct_plan *p, const struct lct_tile *t,
                           const struct lct_content_maps_scratch *own, float *x,
                           int64_t k)
{
    const int64_t *last = lct_content_maps_last(p, t);
    int64_t from = k * LCT_TILE, end = lct_content_maps_end(k);

    if (own->low >= from + LCT_TILE - 1 && own->high < end)
        return;
    for (int64_t i = 0; i < t->rows; i++) {
        int64_t n = last[i] >= end ? 0 : last[i] - from + 1;

        for (n = n < 0 ? 0 : n; n < LCT_TILE; n++)
            x[n * (int64_t)t->lanes + i] = 0;
    }
}

void lct_content_maps_meet(const struct lct_plan *p, const struct lct_tile *t,
                           struct lct_scratch *s, int64_t k)
{
    struct lct_content_maps_scratch *own = lct_content_maps_scratch_of(p, s);
    struct lct_content_maps_tile tile =
        lct_content_maps_tile_of(p, t->b, t->h, k);
    struct lct_product x = lct_product_of(
        (struct lct_product_rows){ own->along, t->lanes },
        lct_product_rows_of(tile.w, (size_t)p->padded),
        lct_product_columns_of(s->q_cols), LCT_TILE, t->lanes, p->D);

    if (!lct_content_maps_kinds_of(own, k).last)
        return;
    p->kernels->matmul(&x);
    lct_content_maps_hide(p, t, own, own->along, k);
}

/* c [keys, lanes] = a [keys, D] u */
static void multiply_queries(const struct lct_plan *p, const struct lct_tile *t,
                             float *c, const float *a, size_t a_row,
                             const float *columns)
{
    struct lct_product x = lct_product_of(
        (struct lct_product_rows){ c, t->lanes }, lct_product_rows_of(a, a_row),
        lct_product_columns_of(columns), t->keys, t->lanes, p->D);

    p->kernels->matmul(&x);
}

void lct_content_maps_select(const struct lct_plan *p, const struct lct_tile *t,
                             float *to, const float *from)
{
    const int64_t *last = lct_content_maps_last(p, t);
    int64_t end = lct_content_maps_end(t->j / LCT_TILE);

    for (int64_t i = 0; i < t->rows; i++)
        if (last[i] < end)
            for (int64_t j = 0; j < t->keys; j++)
                to[j * (int64_t)t->lanes + i] = from[j * (int64_t)t->lanes + i];
}

/* s = u K^T + A X */
static void scores_of_last(const struct lct_plan *p, const struct lct_tile *t,
                           struct lct_content_maps_scratch *own, float *to,
                           const struct lct_content_maps_tile *tile,
                           const float *columns, const struct lct_loaded *l)
{
    struct lct_product x;

    multiply_queries(p, t, to, l->keys, l->key_row, columns);
    x = lct_product_of((struct lct_product_rows){ to, t->lanes },
                       lct_product_transposed(tile->inside, LCT_TILE),
                       lct_product_rows_of(own->along, t->lanes), t->keys,
                       t->lanes, LCT_TILE);
    x.add = true;
    p->kernels->matmul(&x);
}

void lct_content_maps_scores(const struct lct_plan *p, const struct lct_tile *t,
                             struct lct_scratch *s, const struct lct_loaded *l)
{
    struct lct_content_maps_scratch *own = lct_content_maps_scratch_of(p, s);
    struct lct_content_maps_tile tile =
        lct_content_maps_tile_of(p, t->b, t->h, t->j / LCT_TILE);
    struct lct_content_maps_kinds kinds =
        lct_content_maps_kinds_of(own, t->j / LCT_TILE);

    if (kinds.older)
        multiply_queries(p, t, s->s, tile.keys, (size_t)p->padded, s->q_cols);
    if (kinds.last)
        scores_of_last(p, t, own, kinds.older ? own->other : s->s, &tile,
                       s->q_cols, l);
    if (kinds.older && kinds.last)
        lct_content_maps_select(p, t, s->s, own->other);
}

/* u += A Z */
static void pass_tile(const struct lct_plan *p, const struct lct_tile *t,
                      struct lct_scratch *s,
                      const struct lct_content_maps_scratch *own, int64_t k)
{
    struct lct_content_maps_tile tile =
        lct_content_maps_tile_of(p, t->b, t->h, k);
    struct lct_product x = lct_product_of(
        (struct lct_product_rows){ s->q_cols, LCT_COLUMNS_ROW },
        lct_product_transposed(tile.pass, (size_t)p->padded),
        lct_product_rows_of(own->along, t->lanes), p->D, t->lanes, LCT_TILE);

    x.add = true;
    p->kernels->matmul(&x);
}

/* u = P u for the queries that pass the group; 'all': all do. */
static void pass_group(const struct lct_plan *p, const struct lct_tile *t,
                       struct lct_scratch *s,
                       struct lct_content_maps_scratch *own, int64_t k,
                       bool all)
{
    const float *map =
        lct_content_maps_groups_map(p, t->b, t->h, k / LCT_CONTENT_MAPS_GROUP);
    const int64_t *last = lct_content_maps_last(p, t);
    float *passed = own->passed;
    struct lct_product x =
        lct_product_of((struct lct_product_rows){ passed, LCT_COLUMNS_ROW },
                       lct_product_rows_of(map, (size_t)p->padded),
                       lct_product_columns_of(s->q_cols), p->D, t->lanes, p->D);

    p->kernels->matmul(&x);
    if (all) {
        own->passed = s->q_cols;
        s->q_cols = passed;
        return;
    }
    for (int64_t i = 0; i < t->rows; i++)
        if (last[i] >= lct_content_maps_end(k))
            for (int64_t d = 0; d < p->D; d++)
                s->q_cols[d * LCT_COLUMNS_ROW + i] =
                    passed[d * LCT_COLUMNS_ROW + i];
}

void lct_content_maps_pass(const struct lct_plan *p, const struct lct_tile *t,
                           struct lct_scratch *s, int64_t k)
{
    struct lct_content_maps_scratch *own = lct_content_maps_scratch_of(p, s);
    struct lct_content_maps_kinds kinds = lct_content_maps_kinds_of(own, k);

    if (kinds.last)
        pass_tile(p, t, s, own, k);
    if (kinds.older && k % LCT_CONTENT_MAPS_GROUP == 0)
        pass_group(p, t, s, own, k, !kinds.last);
}
