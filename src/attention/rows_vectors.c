/*
 * rows_vectors.c - products with vectors that pairs of positions pick, in
 * double.
 *
 * Vectors come in three kinds: rows of a parameter; rows of a learned basis,
 * projected once per document; and rows of a fixed basis, which has a row for
 * each distance, so queries are projected instead: <y, M B[m]> = <M^T y, B[m]>.
 */
#include "rows_vectors.h"
#include <string.h>

static const struct lct_content_door *door_of(const struct lct_rows_task *w)
{
    return &w->c->call.e->row->content;
}

bool lct_rows_vectors_fixed(const locant_encoding *e,
                            const struct lct_vectors *v)
{
    return v->matrix >= 0 && e->row->content.basis_backward == NULL;
}

/* The row that a pair of positions picks; -1: none. */
static int64_t row_of(const struct lct_rows_task *w,
                      const struct lct_vectors *v, int64_t q_pos, int64_t k_pos)
{
    int64_t difference;

    if (v->pairs > 0)
        return v->row(w->c->call.e, q_pos, k_pos);
    difference = lct_distance(q_pos, k_pos);
    difference = difference < v->first  ? v->first
                 : difference > v->last ? v->last
                                        : difference;
    return v->row(w->c->call.e, difference, 0);
}

/* Where vectors_of() has row m of a head. */
static int64_t vector_at(const struct lct_rows_task *w,
                         const struct lct_rows_vectors *v, int64_t head,
                         int64_t m)
{
    int64_t row = v->rows != NULL ? head * v->count + m - v->first
                  : v->v.by_head  ? m * w->c->call.heads + head
                                  : m;

    return row * w->c->call.head_dim;
}

static const double *vectors_of(const struct lct_rows_task *w,
                                const struct lct_rows_vectors *v)
{
    return v->rows != NULL ? v->rows : w->c->call.param[v->v.table];
}

static double *dvectors_of(const struct lct_content_gradient *g,
                           const struct lct_rows_vectors *v)
{
    return v->drows != NULL ? v->drows : g->dparam[v->v.table];
}

/* ------------------------------------------------------------ learned basis */

/* rows [heads, count, D] = matrix x basis + bias */
void lct_rows_vectors_project(const struct lct_rows_task *w,
                              const struct lct_rows_vectors *v)
{
    const struct lct_call *c = &w->c->call;
    int64_t W = c->width, D = c->head_dim;

    for (int64_t m = v->first; m < v->first + v->count; m++) {
        door_of(w)->basis(w->r->content.row, c, m);
        for (int64_t i = 0; i < c->heads * D; i++)
            v->rows[vector_at(w, v, i / D, m) + i % D] =
                lct_dot(c->param[v->v.matrix] + i * W, w->r->content.row, W) +
                (v->v.bias >= 0 ? c->param[v->v.bias][i] : 0);
    }
}

/* Is the gradient of row m all 0, because no pair picked it? */
static bool is_unused(const struct lct_rows_task *w,
                      const struct lct_rows_vectors *v, int64_t m)
{
    int64_t D = w->c->call.head_dim;

    for (int64_t i = 0; i < w->c->call.heads * D; i++)
        if (v->drows[vector_at(w, v, i / D, m) + i % D] != 0)
            return false;
    return true;
}

/*
 * forward: row = matrix x basis + bias: dmatrix = drow basis^T, dbias = drow,
 * dbasis = matrix^T drow.
 */
void lct_rows_vectors_project_backward(const struct lct_content_gradient *g,
                                       const struct lct_rows_task *w,
                                       const struct lct_rows_vectors *v)
{
    const struct lct_call *c = &w->c->call;
    int64_t W = c->width, D = c->head_dim;

    for (int64_t m = v->first; m < v->first + v->count; m++) {
        if (is_unused(w, v, m))
            continue;
        door_of(w)->basis(w->r->content.row, c, m);
        memset(w->r->content.drow, 0, (size_t)W * sizeof(double));
        for (int64_t i = 0; i < c->heads * D; i++) {
            double d = v->drows[vector_at(w, v, i / D, m) + i % D];

            lct_accumulate(g->dparam[v->v.matrix] + i * W, d, w->r->content.row,
                           W);
            lct_accumulate(w->r->content.drow, d, c->param[v->v.matrix] + i * W,
                           W);
            if (v->v.bias >= 0)
                g->dparam[v->v.bias][i] += d;
        }
        door_of(w)->basis_backward(g->dparam, w->r->content.drow, c, m);
    }
}

