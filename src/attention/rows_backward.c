/*
 * rows_backward.c - gradients of attention by rows.
 *
 * forward: s = scale q k + b, -inf if masked; t = cap(content(s));
 * p = exp(t - lse); o = p v + values(p).  One task owns the keys of its
 * documents and takes its queries in order.  Each task has a row of parameter
 * gradients; rows are added in the order of tasks.
 */
#include "../core/pool.h"
#include "../kernel/row.h"
#include "bias.h"
#include "outputs.h"
#include "param_gradients.h"
#include "rotation.h"
#include "rows.h"
#include "sinks.h"
#include <math.h>
#include <string.h>

struct backward_job {
    const struct lct_plan *p;
    const locant_attention *a;
    const locant_attention_gradients *g;
    const locant_tensor *dout, *out, *lse;
    int64_t from; /* task of document 0 */
};

/* One task: its document, its memory and its gradients. */
struct owner {
    const struct backward_job *job;
    const struct lct_plan *p;
    struct lct_rows_document *s;
    struct lct_rows_scratch *r;
    double *dparam;                /* row of p->gradients->params */
    double *split[LCT_MAX_PARAMS]; /* 'dparam' of the content part */
    struct lct_content_gradient g;
};

/* r->p = weights of all heads; r->ds = 0 for content to start from. */
static void weights(const struct owner *w, const struct lct_query *query,
                    int64_t i)
{
    int64_t keys = w->s->c.keys;

    memcpy(w->r->p, w->r->s, (size_t)(w->s->heads * keys) * sizeof(double));
    if (w->p->tables->content != NULL)
        lct_rows_content_scores(w->r->p, w->s, w->r, query);
    lct_rows_cap(w->r->p, w->r->slope, w->p, w->s->heads * keys);
    for (int64_t h = 0; h < w->s->heads; h++) {
        int64_t index[3] = { w->s->b, w->s->head + h, i };
        double *p = w->r->p + h * keys, lse;

        lct_row_to_f64(&lse, lct_at(w->job->lse, index, 3), w->job->lse->dtype,
                       1);
        for (int64_t j = 0; j < keys; j++)
            p[j] = p[j] == -INFINITY || lse == -INFINITY ? 0 : exp(p[j] - lse);
    }
}

/* r->ds = gradient of the weights; dv += p dout. */
static void through_values(const struct owner *w, const struct lct_query *query)
{
    const struct lct_rows_document *s = w->s;
    int64_t keys = s->c.keys, D = w->p->D, group = s->heads / s->kv_heads;

    for (int64_t h = 0; h < s->heads; h++) {
        const double *dout = w->r->dout + h * D, *p = w->r->p + h * keys;
        const double *v = s->v + h / group * keys * D;
        double *dv = s->dv + h / group * keys * D;

        for (int64_t j = 0; j < keys; j++) {
            w->r->ds[h * keys + j] =
                p[j] == 0 ? 0 : lct_dot(dout, v + j * D, D);
            if (p[j] != 0)
                for (int64_t d = 0; d < D; d++)
                    dv[j * D + d] += p[j] * dout[d];
        }
    }
    if (w->p->tables->content != NULL)
        lct_rows_content_values_backward(w->r->ds, &w->g, w->r->p, w->r->dout,
                                         s, query);
}

/* r->ds = p (ds - <dout, out>) slope: the gradient of content(s). */
static void through_softmax(const struct owner *w, int64_t i)
{
    int64_t keys = w->s->c.keys, D = w->p->D;

    for (int64_t h = 0; h < w->s->heads; h++) {
        int64_t index[3] = { w->s->b, w->s->head + h, i };
        const double *p = w->r->p + h * keys;
        double *ds = w->r->ds + h * keys, delta;

        lct_row_to_f64(w->r->o, lct_at(w->job->out, index, 3),
                       w->job->out->dtype, (size_t)D);
        delta = lct_dot(w->r->dout + h * D, w->r->o, D);
        for (int64_t j = 0; j < keys; j++)
            ds[j] = p[j] == 0 ? 0 : p[j] * (ds[j] - delta);
        if (w->p->request->softcap != 0)
            for (int64_t j = 0; j < keys; j++)
                ds[j] *= w->r->slope[h * keys + j];
    }
}

/* Masked scores have no gradient. */
static void clear_masked(const struct owner *w)
{
    int64_t n = w->s->heads * w->s->c.keys;

    for (int64_t j = 0; j < n; j++)
        if (w->r->s[j] == -INFINITY)
            w->r->ds[j] = w->r->dbias[j] = 0;
}

