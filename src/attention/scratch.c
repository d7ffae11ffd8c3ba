/* scratch.c - workspace and tables of the tiled engine */
#include "../core/pool.h"
#include "../kernel/row.h"
#include "tile.h"
#include <string.h>

/*
 * Gradients of parameters: of as many batch rows at a time as 8 MiB hold, or as
 * keep every thread at work.
 */
static void lay_out_gradients(struct lct_problem *p, struct lct_arena *arena)
{
    double each = (double)p->H * (double)p->range +
                  (double)p->Hkv * (double)p->task_params +
                  lct_content_gradients(p);
    double rows = (1 << 20) / (each > 1 ? each : 1);
    int64_t busy = p->Hkv > 0 ? (p->slots + p->Hkv - 1) / p->Hkv : 1, tasks;

    p->chunk = rows < (double)busy ? busy : (int64_t)rows;
    p->chunk = p->chunk > p->B ? p->B : p->chunk;
    if (p->params == 0)
        return;
    lct_bias_table_layout_gradients(p, arena);
    tasks = p->task_params > 0 ? p->chunk * p->Hkv : 0;
    p->dparam = lct_arena_alloc(arena,
                                1 +
                                (tasks > 0 && tasks < LCT_PARAM_GRADIENTS_PARTS
                                 ? LCT_PARAM_GRADIENTS_PARTS : tasks),
                                (int64_t)p->params, sizeof(double));
}

/* What a tile of queries keeps while it meets the tiles of keys. */
static void lay_out_queries(struct lct_scratch *s, const struct lct_problem *p,
                            struct lct_arena *arena)
{
    int64_t D = p->padded, Dq = p->padded_q, most = Dq > D ? Dq : D;

    s->q = lct_arena_alloc(arena, LCT_TILE, Dq, sizeof(float));
    s->q_cols = lct_arena_alloc(arena, LCT_TILE, p->Dq, sizeof(float));
    s->out = lct_arena_alloc(arena, LCT_TILE, most, sizeof(float));
    s->dout = lct_arena_alloc(arena, LCT_TILE, D, sizeof(float));
    s->dout_cols = lct_arena_alloc(arena, LCT_TILE, p->D, sizeof(float));
    s->rows = lct_arena_alloc(arena, 6, LCT_TILE, sizeof(float));
    s->total = lct_arena_alloc(arena, LCT_TILE, D, sizeof(float));
    s->totals = lct_arena_alloc(arena, 2, LCT_TILE, sizeof(float));
}

static void lay_out_scratch(struct lct_problem *p, struct lct_arena *arena)
{
    int64_t D = p->padded, Dq = p->padded_q, most = Dq > D ? Dq : D;
    bool maps = p->documents || p->hidings > 0 || p->window > 0;

    p->scratch = lct_arena_alloc(arena, p->slots, p->abreast,
                                 sizeof(*p->scratch));
    for (int n = 0; n < p->slots; n++) {
        struct lct_scratch s;

        s.k = lct_arena_alloc(arena, LCT_TILE, Dq, sizeof(float));
        s.v = lct_arena_alloc(arena, LCT_TILE, D, sizeof(float));
        s.s = lct_arena_alloc(arena, LCT_TILE, LCT_TILE, sizeof(float));
        s.slope = lct_arena_alloc(arena, p->softcap != 0 ? LCT_TILE : 0,
                                  LCT_TILE, sizeof(float));
        s.ds = lct_arena_alloc(arena, LCT_TILE, LCT_TILE, sizeof(float));
        s.product = lct_arena_alloc(arena, LCT_TILE, most, sizeof(float));
        s.column = lct_arena_alloc(arena, LCT_TILE, 1, sizeof(double));
        s.hidden = lct_arena_alloc(arena, maps ? LCT_TILE : 0, LCT_TILE, 1);
        s.wide = lct_arena_alloc(arena, p->turns ? 2 : 0, p->D + p->Dq,
                                 sizeof(double));
        s.dk = lct_arena_alloc(arena, p->gathers_dk ? p->S : 0, Dq,
                               sizeof(float));
        s.dv = lct_arena_alloc(arena, p->gathers_dv ? p->S : 0, D,
                               sizeof(float));
        for (int i = 0; i < p->abreast; i++) {
            lay_out_queries(&s, p, arena);
            if (arena->base != NULL && !arena->overflow)
                *lct_scratch_of(p, n, i) = s;
        }
    }
}