/* ------------------------------------------------------------------- scores */

/* q + a of a head, in the scratch; if there is no a, q itself. */
static const double *query_of(const struct lct_rows_task *w,
                              const struct lct_vectors *v, int64_t head)
{
    int64_t D = w->c->call.head_dim;
    const double *row = w->q.q + head * D;

    if (v->added < 0)
        return row;
    for (int64_t d = 0; d < D; d++)
        w->r->content.row[d] =
            row[d] + w->c->call.param[v->added][head * D + d];
    return w->r->content.row;
}

/* scores += scale <q + a, A[m]>, or scale <k, K[m]> */
void lct_rows_vectors_scores(double *scores, const struct lct_rows_task *w,
                             const struct lct_rows_vectors *v)
{
    const struct lct_content *c = w->c;

    for (int64_t h = 0; h < c->call.heads; h++) {
        const double *y = query_of(w, &v->v, h);

        for (int64_t j = 0; j < c->keys; j++) {
            double *score = &scores[h * c->keys + j];
            int64_t m = row_of(w, &v->v, w->q.pos, c->k_pos[j]);

            if (m < 0 || lct_is_hidden(*score))
                continue;
            if (v->v.times == LCT_TIMES_KEY)
                y = c->k + lct_key_at(c, h, j);
            *score +=
                c->scale * lct_dot(y, vectors_of(w, v) + vector_at(w, v, h, m),
                                   c->call.head_dim);
        }
    }
}

/*
 * forward: s += scale <q + a, A[m]>: dq = da = scale ds A[m], dA[m] = scale ds
 * (q + a); or s += scale <k, K[m]>: dk = scale ds K[m], dK[m] = scale ds k.
 */
void lct_rows_vectors_backward(const double *dscores,
                               const struct lct_content_gradient *g,
                               const struct lct_rows_task *w,
                               const struct lct_rows_vectors *v)
{
    const struct lct_content *c = w->c;
    int64_t D = c->call.head_dim;

    for (int64_t h = 0; h < c->call.heads; h++) {
        const double *y = query_of(w, &v->v, h);
        double *dy = g->dq + h * D;

        for (int64_t j = 0; j < c->keys; j++) {
            double d = c->scale * dscores[h * c->keys + j];
            int64_t m = row_of(w, &v->v, w->q.pos, c->k_pos[j]);
            int64_t at = vector_at(w, v, h, m), key = lct_key_at(c, h, j);

            if (m < 0 || d == 0)
                continue;
            if (v->v.times == LCT_TIMES_KEY) {
                y = c->k + key;
                dy = g->dk + key;
            }
            lct_accumulate(dy, d, vectors_of(w, v) + at, D);
            lct_accumulate(dvectors_of(g, v) + at, d, y, D);
            if (v->v.added >= 0)
                lct_accumulate(g->dparam[v->v.added] + h * D, d,
                               vectors_of(w, v) + at, D);
        }
    }
}

/* -------------------------------------------------------------- fixed basis */

/* Row m of the basis, cached at place m modulo the number of keys. */
static const double *fixed_row(const struct lct_rows_task *w, int64_t m)
{
    int64_t place = m % w->c->keys + (m % w->c->keys < 0 ? w->c->keys : 0);
    double *row = w->r->content.basis + place * w->c->call.width;

    if (w->r->content.basis_row[place] != m)
        door_of(w)->basis(row, &w->c->call, m);
    w->r->content.basis_row[place] = m;
    return row;
}

