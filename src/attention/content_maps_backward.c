/*
 * content_maps_backward.c - backward of maps along the path (content_maps.h).
 *
 * A tile of queries walks to its oldest keys and keeps u and A on the way, then
 * returns with the gradient of u: memory grows with the keys, not with pairs.
 */
#include "content_maps_backward.h"
#include "content_maps_groups.h"
#include "product.h"
#include <math.h>
#include <string.h>

void lct_content_maps_backward_begin_head(const struct lct_backward *job,
                                          int64_t b, int64_t h,
                                          struct lct_scratch *s)
{
    const struct lct_plan *p = job->p;
    const struct lct_content_maps *m = &p->content->maps;
    struct lct_content_maps_scratch *own = lct_content_maps_scratch_of(p, s);
    size_t rows = (size_t)m->rows, head = (size_t)((b - job->from) * p->H + h);

    memset(own->u, 0, (size_t)(LCT_TILE * p->padded) * sizeof(float));
    memset(own->dkeys, 0, rows * (size_t)p->padded * sizeof(float));
    memset(own->dpass, 0, rows * (size_t)p->padded * sizeof(float));
    memset(own->dinside, 0, rows * LCT_TILE * sizeof(float));
    memset(own->dmap, 0,
           (size_t)(m->groups * p->D * p->padded) * sizeof(float));
    memset(m->dw + head * rows * (size_t)p->padded, 0,
           rows * (size_t)p->padded * sizeof(float));
    memset(m->db + head * rows, 0, rows * sizeof(float));
}

static float *walked_of(const struct lct_plan *p,
                        const struct lct_content_maps_scratch *own, int64_t k)
{
    return own->walked + k * p->D * LCT_COLUMNS_ROW;
}

static size_t tile_bytes(const struct lct_tile *t)
{
    return LCT_TILE * t->lanes * sizeof(float);
}

void lct_content_maps_backward_walk(const struct lct_plan *p,
                                    const struct lct_tile *t,
                                    struct lct_scratch *s, int64_t oldest,
                                    int64_t tiles)
{
    struct lct_content_maps_scratch *own = lct_content_maps_scratch_of(p, s);

    for (int64_t i = 0; i < t->rows; i++)
        if (s->lse[i] == INFINITY || lct_content_maps_last(p, t)[i] < 0)
            /* It sees no key, and may be NaN. */
            for (int64_t d = 0; d < p->D; d++)
                s->q_cols[d * LCT_COLUMNS_ROW + i] = 0;
    for (int64_t k = tiles; k-- > oldest;) {
        bool last = lct_content_maps_kinds_of(own, k).last;

        lct_content_maps_meet(p, t, s, k);
        if (last || (k + 1) % LCT_CONTENT_MAPS_GROUP == 0)
            memcpy(walked_of(p, own, k), s->q_cols,
                   (size_t)(p->D * LCT_COLUMNS_ROW) * sizeof(float));
        if (last)
            memcpy(own->walked_along + k * LCT_TILE * LCT_TILE, own->along,
                   tile_bytes(t));
        if (k > oldest)
            lct_content_maps_pass(p, t, s, k);
    }
}

/* c [TILE keys, n] += a [keys, lanes] b [rows, n] */
static void add_rows(const struct lct_plan *p, const struct lct_tile *t,
                     float *c, const float *a, const float *b)
{
    struct lct_product x =
        lct_product_of((struct lct_product_rows){ c, (size_t)p->padded },
                       lct_product_rows_of(a, t->lanes),
                       lct_product_rows_of(b, (size_t)p->padded), LCT_TILE,
                       (size_t)p->padded, t->rows);

    x.add = true;
    p->kernels->matmul(&x);
}

/* forward: pass_tile(): dA = du' Z^T, dZ += A^T du' */
static void pass_tile_backward(const struct lct_plan *p,
                               const struct lct_tile *t, struct lct_scratch *s,
                               struct lct_content_maps_scratch *own, int64_t k)
{
    struct lct_content_maps_tile tile =
        lct_content_maps_tile_of(p, t->b, t->h, k);
    struct lct_product x;

    lct_product_columns(p, t, own->du_columns, s->dq, p->padded, p->D);
    x = lct_product_of((struct lct_product_rows){ own->dalong, t->lanes },
                       lct_product_rows_of(tile.pass, (size_t)p->padded),
                       lct_product_columns_of(own->du_columns), LCT_TILE,
                       t->lanes, p->D);
    p->kernels->matmul(&x);
    add_rows(p, t, own->dpass + k * LCT_TILE * p->padded, own->along, s->dq);
}

