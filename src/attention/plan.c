/* plan.c - lay out the workspace of an attention call, and fill its tables */
#include "../core/pool.h"
#include "../core/size.h"
#include "rows.h"
#include "bf16.h"
#include <string.h>

void *lct_arena_alloc(struct lct_arena *arena, int64_t rows, int64_t columns,
                      size_t size)
{
    size_t at = arena->used, bytes = 0;

    if (rows < 0 || columns < 0 ||
        !lct_mul(&bytes, (size_t)rows, (size_t)columns) ||
        !lct_mul(&bytes, bytes, size) || !lct_add(&bytes, bytes, 63) ||
        !lct_add(&arena->used, at, bytes / 64 * 64))
        arena->overflow = true;
    return arena->base == NULL || arena->overflow ? NULL : arena->base + at;
}

static void lay_out_tokens(struct lct_problem *p, const locant_attention *a,
                           struct lct_arena *arena)
{
    int64_t T = p->position_rows * p->T, S = p->position_rows * p->S;

    p->q_pos = lct_arena_alloc(arena, T, 1, sizeof(int64_t));
    p->k_pos = lct_arena_alloc(arena, S, 1, sizeof(int64_t));
    p->last = lct_arena_alloc(arena, p->position_rows, 1, sizeof(int64_t));
    if (a->q_coords != NULL) {
        p->q_coords = lct_arena_alloc(arena, T, p->axes, sizeof(double));
        p->k_coords = lct_arena_alloc(arena, S, p->axes, sizeof(double));
    }
    if (p->documents) {
        p->q_docs = lct_arena_alloc(arena, T, 1, sizeof(int64_t));
        p->k_docs = lct_arena_alloc(arena, S, 1, sizeof(int64_t));
        if (p->score != NULL && (p->range == 0 || p->folded) && !p->by_rows)
            p->q_last = lct_arena_alloc(arena, T, 1, sizeof(int64_t));
    }
    if (p->heat != NULL)
        p->tau = lct_arena_alloc(arena, T, 1, sizeof(double));
}

static struct lct_table take_table(struct lct_arena *arena, int64_t rows,
                                   int64_t pairs, bool wide)
{
    struct lct_table t = { .wide = wide };

    t.cosines = lct_arena_alloc(arena, rows, pairs, lct_table_size(wide));
    t.sines = lct_arena_alloc(arena, rows, pairs, lct_table_size(wide));
    return t;
}

static void lay_out_angles(struct lct_problem *p, struct lct_arena *arena)
{
    int64_t T = p->position_rows * p->T, S = p->position_rows * p->S, pairs;
    bool wide = p->q.dtype == LOCANT_F64;

    if (p->schedule == NULL)
        return;
    pairs = p->schedule->pairs;
    if (p->keys_turned)
        S = 0;
    if (p->lengths.e != NULL) {
        p->q_by = lct_arena_alloc(arena, T, 1, sizeof(*p->q_by));
        p->k_by = lct_arena_alloc(arena, S, 1, sizeof(*p->k_by));
    }
    p->k_table = take_table(arena, S, pairs, wide);
    if (!p->one_table)
        p->q_table = take_table(arena, T, pairs, wide);
    else if (p->k_table.cosines != NULL && p->k_table.sines != NULL)
        p->q_table = lct_table_at(p->k_table,
                                  (size_t)((p->S - p->T) * pairs));
    if (wide)
        return;
    p->q_cos = p->q_table.cosines;
    p->q_sin = p->q_table.sines;
    p->k_cos = p->k_table.cosines;
    p->k_sin = p->k_table.sines;
}

static bool lay_out(struct lct_problem *p, const locant_attention *a,
                    struct lct_arena *arena)
{
    lay_out_tokens(p, a, arena);
    lay_out_angles(p, arena);
    p->param_memory = lct_arena_alloc(arena, (int64_t)p->params, 1,
                                      sizeof(double));
    if (p->by_rows)
        lct_rows_layout(p, arena);
    else
        lct_tiles_layout(p, arena);
    return !arena->overflow && lct_add(&p->bytes, arena->used, 64);
}

static locant_status choose_engine(struct lct_problem *p,
                                   const locant_attention *a, bool by_rows)
{
    /* Tables of the tiled engine want at least one head. */
    p->by_rows = by_rows || p->q.dtype == LOCANT_F64 || p->B == 0 || p->H == 0;
    p->by_terms = !p->by_rows && p->content != NULL && lct_content_plan(p, a);
    p->by_rows |= p->content != NULL && !p->by_terms;
    p->task_params = p->by_terms && lct_content_learns_alone(p) ? 0 : p->params;
    return p->by_terms ? lct_content_schedule(p) : lct_rows_content_schedule(p);
}

