/* dense_gradient.c - the gradient of the dense bias */
#include "dense_gradient.h"
#include "../kernel/row.h"
#include "rectangle.h"
#include <string.h>

void lct_dense_gradient_layout(struct lct_dense_gradient *dense,
                               const struct lct_plan *p,
                               struct lct_arena *arena)
{
    const locant_tensor *bias = p->request->bias;
    int64_t rows, keys;

    *dense = (struct lct_dense_gradient){ .way = LCT_DENSE_PAIRS };
    if (bias == NULL)
        return;
    rows = bias->shape[2];
    keys = bias->shape[3];
    if (rows != p->T || keys != p->S) {
        dense->way = LCT_DENSE_SUMS;
        dense->length = rows == 1 ? keys : rows;
        dense->sums = lct_arena_doubles(arena, p->B * p->H, dense->length);
    } else if (bias->shape[0] != p->B || bias->shape[1] != p->H) {
        dense->way = LCT_DENSE_HEADS;
        if (p->engine != LCT_REFERENCE)
            dense->heads = lct_arena_doubles(arena, p->slots * p->k_tiles,
                                             LCT_TILE * LCT_TILE);
    }
}

/* -------------------------------------------------------------------- sums */

/* The sums of one head. */
static double *sums_of(const struct lct_plan *p, int64_t b, int64_t h)
{
    return p->dense->sums + (b * p->H + h) * p->dense->length;
}

void lct_dense_gradient_begin(const struct lct_plan *p,
                              const locant_tensor *dbias)
{
    if (dbias != NULL && p->dense->way == LCT_DENSE_SUMS)
        memset(p->dense->sums, 0,
               (size_t)(p->B * p->H * p->dense->length) * sizeof(double));
}

/* Element n of the sums of the heads that share it, in order. */
static double sum_heads(const struct lct_plan *p, const locant_tensor *dbias,
                        const int64_t at[2], int64_t n)
{
    int64_t b_end = dbias->shape[0] == 1 ? p->B : at[0] + 1;
    int64_t h_end = dbias->shape[1] == 1 ? p->H : at[1] + 1;
    double sum = 0;

    for (int64_t b = at[0]; b < b_end; b++)
        for (int64_t h = at[1]; h < h_end; h++)
            sum += sums_of(p, b, h)[n];
    return sum;
}

void lct_dense_gradient_end(const struct lct_plan *p,
                            const locant_tensor *dbias)
{
    int64_t at[4] = { 0 };

    if (dbias == NULL || p->dense->way != LCT_DENSE_SUMS)
        return;
    for (at[0] = 0; at[0] < dbias->shape[0]; at[0]++)
        for (at[1] = 0; at[1] < dbias->shape[1]; at[1]++)
            for (int64_t n = 0; n < p->dense->length; n++) {
                double sum = sum_heads(p, dbias, at, n);

                at[2] = dbias->shape[2] == 1 ? 0 : n;
                at[3] = dbias->shape[2] == 1 ? n : 0;
                lct_row_from_f64(lct_at(dbias, at, 4), dbias->dtype, &sum, 1);
            }
}

/* The sum of the tile's queries for key j. */
static double sum_key(const struct lct_tile *t, const float *ds, int64_t j)
{
    double part[4] = { 0 };

    ds += j * (int64_t)t->lanes;
    for (int64_t i = 0; i < t->rows; i++)
        part[i % 4] += (double)ds[i];
    return (part[0] + part[1]) + (part[2] + part[3]);
}

static void add_sums(const struct lct_plan *p, const struct lct_tile *t,
                     const float *ds)
{
    double *sums = sums_of(p, t->b, t->h);
    bool by_query = p->request->bias->shape[2] != 1;
    bool by_key = p->request->bias->shape[3] != 1;

    for (int64_t j = 0; j < t->keys; j++) {
        if (!by_query) {
            sums[by_key ? t->j + j : 0] += sum_key(t, ds, j);
            continue;
        }
        for (int64_t i = 0; i < t->rows; i++)
            sums[t->i + i] += (double)ds[j * (int64_t)t->lanes + i];
    }
}

/* ------------------------------------------------------------------- pairs */

