/* content.c - the content door of one tile: scores, outputs and gradients */
#include "content.h"
#include "content_far.h"
#include "content_gates.h"
#include "content_window.h"
#include "product.h"
#include <string.h>

/* ----------------------------------------------------------------- queries */

/* y = q + scale a, as rows; y_cols is its transpose. */
static void add_vector(const struct lct_plan *p, const struct lct_tile *t,
                       float *y, float *y_cols, const float *q, int param)
{
    const double *a = p->tables->content->param[param] + t->h * p->D;

    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t d = 0; d < p->padded; d++)
            y[i * p->padded + d] = q[i * p->padded + d] +
                                   (d < p->D ? (float)(p->scale * a[d]) : 0);
    lct_product_columns(p, t, y_cols, y, p->padded, p->D);
}

void lct_content_open(const struct lct_plan *p, const struct lct_tile *t,
                      struct lct_scratch *s)
{
    const struct lct_content_products *c = p->content;
    struct lct_content_scratch *own = lct_content_scratch_of(p, s);

    for (int n = 0; n < c->products.count; n++) {
        int added = c->table[n].v.added;

        own->product[n].low = own->product[n].high = 0;
        own->gradient[n].low = own->gradient[n].high = 0;
        memset(own->dy[n], 0,
               (size_t)(t->rows * p->padded) * sizeof(*own->dy[n]));
        if (added >= 0)
            add_vector(p, t, own->y[n], own->y_cols[n], s->q, added);
    }
    if (c->products.near_far)
        lct_content_far_open(p, t, s);
    if (c->products.u >= 0)
        add_vector(p, t, s->q, s->q_cols, s->q, c->products.u);
}

/* The gradient of a vector += scale times the sum of rows dy. */
static void add_vector_backward(const struct lct_plan *p,
                                const struct lct_tile *t, double *to,
                                const float *dy,
                                const struct lct_content_gradients *job)
{
    to += (job->chunk_row * p->H + t->h) * p->D;
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t d = 0; d < p->D; d++)
            to[d] += p->scale * (double)dy[i * p->padded + d];
}

/* forward: y = q + scale a in products with vectors, q + scale u with keys */
void lct_content_close(const struct lct_plan *p, const struct lct_tile *t,
                       struct lct_scratch *s,
                       const struct lct_content_gradients *job)
{
    const struct lct_content_products *c = p->content;
    struct lct_content_scratch *own = lct_content_scratch_of(p, s);

    if (c->products.near_far)
        lct_content_far_close(p, t, s);
    if (c->products.u >= 0 && job->learns)
        add_vector_backward(p, t, c->dvector[0], s->dq, job);
    for (int n = 0; n < c->products.count; n++) {
        lct_content_window_release(p, t, s, n, job);
        if (c->table[n].v.times != LCT_TIMES_QUERY)
            continue;
        if (c->table[n].v.added >= 0 && job->learns)
            add_vector_backward(p, t, c->dvector[1 + n], own->dy[n], job);
        for (int64_t i = 0; i < t->rows * p->padded; i++)
            s->dq[i] += own->dy[n][i];
    }
}

/* ------------------------------------------------------------------ scores */

/* to [keys, lanes] += products of 'cols' with the rows that pairs pick. */
static void add_products(const struct lct_plan *p, const struct lct_tile *t,
                         float *to, const float *cols,
                         const struct lct_content_table *table,
                         const struct lct_content_picks *x,
                         struct lct_content_window *w)
{
    if (table->rows <= LCT_CONTENT_WINDOW)
        lct_content_window_hold(p, t, table, w, cols, 0, table->rows);
    for (int64_t at = x->low, end; at <= x->high; at = end) {
        end = lct_content_window_end(x, at);
        lct_content_window_hold(p, t, table, w, cols, at, end);
        lct_content_window_gather(to, t, x, w);
        if (lct_content_window_holds(w, x))
            return;
    }
}

/* s->s += y A[m]: products of the queries with rows of table n. */
static void query_rows(const struct lct_plan *p, const struct lct_tile *t,
                       struct lct_scratch *s, int n)
{
    const struct lct_content_table *table = &p->content->table[n];
    struct lct_content_scratch *own = lct_content_scratch_of(p, s);
    struct lct_content_picks x = lct_content_window_picks(p, t, table, own->at);

    add_products(p, t, s->s, table->v.added >= 0 ? own->y_cols[n] : s->q_cols,
                 table, &x, &own->product[n]);
}

