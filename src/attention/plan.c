/* plan.c - lay out the workspace of an attention call, and fill its tables */
#include "../core/pool.h"
#include "../core/size.h"
#include "problem.h"
#include <inttypes.h>
#include <string.h>

/* A workspace being dealt out; with base NULL it only counts. */
struct arena {
    char *base;
    size_t used;
    bool overflow;
};

/* 'count' items of 'size' bytes, or NULL while counting. */
static void *take(struct arena *arena, int64_t count, size_t size)
{
    size_t at = arena->used, bytes = 0;

    if (count < 0 || !lct_mul(&bytes, (size_t)count, size) ||
        !lct_add(&bytes, bytes, 63) ||
        !lct_add(&arena->used, at, bytes / 64 * 64))
        arena->overflow = true;
    return arena->base == NULL || arena->overflow ? NULL : arena->base + at;
}

static int64_t position_of(const locant_tensor *pos, int64_t row, int64_t i,
                           int64_t first)
{
    int64_t index[2] = { row, i };

    if (pos == NULL)
        return first + i;
    if (pos->rank == 1)
        return ((const int64_t *)pos->data)[i];
    return *(const int64_t *)lct_at(pos, index, 2);
}

static struct lct_extent extent_of(const locant_tensor *pos, int64_t row,
                                   int64_t from, int64_t to, int64_t first)
{
    int64_t before = position_of(pos, row, from, first);
    struct lct_extent x = { before, before, true };

    for (int64_t i = from + 1; i < to; i++) {
        int64_t at = position_of(pos, row, i, first);

        x.low = at < x.low ? at : x.low;
        x.high = at > x.high ? at : x.high;
        x.consecutive &= before != INT64_MAX && at == before + 1;
        before = at;
    }
    return x;
}

/*
 * How many differences q - k there are, if one table entry each is worth it:
 * when positions lie so far apart that the table would outgrow the tokens, the
 * bias is formed per tile instead.
 */
static int64_t table_range(const struct lct_problem *p,
                           const locant_attention *a)
{
    int64_t widest = 0, most = 4 * (p->T + p->S) + 1024;

    if (!p->has_bias || p->T == 0 || p->S == 0 ||
        !(a->encoding->row->info.traits & LOCANT_TRAIT_RELATIVE))
        return 0;
    for (int64_t b = 0; b < p->position_rows; b++) {
        struct lct_extent q = extent_of(a->q_pos, b, 0, p->T, p->S - p->T);
        struct lct_extent k = extent_of(a->k_pos, b, 0, p->S, 0);
        int64_t low, high, range;

        if (__builtin_sub_overflow(q.low, k.high, &low) ||
            __builtin_sub_overflow(q.high, k.low, &high) ||
            __builtin_sub_overflow(high, low, &range) || range >= most)
            return 0;
        widest = range + 1 > widest ? range + 1 : widest;
    }
    return widest;
}

static void plan_tables(struct lct_problem *p, struct arena *arena)
{
    int64_t rows = p->position_rows;
    int64_t pairs = p->schedule != NULL ? p->schedule->pairs : 0;

    p->q_pos = take(arena, rows * p->T, sizeof(int64_t));
    p->k_pos = take(arena, rows * p->S, sizeof(int64_t));
    p->q_extent = take(arena, rows * p->q_tiles, sizeof(struct lct_extent));
    p->k_extent = take(arena, rows * p->k_tiles, sizeof(struct lct_extent));
    p->k_cos = take(arena, rows * p->S * pairs, sizeof(float));
    p->k_sin = take(arena, rows * p->S * pairs, sizeof(float));
    if (p->one_table && p->k_cos != NULL) {
        p->q_cos = p->k_cos + (p->S - p->T) * pairs;
        p->q_sin = p->k_sin + (p->S - p->T) * pairs;
    } else if (!p->one_table) {
        p->q_cos = take(arena, rows * p->T * pairs, sizeof(float));
        p->q_sin = take(arena, rows * p->T * pairs, sizeof(float));
    }
    p->param_memory = take(arena, (int64_t)p->params, sizeof(double));
    p->first = take(arena, rows, sizeof(int64_t));
    p->table = take(arena, rows * p->H * p->range, sizeof(float));
}

