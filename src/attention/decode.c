/* decode.c - few queries against many keys: a step of decoding (split-KV) */
#include "decode.h"
#include "../core/pool.h"
#include "arithmetic.h"
#include "decode_keys.h"
#include "decode_paged.h"
#include "decode_softmax.h"
#include "load.h"
#include "mask.h"
#include "relations.h"
#include "softmax.h"
#include <math.h>
#include <string.h>

void lct_decode_layout(struct lct_decode *decode, const struct lct_plan *p,
                       struct lct_arena *arena)
{
    int64_t rows = LCT_DECODE_ROWS, parts = p->B * p->H * p->T * p->k_splits;
    int64_t pairs = p->rotates_keys ? p->schedule->pairs : 0;
    int relations = lct_tables_relations(p);

    decode->split_out = lct_arena_floats(arena, parts, p->padded_v);
    decode->split_stats = lct_arena_floats(arena, parts, 2);
    decode->scratch =
        lct_arena_alloc(arena, p->slots, 1, sizeof(*decode->scratch));
    for (int slot = 0; slot < p->slots; slot++) {
        struct lct_decode_scratch d = {
            .q = lct_arena_floats(arena, p->padded_q, LCT_TILE),
            .query = lct_arena_floats(arena, 1, p->padded_q),
            .out = lct_arena_floats(arena, rows, p->padded_v),
            .row_max = lct_arena_floats(arena, 1, rows),
            .row_sum = lct_arena_floats(arena, 1, rows),
            .scale = lct_arena_floats(arena, 1, rows),
            .scores = lct_arena_floats(arena, rows, LCT_DECODE_ROW),
            .rescale = lct_arena_floats(arena, 1, rows),
            .angles = lct_arena_floats(arena, 2 * LCT_TILE, pairs),
            .pairs = lct_arena_floats(arena, relations > 1 ? rows : 0,
                                      LCT_DECODE_ROW),
        };

        for (int r = 1; r < relations; r++)
            d.q_relation[r - 1] =
                lct_arena_floats(arena, p->padded_q, LCT_TILE);

        if (lct_arena_is_real(arena))
            decode->scratch[slot] = d;
    }
}

/* Find which heads see tile n, the i-th of the run; false: none does. */
static bool classify(const struct lct_plan *p, struct lct_decode_task *f,
                     struct lct_tile *t, int64_t i, int64_t n)
{
    bool any = false;

    f->guard[i] = false;
    for (int64_t g = 0; g < f->heads; g++) {
        t->h = f->head + g;
        f->sees[g] = g > 0 && !lct_mask_by_head(p)
                         ? any
                         : lct_mask_classify(p, t, n, f->s);
        any |= f->sees[g];
        f->guard[i] |= !f->sees[g] || t->guarded;
    }
    return any;
}

/* x->c = scores of queries x->a and keys of t, tile i of the run. */
static void group_scores(const struct lct_plan *p,
                         const struct lct_decode_task *f, struct lct_tile *t,
                         int64_t i, struct lct_product *x)
{
    if (p->rotates_keys) {
        lct_decode_keys_scores(p, f, t, x);
        return;
    }
    if (lct_decode_paged_scores(p, f, t, i, x))
        return;
    p->arithmetic->decode->load_keys(p, f, t, i, x);
    p->kernels->decode_scores(x);
}

/* to = from for the keys of t that are in relation r to the query of each of
 * 'rows' rows. */
static void select_pairs(const struct lct_plan *p, const struct lct_tile *t,
                         float *to, const float *from, int r, size_t rows)
{
    const locant_encoding *e = p->request->relations;
    int64_t row = lct_plan_row(p, t->b);
    const int64_t *k_pos = p->tables->k_pos + row * p->S + t->j;
    const int64_t *q_pos = p->tables->q_pos + row * p->T;
    char relation[LCT_DECODE_QUERIES];

    for (int64_t j = 0; j < t->keys; j++) {
        e->row->relations.classify(relation, e, q_pos, (size_t)p->T, k_pos[j]);
        for (size_t n = 0; n < rows; n++)
            if (relation[(int64_t)n % p->T] == r)
                to[n * LCT_DECODE_ROW + (size_t)j] =
                    from[n * LCT_DECODE_ROW + (size_t)j];
    }
}

/* The same for all relations that the tile's pairs are in (relations.h). */
static void relation_scores(const struct lct_plan *p,
                            const struct lct_decode_task *f, struct lct_tile *t,
                            int64_t i, const struct lct_product *x)
{
    bool first = true;

    for (int r = 0; r < lct_tables_relations(p); r++) {
        struct lct_product part = *x;

        if (!lct_relations_has(t, r))
            continue;
        if (r > 0)
            part.a = f->d->q_relation[r - 1] + (x->a - f->d->q);
        if (!first)
            part.c = f->d->pairs;
        group_scores(p, f, t, i, &part);
        if (!first)
            select_pairs(p, t, x->c, f->d->pairs, r, x->m);
        first = false;
    }
}