/* scores += scale <y, B[m]>, y [heads, W] = matrix^T (q + a) */
void lct_rows_vectors_fixed_scores(double *scores,
                                   const struct lct_rows_task *w,
                                   const struct lct_rows_vectors *v)
{
    const struct lct_call *c = &w->c->call;
    int64_t W = c->width, D = c->head_dim, keys = w->c->keys;

    memset(w->r->content.y, 0, (size_t)(c->heads * W) * sizeof(double));
    for (int64_t i = 0; i < c->heads * D; i++) {
        double a = v->v.added >= 0 ? c->param[v->v.added][i] : 0;

        lct_accumulate(w->r->content.y + i / D * W, w->q.q[i] + a,
                       c->param[v->v.matrix] + i * W, W);
    }
    for (int64_t i = 0; i < c->heads * keys; i++) {
        int64_t m = row_of(w, &v->v, w->q.pos, w->c->k_pos[i / c->heads]);
        int64_t h = i % c->heads, at = h * keys + i / c->heads;

        if (!lct_is_hidden(scores[at]))
            scores[at] += w->c->scale *
                          lct_dot(w->r->content.y + h * W, fixed_row(w, m), W);
    }
}

/*
 * forward: y = matrix^T (q + a), s += scale <y, B[m]>: dy = sum scale ds B[m],
 * dmatrix = (q + a) dy^T, dq = da = matrix dy.
 */
void lct_rows_vectors_fixed_backward(const double *dscores,
                                     const struct lct_content_gradient *g,
                                     const struct lct_rows_task *w,
                                     const struct lct_rows_vectors *v)
{
    const struct lct_call *c = &w->c->call;
    int64_t W = c->width, D = c->head_dim, keys = w->c->keys;

    memset(w->r->content.dy, 0, (size_t)(c->heads * W) * sizeof(double));
    for (int64_t i = 0; i < c->heads * keys; i++) {
        int64_t m = row_of(w, &v->v, w->q.pos, w->c->k_pos[i / c->heads]);
        int64_t h = i % c->heads, at = h * keys + i / c->heads;

        if (dscores[at] != 0)
            lct_accumulate(w->r->content.dy + h * W, w->c->scale * dscores[at],
                           fixed_row(w, m), W);
    }
    for (int64_t i = 0; i < c->heads * D; i++) {
        const double *dy = w->r->content.dy + i / D * W;
        double a = v->v.added >= 0 ? c->param[v->v.added][i] : 0;
        double dq = lct_dot(c->param[v->v.matrix] + i * W, dy, W);

        lct_accumulate(g->dparam[v->v.matrix] + i * W, w->q.q[i] + a, dy, W);
        g->dq[i] += dq;
        if (v->v.added >= 0)
            g->dparam[v->v.added][i] += dq;
    }
}

/* ------------------------------------------------------------------- values */

/* o += sum_j p[j] V[m]; vectors with weight 0 are not read. */
void lct_rows_vectors_values(double *o, const double *p,
                             const struct lct_rows_task *w,
                             const struct lct_rows_vectors *v)
{
    int64_t D = w->c->call.head_dim, keys = w->c->keys;

    for (int64_t i = 0; i < w->c->call.heads * keys; i++) {
        int64_t h = i / keys,
                m = row_of(w, &v->v, w->q.pos, w->c->k_pos[i % keys]);

        if (p[i] != 0)
            lct_accumulate(o + h * D, p[i],
                           vectors_of(w, v) + vector_at(w, v, h, m), D);
    }
}

/* forward: o += p V[m]: dp = <dout, V[m]>, dV[m] = p dout */
void lct_rows_vectors_values_backward(double *dp,
                                      const struct lct_content_gradient *g,
                                      const double *p, const double *dout,
                                      const struct lct_rows_task *w,
                                      const struct lct_rows_vectors *v)
{
    int64_t D = w->c->call.head_dim, keys = w->c->keys;

    for (int64_t i = 0; i < w->c->call.heads * keys; i++) {
        int64_t h = i / keys,
                m = row_of(w, &v->v, w->q.pos, w->c->k_pos[i % keys]);
        int64_t at = vector_at(w, v, h, m);

        if (w->r->p[i] == 0) /* p may be 0 times a factor of 0 */
            continue;
        dp[i] += lct_dot(dout + h * D, vectors_of(w, v) + at, D);
        lct_accumulate(dvectors_of(g, v) + at, p[i], dout + h * D, D);
    }
}
