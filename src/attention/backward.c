/* backward.c - load and store rows of gradients in the tiled engine */
#include "backward.h"
#include "load.h"
#include "param_gradients.h"
#include "part.h"
#include "relations.h"
#include "rotation.h"
#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ queries */

/* <x, y> of n numbers, n a multiple of LCT_PAD. */
static float dot(const float *x, const float *y, int64_t n)
{
    enum { CHAINS = 8 };
    double sum[CHAINS] = { 0 };

    for (int64_t i = 0; i < n; i += CHAINS)
        for (int l = 0; l < CHAINS; l++)
            sum[l] += (double)x[i + l] * (double)y[i + l];
    for (int half = CHAINS / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            sum[l] += sum[l + half];
    return (float)sum[0];
}

/*
 * delta = <dout, out> of a query; it equals the sum of p dp over its keys, also
 * if outputs were rotated back, since dout is rotated after that.
 */
void lct_backward_load_queries(const struct lct_backward *job,
                               const struct lct_tile *t, struct lct_scratch *s)
{
    const struct lct_plan *p = job->p;
    const int64_t at[3] = { t->b, t->h, t->i };
    const float *lse = lct_at(job->lse, at, 3);

    lct_load_rows(p, s->dout, p->padded_v, job->dout, at, t->rows);
    lct_load_rows(p, s->out, p->padded_v, job->out, at, t->rows);
    for (int64_t i = 0; i < (int64_t)t->lanes; i++) {
        s->lse[i] = INFINITY; /* no query, or it sees no key: p becomes 0 */
        s->delta[i] = 0;
        if (i >= t->rows)
            continue;
        s->delta[i] = dot(s->out + i * p->padded_v, s->dout + i * p->padded_v,
                          p->padded_v);
        s->lse[i] = lse[i * job->lse->stride[2]];
        if (s->lse[i] == -INFINITY)
            s->lse[i] = INFINITY;
    }
    lct_load_rotate_outputs(p, s->dout, at, t->rows, 1);
    p->arithmetic->load_dout(p, t, s, job->dout);
    memset(s->dq, 0, (size_t)(t->rows * p->padded_q) * sizeof(*s->dq));
    lct_relations_clear(p, t, s);
    if (p->request->part != NULL)
        lct_part_load_dq(p, t, s);
}

/* The parameter gradients of the task that owns a head of keys. */
static double *task_params(const struct lct_backward *job, int64_t b,
                           int64_t kv_head)
{
    return lct_param_gradients_of_task(job->p, b - job->from, kv_head);
}

/* forward: q was mapped or rotated, then scaled */
void lct_backward_store_queries(const struct lct_backward *job,
                                const struct lct_tile *t, struct lct_scratch *s)
{
    const struct lct_plan *p = job->p;
    int64_t at[3] = { t->b, t->h, t->i };

    for (int64_t i = 0; i < t->rows; i++, at[2]++) {
        float *row = s->dq + i * p->padded_q;
        float scale = lct_load_query_scale(p, t->b, t->h, at[2]);

        for (int64_t d = 0; d < p->padded_q; d++)
            row[d] *= scale;
        if (p->request->general_map)
            lct_rotation_load_row_backward(
                job->g->dq, task_params(job, t->b, lct_plan_kv_head(p, t->h)),
                p, row, NULL, s->mapped, LCT_QUERY, at);
    }
    if (p->request->general_map)
        return;
    if (p->schedule != NULL)
        lct_load_rotate(p, s->dq, p->padded_q, t->rows,
                        lct_tables_angles(p, p->tables->angles, LCT_QUERY, t->b,
                                          t->h, t->i),
                        -1);
    lct_relations_add_queries(p, t, s);
    lct_load_rows_back(p, job->g->dq, s->dq, p->padded_q,
                       (int64_t[3]){ t->b, t->h, t->i }, t->rows);
}

/* --------------------------------------------------------- keys and values */

/* Where to add dk or dv: to 'gathered' [S, width] or, if NULL, to d. */
static struct lct_product_rows rows_to(const struct lct_plan *p,
                                       const struct lct_tile *t,
                                       const locant_tensor *d, float *gathered,
                                       int64_t width)
{
    int64_t at[3] = { t->b, lct_plan_kv_head(p, t->h), t->j - p->first_key };

    if (gathered != NULL)
        return (struct lct_product_rows){ gathered + at[2] * width,
                                          (size_t)width };
    return (struct lct_product_rows){ lct_at(d, at, 3), (size_t)d->stride[2] };
}

struct lct_product_rows lct_backward_dk(const struct lct_backward *job,
                                        const struct lct_tile *t,
                                        struct lct_scratch *s)
{
    const struct lct_plan *p = job->p;

    if (!job->needs_dk)
        return (struct lct_product_rows){ NULL, 0 };
    return rows_to(p, t, job->g->dk, p->gathers_dk ? s->dk : NULL, p->padded_q);
}

struct lct_product_rows lct_backward_dv(const struct lct_backward *job,
                                        const struct lct_tile *t,
                                        struct lct_scratch *s)
{
    const struct lct_plan *p = job->p;

    if (!job->needs_dv)
        return (struct lct_product_rows){ NULL, 0 };
    return rows_to(p, t, job->g->dv, p->gathers_dv ? s->dv : NULL, p->padded_v);
}

static void clear_rows(const struct lct_plan *p, const locant_tensor *d,
                       float *gathered, int64_t width, int64_t b, int64_t head)
{
    float *row;

    if (gathered != NULL) {
        memset(gathered, 0, (size_t)(p->held_keys * width) * sizeof(*gathered));
        return;
    }
    row = lct_at(d, (int64_t[3]){ b, head, 0 }, 3);
    for (int64_t j = 0; j < p->held_keys; j++, row += d->stride[2])
        memset(row, 0, (size_t)d->shape[3] * sizeof(*row));
}

void lct_backward_clear_keys(const struct lct_backward *job, int64_t b,
                             int64_t head, struct lct_scratch *s)
{
    const struct lct_plan *p = job->p;

    if (job->needs_dk)
        clear_rows(p, job->g->dk, p->gathers_dk ? s->dk : NULL, p->padded_q, b,
                   head);
    if (job->needs_dv)
        clear_rows(p, job->g->dv, p->gathers_dv ? s->dv : NULL, p->padded_v, b,
                   head);
}

/* forward: v was the first channels of k; dk, as the caller gave k, += dv */
static void add_dv(const struct lct_plan *p, struct lct_scratch *s)
{
    for (int64_t j = 0; j < p->held_keys; j++)
        for (int64_t d = 0; d < p->Dv; d++)
            s->dk[j * p->padded_q + d] += s->dv[j * p->padded_v + d];
}

/* forward: v was rotated as it was loaded */
static void rotate_dv_back(const struct lct_backward *job, int64_t b,
                           int64_t head, struct lct_scratch *s)
{
    const struct lct_plan *p = job->p;
    const locant_tensor *dv = job->g->dv;

    if (p->rotates_values)
        lct_load_rotate(
            p,
            p->gathers_dv ? s->dv : lct_at(dv, (int64_t[3]){ b, head, 0 }, 3),
            p->gathers_dv ? p->padded_v : dv->stride[2], p->held_keys,
            lct_tables_angles(p, p->tables->angles, LCT_KEY, b, head,
                              p->first_key),
            -1);
}

/* forward: k was mapped or rotated as it was loaded */
static void store_dk(const struct lct_backward *job, int64_t b, int64_t head,
                     struct lct_scratch *s)
{
    const struct lct_plan *p = job->p;
    const locant_tensor *dk = job->g->dk;
    int64_t at[3] = { b, head, 0 };

    if (p->tables->k_mapped != NULL) {
        for (int64_t j = 0; j < p->held_keys; j++)
            lct_rotation_load_row_backward(
                dk, task_params(job, b, head), p, s->dk + j * p->padded_q,
                p->request->values_of_keys ? s->dv + j * p->padded_v : NULL,
                s->mapped, LCT_KEY, (int64_t[3]){ b, head, p->first_key + j });
        return;
    }
    if (p->rotates_keys)
        lct_load_rotate(p, p->gathers_dk ? s->dk : lct_at(dk, at, 3),
                        p->gathers_dk ? p->padded_q : dk->stride[2],
                        p->held_keys,
                        lct_tables_angles(p, p->tables->angles, LCT_KEY, b,
                                          head, p->first_key),
                        -1);
    if (p->request->values_of_keys)
        add_dv(p, s);
    if (p->gathers_dk)
        lct_load_rows_back(p, dk, s->dk, p->padded_q, at, p->held_keys);
}

void lct_backward_store_keys(const struct lct_backward *job, int64_t b,
                             int64_t head, struct lct_scratch *s)
{
    if (job->needs_dv)
        rotate_dv_back(job, b, head, s);
    if (job->needs_dk)
        store_dk(job, b, head, s);
    if (job->g->dv != NULL && job->p->gathers_dv)
        lct_load_rows_back(job->p, job->g->dv, s->dv, job->p->padded_v,
                           (int64_t[3]){ b, head, 0 }, job->p->held_keys);
}