/* Compute the weights of t, tile i of the run. */
static void tile_weights(const struct lct_plan *p, struct lct_decode_task *f,
                         struct lct_tile *t, int64_t i)
{
    const struct lct_decode_arithmetic *arithmetic = p->arithmetic->decode;
    int64_t rows = f->heads * p->T;
    float *scores = f->d->scores + i * rows * LCT_DECODE_ROW;

    if (p->rotates_keys)
        lct_decode_keys_angles(p, f, t);
    for (int64_t g = 0; g < f->heads; g += f->share) {
        struct lct_product x = { .c = scores + g * p->T * LCT_DECODE_ROW,
                                 .c_row = LCT_DECODE_ROW,
                                 .a = f->d->q + g * p->T,
                                 .a_col = (size_t)rows,
                                 .m = (size_t)(f->share * p->T),
                                 .n = (size_t)t->keys,
                                 .k = (size_t)(p->padded_q /
                                               arithmetic->channels),
                                 .rescale = f->d->scale + g * p->T };

        t->h = f->head + g;
        relation_scores(p, f, t, i, &x);
    }
    lct_decode_softmax(p, f, t, i, scores);
    if (arithmetic->round_weights != NULL)
        arithmetic->round_weights(p, scores, rows, t->keys);
}

/* out = out * rescale + weights * values of tile i of the run. */
static void tile_values(const struct lct_plan *p,
                        const struct lct_decode_task *f, int64_t i)
{
    int64_t rows = f->heads * p->T;
    struct lct_tile t = { .b = f->b, .j = f->tile[i] * LCT_TILE };

    t.keys = lct_sizes_in_tile(lct_plan_keys(p, t.b), t.j);
    for (int64_t r = 0; r < rows; r++) {
        float *out = f->d->out + r * p->padded_v;
        float factor = f->d->rescale[i * rows + r];

        if (factor != 1)
            for (int64_t d = 0; d < p->padded_v; d++)
                out[d] *= factor;
    }
    for (int64_t g = 0; g < f->heads; g += f->share) {
        struct lct_product x = { .c = f->d->out + g * p->T * p->padded_v,
                                 .c_row = (size_t)p->padded_v,
                                 .a = f->d->scores +
                                      (i * rows + g * p->T) * LCT_DECODE_ROW,
                                 .a_row = LCT_DECODE_ROW,
                                 .a_col = 1,
                                 .m = (size_t)(f->share * p->T),
                                 .n = (size_t)p->padded_v,
                                 .k = (size_t)t.keys,
                                 .add = true };

        t.h = f->head + g;
        if (!lct_decode_paged_values(p, f, &t, i, &x))
            p->arithmetic->decode->values(p, f, &t, i, &x);
    }
}

/* Compute one run: visible tiles from tile n on.  Returns the tile after it. */
static int64_t run_tiles(const struct lct_plan *p, struct lct_decode_task *f,
                         int64_t n, int64_t end)
{
    struct lct_tile t = { .b = f->b, .rows = p->T, .lanes = LCT_PAD };
    int64_t most = LCT_DECODE_ROWS / (f->heads * p->T), first = n;

    most = most < LCT_SPLIT_TILES ? most : LCT_SPLIT_TILES;
    for (f->tiles = 0; n < end && f->tiles < most; n++)
        if (classify(p, f, &t, f->tiles, n))
            f->tile[f->tiles++] = n;
    f->tile[f->tiles] = n < lct_plan_key_tiles(p, f->b) ? n : first;
    for (int64_t i = 0; i < f->tiles; i++) {
        classify(p, f, &t, i, f->tile[i]); /* again, for f->sees and masks */
        tile_weights(p, f, &t, i);
    }
    for (int64_t i = 0; i < f->tiles; i++)
        tile_values(p, f, i);
    return n;
}

/* Load the query of row r as column r of d->q. */
static void load_query(const struct lct_plan *p,
                       const struct lct_decode_task *f, int64_t r)
{
    const struct lct_decode_arithmetic *arithmetic = p->arithmetic->decode;
    int64_t at[3] = { f->b, f->head + r / p->T, r % p->T };
    int64_t rows = f->heads * p->T;

    arithmetic->load_query(p, f, at);
    for (int64_t d = 0; d < p->padded_q / arithmetic->channels; d++)
        f->d->q[d * rows + r] =
            f->d->query[d]; /* copies bits, so also pairs of bf16 */
    f->d->scale[r] = lct_load_query_scale(p, at[0], at[1], at[2]);
    for (int n = 1; n < lct_tables_relations(p); n++) {
        lct_relations_rotated(p, f->d->query, at, 1, n);
        for (int64_t d = 0; d < p->padded_q; d++)
            f->d->q_relation[n - 1][d * rows + r] =
                f->d->query[d] * f->d->scale[r];
    }
}