/* Gradients of the table: of as many batch rows at a time as 8 MiB hold. */
static void plan_backward(struct lct_problem *p, struct arena *arena)
{
    int64_t each = p->H * p->range > 0 ? p->H * p->range : 1;

    p->chunk = (1 << 20) / each;
    p->chunk = p->chunk < 1 ? 1 : p->chunk > p->B ? p->B : p->chunk;
    p->delta = take(arena, p->B * p->H * p->T, sizeof(float));
    if (p->params == 0)
        return;
    p->dtable = take(arena, p->chunk * p->H * p->range, sizeof(double));
    p->dtotal = take(arena, (p->H + 1) * p->range, sizeof(double));
    p->difference = take(arena, p->range, sizeof(int64_t));
    p->dparam = take(arena, (p->chunk * p->Hkv + 1) * (int64_t)p->params,
                     sizeof(double));
}

static void plan_scratch(struct lct_problem *p, struct arena *arena)
{
    int64_t rows = LCT_TILE * p->padded, columns = p->D * LCT_TILE;
    int64_t square = LCT_TILE * LCT_TILE;

    p->scratch = take(arena, p->slots, sizeof(*p->scratch));
    for (int n = 0; n < p->slots; n++) {
        struct lct_scratch s;

        s.q = take(arena, rows, sizeof(float));
        s.q_cols = take(arena, columns, sizeof(float));
        s.k = take(arena, rows, sizeof(float));
        s.v = take(arena, rows, sizeof(float));
        s.s = take(arena, square, sizeof(float));
        s.out = take(arena, rows, sizeof(float));
        s.dout = take(arena, rows, sizeof(float));
        s.dout_cols = take(arena, columns, sizeof(float));
        s.ds = take(arena, square, sizeof(float));
        s.product = take(arena, rows, sizeof(float));
        s.rows = take(arena, 5 * LCT_TILE, sizeof(float));
        s.column = take(arena, LCT_TILE, sizeof(double));
        if (arena->base != NULL && !arena->overflow)
            p->scratch[n] = s;
    }
}

static bool lay_out(struct lct_problem *p, struct arena *arena)
{
    plan_tables(p, arena);
    plan_backward(p, arena);
    plan_scratch(p, arena);
    return !arena->overflow && lct_add(&p->bytes, arena->used, 64);
}

/* Writes the workspace: only after it is known to share nothing. */
static void deal(struct lct_problem *p, void *workspace)
{
    struct arena arena = {
        (char *)workspace + (-(uintptr_t)workspace & 63), 0, false };

    lay_out(p, &arena);
}

