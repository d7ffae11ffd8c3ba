/* scratch.c - memory of one running task of the tiled engine */
#include "scratch.h"
#include "arithmetic.h"

static float *floats(struct lct_arena *arena, int64_t rows, int64_t columns)
{
    return lct_arena_alloc(arena, rows, columns, sizeof(float));
}

static void lay_out_queries(struct lct_scratch *s, const struct lct_plan *p,
                            struct lct_arena *arena)
{
    s->out = floats(arena, LCT_TILE, p->padded);
    s->row_max = floats(arena, 1, LCT_TILE);
    s->row_sum = floats(arena, 1, LCT_TILE);
    s->rescale = floats(arena, 1, LCT_TILE);
    s->total = floats(arena, LCT_TILE, p->padded);
    s->total_max = floats(arena, 1, LCT_TILE);
    s->total_sum = floats(arena, 1, LCT_TILE);
    s->scale = floats(arena, 1, LCT_TILE);
    s->dout = floats(arena, LCT_TILE, p->padded);
    s->dq = floats(arena, LCT_TILE, p->padded_q);
    s->lse = floats(arena, 1, LCT_TILE);
    s->delta = floats(arena, 1, LCT_TILE);
    p->arithmetic->layout_queries(s, p, arena);
}

static void lay_out_keys(struct lct_scratch *s, const struct lct_plan *p,
                         struct lct_arena *arena)
{
    const struct lct_request *r = p->request;
    bool masks = p->documents || r->mask_hooks > 0 || r->window > 0;

    s->s = floats(arena, LCT_TILE, LCT_TILE);
    s->slope = floats(arena, r->softcap != 0 ? LCT_TILE : 0, LCT_TILE);
    s->ds = floats(arena, LCT_TILE, LCT_TILE);
    s->masked = lct_arena_alloc(arena, masks ? LCT_TILE : 0, LCT_TILE, 1);
    s->column = lct_arena_alloc(arena, LCT_TILE, 1, sizeof(double));
    s->mapped = lct_arena_alloc(arena, r->general_map ? 2 : 0, p->D + p->Dq,
                                sizeof(double));
    s->dk = floats(arena, p->gathers_dk ? p->S : 0, p->padded_q);
    s->dv = floats(arena, p->gathers_dv ? p->S : 0, p->padded);
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
