/*
 * decode.c - few queries against many keys: a step of decoding.
 *
 * A tile of forward.c would leave most of its lanes empty, and one head of keys
 * would be read by one thread.  Here the keys lie in the lanes, all queries
 * that share a head of keys (those of its group of heads) are rows of one tile,
 * and a task is one segment of keys.  Every sum keeps the order it has there,
 * so that a cached step gives the bits of the whole run.
 */
#include "../core/pool.h"
#include "decode.h"
#include "bf16.h"
#include <math.h>
#include <string.h>

static int64_t part_of(const struct lct_problem *p,
                       const struct lct_decode_task *f, int64_t row)
{
    return ((f->b * p->H + f->head) * p->T + row) * p->k_segments + f->segment;
}

/* Mark what sees tile n; false: nothing does. */
static bool look(const struct lct_problem *p, struct lct_decode_task *f,
                 struct lct_tile *t, int64_t n, struct lct_scratch *s)
{
    bool any = false;

    f->guard[f->tiles] = false;
    for (int64_t g = 0; g < f->heads; g++) {
        t->h = f->head + g;
        /* Only an encoding hides from one head what another sees. */
        f->seen[g] = g > 0 && p->hidings == 0 ? any
                                              : lct_mask_classify(p, t, n, s);
        any |= f->seen[g];
        f->guard[f->tiles] |= !f->seen[g] || t->partial;
    }
    return any;
}

/* ------------------------------------------------------------- one product */

/* Do kernels read rows of the tile at 'at' where they lie? */
static bool readable_in_place(const struct lct_problem *p,
                              const locant_tensor *x, const void *at)
{
    bool whole = x->dtype == LOCANT_F32 ||
                 (x->stride[2] % 2 == 0 && (uintptr_t)at % 4 == 0);

    return whole && p->padded == p->D && x->stride[2] >= 0;
}

/*
 * x->b is 'from' where the tile of head 'h' lies, if it lies well; x->ahead
 * where tile i + 1 of the run does.
 */
static bool place_rows(const struct lct_problem *p,
                       const struct lct_decode_task *f,
                       const locant_tensor *from, int64_t h, int64_t i,
                       struct lct_product *x)
{
    int64_t at[3] = { f->b, h / (p->H / p->Hkv), f->tile[i] * LCT_TILE };

    x->b = lct_at(from, at, 3);
    if (!readable_in_place(p, from, x->b))
        return false;
    x->kind = (enum lct_stored)from->dtype;
    x->b_row = x->ahead_row = (size_t)from->stride[2];
    at[1] += f->share < f->heads; /* the next head, or somewhere */
    at[2] = f->tile[f->share < f->heads ? i : i + 1] * LCT_TILE;
    x->ahead = lct_at(from, at, 3);
    return true;
}

/* Scores of rows g T .. of tile i of the run: x is all but the keys. */
static void tile_scores(const struct lct_problem *p,
                        const struct lct_decode_task *f, struct lct_tile *t,
                        int64_t i, struct lct_scratch *s, struct lct_product *x)
{
    if (p->turns_keys) {
        lct_decode_keys_scores(p, f, t, s, x);
        return;
    }
    if (p->by_pairs) {
        if (place_rows(p, f, &p->k, t->h, i, x)) {
            x->b_row /= 2; /* words */
            x->ahead_row /= 2;
        } else {
            lct_bf16_keys(p, t, s);
            x->b = x->ahead = s->k;
            x->b_row = x->ahead_row = x->k;
        }
        x->kind = LCT_STORED_PAIRS;
    } else if (p->k_turned != NULL || !place_rows(p, f, &p->k, t->h, i, x)) {
        x->b = lct_load_keys(p, t, s, &x->b_row);
        x->ahead = x->b;
        x->ahead_row = x->b_row;
        if (p->k_turned != NULL)
            x->ahead += (f->tile[i + 1] - f->tile[i]) * LCT_TILE *
                        p->padded_q;
    }
    p->kernels->scores_few(x);
}

/* Weights of tile i of the run, which 't' is. */
static void tile_weights(const struct lct_problem *p, struct lct_decode_task *f,
                         struct lct_tile *t, int64_t i, struct lct_scratch *s)
{
    int64_t rows = f->heads * p->T, n = f->tile[i];
    float *scores = s->s + i * rows * LCT_DECODE_ROW;

    if (p->turns_keys)
        lct_decode_keys_angles(p, t, s);
    for (int64_t g = 0; g < f->heads; g += f->share) {
        struct lct_product x = { .c = scores + g * p->T * LCT_DECODE_ROW,
                                 .c_row = LCT_DECODE_ROW,
                                 .a = s->q + g * p->T, .a_col = (size_t)rows,
                                 .m = (size_t)(f->share * p->T),
                                 .n = (size_t)t->keys,
                                 .k = (size_t)p->padded_q,
                                 .shrink = s->rows + LCT_PAIRS_SCALES +
                                           g * p->T };

        x.k = p->by_pairs ? x.k / 2 : x.k;
        t->h = f->head + g;
        tile_scores(p, f, t, i, s, &x);
    }
    lct_decode_softmax(p, f, t, n, s, scores,
                       s->rows + 2 * LCT_TILE + i * rows);
    if (p->by_pairs)
        p->kernels->round_rows((uint32_t *)scores, LCT_DECODE_ROW, scores,
                               LCT_DECODE_ROW, NULL, (size_t)rows,
                               ((size_t)t->keys + LCT_PAD - 1) / LCT_PAD *
                               LCT_PAD);
}

