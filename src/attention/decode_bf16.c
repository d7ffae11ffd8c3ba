/* decode_bf16.c - decoding on a bfloat16 cache, by dot products of bfloat16 */
#include "decode_bf16.h"
#include "../encodings/rotate.h"
#include "bf16.h"
#include "bf16_product.h"
#include "decode_rows.h"
#include "load.h"
#include "tables.h"
#include <string.h>

static void load_query(const struct lct_plan *p,
                       const struct lct_decode_task *f, const int64_t at[3])
{
    memset(f->d->query, 0, (size_t)p->padded_q * sizeof(uint16_t));
    lct_bf16_load_query(p, (uint32_t *)f->d->query, at);
}

/* Copy 'rows' keys of the tile, from row j on, and pad each. */
static void copy_keys(const struct lct_plan *p, const struct lct_decode_task *f,
                      const struct lct_tile *t, int64_t j, int64_t rows)
{
    int64_t at[3] = { t->b, lct_plan_kv_head(p, t->h), t->j + j };
    uint16_t *to = f->s->bf16.k;

    memset(to, 0, (size_t)(rows * p->padded_q) * sizeof(*to));
    for (int64_t n = 0; n < rows; n++, at[2]++, to += p->padded_q)
        memcpy(to, lct_paged_at(&p->request->paged, &p->request->k, at),
               (size_t)p->D * sizeof(*to));
}

/* A rotated key is rounded once, as in the tiled engine. */
static const float *rotate_keys(const struct lct_plan *p,
                                const struct lct_decode_task *f,
                                const struct lct_tile *t, int64_t j,
                                int64_t rows)
{
    const struct lct_schedule *schedule = p->schedule;
    uint16_t *to = f->s->bf16.k;
    int64_t table = j * schedule->pairs;
    ptrdiff_t row = p->padded_q * (ptrdiff_t)sizeof(*to);
    struct lct_rope x = {
        .out = to + schedule->first,
        .x = to + schedule->first,
        .out_row = row,
        .x_row = row,
        .cosines = f->d->angles + table,
        .sines = f->d->angles + t->keys * schedule->pairs + table,
        .table_row = (size_t)schedule->pairs,
        .rows = (size_t)rows,
        .heads = 1,
        .pairs = (size_t)schedule->pairs,
        .kind = LCT_STORED_BF16,
        .interleaved = schedule->pairing == LCT_INTERLEAVED,
        .sign = 1,
    };

    if (2 * schedule->pairs == p->padded_q) {
        struct lct_paged_rows k = lct_load_key_rows(p, t, j, rows, f->s);

        x.x = lct_at(&k.x, k.at, 3);
        x.x_row = lct_bf16_step(&k.x);
    } else {
        copy_keys(p, f, t, j, rows);
    }
    lct_rotate_bands(&x, schedule, p->kernels);
    return (const void *)to;
}

static void load_keys(const struct lct_plan *p, const struct lct_decode_task *f,
                      const struct lct_tile *t, int64_t i,
                      struct lct_product *x)
{
    if (lct_decode_rows_in_place(p, f, t, LCT_KEY_ROWS, i, x)) {
        x->b_row /= 2; /* words */
        x->ahead_row /= 2;
    } else {
        copy_keys(p, f, t, 0, t->keys);
        x->b = x->ahead = (const void *)f->s->bf16.k;
        x->b_row = x->ahead_row = x->k;
    }
    x->kind = LCT_STORED_BF16_PAIRS;
}

static void round_weights(const struct lct_plan *p, float *weights,
                          int64_t rows, int64_t keys)
{
    p->kernels->bf16_round_rows((uint32_t *)weights, LCT_DECODE_ROW, weights,
                                LCT_DECODE_ROW, NULL, (size_t)rows,
                                (size_t)lct_sizes_round_up(keys, LCT_PAD));
}

static void values(const struct lct_plan *p, const struct lct_decode_task *f,
                   const struct lct_tile *t, int64_t i, struct lct_product *x)
{
    struct lct_paged_rows v;
    struct lct_bf16_product y = { .c = x->c,
                                  .c_row = x->c_row,
                                  .a = x->a,
                                  .a_row =
                                      (ptrdiff_t)(x->a_row * sizeof(float)),
                                  .a_col = sizeof(uint32_t),
                                  .b = f->s->bf16.v_pairs,
                                  .b_row = x->n,
                                  .m = x->m,
                                  .n = x->n,
                                  .k = (x->k + 1) / 2,
                                  .add = true };

    if (!f->guard[i] &&
        lct_decode_rows_in_place(p, f, t, LCT_VALUE_ROWS, i, x)) {
        x->kind = LCT_STORED_BF16_PAIRS;
        p->kernels->decode_values(x);
        return;
    }
    v = lct_load_value_rows(p, t, f->s);
    if (p->rotates_values)
        lct_bf16_pair_rotated_values(p, t, f->s);
    else
        p->kernels->bf16_pair_rows(f->s->bf16.v_pairs, x->n,
                                   lct_at(&v.x, v.at, 3), lct_bf16_step(&v.x),
                                   LCT_STORED_BF16, x->k, (size_t)p->Dv);
    lct_bf16_product_multiply(p->kernels, &y,
                              f->guard[i] && !lct_bf16_product_is_finite(&y),
                              f->s->bf16.guard);
}

/* clang-format off */
const struct lct_decode_arithmetic lct_decode_bf16 = {
    .channels = 2, .kind = LCT_STORED_BF16_PAIRS, .rotated_rows = 32,
    .load_query = load_query, .rotate_keys = rotate_keys,
    .load_keys = load_keys, .round_weights = round_weights, .values = values,
};
/* clang-format on */
