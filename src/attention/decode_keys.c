/*
 * decode_keys.c - few queries against keys that are turned as they are read.
 *
 * Angles of a tile of keys are made once and used for all heads of keys that
 * the task has, while they are in the cache: a table of the whole cache would
 * cost more to write and read than the keys do.
 */
#include "decode.h"
#include "bf16.h"
#include <string.h>

/*
 * Rows that are turned at a time: they and their angles stay in the first
 * cache.  While they are multiplied, those a tile later are asked for, into the
 * second: rows of a power of two bytes crowd each other out of the first.
 */
enum { TURNED = 16, PAIRS_TURNED = 32 };

void lct_decode_keys_angles(const struct lct_problem *p,
                            const struct lct_tile *t, struct lct_scratch *s)
{
    const struct lct_places places = lct_rotation_places(p, LCT_KEY);
    int64_t at = lct_problem_row(p, t->b) * p->S + t->j;

    lct_places_angles((struct lct_table){
                          s->product,
                          s->product + t->keys * p->schedule->pairs, false },
                      &places, (size_t)at, (size_t)t->keys);
}

/* 'rows' keys of the tile from its row j on, turned, to s->k. */
static void turn_rows(const struct lct_problem *p, const struct lct_tile *t,
                      struct lct_scratch *s, int64_t j, int64_t rows)
{
    const float *sines = s->product + t->keys * p->schedule->pairs;

    lct_load_rotated(p, s->k, &p->k,
                    (int64_t[3]){ t->b, t->h / (p->H / p->Hkv), t->j + j },
                    rows, lct_load_angles_at(p, s->product, sines, j));
}

/* The same in bfloat16: rounded once, as by the table of bf16.c. */
static void turn_rows_pairs(const struct lct_problem *p,
                            const struct lct_tile *t, struct lct_scratch *s,
                            int64_t j, int64_t rows)
{
    const struct lct_schedule *plan = p->schedule;
    uint16_t *to = (uint16_t *)s->k;
    struct lct_tile part = *t;
    int64_t table = j * plan->pairs;
    int64_t at[3] = { t->b, t->h / (p->H / p->Hkv), t->j + j };
    struct lct_rope x = {
        .out = to + plan->first, .x = to + plan->first,
        .out_row = p->padded_q * (ptrdiff_t)sizeof(*to),
        .x_row = p->padded_q * (ptrdiff_t)sizeof(*to),
        .cosines = s->product + table,
        .sines = s->product + t->keys * plan->pairs + table,
        .table_row = (size_t)plan->pairs, .rows = (size_t)rows, .heads = 1,
        .pairs = (size_t)plan->pairs, .kind = LCT_STORED_BF16,
        .interleaved = plan->pairing == LCT_INTERLEAVED, .sign = 1,
    };

    part.j += j;
    part.keys = rows;
    if (2 * plan->pairs == p->padded_q) {
        x.x = lct_at(&p->k, at, 3);
        x.x_row = p->k.stride[2] * (ptrdiff_t)sizeof(*to);
    } else {
        lct_bf16_keys(p, &part, s);
    }
    p->kernels->rope(&x);
}

/*
 * Where the rows are that come a tile of rows after row j: of the next head, or
 * of the next tile.  Only an address: past the last tile nothing is there.
 */
static const char *rows_ahead(const struct lct_problem *p,
                              const struct lct_decode_task *f,
                              const struct lct_tile *t, int64_t j)
{
    int64_t group = p->H / p->Hkv, next = t->h / group + 1;
    int64_t at[3] = { t->b, next, t->j + j };

    if (next >= (f->head + f->heads) / group) {
        at[1] = f->head / group;
        at[2] += LCT_TILE;
    }
    return lct_at(&p->k, at, 3);
}

void lct_decode_keys_scores(const struct lct_problem *p,
                            const struct lct_decode_task *f,
                            const struct lct_tile *t, struct lct_scratch *s,
                            const struct lct_product *x)
{
    struct lct_product part = *x;
    ptrdiff_t size = (ptrdiff_t)locant_dtype_size(p->k.dtype);
    int64_t rows, most = p->by_pairs ? PAIRS_TURNED : TURNED;

    part.b = s->k;
    part.b_row = x->k;
    part.ahead_row = (size_t)(p->k.stride[2] * size / (ptrdiff_t)sizeof(float));
    part.warm = true;
    if (p->by_pairs)
        part.kind = LCT_STORED_PAIRS;
    for (int64_t j = 0; j < t->keys; j += rows) {
        rows = t->keys - j < most ? t->keys - j : most;
        if (p->by_pairs)
            turn_rows_pairs(p, t, s, j, rows);
        else
            turn_rows(p, t, s, j, rows);
        part.ahead = (const void *)rows_ahead(p, f, t, j);
        part.c = x->c + j;
        part.n = (size_t)rows;
        p->kernels->scores_few(&part);
    }
}