/* dq += scale ds k;  dk += scale ds q */
static void through_products(const struct owner *w)
{
    const struct lct_rows_document *s = w->s;
    int64_t keys = s->c.keys, D = w->p->Dq, group = s->heads / s->kv_heads;

    for (int64_t h = 0; h < s->heads; h++) {
        const double *q = w->r->q + h * D, *ds = w->r->ds + h * keys;
        const double *k = s->k + h / group * keys * D;
        double *dk = s->dk + h / group * keys * D, *dq = w->r->dq + h * D;

        for (int64_t j = 0; j < keys; j++) {
            double x = w->p->scale * ds[j];

            if (ds[j] != 0)
                for (int64_t d = 0; d < D; d++) {
                    dk[j * D + d] += x * q[d];
                    dq[d] += x * k[j * D + d];
                }
        }
    }
}

/* Gradients of score parameters, from ds and from dbias of content. */
static void through_bias(const struct owner *w, const struct lct_query *query)
{
    const struct lct_rows_document *s = w->s;
    int64_t keys = s->c.keys;
    double *split[LCT_MAX_PARAMS];
    struct lct_call call;

    if (!lct_bias_learns(w->p) || w->job->g->dparams == NULL)
        return;
    call = *w->p->tables->score;
    call.last = s->c.call.last;
    lct_param_gradients_of(split, w->p, &call, w->dparam);
    for (int64_t h = 0; h < s->heads; h++) {
        double *ds = w->r->ds + h * keys;

        for (int64_t j = 0; j < keys; j++)
            ds[j] += w->r->dbias[h * keys + j];
        call.e->row->score.backward(split, &call, s->head + h, query->pos,
                                    s->c.k_pos, ds, (size_t)keys);
    }
}

/* Rotate one row of dq or dk back and store it. */
static void store(const struct owner *w, const locant_tensor *to,
                  const locant_tensor *from, enum lct_role role,
                  const int64_t index[3], double *row)
{
    lct_row_to_f64(w->r->x, lct_at(from, index, 3), from->dtype,
                   (size_t)w->p->D);
    lct_rotation_row_backward(w->r->dx, w->dparam, w->p, row, w->r->x, role,
                              index);
    if (to != NULL)
        lct_row_from_f64(lct_at(to, index, 3), to->dtype, w->r->dx,
                         (size_t)w->p->D);
}

static void backward_row(const struct owner *w, int64_t i)
{
    const struct lct_plan *p = w->p;
    const struct lct_rows_document *s = w->s;
    size_t scores = (size_t)(s->heads * s->c.keys) * sizeof(double);
    double tau = p->tables->tau == NULL
                     ? 1
                     : p->tables->tau[lct_plan_row(p, s->b) * p->T + i];
    struct lct_query query;
    bool any = lct_rows_scores(&query, w->r, s, p, i);

    memset(w->r->dq, 0, (size_t)(s->heads * p->Dq) * sizeof(double));
    memset(w->r->dbias, 0, scores);
    for (int64_t h = 0; h < s->heads; h++) {
        int64_t index[3] = { s->b, s->head + h, i };

        lct_row_to_f64(w->r->dout + h * p->D, lct_at(w->job->dout, index, 3),
                       w->job->dout->dtype, (size_t)p->D);
    }
    if (any) {
        weights(w, &query, i);
        through_values(w, &query);
        through_softmax(w, i);
        if (p->tables->content != NULL)
            lct_rows_content_backward(w->r->ds, &w->g, w->r->s, s, w->r,
                                      &query);
        clear_masked(w);
        through_products(w);
        through_bias(w, &query);
    }
    for (int64_t h = 0; h < s->heads; h++) {
        int64_t index[3] = { s->b, s->head + h, i };
        double *dq = w->r->dq + h * p->Dq;

        if (tau != 1)
            for (int64_t d = 0; d < p->Dq; d++)
                dq[d] *= tau;
        store(w, w->job->g->dq, &p->request->q, LCT_QUERY, index, dq);
    }
}

