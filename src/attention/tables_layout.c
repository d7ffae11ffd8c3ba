/* tables_layout.c - the memory of tables: see tables.h */
#include "tables.h"
#include "bias_table.h"
#include "factors.h"
#include "pair_gates.h"
#include "row_factor.h"
#include "stick.h"
#include "token_angles.h"
#include <string.h>

/* The copy of a part of the request. */
static const struct lct_call *call_of(const struct lct_tables *tables,
                                      const struct lct_request *r,
                                      const struct lct_call *call)
{
    return call == NULL ? NULL : &tables->call[call - r->call];
}

static void lay_out_calls(struct lct_tables *tables, const struct lct_plan *p,
                          struct lct_arena *arena)
{
    const struct lct_request *r = p->request;

    memcpy(tables->call, r->call, sizeof(tables->call));
    tables->rotate = call_of(tables, r, r->rotate);
    tables->score = call_of(tables, r, r->score);
    tables->content = call_of(tables, r, r->content);
    tables->gain = call_of(tables, r, r->gain);
    tables->after = call_of(tables, r, r->after);
    tables->row = call_of(tables, r, r->row);
    tables->param_memory = lct_arena_doubles(arena, (int64_t)p->params, 1);
}

static void lay_out_positions(struct lct_tables *tables,
                              const struct lct_plan *p, struct lct_arena *arena)
{
    const struct lct_request *r = p->request;
    int64_t rows = p->position_rows, T = rows * p->T, S = rows * p->S;

    tables->q_pos = lct_arena_ints(arena, T, 1);
    tables->k_pos = lct_arena_ints(arena, S, 1);
    tables->last = lct_arena_ints(arena, rows, 1);
    if (r->relations != NULL) {
        for (int n = 0; n < LCT_MAX_RELATIONS; n++)
            tables->q_place[n] = lct_arena_ints(arena, T, 1);
        tables->k_place = lct_arena_ints(arena, S, 1);
    }
    if (r->a->q_coords != NULL) {
        tables->q_coords =
            lct_arena_doubles(arena, lct_tables_heads(p, p->H) * T, r->axes);
        tables->k_coords =
            lct_arena_doubles(arena, lct_tables_heads(p, p->Hkv) * S, r->axes);
    }
    if (p->documents) {
        tables->q_docs = lct_arena_ints(arena, T, 1);
        tables->k_docs = lct_arena_ints(arena, S, 1);
        if (r->score != NULL && (p->bias_range == 0 || p->bias_keys) &&
            p->engine != LCT_REFERENCE)
            tables->q_last = lct_arena_ints(arena, T, 1);
    }
    if (r->temperature != NULL)
        tables->tau = lct_arena_doubles(arena, T, 1);
}

static void lay_out_extents(struct lct_tables *tables, const struct lct_plan *p,
                            struct lct_arena *arena)
{
    const size_t size = sizeof(struct lct_extent);
    int64_t rows = p->position_rows;

    tables->q_extent = lct_arena_alloc(arena, rows, p->q_tiles, size);
    tables->k_extent = lct_arena_alloc(arena, rows, p->k_tiles, size);
    if (!p->documents)
        return;
    tables->q_doc_extent = lct_arena_alloc(arena, rows, p->q_tiles, size);
    tables->k_doc_extent = lct_arena_alloc(arena, rows, p->k_tiles, size);
}

static struct lct_table alloc_angles(struct lct_arena *arena, int64_t rows,
                                     int64_t pairs, bool wide)
{
    struct lct_table t = { .wide = wide };

    t.cosines = lct_arena_alloc(arena, rows, pairs, lct_table_size(wide));
    t.sines = lct_arena_alloc(arena, rows, pairs, lct_table_size(wide));
    return t;
}

static void lay_out_angles(struct lct_tables *tables, const struct lct_plan *p,
                           struct lct_arena *arena)
{
    int64_t T = p->position_rows * p->T, pairs;
    int64_t k_rows = p->request->rotated_keys ? 0 : p->position_rows;
    bool wide = p->request->q.dtype == LOCANT_F64;

    if (p->schedule == NULL)
        return;
    pairs = p->schedule->pairs;
    if (p->lengths.e != NULL) {
        tables->q_schedule =
            lct_arena_alloc(arena, T, 1, sizeof(*tables->q_schedule));
        tables->k_schedule =
            lct_arena_alloc(arena, k_rows, p->S, sizeof(*tables->k_schedule));
    }
    tables->angles[LCT_KEY] =
        alloc_angles(arena, lct_tables_heads(p, p->Hkv) * k_rows * p->held_keys,
                     pairs, wide);
    if (!p->shared_angles)
        tables->angles[LCT_QUERY] =
            alloc_angles(arena, lct_tables_heads(p, p->H) * T, pairs, wide);
    else if (lct_arena_is_real(arena))
        tables->angles[LCT_QUERY] = lct_table_at(
            tables->angles[LCT_KEY], (size_t)((p->S - p->T) * pairs));
    tables->relation_angles[0] = tables->angles[LCT_QUERY];
    for (int n = 1; n < lct_tables_relations(p); n++)
        tables->relation_angles[n] = alloc_angles(arena, T, pairs, wide);
}

void lct_tables_layout(struct lct_tables *tables, const struct lct_plan *p,
                       struct lct_arena *arena)
{
    *tables = (struct lct_tables){ 0 };
    lay_out_calls(tables, p, arena);
    lay_out_positions(tables, p, arena);
    lay_out_angles(tables, p, arena);
    lct_row_factor_layout(tables, p, arena);
    lct_stick_layout(tables, p, arena);
    lct_token_angles_layout(tables, p, arena);
    if (p->engine == LCT_REFERENCE)
        return;
    lay_out_extents(tables, p, arena);
    lct_pair_gates_layout(tables, p, arena);
    lct_bias_table_layout(tables, p, arena);
    lct_factors_layout(tables, p, arena);
    if (p->request->general_map && !p->request->rotated_keys &&
        tables->k_mapped == NULL) {
        tables->mapped_rows = p->held_keys;
        tables->k_mapped =
            lct_arena_floats(arena, p->B * p->Hkv * p->held_keys, p->padded_q);
    }
}