/* to[i] += the entry of 'row' that pair (i, j) picks, if in from .. end - 1. */
static void add_picked(float *to, const float *row, const struct lct_tile *t,
                       const struct lct_content_picks *x, int64_t j,
                       int64_t from, int64_t end)
{
    const int32_t *at = lct_content_window_picks_of(x, t, j);

    if (x->low >= from && x->high < end)
        for (int64_t i = 0; i < t->rows; i++)
            to[i] += row[at[i] - from];
    else
        for (int64_t i = 0; i < t->rows; i++)
            if (at[i] >= from && at[i] < end)
                to[i] += row[at[i] - from];
}

/* s->s += k K[m]: products of the keys with a window of rows. */
static void key_rows(const struct lct_plan *p, const struct lct_tile *t,
                     struct lct_scratch *s,
                     const struct lct_content_table *table, const float *keys,
                     size_t key_row)
{
    struct lct_content_scratch *own = lct_content_scratch_of(p, s);
    struct lct_content_picks picks =
        lct_content_window_picks(p, t, table, own->at);
    const float *columns = table->columns + (table->heads == 1 ? 0 : t->h) *
                                                p->D * table->padded_rows;

    for (int64_t from = picks.low, end; from <= picks.high; from = end) {
        struct lct_product x;
        size_t n;

        end = lct_content_window_end(&picks, from);
        n = (size_t)lct_sizes_round_up(end - from, LCT_PAD);
        x = lct_product_of(
            (struct lct_product_rows){ own->by_row, LCT_CONTENT_WINDOW },
            lct_product_rows_of(keys, key_row),
            lct_product_rows_of(columns + from, (size_t)table->padded_rows),
            t->keys, n, p->D);
        p->kernels->matmul(&x);
        for (int64_t j = 0; j < t->keys; j++)
            add_picked(s->s + j * (int64_t)t->lanes,
                       own->by_row + j * LCT_CONTENT_WINDOW, t, &picks, j, from,
                       end);
    }
}

/* x [keys, lanes] *= factor */
static void multiply(float *x, const struct lct_tile *t, float factor)
{
    if (factor != 1)
        for (int64_t n = 0; n < t->keys * (int64_t)t->lanes; n++)
            x[n] *= factor;
}

void lct_content_scores(const struct lct_plan *p, const struct lct_tile *t,
                        struct lct_scratch *s, const float *keys,
                        size_t key_row)
{
    const struct lct_content_products *c = p->content;

    for (int n = 0; n < c->products.count; n++) {
        if (c->table[n].v.times == LCT_TIMES_QUERY)
            query_rows(p, t, s, n);
        else if (c->table[n].v.times == LCT_TIMES_KEY)
            key_rows(p, t, s, &c->table[n], keys, key_row);
    }
    if (c->products.gate_weight >= 0)
        lct_content_gates_scores(p, t, s);
    multiply(s->s, t, (float)c->products.factor);
}

/* forward: add_picked() */
static void scatter_picked(float *to, const float *ds, const struct lct_tile *t,
                           const struct lct_content_picks *x, int64_t j,
                           int64_t from, int64_t end)
{
    const int32_t *at = lct_content_window_picks_of(x, t, j);

    if (x->low >= from && x->high < end)
        for (int64_t i = 0; i < t->rows; i++)
            to[at[i] - from] += ds[i];
    else
        for (int64_t i = 0; i < t->rows; i++)
            if (at[i] >= from && at[i] < end)
                to[at[i] - from] += ds[i];
}

/* dk of the tile's keys += 'rows' */
static void add_to_keys(const struct lct_plan *p, const struct lct_tile *t,
                        const float *rows,
                        const struct lct_content_gradients *job)
{
    for (int64_t j = 0; j < t->keys; j++)
        for (int64_t d = 0; d < p->D; d++)
            job->dk.at[j * (int64_t)job->dk.row + d] += rows[j * p->padded + d];
}