static void store_keys(const struct owner *w)
{
    const struct lct_rows_document *s = w->s;
    const locant_attention_gradients *g = w->job->g;
    const locant_tensor *dv = g->dv;

    for (int64_t h = 0; h < s->kv_heads; h++)
        for (int64_t n = 0; n < s->c.keys; n++) {
            int64_t index[3] = { s->b, s->kv_head + h, s->index[n] };
            int64_t at = h * s->c.keys + n;

            store(w, g->dk, &w->p->request->k, LCT_KEY, index,
                  s->dk + at * w->p->Dq);
            if (dv != NULL)
                lct_row_from_f64(lct_at(dv, index, 3), dv->dtype,
                                 s->dv + at * w->p->D, (size_t)w->p->D);
        }
    if (g->dx != NULL && s->dx != NULL)
        for (int64_t n = 0; n < s->c.keys; n++) {
            int64_t index[2] = { s->b, s->index[n] };

            lct_row_from_f64(lct_at(g->dx, index, 2), g->dx->dtype,
                             s->dx + n * w->p->W, (size_t)w->p->W);
        }
}

static void backward_document(const struct owner *w)
{
    struct lct_rows_document *s = w->s;
    size_t rows;

    lct_rows_load(s, w->p, w->job->a, w->r);
    rows = (size_t)(s->kv_heads * s->c.keys) * sizeof(double);
    memset(s->dk, 0, rows * (size_t)w->p->Dq);
    memset(s->dv, 0, rows * (size_t)w->p->D);
    if (s->dx != NULL)
        memset(s->dx, 0, (size_t)(s->c.keys * w->p->W) * sizeof(double));
    if (w->p->tables->content != NULL)
        lct_rows_content_begin_backward(s);
    for (int64_t i = 0; i < w->p->T && !lct_pool_cancelled(); i++)
        if (lct_rows_has(s, w->p, i))
            backward_row(w, i);
    if (w->p->tables->content != NULL)
        lct_rows_content_end(&w->g, s, w->r);
    store_keys(w);
}

/* Padding has gradient 0; the gradients of other tokens are written later. */
static void clear_heads(const locant_tensor *d, int64_t b, int64_t head,
                        int64_t heads)
{
    if (d != NULL)
        for (int64_t h = head; h < head + heads; h++)
            for (int64_t i = 0; i < d->shape[2]; i++) {
                int64_t index[3] = { b, h, i };

                memset(lct_at(d, index, 3), 0,
                       (size_t)d->shape[3] * locant_dtype_size(d->dtype));
            }
}

static void backward_task(void *context, size_t n, int slot)
{
    const struct backward_job *job = context;
    const struct lct_plan *p = job->p;
    struct lct_rows_document *s = &p->rows->documents[n];
    struct owner w = { .job = job,
                       .p = p,
                       .s = s,
                       .r = &p->rows->scratch[slot],
                       .dparam = p->gradients->params + (n + 1) * p->params };

    lct_rows_begin(s, p, job->from + (int64_t)n);
    if (p->params > 0)
        memset(w.dparam, 0, p->params * sizeof(double));
    if (p->tables->content != NULL)
        lct_param_gradients_of(w.split, p, p->tables->content, w.dparam);
    w.g = (struct lct_content_gradient){ .dq = w.r->dq,
                                         .dk = s->dk,
                                         .dx = s->dx,
                                         .dbias = w.r->dbias,
                                         .dparam = w.split };
    clear_heads(job->g->dq, s->b, s->head, s->heads);
    clear_heads(job->g->dk, s->b, s->kv_head, s->kv_heads);
    clear_heads(job->g->dv, s->b, s->kv_head, s->kv_heads);
    while (lct_rows_next(s, p))
        backward_document(&w);
}

void lct_rows_backward(const struct lct_plan *p, const locant_attention *a,
                       const locant_attention_gradients *g,
                       const locant_tensor *dout, const locant_tensor *out,
                       const locant_tensor *lse)
{
    struct backward_job job = {
        .p = p, .a = a, .g = g, .dout = dout, .out = out, .lse = lse
    };
    int64_t tasks = lct_rows_tasks(p), count;

    lct_outputs_clear_dx(g->dx);
    if (p->params > 0)
        memset(p->gradients->params, 0, p->params * sizeof(double));
    for (; job.from < tasks; job.from += count) {
        count = tasks - job.from < p->slots ? tasks - job.from : p->slots;
        lct_parallel_for((size_t)count, p->slots, backward_task, &job);
        for (int64_t n = 1; n <= count; n++)
            for (size_t k = 0; k < p->params; k++)
                p->gradients->params[k] +=
                    p->gradients->params[(size_t)n * p->params + k];
    }
    if (p->params > 0 && g->dparams != NULL)
        lct_param_gradients_accumulate(p, g->dparams, a);
    lct_sinks_backward(p, g, dout, out, lse);
}