locant_status lct_problem_plan(struct lct_problem *p, const char *fn,
                               const locant_attention *a, void *workspace,
                               size_t bytes)
{
    struct arena count = { NULL, 0, false };

    memset(p, 0, sizeof(*p));
    p->fn = fn;
    p->kernels = lct_kernels();
    LCT_TRY(lct_problem_check(p, a));
    p->padded = (p->D + LCT_PAD - 1) / LCT_PAD * LCT_PAD;
    p->q_tiles = (p->T + LCT_TILE - 1) / LCT_TILE;
    p->k_tiles = (p->S + LCT_TILE - 1) / LCT_TILE;
    p->one_table = a->q_pos == NULL && a->k_pos == NULL && p->T <= p->S;
    p->range = table_range(p, a);
    p->slots = lct_slots(); /* once: another thread may change it */
    if (!lay_out(p, &count))
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

locant_status
locant_attention_workspace(size_t *bytes, const locant_attention *a)
{
    static const char fn[] = "locant_attention_workspace";
    struct lct_problem p;

    if (bytes == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: bytes is NULL", fn);
    LCT_TRY(lct_problem_plan(&p, fn, a, NULL, 0));
    *bytes = a->q->dtype == LOCANT_F64 ? 64 : p.bytes;
    return LOCANT_OK;
}

/* ------------------------------------------------------------------ filling */

static void fill_positions(struct lct_problem *p, const locant_attention *a,
                           int64_t row)
{
    int64_t *q = p->q_pos + row * p->T, *k = p->k_pos + row * p->S;

    for (int64_t i = 0; i < p->T; i++)
        q[i] = position_of(a->q_pos, row, i, p->S - p->T);
    for (int64_t j = 0; j < p->S; j++)
        k[j] = position_of(a->k_pos, row, j, 0);
    for (int64_t n = 0; n < p->q_tiles; n++) {
        int64_t end = (n + 1) * LCT_TILE < p->T ? (n + 1) * LCT_TILE : p->T;

        p->q_extent[row * p->q_tiles + n] =
            extent_of(a->q_pos, row, n * LCT_TILE, end, p->S - p->T);
    }
    for (int64_t n = 0; n < p->k_tiles; n++) {
        int64_t end = (n + 1) * LCT_TILE < p->S ? (n + 1) * LCT_TILE : p->S;

        p->k_extent[row * p->k_tiles + n] =
            extent_of(a->k_pos, row, n * LCT_TILE, end, 0);
    }
}

/* One head of one row of the bias table, by stretches of differences. */
static void fill_table(void *context, size_t task, int slot)
{
    const struct lct_problem *p = context;
    int64_t row = (int64_t)task / p->H, head = (int64_t)task % p->H;
    float *table = p->table + (int64_t)task * p->range;
    int64_t k_pos[LCT_TILE];
    double value[LCT_TILE];

    (void)slot;
    for (int64_t at = 0; at < p->range; at += LCT_TILE) {
        int64_t n = p->range - at < LCT_TILE ? p->range - at : LCT_TILE;

        int64_t from;

        /* A row with fewer differences than the widest may run out of them. */
        if (__builtin_add_overflow(p->first[row], at, &from))
            break;
        for (int64_t i = 0; i < n; i++)
            k_pos[i] = -i; /* difference from + i */
        p->score.e->row->bias(value, &p->score, head, from, k_pos, (size_t)n);
        for (int64_t i = 0; i < n; i++)
            table[at + i] = (float)value[i];
    }
}

void lct_problem_fill(struct lct_problem *p, const locant_attention *a,
                      void *workspace)
{
    int64_t rows = p->position_rows;

    deal(p, workspace);
    for (int64_t row = 0; row < rows; row++) {
        int64_t low = INT64_MAX, high = INT64_MIN;

        fill_positions(p, a, row);
        for (int64_t n = 0; n < p->q_tiles; n++)
            if (p->q_extent[row * p->q_tiles + n].low < low)
                low = p->q_extent[row * p->q_tiles + n].low;
        for (int64_t n = 0; n < p->k_tiles; n++)
            if (p->k_extent[row * p->k_tiles + n].high > high)
                high = p->k_extent[row * p->k_tiles + n].high;
        p->first[row] = p->range > 0 ? low - high : 0;
    }
    if (p->schedule != NULL) {
        if (!p->one_table)
            lct_schedule_angles(p->q_cos, p->q_sin, p->schedule, p->q_pos,
                                (size_t)(rows * p->T));
        lct_schedule_angles(p->k_cos, p->k_sin, p->schedule, p->k_pos,
                            (size_t)(rows * p->S));
    }
    if (p->has_bias)
        lct_score_load(&p->score, p->param_memory, a->encoding, a->params,
                       p->H);
    if (p->range > 0)
        lct_parallel_for((size_t)(rows * p->H), p->slots, fill_table, p);
}
