/* load.c - copy rows of the caller's tensors into tiles, and back */
#include "load.h"
#include "rotation.h"
#include <string.h>

float lct_load_query_scale(const struct lct_plan *p, int64_t b, int64_t h,
                           int64_t i)
{
    return (float)(p->scale * lct_tables_factor(p, b, h, i));
}

static struct lct_rows rows_of(const locant_tensor *x, float *tile,
                               int64_t width, const int64_t at[3], int64_t rows)
{
    return (struct lct_rows){ .x = lct_at(x, at, 3),
                              .x_row = x->stride[2] *
                                       (ptrdiff_t)locant_dtype_size(x->dtype),
                              .kind = (enum lct_stored)x->dtype,
                              .tile = tile,
                              .width = (size_t)width,
                              .rows = (size_t)rows,
                              .n = (size_t)x->shape[3] };
}

void lct_load_rows(const struct lct_plan *p, float *to, int64_t width,
                   const locant_tensor *x, const int64_t at[3], int64_t rows)
{
    struct lct_rows r = rows_of(x, to, width, at, rows);

    p->kernels->load_rows(&r);
}

void lct_load_rows_back(const struct lct_plan *p, const locant_tensor *x,
                        float *from, int64_t width, const int64_t at[3],
                        int64_t rows)
{
    struct lct_rows r = rows_of(x, from, width, at, rows);

    p->kernels->store_rows(&r);
}

void lct_load_rotated(const struct lct_plan *p, float *to, int64_t width,
                      const locant_tensor *x, const int64_t at[3], int64_t rows,
                      struct lct_table angles)
{
    struct lct_rotated_rows r = { .out = to,
                                  .x = to,
                                  .out_row = width,
                                  .x_row = width,
                                  .rows = rows,
                                  .cosines = angles.cosines,
                                  .sines = angles.sines,
                                  .sign = 1 };

    if (x->dtype != LOCANT_F32 || 2 * p->schedule->pairs != x->shape[3]) {
        lct_load_rows(p, to, width, x, at, rows);
    } else { /* all channels rotate: read the caller's rows directly */
        r.x = lct_at(x, at, 3);
        r.x_row = x->stride[2];
        if (width > x->shape[3])
            memset(to, 0, (size_t)(rows * width) * sizeof(*to));
    }
    lct_rotate_tile(&r, p->schedule, p->kernels);
}

void lct_load_rotate(const struct lct_plan *p, float *x, int64_t width,
                     int64_t rows, struct lct_table angles, float sign)
{
    lct_rotate_tile(&(struct lct_rotated_rows){ .out = x,
                                                .x = x,
                                                .out_row = width,
                                                .x_row = width,
                                                .rows = rows,
                                                .cosines = angles.cosines,
                                                .sines = angles.sines,
                                                .sign = sign },
                    p->schedule, p->kernels);
}

void lct_load_rotate_outputs(const struct lct_plan *p, float *x,
                             const int64_t at[3], int64_t rows, float sign)
{
    if (p->rotates_outputs)
        lct_load_rotate(p, x, p->padded_v, rows,
                        lct_tables_angles(p, p->tables->angles, LCT_QUERY,
                                          at[0], at[1], at[2]),
                        sign);
}

void lct_load_rotated_queries(const struct lct_plan *p, struct lct_scratch *s,
                              float *to, const int64_t at[3], int64_t rows)
{
    const locant_tensor *q = &p->request->q;

    if (p->request->general_map)
        for (int64_t i = 0; i < rows; i++)
            lct_rotation_load_row(to + i * p->padded_q, p, s->mapped, LCT_QUERY,
                                  (int64_t[3]){ at[0], at[1], at[2] + i });
    else if (p->schedule != NULL)
        lct_load_rotated(p, to, p->padded_q, q, at, rows,
                         lct_tables_angles(p, p->tables->angles, LCT_QUERY,
                                           at[0], at[1], at[2]));
    else
        lct_load_rows(p, to, p->padded_q, q, at, rows);
}