static void choose_tiles(struct lct_problem *p, const locant_attention *a)
{
    p->padded = (p->D + LCT_PAD - 1) / LCT_PAD * LCT_PAD;
    p->padded_q = (p->Dq + LCT_PAD - 1) / LCT_PAD * LCT_PAD;
    p->wide = (p->D + LCT_EIGHT - 1) / LCT_EIGHT * LCT_EIGHT;
    p->wide_q = (p->Dq + LCT_EIGHT - 1) / LCT_EIGHT * LCT_EIGHT;
    p->q_tiles = (p->T + LCT_TILE - 1) / LCT_TILE;
    p->k_tiles = (p->S + LCT_TILE - 1) / LCT_TILE;
    p->k_segments = (p->k_tiles + LCT_SPLIT_TILES - 1) / LCT_SPLIT_TILES;
    p->one_table = a->q_pos == NULL && a->k_pos == NULL && p->T <= p->S &&
                   a->q_coords == NULL && !p->documents && !p->keys_turned;
    p->by_pairs = lct_bf16_apply(p);
    p->few = p->T > 0 && p->T <= LCT_DECODE_QUERIES && !p->by_terms;
    p->turns_keys = p->schedule != NULL && !p->keys_turned;
    p->read = p->by_terms || p->few ? p->padded : p->wide;
    p->gathers_dv = p->k.dtype != LOCANT_F32 || p->read != p->D;
    p->gathers_dk = p->gathers_dv || (p->turns && !p->keys_turned);
}

/* Content keeps more of a tile of queries than that. */
static void choose_abreast(struct lct_problem *p)
{
    int64_t most = p->by_terms ? 1 : LCT_TILES_PER_TASK;

    most = p->q_tiles < most ? p->q_tiles : most;
    p->abreast = most > 1 ? (int)most : 1;
}

static locant_status plan(struct lct_problem *p, const char *fn,
                          const locant_attention *a, bool by_rows,
                          void *workspace, size_t bytes)
{
    struct lct_arena count = { NULL, 0, false };

    p->fn = fn;
    p->kernels = lct_kernels();
    LCT_TRY(lct_request_check(p, a));
    LCT_TRY(choose_engine(p, a, by_rows));
    choose_tiles(p, a);
    choose_abreast(p);
    p->range = lct_bias_table_plan(p, a);
    p->slots = lct_slots(); /* once: another thread may change it */
    if (!lay_out(p, a, &count))
        return locant_fail(LOCANT_ERR_SHAPE, "%s: the problem does not fit in "
                           "memory", fn);
    if (workspace == NULL)
        return LOCANT_OK;
    if (bytes < p->bytes)
        return locant_fail(LOCANT_ERR_PARAM, "%s: workspace has %zu bytes, "
                           "expected at least %zu", fn, bytes, p->bytes);
    p->workspace = locant_dense(workspace, LOCANT_F16, 1,
                                (int64_t[]){ (int64_t)(p->bytes / 2) });
    return LOCANT_OK;
}

locant_status lct_problem_plan(struct lct_problem *p, const char *fn,
                               const locant_attention *a, bool by_rows,
                               void *workspace, size_t bytes)
{
    locant_status status;

    memset(p, 0, sizeof(*p));
    status = plan(p, fn, a, by_rows, workspace, bytes);
    if (status != LOCANT_OK) {
        lct_problem_done(p);
        p->schedule = NULL;
    }
    return status;
}

locant_status
locant_attention_workspace(size_t *bytes, const locant_attention *a)
{
    static const char fn[] = "locant_attention_workspace";
    struct lct_problem p;

    if (bytes == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: bytes is NULL", fn);
    LCT_TRY(lct_problem_plan(&p, fn, a, false, NULL, 0));
    *bytes = p.bytes;
    lct_problem_done(&p);
    return LOCANT_OK;
}

/* ------------------------------------------------------------------ filling */

/* Parameters of every part, in double, one after another. */
static void load_params(struct lct_problem *p, const locant_attention *a)
{
    const locant_sizes sizes = { .width = p->W, .heads = p->H,
                                 .kv_heads = p->Hkv, .head_dim = p->D };

    for (int n = 0; a->encoding != NULL && n < a->encoding->parts; n++) {
        const struct lct_part *part = &a->encoding->part[n];
        const locant_tensor *params = a->params;

        if (p->call[n].e == NULL)
            continue;
        if (params != NULL)
            params += part->first_param;
        lct_params_load(&p->call[n], p->param_memory + p->part_param[n],
                        part->e, params, &sizes);
        p->call[n].scale = p->scale;
        p->call[n].wide = p->q.dtype == LOCANT_F64;
    }
}

static void fill_angles(struct lct_problem *p)
{
    struct lct_places q, k;

    if (p->schedule == NULL)
        return;
    q = lct_rotation_places(p, LCT_QUERY);
    k = lct_rotation_places(p, LCT_KEY);
    if (!p->one_table || p->turns_late)
        lct_places_angles(p->q_table, &q, 0,
                          (size_t)(p->position_rows * p->T));
    if (!p->keys_turned && !p->turns_late)
        lct_places_angles(p->k_table, &k, 0,
                          (size_t)(p->position_rows * p->S));
}

void lct_problem_fill(struct lct_problem *p, const locant_attention *a,
                      void *workspace)
{
    struct lct_arena arena = {
        (char *)workspace + (-(uintptr_t)workspace & 63), 0, false };

    lay_out(p, a, &arena);
    lct_positions_fill(p, a);
    load_params(p, a);
    fill_angles(p);
    if (!p->by_rows)
        lct_tiles_fill(p);
    if (p->by_terms)
        lct_content_fill(p, a);
}