/* forward: pass_group(): du = du' P, dP += du'^T u */
static void pass_group_backward(const struct lct_plan *p,
                                const struct lct_tile *t, struct lct_scratch *s,
                                struct lct_content_maps_scratch *own, int64_t k)
{
    int64_t g = k / LCT_CONTENT_MAPS_GROUP, row = p->padded;
    const int64_t *last = lct_content_maps_last(p, t);
    size_t bytes = (size_t)row * sizeof(float);
    struct lct_product x = lct_product_of(
        (struct lct_product_rows){ own->du, (size_t)row },
        lct_product_rows_of(s->dq, (size_t)row),
        lct_product_rows_of(lct_content_maps_groups_map(p, t->b, t->h, g),
                            (size_t)row),
        t->rows, (size_t)row, p->D);

    p->kernels->matmul(&x);
    for (int64_t i = 0; i < t->rows; i++) /* those that do not pass */
        if (last[i] < lct_content_maps_end(k)) {
            memcpy(own->du + i * row, s->dq + i * row, bytes);
            memset(s->dq + i * row, 0, bytes);
        }
    x = lct_product_of(
        (struct lct_product_rows){ own->dmap + g * p->D * row, (size_t)row },
        lct_product_transposed(s->dq, (size_t)row),
        lct_product_rows_of(own->u, (size_t)row), p->D, (size_t)row, t->rows);
    x.add = true;
    p->kernels->matmul(&x);
    memcpy(s->dq, own->du, (size_t)t->rows * bytes);
}

/* u and A at tile k; u stays the same in a group that all queries pass. */
static void restore(const struct lct_plan *p, const struct lct_tile *t,
                    struct lct_scratch *s, struct lct_content_maps_scratch *own,
                    int64_t k)
{
    int64_t newest = lct_content_maps_end(k) / LCT_TILE - 1;
    bool last = lct_content_maps_kinds_of(own, k).last;

    if (last)
        memcpy(own->along, own->walked_along + k * LCT_TILE * LCT_TILE,
               tile_bytes(t));
    memcpy(s->q_cols, walked_of(p, own, last ? k : newest),
           (size_t)(p->D * LCT_COLUMNS_ROW) * sizeof(float));
    p->kernels->transpose(own->u, (size_t)p->padded, s->q_cols, LCT_COLUMNS_ROW,
                          (size_t)p->D, (size_t)t->rows);
}

void lct_content_maps_backward_return(const struct lct_plan *p,
                                      const struct lct_tile *t,
                                      struct lct_scratch *s, int64_t k,
                                      bool first)
{
    struct lct_content_maps_scratch *own = lct_content_maps_scratch_of(p, s);
    struct lct_content_maps_kinds kinds = lct_content_maps_kinds_of(own, k);

    if (first || kinds.last || k % LCT_CONTENT_MAPS_GROUP == 0)
        restore(p, t, s, own, k);
    if (first && kinds.last)
        memset(own->dalong, 0, tile_bytes(t));
    if (first)
        return;
    if (kinds.last)
        pass_tile_backward(p, t, s, own, k);
    if (kinds.older && k % LCT_CONTENT_MAPS_GROUP == 0)
        pass_group_backward(p, t, s, own, k);
}

/* du += ds K, rows of keys without weight are not read if they are not
 * finite */
static void add_keys(const struct lct_plan *p, const struct lct_tile *t,
                     struct lct_scratch *s, const float *ds, const float *keys,
                     size_t key_row)
{
    struct lct_product x =
        lct_product_of((struct lct_product_rows){ s->dq, (size_t)p->padded },
                       lct_product_transposed(ds, t->lanes),
                       lct_product_rows_of(keys, key_row), t->rows,
                       (size_t)p->padded, t->keys);

    x.add = true;
    lct_product_multiply(p->kernels, &x, t->guarded);
}

/* forward: scores_of_last(): dk += ds^T u, du += ds K, dA += ds X^T, dX += A^T
 * ds */
static void scores_of_last_backward(const struct lct_plan *p,
                                    const struct lct_tile *t,
                                    struct lct_scratch *s, const float *ds,
                                    const struct lct_loaded *l,
                                    struct lct_product_rows dk)
{
    struct lct_content_maps_scratch *own = lct_content_maps_scratch_of(p, s);
    struct lct_content_maps_tile tile =
        lct_content_maps_tile_of(p, t->b, t->h, t->j / LCT_TILE);
    struct lct_product x;