static void decode_split(const struct lct_plan *p, struct lct_decode_task *f)
{
    int64_t n = f->split * LCT_SPLIT_TILES, rows = f->heads * p->T;
    int64_t tiles = lct_plan_key_tiles(p, f->b);
    int64_t end = tiles - n < LCT_SPLIT_TILES ? tiles : n + LCT_SPLIT_TILES;
    int64_t part = ((f->b * p->H + f->head) * p->T) * p->k_splits + f->split;

    for (int64_t r = 0; r < rows; r++) {
        load_query(p, f, r);
        f->d->row_max[r] = -INFINITY;
        f->d->row_sum[r] = 0;
    }
    lct_decode_softmax_plan(p, f);
    memset(f->d->out, 0, (size_t)(rows * p->padded_v) * sizeof(float));
    while (n < end)
        n = run_tiles(p, f, n, end);
    for (int64_t r = 0; r < rows; r++, part += p->k_splits) {
        memcpy(p->decode->split_out + part * p->padded_v,
               f->d->out + r * p->padded_v,
               (size_t)p->padded_v * sizeof(float));
        p->decode->split_stats[2 * part] = f->d->row_max[r];
        p->decode->split_stats[2 * part + 1] = f->d->row_sum[r];
    }
}

/*
 * The number of heads of keys per task: 1, unless keys are rotated or paged.
 * Heads then share angles, or lie together in a block, so a task has as many
 * heads as fit, while every thread has one.
 */
static int64_t heads_per_task(const struct lct_plan *p)
{
    int64_t rows = p->H / p->Hkv * p->T, parts;
    int64_t most = rows < LCT_DECODE_ROWS ? LCT_DECODE_ROWS / rows : 1;

    if (!p->rotates_keys && p->request->paged.table == NULL)
        return 1;
    parts = (p->Hkv + most - 1) / most;
    while (parts < p->Hkv && p->B * p->k_splits * parts < 2 * p->slots)
        parts *= 2;
    return (p->Hkv + parts - 1) / parts;
}

/* Splits of the keys of batch row b. */
static int64_t splits_of(const struct lct_plan *p, int64_t b)
{
    return (lct_plan_key_tiles(p, b) + LCT_SPLIT_TILES - 1) / LCT_SPLIT_TILES;
}

static void decode_task(void *context, size_t task, int slot)
{
    const struct lct_softmax_results *job = context;
    const struct lct_plan *p = job->p;
    int64_t group = p->H / p->Hkv, most = LCT_DECODE_ROWS / p->T;
    int64_t span = heads_per_task(p), parts = (p->Hkv + span - 1) / span;
    int64_t from = (int64_t)task / p->k_splits % parts * span * group;
    int64_t end = from + span * group < p->H ? from + span * group : p->H;
    struct lct_decode_task f = { .b = (int64_t)task / p->k_splits / parts,
                                 .split = (int64_t)task % p->k_splits,
                                 .s = lct_scratch_of(p, slot, 0),
                                 .d = &p->decode->scratch[slot] };

    if (f.split >= splits_of(p, f.b))
        return;
    for (; from < end; from += f.heads) {
        int64_t left = end - from;

        f.head = from;
        f.heads = left < most ? left : most;
        f.share = f.heads < group ? f.heads : group;
        decode_split(p, &f);
    }
}

/* Merge the splits of one query. */
static void merge_splits(const struct lct_softmax_results *job, int64_t row)
{
    const struct lct_plan *p = job->p;
    int64_t head = row / p->T;
    int64_t at[3] = { head / p->H, head % p->H, row % p->T };
    float *total = p->decode->scratch[0].out, row_max = 0, sum = 0;

    for (int64_t n = 0; n < splits_of(p, at[0]); n++) {
        int64_t part = row * p->k_splits + n;

        p->kernels->softmax_merge(
            total, &row_max, &sum, p->decode->split_out + part * p->padded_v,
            p->decode->split_stats[2 * part],
            p->decode->split_stats[2 * part + 1], (size_t)p->padded_v);
    }
    lct_softmax_finish(job, at, total, row_max, sum);
    lct_load_rotate_outputs(p, total, at, 1, -1);
    lct_load_rows_back(p, job->out, total, p->padded_v, at, 1);
}

void lct_decode_forward(const struct lct_plan *p, const locant_tensor *out,
                        const locant_tensor *lse)
{
    struct lct_softmax_results job = { p, out, lse };
    int64_t span = heads_per_task(p), parts = (p->Hkv + span - 1) / span;

    lct_parallel_for((size_t)(p->B * parts * p->k_splits), p->slots,
                     decode_task, &job);
    for (int64_t row = 0; row < p->B * p->H * p->T; row++)
        merge_splits(&job, row);
}
