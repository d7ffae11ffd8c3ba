/* decode_f32.c - products of decode in float32 */
#include "decode_f32.h"
#include "decode_rows.h"
#include "load.h"
#include "product.h"

static void load_query(const struct lct_plan *p,
                       const struct lct_decode_task *f, const int64_t at[3])
{
    lct_load_queries(p, f->s, f->d->query, at, 1);
}

static const float *rotate_keys(const struct lct_plan *p,
                                const struct lct_decode_task *f,
                                const struct lct_tile *t, int64_t j,
                                int64_t rows)
{
    struct lct_table angles = { f->d->angles,
                                f->d->angles + t->keys * p->schedule->pairs,
                                false };

    struct lct_paged_rows k = lct_load_key_rows(p, t, j, rows, f->s);

    lct_load_rotated(p, f->s->k, p->padded_q, &k.x, k.at, rows,
                     lct_table_at(angles, (size_t)(j * p->schedule->pairs)));
    return f->s->k;
}

static void load_keys(const struct lct_plan *p, const struct lct_decode_task *f,
                      const struct lct_tile *t, int64_t i,
                      struct lct_product *x)
{
    bool mapped = p->tables->k_mapped != NULL;

    if (!mapped && lct_decode_rows_in_place(p, f, t, LCT_KEY_ROWS, i, x))
        return;
    x->b = x->ahead = lct_load_keys(p, t, f->s, &x->b_row);
    x->ahead_row = x->b_row;
    if (mapped)
        x->ahead += (f->tile[i + 1] - f->tile[i]) * LCT_TILE * p->padded_q;
}

static void values(const struct lct_plan *p, const struct lct_decode_task *f,
                   const struct lct_tile *t, int64_t i, struct lct_product *x)
{
    if (p->rotates_values ||
        !lct_decode_rows_in_place(p, f, t, LCT_VALUE_ROWS, i, x) ||
        (f->guard[i] && x->kind != LCT_STORED_F32)) {
        x->kind = LCT_STORED_F32;
        x->b = x->ahead = lct_load_values(p, t, f->s, &x->b_row);
        x->ahead_row = x->b_row;
    }
    if (!f->guard[i] || p->kernels->all_finite(x->b, x->b_row, x->k, x->n))
        p->kernels->decode_values(x);
    else
        lct_product_multiply_guarded(p->kernels, x);
}

const struct lct_decode_arithmetic lct_decode_f32 = {
    .channels = 1,
    .kind = LCT_STORED_F32,
    .rotated_rows = 16,
    .load_query = load_query,
    .rotate_keys = rotate_keys,
    .load_keys = load_keys,
    .values = values,
};