void lct_tiles_layout(struct lct_problem *p, struct lct_arena *arena)
{
    int64_t rows = p->position_rows;

    p->q_extent = lct_arena_alloc(arena, rows, p->q_tiles,
                                  sizeof(*p->q_extent));
    p->k_extent = lct_arena_alloc(arena, rows, p->k_tiles,
                                  sizeof(*p->k_extent));
    if (p->documents) {
        p->q_doc_extent = lct_arena_alloc(arena, rows, p->q_tiles,
                                          sizeof(*p->q_doc_extent));
        p->k_doc_extent = lct_arena_alloc(arena, rows, p->k_tiles,
                                          sizeof(*p->k_doc_extent));
    }
    lct_bias_table_layout(p, arena);
    if (p->few) {
        int64_t parts = p->B * p->H * p->T * p->k_segments;

        p->part_out = lct_arena_alloc(arena, parts, p->padded, sizeof(float));
        p->part_rows = lct_arena_alloc(arena, parts, 2, sizeof(float));
    }
    if (p->turns && !p->keys_turned)
        p->k_turned = lct_arena_alloc(arena, p->B * p->Hkv * p->S, p->padded_q,
                                      sizeof(float));
    lay_out_gradients(p, arena);
    lay_out_scratch(p, arena);
    lct_content_layout(p, arena);
}

/* ------------------------------------------------------------------ filling */

static struct lct_extent extent_of(const int64_t *x, int64_t n)
{
    struct lct_extent e = { x[0], x[0], true };

    for (int64_t i = 1; i < n; i++) {
        e.low = x[i] < e.low ? x[i] : e.low;
        e.high = x[i] > e.high ? x[i] : e.high;
        e.consecutive &= x[i - 1] != INT64_MAX && x[i] == x[i - 1] + 1;
    }
    return e;
}

/* Extents of the tiles of n numbers. */
static void fill_extents(struct lct_extent *out, const int64_t *x, int64_t n)
{
    for (int64_t i = 0; i < n; i += LCT_TILE)
        *out++ = extent_of(x + i, n - i < LCT_TILE ? n - i : LCT_TILE);
}

/* All keys of one head, through a map of the rotate door. */
static void turn_keys(void *context, size_t task, int slot)
{
    const struct lct_problem *p = context;
    int64_t b = (int64_t)task / p->Hkv, head = (int64_t)task % p->Hkv;
    double *x = lct_scratch_of(p, slot, 0)->wide, *y = x + p->D;
    float *to = p->k_turned + (int64_t)task * p->S * p->padded_q;

    for (int64_t j = 0; j < p->S; j++, to += p->padded_q) {
        int64_t at[3] = { b, head, j };

        lct_row_to_f64(x, lct_at(&p->k, at, 3), p->k.dtype, (size_t)p->D);
        lct_rotation_row(y, p, x, LCT_KEY, at);
        lct_row_from_f64(to, LOCANT_F32, y, (size_t)p->Dq);
        memset(to + p->Dq, 0, (size_t)(p->padded_q - p->Dq) * sizeof(*to));
    }
}

void lct_tiles_fill(struct lct_problem *p)
{
    for (int64_t row = 0; row < p->position_rows; row++) {
        struct lct_extent *q = p->q_extent + row * p->q_tiles;
        struct lct_extent *k = p->k_extent + row * p->k_tiles;

        fill_extents(q, p->q_pos + row * p->T, p->T);
        fill_extents(k, p->k_pos + row * p->S, p->S);
        if (p->documents) {
            fill_extents(p->q_doc_extent + row * p->q_tiles,
                         p->q_docs + row * p->T, p->T);
            fill_extents(p->k_doc_extent + row * p->k_tiles,
                         p->k_docs + row * p->S, p->S);
        }
    }
    lct_bias_table_fill(p);
    if (p->k_turned != NULL)
        lct_parallel_for((size_t)(p->B * p->Hkv), p->slots, turn_keys, p);
}