/* x, of which a are words of weights, with values in any place. */
static void tile_product_bf16(const struct lct_problem *p,
                              const struct lct_decode_task *f,
                              const struct lct_tile *t, int64_t i,
                              struct lct_product *x, struct lct_scratch *s)
{
    int64_t at[3] = { t->b, t->h / (p->H / p->Hkv), t->j };
    struct lct_pair_product y = {
        .c = x->c, .c_row = x->c_row, .a = x->a,
        .a_row = (ptrdiff_t)(x->a_row * sizeof(float)),
        .a_col = sizeof(uint32_t), .b = (const uint32_t *)s->v, .b_row = x->n,
        .m = x->m, .n = x->n, .k = (x->k + 1) / 2, .add = true };

    if (!f->guard[i] && place_rows(p, f, &p->v, t->h, i, x)) {
        x->kind = LCT_STORED_PAIRS;
        p->kernels->values_few(x);
        return;
    }
    p->kernels->pair_rows((uint32_t *)s->v, x->n, lct_at(&p->v, at, 3),
                          p->v.stride[2] * (ptrdiff_t)sizeof(uint16_t),
                          LCT_STORED_BF16, x->k, (size_t)p->D);
    lct_bf16_multiply(p, &y, f->guard[i] && !lct_bf16_finite(&y),
                      (uint32_t *)s->product);
}

/* Rows g T .. of s->out += weights * values of tile i of the run. */
static void tile_product(const struct lct_problem *p,
                         const struct lct_decode_task *f, int64_t i, int64_t g,
                         struct lct_scratch *s)
{
    int64_t rows = f->heads * p->T;
    struct lct_tile t = { .b = f->b, .h = f->head + g,
                          .j = f->tile[i] * LCT_TILE };
    struct lct_product x = { .c = s->out + g * p->T * p->padded,
                             .c_row = (size_t)p->padded,
                             .a = s->s + (i * rows + g * p->T) * LCT_DECODE_ROW,
                             .a_row = LCT_DECODE_ROW, .a_col = 1,
                             .m = (size_t)(f->share * p->T),
                             .n = (size_t)p->padded, .add = true };

    t.keys = p->S - t.j < LCT_TILE ? p->S - t.j : LCT_TILE;
    x.k = (size_t)t.keys;
    if (p->by_pairs) {
        tile_product_bf16(p, f, &t, i, &x, s);
        return;
    }
    if (!place_rows(p, f, &p->v, t.h, i, &x) ||
        (f->guard[i] && x.kind != LCT_STORED_F32)) {
        x.kind = LCT_STORED_F32;
        x.b = x.ahead = lct_load_values(p, &t, s, &x.b_row);
        x.ahead_row = x.b_row;
    }
    if (!f->guard[i] ||
        p->kernels->all_finite(x.b, x.b_row, x.k, x.n))
        p->kernels->values_few(&x);
    else
        lct_multiply(p->kernels, &x, true);
}

/* s->out = s->out * shrink + weights * values of tile i of the run. */
static void tile_values(const struct lct_problem *p,
                        const struct lct_decode_task *f, int64_t i,
                        struct lct_scratch *s)
{
    int64_t rows = f->heads * p->T;
    const float *shrink = s->rows + 2 * LCT_TILE + i * rows;

    for (int64_t r = 0; r < rows; r++) {
        float *out = s->out + r * p->padded, factor = shrink[r];

        for (int64_t d = 0; factor != 1 && d < p->padded; d++)
            out[d] *= factor;
    }
    for (int64_t g = 0; g < f->heads; g += f->share)
        tile_product(p, f, i, g, s);
}

/* The tiles of a run, from n on; the first that does not belong to it. */
static int64_t run_tiles(const struct lct_problem *p, struct lct_decode_task *f,
                         int64_t n, int64_t end, struct lct_scratch *s)
{
    struct lct_tile t = { .b = f->b, .rows = p->T, .lanes = LCT_PAD };
    int64_t most = LCT_DECODE_ROWS / (f->heads * p->T), first = n;

    most = most < LCT_SPLIT_TILES ? most : LCT_SPLIT_TILES;
    for (f->tiles = 0; n < end && f->tiles < most; n++)
        if (look(p, f, &t, n, s))
            f->tile[f->tiles++] = n;
    f->tile[f->tiles] = n < p->k_tiles ? n : first;
    for (int64_t i = 0, tiles = f->tiles; i < tiles; i++) {
        f->tiles = i;
        if (look(p, f, &t, f->tile[i], s))
            tile_weights(p, f, &t, i, s);
        f->tiles = tiles;
    }
    for (int64_t i = 0; i < f->tiles; i++)
        tile_values(p, f, i, s);
    return n;
}

