/* scratch.c - memory of one running task of the tiled engine */
#include "scratch.h"
#include "arithmetic.h"
#include "factors.h"
#include "pairs.h"
#include "relations.h"
#include "stick.h"

static void lay_out_queries(struct lct_scratch *s, const struct lct_plan *p,
                            struct lct_arena *arena)
{
    s->out = lct_arena_floats(arena, LCT_TILE, p->padded_v);
    s->row_max = lct_arena_floats(arena, 1, LCT_TILE);
    s->row_sum = lct_arena_floats(arena, 1, LCT_TILE);
    s->rescale = lct_arena_floats(arena, 1, LCT_TILE);
    s->total = lct_arena_floats(arena, LCT_TILE, p->padded_v);
    s->total_max = lct_arena_floats(arena, 1, LCT_TILE);
    s->total_sum = lct_arena_floats(arena, 1, LCT_TILE);
    s->scale = lct_arena_floats(arena, 1, LCT_TILE);
    s->dout = lct_arena_floats(arena, LCT_TILE, p->padded_v);
    s->dq = lct_arena_floats(arena, LCT_TILE, p->padded_q);
    s->lse = lct_arena_floats(arena, 1, LCT_TILE);
    s->delta = lct_arena_floats(arena, 1, LCT_TILE);
    lct_relations_layout_queries(s, p, arena);
    p->arithmetic->layout_queries(s, p, arena);
}

static void lay_out_keys(struct lct_scratch *s, const struct lct_plan *p,
                         struct lct_arena *arena)
{
    const struct lct_request *r = p->request;
    int64_t dense = r->bias != NULL ? LCT_TILE : 0;
    int64_t paged = lct_paged_copies(&r->paged) ? LCT_TILE : 0;
    size_t size =
        r->k.dtype == LOCANT_U8 ? sizeof(float) : locant_dtype_size(r->k.dtype);
    bool maps = p->documents || r->mask_hooks > 0 || r->window > 0 ||
                r->visible != NULL;

    s->s = lct_arena_floats(arena, LCT_TILE, LCT_TILE);
    s->slope =
        lct_arena_floats(arena, r->softcap != 0 ? LCT_TILE : 0, LCT_TILE);
    s->ds = lct_arena_floats(arena, LCT_TILE, LCT_TILE);
    s->masked = lct_arena_alloc(arena, maps ? LCT_TILE : 0, LCT_TILE, 1);
    s->bias = lct_arena_floats(arena, dense, LCT_TILE);
    s->bias_rows = lct_arena_floats(arena, dense, LCT_TILE);
    s->column = lct_arena_doubles(arena, LCT_TILE, 1);
    s->mapped = lct_arena_doubles(arena, r->general_map ? 2 : 0, p->D + p->Dq);
    s->dk =
        lct_arena_floats(arena, p->gathers_dk ? p->held_keys : 0, p->padded_q);
    s->dv =
        lct_arena_floats(arena, p->gathers_dv ? p->held_keys : 0, p->padded_v);
    lct_factors_layout_scratch(s, p, arena);
    lct_pairs_layout_scratch(s, p, arena);
    lct_stick_layout_scratch(s, p, arena);
    lct_relations_layout_keys(s, p, arena);
    s->query = lct_arena_floats(arena, r->row != NULL ? 1 : 0, p->padded_q);
    s->paged_k = lct_arena_alloc(arena, paged, p->D, size);
    s->paged_v = lct_arena_alloc(arena, paged, p->Dv, size);
    p->arithmetic->layout_keys(s, p, arena);
}

void lct_scratch_layout(struct lct_tiled *tiled, const struct lct_plan *p,
                        struct lct_arena *arena)
{
    tiled->scratch = lct_arena_alloc(arena, p->slots, p->tiles_per_task,
                                     sizeof(*tiled->scratch));
    for (int slot = 0; slot < p->slots; slot++) {
        struct lct_scratch s = { 0 };

        lay_out_keys(&s, p, arena);
        for (int n = 0; n < p->tiles_per_task; n++) {
            lay_out_queries(&s, p, arena);
            if (lct_arena_is_real(arena))
                *lct_scratch_of(p, slot, n) = s;
        }
    }
}