/* Store n numbers, 'step' bytes apart. */
static void store_row(char *to, int64_t step, locant_dtype dtype,
                      const float *from, int64_t n)
{
    if (step == (int64_t)locant_dtype_size(dtype)) {
        lct_row_from_f32(to, dtype, from, (size_t)n);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        lct_row_from_f32(to + i * step, dtype, from + i, 1);
}

void lct_dense_gradient_store(const struct lct_plan *p,
                              const locant_tensor *dbias,
                              const struct lct_tile *t, struct lct_scratch *s,
                              const float *from)
{
    const struct lct_rectangle r =
        lct_rectangle_of(dbias, (int64_t[4]){ t->b, t->h, t->i, t->j });
    const struct lct_rows rows = { .x = r.at,
                                   .x_row = r.down,
                                   .kind = (enum lct_stored)dbias->dtype,
                                   .tile = s->bias_rows,
                                   .width = LCT_TILE,
                                   .rows = (size_t)t->rows,
                                   .n = (size_t)t->keys };

    if (r.down < r.across) { /* rows along the queries */
        for (int64_t j = 0; j < t->keys; j++)
            store_row(r.at + j * r.across, r.down, dbias->dtype,
                      from + j * (int64_t)t->lanes, t->rows);
        return;
    }
    p->kernels->transpose(s->bias_rows, LCT_TILE, from, t->lanes,
                          (size_t)t->keys, (size_t)t->rows);
    if (r.across == (int64_t)locant_dtype_size(dbias->dtype))
        p->kernels->store_rows(&rows);
    else
        for (int64_t i = 0; i < t->rows; i++)
            store_row(r.at + i * r.down, r.across, dbias->dtype,
                      s->bias_rows + i * LCT_TILE, t->keys);
}

void lct_dense_gradient_add(const struct lct_backward *job,
                            const struct lct_tile *t, struct lct_scratch *s)
{
    switch (job->p->dense->way) {
    case LCT_DENSE_PAIRS:
        lct_dense_gradient_store(job->p, job->g->dbias, t, s, s->ds);
        break;
    case LCT_DENSE_SUMS: add_sums(job->p, t, s->ds); break;
    case LCT_DENSE_HEADS: break;
    }
}

void lct_dense_gradient_skip(const struct lct_backward *job,
                             const struct lct_tile *t, int64_t k,
                             struct lct_scratch *s)
{
    struct lct_tile unseen = *t;

    if (job->g->dbias == NULL || job->p->dense->way != LCT_DENSE_PAIRS)
        return;
    unseen.j = k * LCT_TILE;
    unseen.keys = lct_sizes_in_tile(job->p->S, unseen.j);
    memset(s->bias, 0, LCT_TILE * LCT_TILE * sizeof(*s->bias));
    lct_dense_gradient_store(job->p, job->g->dbias, &unseen, s, s->bias);
}

/* ------------------------------------------------------- the engine by rows */

static void clear_rows(const locant_tensor *dbias)
{
    const double zero = 0;
    int64_t at[4];

    for (at[0] = 0; at[0] < dbias->shape[0]; at[0]++)
        for (at[1] = 0; at[1] < dbias->shape[1]; at[1]++)
            for (at[2] = 0; at[2] < dbias->shape[2]; at[2]++)
                for (at[3] = 0; at[3] < dbias->shape[3]; at[3]++)
                    lct_row_from_f64(lct_at(dbias, at, 4), dbias->dtype, &zero,
                                     1);
}

void lct_dense_gradient_begin_rows(const struct lct_plan *p,
                                   const locant_tensor *dbias)
{
    lct_dense_gradient_begin(p, dbias);
    if (dbias != NULL && p->dense->way != LCT_DENSE_SUMS)
        clear_rows(dbias);
}

void lct_dense_gradient_add_keys(const struct lct_plan *p,
                                 const locant_tensor *dbias,
                                 const int64_t at[3], const int64_t *index,
                                 int64_t keys, const double *ds)
{
    const struct lct_rectangle r =
        lct_rectangle_of(dbias, (int64_t[4]){ at[0], at[1], at[2], 0 });

    for (int64_t n = 0; n < keys; n++) {
        double sum;

        if (p->dense->way == LCT_DENSE_SUMS) {
            int64_t to = dbias->shape[2] != 1   ? at[2]
                         : dbias->shape[3] != 1 ? index[n]
                                                : 0;

            sums_of(p, at[0], at[1])[to] += ds[n];
            continue;
        }
        lct_row_to_f64(&sum, r.at + index[n] * r.across, dbias->dtype, 1);
        sum += ds[n];
        lct_row_from_f64(r.at + index[n] * r.across, dbias->dtype, &sum, 1);
    }
}