/* One segment of keys, some of which may be seen. */
static void decode_split(const struct lct_problem *p, struct lct_decode_task *f,
                         struct lct_scratch *s)
{
    int64_t n = f->segment * LCT_SPLIT_TILES, rows = f->heads * p->T;
    int64_t entries = p->by_pairs ? p->padded_q / 2 : p->padded_q;
    int64_t end = p->k_tiles - n < LCT_SPLIT_TILES ? p->k_tiles : n +
        LCT_SPLIT_TILES;

    for (int64_t r = 0; r < rows; r++) {
        int64_t at[3] = { f->b, f->head + r / p->T, r % p->T };

        if (p->by_pairs)
            lct_bf16_query(p, (uint32_t *)s->out, at);
        else
            lct_load_query_rows(p, s, s->out, at, 1);
        for (int64_t d = 0; d < entries; d++)
            s->q[d * rows + r] = s->out[d]; /* words move as floats do */
        s->rows[LCT_PAIRS_SCALES + r] = lct_load_query_scale(p, at[0], at[2]);
        s->rows[r] = -INFINITY;
        s->rows[LCT_TILE + r] = 0;
    }
    lct_decode_softmax_plan(p, f);
    memset(s->out, 0, (size_t)(rows * p->padded) * sizeof(float));
    while (n < end)
        n = run_tiles(p, f, n, end, s);
    for (int64_t r = 0; r < rows; r++) {
        int64_t part = part_of(p, f, r);

        memcpy(p->part_out + part * p->padded, s->out + r * p->padded,
               (size_t)p->padded * sizeof(float));
        p->part_rows[2 * part] = s->rows[r];
        p->part_rows[2 * part + 1] = s->rows[LCT_TILE + r];
    }
}

/*
 * Heads of keys in a task: where keys are turned, as many as find room, since
 * their angles are the same, but not so few tasks that threads have none.
 */
static int64_t heads_per_task(const struct lct_problem *p)
{
    int64_t rows = p->H / p->Hkv * p->T, parts;
    int64_t most = rows < LCT_DECODE_ROWS ? LCT_DECODE_ROWS / rows : 1;

    if (!p->turns_keys)
        return 1;
    parts = (p->Hkv + most - 1) / most;
    while (parts < p->Hkv && p->B * p->k_segments * parts < 2 * p->slots)
        parts *= 2;
    return (p->Hkv + parts - 1) / parts;
}

static void decode_task(void *context, size_t task, int slot)
{
    const struct lct_results *job = context;
    const struct lct_problem *p = job->p;
    int64_t group = p->H / p->Hkv, most = LCT_DECODE_ROWS / p->T,
        span = heads_per_task(p);
    int64_t parts = (p->Hkv + span - 1) / span;
    int64_t from = (int64_t)task / p->k_segments % parts * span * group;
    int64_t end = from + span * group < p->H ? from + span * group : p->H;
    struct lct_decode_task f = { .b = (int64_t)task / p->k_segments / parts,
                     .segment = (int64_t)task % p->k_segments };

    for (; from < end; from += f.heads) {
        int64_t left = end - from;

        f.head = from;
        f.heads = left < most ? left : most;
        f.share = f.heads < group ? f.heads : group;
        decode_split(p, &f, lct_scratch_of(p, slot, 0));
    }
}

/* Join the segments of one query. */
static void join(void *context, size_t task, int slot)
{
    const struct lct_results *job = context;
    const struct lct_problem *p = job->p;
    int64_t row = (int64_t)task, head = row / p->T;
    int64_t at[3] = { head / p->H, head % p->H, row % p->T };
    float *total = lct_scratch_of(p, slot, 0)->total, top = 0, sum = 0;

    for (int64_t n = 0; n < p->k_segments; n++) {
        int64_t part = row * p->k_segments + n;

        p->kernels->softmax_merge(total, &top, &sum,
                                  p->part_out + part * p->padded,
                                  p->part_rows[2 * part],
                                  p->part_rows[2 * part + 1],
                                  (size_t)p->padded);
    }
    lct_softmax_finish(job, at, total, top, sum);
    lct_store_rows(p, job->out, total, at, 1);
}

void lct_decode_forward(const struct lct_problem *p, const locant_tensor *out,
                        const locant_tensor *lse)
{
    struct lct_results job = { p, out, lse };

    int64_t span = heads_per_task(p), parts = (p->Hkv + span - 1) / span;

    lct_parallel_for((size_t)(p->B * parts * p->k_segments), p->slots,
                     decode_task, &job);
    for (int64_t row = 0; row < p->B * p->H * p->T; row++)
        join(&job, (size_t)row, 0);
}