/* forward: s += k K^T: dk += ds K, dK += ds^T k */
static void key_rows_backward(const struct lct_plan *p,
                              const struct lct_tile *t, struct lct_scratch *s,
                              const struct lct_content_table *table,
                              const struct lct_content_gradients *job)
{
    struct lct_content_scratch *own = lct_content_scratch_of(p, s);
    struct lct_content_picks picks =
        lct_content_window_picks(p, t, table, own->at);
    size_t padded = (size_t)p->padded;

    for (int64_t from = picks.low, end; from <= picks.high; from = end) {
        struct lct_product x;

        end = lct_content_window_end(&picks, from);
        memset(own->by_row, 0,
               (size_t)(t->keys * LCT_CONTENT_WINDOW) * sizeof(*own->by_row));
        for (int64_t j = 0; j < t->keys; j++)
            scatter_picked(own->by_row + j * LCT_CONTENT_WINDOW,
                           s->ds + j * (int64_t)t->lanes, t, &picks, j, from,
                           end);
        if (job->dk.at != NULL) {
            x = lct_product_of(
                (struct lct_product_rows){ own->rows, padded },
                lct_product_rows_of(own->by_row, LCT_CONTENT_WINDOW),
                lct_content_window_vectors(p, table, t->h, from), t->keys,
                padded, end - from);
            lct_product_multiply(p->kernels, &x, !table->finite);
            add_to_keys(p, t, own->rows, job);
        }
        if (!job->learns)
            continue;
        x = lct_product_of(
            (struct lct_product_rows){ own->rows, padded },
            lct_product_transposed(own->by_row, LCT_CONTENT_WINDOW),
            lct_product_rows_of(job->keys, job->key_row), end - from, padded,
            t->keys);
        lct_product_multiply(p->kernels, &x, true);
        lct_content_window_add_rows(p, t, table, own->rows, job, from,
                                    end - from);
    }
}

void lct_content_scores_backward(const struct lct_plan *p,
                                 const struct lct_tile *t,
                                 struct lct_scratch *s,
                                 const struct lct_content_gradients *job)
{
    const struct lct_content_products *c = p->content;

    multiply(s->ds, t, (float)c->products.factor);
    for (int n = 0; n < c->products.count; n++) {
        const struct lct_content_table *table = &c->table[n];
        struct lct_content_picks x;

        if (table->v.times == LCT_TIMES_KEY)
            key_rows_backward(p, t, s, table, job);
        if (table->v.times != LCT_TIMES_QUERY)
            continue;
        x = lct_content_window_picks(p, t, table,
                                     lct_content_scratch_of(p, s)->at);
        lct_content_window_scatter_rows(p, t, s, n, &x, s->ds, job);
    }
    if (c->products.gate_weight >= 0)
        lct_content_gates_scores_backward(p, t, s);
}

/* ------------------------------------------------------------------ values */

/*
 * Weights are summed by row, then rows are added in ascending order.  A row
 * that no key of a query picks has weight 0 and changes nothing, so the sum of
 * a query does not depend on the other queries of its tile.
 */
static void value_rows(const struct lct_plan *p, const struct lct_tile *t,
                       struct lct_scratch *s,
                       const struct lct_content_table *table)
{
    struct lct_content_scratch *own = lct_content_scratch_of(p, s);
    struct lct_content_picks x = lct_content_window_picks(p, t, table, own->at);
    struct lct_content_window w = { .held = own->by_row };
    size_t padded = (size_t)p->padded;

    for (w.low = x.low; w.low <= x.high; w.low = w.high) {
        struct lct_product o;

        w.high = lct_content_window_end(&x, w.low);
        memset(w.held, 0,
               (size_t)(w.high - w.low) * t->lanes * sizeof(*w.held));
        lct_content_window_scatter(s->s, t, &x, &w);
        o = lct_product_of((struct lct_product_rows){ s->out, padded },
                           lct_product_transposed(w.held, t->lanes),
                           lct_content_window_vectors(p, table, t->h, w.low),
                           t->rows, padded, w.high - w.low);
        o.add = true;
        lct_product_multiply(p->kernels, &o, !table->finite);
    }
}

void lct_content_values(const struct lct_plan *p, const struct lct_tile *t,
                        struct lct_scratch *s)
{
    for (int n = 0; n < p->content->products.count; n++)
        if (p->content->table[n].v.times == LCT_TIMES_WEIGHT)
            value_rows(p, t, s, &p->content->table[n]);
}

/* forward: o += p V: dp += dout V^T, dV += p^T dout */
static void value_rows_backward(const struct lct_plan *p,
                                const struct lct_tile *t, struct lct_scratch *s,
                                int n, const struct lct_content_gradients *job)
{
    const struct lct_content_table *table = &p->content->table[n];
    struct lct_content_scratch *own = lct_content_scratch_of(p, s);
    struct lct_content_picks x = lct_content_window_picks(p, t, table, own->at);

    add_products(p, t, s->ds, s->dout_cols, table, &x, &own->product[n]);
    if (job->learns)
        lct_content_window_scatter_rows(p, t, s, n, &x, s->s, job);
}

void lct_content_values_backward(const struct lct_plan *p,
                                 const struct lct_tile *t,
                                 struct lct_scratch *s,
                                 const struct lct_content_gradients *job)
{
    for (int n = 0; n < p->content->products.count; n++)
        if (p->content->table[n].v.times == LCT_TIMES_WEIGHT)
            value_rows_backward(p, t, s, n, job);
}