    if (dk.at != NULL) {
        x = lct_product_of(dk, lct_product_rows_of(ds, t->lanes),
                           lct_product_rows_of(own->u, (size_t)p->padded),
                           t->keys, (size_t)p->columns_q, t->rows);
        x.add = true;
        p->kernels->matmul(&x);
    }
    add_keys(p, t, s, ds, l->keys, l->key_row);
    x = lct_product_of((struct lct_product_rows){ own->dalong, t->lanes },
                       lct_product_rows_of(tile.inside, LCT_TILE),
                       lct_product_rows_of(ds, t->lanes), LCT_TILE, t->lanes,
                       t->keys);
    x.add = true;
    p->kernels->matmul(&x);
    memset(own->transposed, 0, tile_bytes(t));
    p->kernels->transpose(own->transposed, LCT_TILE, ds, t->lanes,
                          (size_t)t->keys, (size_t)t->rows);
    x = lct_product_of(
        (struct lct_product_rows){ own->dinside + t->j * LCT_TILE, LCT_TILE },
        lct_product_rows_of(own->along, t->lanes),
        lct_product_rows_of(own->transposed, LCT_TILE), LCT_TILE, LCT_TILE,
        t->rows);
    x.add = true;
    p->kernels->matmul(&x);
}

/* Move the queries that do not pass the group from ds to other. */
static void split_gradients(const struct lct_plan *p, const struct lct_tile *t,
                            float *other, float *ds)
{
    const int64_t *last = lct_content_maps_last(p, t);
    int64_t end = lct_content_maps_end(t->j / LCT_TILE);

    memset(other, 0, tile_bytes(t));
    lct_content_maps_select(p, t, other, ds);
    for (int64_t i = 0; i < t->rows; i++)
        if (last[i] < end)
            for (int64_t j = 0; j < t->keys; j++)
                ds[j * (int64_t)t->lanes + i] = 0;
}

void lct_content_maps_backward_scores(const struct lct_plan *p,
                                      const struct lct_tile *t,
                                      struct lct_scratch *s,
                                      const struct lct_loaded *l,
                                      struct lct_product_rows dk)
{
    struct lct_content_maps_scratch *own = lct_content_maps_scratch_of(p, s);
    struct lct_content_maps_tile tile =
        lct_content_maps_tile_of(p, t->b, t->h, t->j / LCT_TILE);
    struct lct_content_maps_kinds kinds =
        lct_content_maps_kinds_of(own, t->j / LCT_TILE);

    if (kinds.last && kinds.older)
        split_gradients(p, t, own->other, s->ds);
    if (kinds.last)
        scores_of_last_backward(p, t, s, kinds.older ? own->other : s->ds, l,
                                dk);
    if (!kinds.older)
        return;
    add_keys(p, t, s, s->ds, tile.keys, (size_t)p->padded);
    add_rows(p, t, own->dkeys + t->j * p->padded, s->ds, own->u);
}

/* forward: A = u W^T without the tokens after the query: du += dA W, dW += dA^T
 * u */
void lct_content_maps_backward_leave(const struct lct_backward *job,
                                     const struct lct_tile *t,
                                     struct lct_scratch *s, int64_t k)
{
    const struct lct_plan *p = job->p;
    struct lct_content_maps_scratch *own = lct_content_maps_scratch_of(p, s);
    struct lct_content_maps_tile tile =
        lct_content_maps_tile_of(p, t->b, t->h, k);
    int64_t at = ((t->b - job->from) * p->H + t->h) * p->content->maps.rows;
    struct lct_product x;

    if (!lct_content_maps_kinds_of(own, k).last)
        return;
    lct_content_maps_hide(p, t, own, own->dalong, k);
    x = lct_product_of((struct lct_product_rows){ s->dq, (size_t)p->padded },
                       lct_product_transposed(own->dalong, t->lanes),
                       lct_product_rows_of(tile.w, (size_t)p->padded), t->rows,
                       (size_t)p->padded, LCT_TILE);
    x.add = true;
    p->kernels->matmul(&x);
    add_rows(p, t, p->content->maps.dw + (at + k * LCT_TILE) * p->padded,
             own->dalong, own->u);
}

void lct_content_maps_backward_end_head(const struct lct_backward *job,
                                        int64_t b, int64_t h,
                                        struct lct_scratch *s)
{
    const struct lct_plan *p = job->p;
    const struct lct_content_maps *m = &p->content->maps;
    int64_t at = ((b - job->from) * p->H + h) * m->rows;

    lct_content_maps_groups_backward(job, b, h, s, m->dw + at * p->padded,
                                     m->db + at);
}