void lct_load_queries(const struct lct_plan *p, struct lct_scratch *s,
                      float *to, const int64_t at[3], int64_t rows)
{
    lct_load_rotated_queries(p, s, to, at, rows);
    for (int64_t i = 0; i < rows; i++, to += p->padded_q) {
        float scale = lct_load_query_scale(p, at[0], at[1], at[2] + i);

        for (int64_t d = 0; d < p->padded_q; d++)
            to[d] *= scale;
    }
}

const void *lct_load_in_place(const locant_tensor *x, const int64_t at[3],
                              int64_t columns)
{
    const char *rows = lct_at(x, at, 3);
    bool words = x->dtype == LOCANT_F32 ||
                 (x->stride[2] % 2 == 0 && (uintptr_t)rows % 4 == 0);

    return words && columns == x->shape[3] && x->stride[2] >= 0 ? rows : NULL;
}

/*
 * As lct_load_in_place(), for floats that are the left or the right factor of
 * products; *row = the distance of rows.
 */
static const float *floats_in_place(const struct lct_plan *p,
                                    const locant_tensor *x, const int64_t at[3],
                                    int64_t columns, bool right, size_t *row)
{
    *row = (size_t)x->stride[2];
    if (right && p->kernels->copies_crowded && lct_load_crowded(*row))
        return NULL;
    return x->dtype == LOCANT_F32 ? lct_load_in_place(x, at, columns) : NULL;
}

struct lct_paged_rows lct_load_key_rows(const struct lct_plan *p,
                                        const struct lct_tile *t, int64_t j,
                                        int64_t rows, struct lct_scratch *s)
{
    int64_t at[3] = { t->b, lct_plan_kv_head(p, t->h),
                      t->j + j - p->first_key };

    return lct_paged_rows_of(&p->request->paged, &p->request->k, at, rows,
                             s->paged_k);
}

struct lct_paged_rows lct_load_value_rows(const struct lct_plan *p,
                                          const struct lct_tile *t,
                                          struct lct_scratch *s)
{
    int64_t at[3] = { t->b, lct_plan_kv_head(p, t->h), t->j - p->first_key };

    return lct_paged_rows_of(&p->request->paged, &p->request->v, at, t->keys,
                             s->paged_v);
}

const float *lct_load_keys(const struct lct_plan *p, const struct lct_tile *t,
                           struct lct_scratch *s, size_t *row)
{
    int64_t head = lct_plan_kv_head(p, t->h);
    struct lct_paged_rows k;
    const float *rows_in_place;

    if (p->tables->k_mapped != NULL) {
        *row = (size_t)p->padded_q;
        return p->tables->k_mapped +
               ((t->b * p->Hkv + head) * p->tables->mapped_rows + t->j -
                p->first_key) *
                   p->padded_q;
    }
    k = lct_load_key_rows(p, t, 0, t->keys, s);
    /* Keys are a left factor in forward, and a right one in backward too. */
    rows_in_place = floats_in_place(p, &k.x, k.at, p->read_columns,
                                    p->pass == LCT_PASS_BACKWARD, row);
    if (rows_in_place != NULL && !p->rotates_keys)
        return rows_in_place;
    *row = (size_t)p->padded_q;
    if (p->rotates_keys)
        lct_load_rotated(p, s->k, p->padded_q, &k.x, k.at, t->keys,
                         lct_tables_angles(p, p->tables->angles, LCT_KEY, t->b,
                                           lct_plan_kv_head(p, t->h), t->j));
    else
        lct_load_rows(p, s->k, p->padded_q, &k.x, k.at, t->keys);
    return s->k;
}

const float *lct_load_values(const struct lct_plan *p, const struct lct_tile *t,
                             struct lct_scratch *s, size_t *row)
{
    struct lct_paged_rows v = lct_load_value_rows(p, t, s);
    const float *rows_in_place =
        floats_in_place(p, &v.x, v.at, p->read_columns_v, true, row);

    if (rows_in_place != NULL && !p->rotates_values)
        return rows_in_place;
    if (p->rotates_values)
        lct_load_rotated(p, s->v, p->padded_v, &v.x, v.at, t->keys,
                         lct_tables_angles(p, p->tables->angles, LCT_KEY, t->b,
                                           lct_plan_kv_head(p, t->h), t->j));
    else
        lct_load_rows(p, s->v, p->padded_v, &v.x, v.at, t->keys);
    *row = (size_t)p->padded_v;
    return s->v;
}
