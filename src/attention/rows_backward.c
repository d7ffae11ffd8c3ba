/*
 * rows_backward.c - gradients of attention by rows.
 *
 * forward: s = gain scale q k + b, -inf if masked; t = cap(content(s));
 * p = exp(t + B - lse); w = p after; o = w v + values(w).  One task owns the
 * keys of its documents and takes their queries in order.  Each task has a row
 * of parameter gradients, and these rows are added in the order of tasks.
 */
#include "../core/pool.h"
#include "../kernel/row.h"
#include "bias.h"
#include "dense_gradient.h"
#include "outputs.h"
#include "param_gradients.h"
#include "rotation.h"
#include "rows.h"
#include "rows_factors.h"
#include "rows_stick.h"
#include "rows_store.h"
#include "sinks.h"
#include "token_angles.h"
#include <math.h>
#include <string.h>

struct backward_job {
    const struct lct_plan *p;
    const locant_attention_gradients *g;
    const locant_tensor *dout, *out, *lse;
    int64_t first, last; /* queries */
    int64_t from;        /* task of document 0 */
};

/* One task: its document, its memory and its gradients. */
struct owner {
    const struct backward_job *job;
    struct lct_rows_task t;
    double *sums;                     /* row of p->gradients->params */
    double *dcontent[LCT_MAX_PARAMS]; /* those of content, in 'sums' */
    struct lct_content_gradient g;
};

/* Where gradients of parameters are added; NULL: they are not wanted. */
static double *sums_of(const struct owner *w)
{
    return w->job->g->dparams == NULL ? NULL : w->sums;
}

/* r->p = weights of all heads for query i */
static void recompute_probs(const struct owner *w, int64_t i)
{
    int64_t keys = w->t.doc->c.keys;

    memcpy(w->t.r->p, w->t.r->s,
           (size_t)(w->t.doc->heads * keys) * sizeof(double));
    if (w->t.p->tables->content != NULL)
        lct_rows_content_scores(w->t.r->p, &w->t);
    lct_rows_finish_scores(w->t.r->p, w->t.r->slope, &w->t);
    for (int64_t h = 0; h < w->t.doc->heads; h++) {
        int64_t index[3] = { w->t.doc->b, w->t.doc->head + h, i };
        double *p = w->t.r->p + h * keys, lse;

        if (w->t.p->request->stick != NULL) {
            w->t.r->rest[h] =
                lct_rows_stick_weights(p, w->t.r->sigma + h * keys, w->t.doc);
            continue;
        }
        lct_row_to_f64(&lse, lct_at(w->job->lse, index, 3), w->job->lse->dtype,
                       1);
        for (int64_t j = 0; j < keys; j++)
            p[j] = p[j] == -INFINITY || lse == -INFINITY ? 0 : exp(p[j] - lse);
    }
}

/* r->ds = gradient of 'weights'; dv += weights dout. */
static void values_backward(const struct owner *w, const double *weights)
{
    const struct lct_rows_document *doc = w->t.doc;
    int64_t keys = doc->c.keys, D = w->t.p->Dv,
            group = doc->heads / doc->kv_heads;

    for (int64_t h = 0; h < doc->heads; h++) {
        const double *dout = w->t.r->dout + h * D, *p = weights + h * keys;
        const double *v = doc->v + h / group * keys * D;
        double *dv = doc->dv + h / group * keys * D;

        for (int64_t j = 0; j < keys; j++) {
            /* p may be 0 because of a factor, which still has a gradient. */
            w->t.r->ds[h * keys + j] =
                w->t.r->p[h * keys + j] == 0 ? 0 : lct_dot(dout, v + j * D, D);
            if (p[j] != 0)
                lct_accumulate(dv + j * D, p[j], dout, D);
        }
    }
    if (w->t.p->tables->content != NULL)
        lct_rows_content_values_backward(w->t.r->ds, &w->g, weights,
                                         w->t.r->dout, &w->t);
}

/* r->ds = gradient of the weights p; dv += p times 'after' dout. */
static void after_backward(const struct owner *w)
{
    const struct lct_call *call = w->t.p->tables->after;
    const struct lct_rows_scratch *r = w->t.r;
    int64_t n = w->t.doc->heads * w->t.doc->c.keys;

    if (call == NULL) {
        values_backward(w, r->p);
        return;
    }
    for (int64_t j = 0; j < n; j++)
        r->factored[j] = r->p[j] * r->after[j];
    values_backward(w, r->factored);
    for (int64_t j = 0; j < n; j++)
        r->factored[j] = r->p[j] == 0 ? 0 : r->p[j] * r->ds[j];
    lct_rows_factors_backward(&w->t, LCT_AFTER, sums_of(w));
    for (int64_t j = 0; j < n; j++)
        r->ds[j] *= r->after[j];
}

/* Stick-breaking: dv of the query's own key += rest dout; then r->ds is the
 * gradient of content(s). */
static void stick_backward(const struct owner *w, int64_t i)
{
    const struct lct_rows_document *doc = w->t.doc;
    const struct lct_rows_scratch *r = w->t.r;
    int64_t keys = doc->c.keys, group = doc->heads / doc->kv_heads;
    int64_t own = lct_rows_stick_own(&w->t, i), D = w->t.p->Dv;

    for (int64_t h = 0; h < doc->heads; h++) {
        int64_t at = (h / group * keys + own) * D;
        const double *dout = r->dout + h * D;

        if (own >= 0 && r->rest[h] != 0)
            lct_accumulate(doc->dv + at, r->rest[h], dout, D);
        lct_rows_stick_backward(
            r->ds + h * keys, r->p + h * keys, r->sigma + h * keys,
            own < 0 ? 0 : lct_dot(dout, doc->v + at, D), doc);
    }
    if (w->t.p->request->softcap != 0)
        for (int64_t j = 0; j < doc->heads * keys; j++)
            r->ds[j] *= r->slope[j];
}

/*
 * r->ds = p (ds - <dout, out>) slope: the gradient of content(s).  The product
 * takes dout as given, since r->dout may be rotated.
 */
static void softmax_backward(const struct owner *w, int64_t i)
{
    int64_t keys = w->t.doc->c.keys, D = w->t.p->Dv;

    for (int64_t h = 0; h < w->t.doc->heads; h++) {
        int64_t index[3] = { w->t.doc->b, w->t.doc->head + h, i };
        const double *p = w->t.r->p + h * keys;
        double *ds = w->t.r->ds + h * keys, delta;

        lct_row_to_f64(w->t.r->o, lct_at(w->job->out, index, 3),
                       w->job->out->dtype, (size_t)D);
        lct_row_to_f64(w->t.r->dx, lct_at(w->job->dout, index, 3),
                       w->job->dout->dtype, (size_t)D);
        delta = lct_dot(w->t.r->dx, w->t.r->o, D);
        for (int64_t j = 0; j < keys; j++)
            ds[j] = p[j] == 0 ? 0 : p[j] * (ds[j] - delta);
        if (w->job->g->dbias != NULL)
            lct_dense_gradient_add_keys(w->t.p, w->job->g->dbias, index,
                                        w->t.doc->index, keys, ds);
        if (w->t.p->request->softcap != 0)
            for (int64_t j = 0; j < keys; j++)
                ds[j] *= w->t.r->slope[h * keys + j];
    }
}

/* Masked scores have no gradient. */
static void clear_masked(const struct owner *w)
{
    int64_t n = w->t.doc->heads * w->t.doc->c.keys;

    for (int64_t j = 0; j < n; j++)
        if (w->t.r->s[j] == -INFINITY)
            w->t.r->ds[j] = w->t.r->dbias[j] = 0;
}

/* dq += scale gain ds k;  dk += scale gain ds q */
static void products_backward(const struct owner *w)
{
    const struct lct_rows_document *doc = w->t.doc;
    int64_t keys = doc->c.keys, D = w->t.p->Dq,
            group = doc->heads / doc->kv_heads;

    for (int64_t h = 0; h < doc->heads; h++) {
        const double *ds = w->t.r->ds + h * keys;
        const double *k = doc->k + h / group * keys * D;
        double *dk = doc->dk + h / group * keys * D;

        for (int64_t j = 0; j < keys; j++) {
            int64_t at = lct_rows_query_at(&w->t, h, j);
            double x = w->t.p->scale * ds[j];

            if (ds[j] == 0)
                continue;
            if (w->t.p->tables->gain != NULL)
                x *= w->t.r->gain[h * keys + j];
            lct_accumulate(dk + j * D, x, w->t.r->q + at, D);
            lct_accumulate(w->t.r->dq + at, x, k + j * D, D);
        }
    }
}

/* Gradients of the score part's parameters, from ds and content's dbias. */
static void bias_backward(const struct owner *w)
{
    const struct lct_rows_document *doc = w->t.doc;
    int64_t keys = doc->c.keys;
    double *dparam[LCT_MAX_PARAMS];
    bool learns = lct_bias_learns(w->t.p) && w->job->g->dparams != NULL;
    struct lct_call call;

    if (!learns &&
        !(w->t.p->tables->score != NULL && lct_real_is_wanted(w->t.p)))
        return;
    call = *w->t.p->tables->score;
    call.last = doc->c.call.last;
    lct_param_gradients_of(dparam, w->t.p, &call, w->sums);
    for (int64_t h = 0; h < doc->heads; h++) {
        struct lct_real_row real = lct_rows_real(&w->t, h);
        double *ds = w->t.r->ds + h * keys;

        for (int64_t j = 0; j < keys; j++)
            ds[j] += w->t.r->dbias[h * keys + j];
        if (w->t.p->request->real)
            lct_real_bias_backward(&real, ds, learns ? w->sums : NULL);
        else
            call.e->row->score.backward(dparam, &call, doc->head + h,
                                        w->t.q.pos, doc->c.k_pos, ds,
                                        (size_t)keys);
    }
}

static void backward_row(struct owner *w, int64_t i)
{
    const struct lct_plan *p = w->t.p;
    const struct lct_rows_document *doc = w->t.doc;
    size_t scores = (size_t)(doc->heads * doc->c.keys) * sizeof(double);
    bool any = lct_rows_scores(&w->t, i);

    memset(w->t.r->dq, 0,
           (size_t)(lct_tables_relations(p) * doc->heads * p->Dq) *
               sizeof(double));
    memset(w->t.r->dbias, 0, scores);
    for (int64_t h = 0; h < doc->heads; h++) {
        int64_t index[3] = { doc->b, doc->head + h, i };

        lct_row_to_f64(w->t.r->dout + h * p->Dv, lct_at(w->job->dout, index, 3),
                       w->job->dout->dtype, (size_t)p->Dv);
        lct_rotation_value(p, w->t.r->dout + h * p->Dv, LCT_QUERY, index, 1);
    }
    if (any || p->request->stick != NULL) {
        recompute_probs(w, i);
        after_backward(w);
        if (p->request->stick != NULL)
            stick_backward(w, i);
        else
            softmax_backward(w, i);
        if (p->tables->content != NULL)
            lct_rows_content_backward(w->t.r->ds, &w->g, w->t.r->s, &w->t);
        clear_masked(w);
        lct_rows_factors_gain_backward(&w->t, sums_of(w));
        products_backward(w);
        bias_backward(w);
    }
    for (int64_t h = 0; h < doc->heads; h++) {
        int64_t index[3] = { doc->b, doc->head + h, i };

        lct_rows_factors_row_backward(&w->t, index, w->t.r->dq + h * p->Dq,
                                      sums_of(w));
        lct_rows_store_query(&w->t, w->job->g, w->sums, index);
    }
}

static void backward_document(struct owner *w)
{
    struct lct_rows_document *doc = w->t.doc;
    size_t rows;

    lct_rows_load(&w->t);
    rows = (size_t)(doc->kv_heads * doc->c.keys) * sizeof(double);
    memset(doc->dk, 0, rows * (size_t)w->t.p->Dq);
    memset(doc->dv, 0, rows * (size_t)w->t.p->Dv);
    if (doc->dx != NULL)
        memset(doc->dx, 0, (size_t)(doc->c.keys * w->t.p->W) * sizeof(double));
    if (w->t.p->tables->content != NULL)
        lct_rows_content_begin_backward(&w->t);
    for (int64_t i = w->job->first; i < w->job->last && !lct_pool_cancelled();
         i++)
        if (lct_rows_has(&w->t, i))
            backward_row(w, i);
    if (w->t.p->tables->content != NULL)
        lct_rows_content_end(&w->g, &w->t);
    lct_rows_store_keys(&w->t, w->job->g, w->sums);
}

static void backward_task(void *context, size_t n, int slot)
{
    const struct backward_job *job = context;
    const struct lct_plan *p = job->p;
    struct lct_rows_document *doc = &p->rows->documents[n];
    struct owner w = { .job = job,
                       .t = lct_rows_task_of(p, n, slot),
                       .sums = p->gradients->params + (n + 1) * p->params };

    lct_rows_begin(doc, p, job->from + (int64_t)n);
    if (p->params > 0)
        memset(w.sums, 0, p->params * sizeof(double));
    if (p->tables->content != NULL)
        lct_param_gradients_of(w.dcontent, p, p->tables->content, w.sums);
    w.g = (struct lct_content_gradient){ .dq = w.t.r->dq,
                                         .dk = doc->dk,
                                         .dx = doc->dx,
                                         .dbias = w.t.r->dbias,
                                         .dparam = w.dcontent };
    lct_rows_store_clear(&w.t, job->g, job->first, job->last);
    if (p->request->token_numbers != NULL)
        w.g.dnumbers = p->tables->token.dz[LCT_KEY] +
                       doc->b * p->H * p->S * p->tables->token.numbers;
    while (lct_rows_next(doc, p))
        backward_document(&w);
}

void lct_rows_backward(const struct lct_plan *p,
                       const struct lct_gradient_pass *pass)
{
    const locant_attention_gradients *g = pass->g;
    struct backward_job job = { .p = p,
                                .g = g,
                                .dout = pass->dout,
                                .out = pass->out,
                                .lse = pass->lse,
                                .first = pass->first,
                                .last = pass->last };
    int64_t tasks = lct_rows_tasks(p), count;
    /* Tasks add to elements of dbias that they share in their order. */
    bool one = g->dbias != NULL && p->dense->way == LCT_DENSE_HEADS;

    lct_outputs_clear_dx(g->dx);
    if (p->params > 0)
        memset(p->gradients->params, 0, p->params * sizeof(double));
    lct_token_angles_begin_backward(p);
    for (; job.from < tasks; job.from += count) {
        count = one ? 1 : p->slots;
        count = tasks - job.from < count ? tasks - job.from : count;
        lct_parallel_for((size_t)count, p->slots, backward_task, &job);
        for (int64_t n = 1; n <= count; n++)
            for (size_t k = 0; k < p->params; k++)
                p->gradients->params[k] +=
                    p->gradients->params[(size_t)n * p->params + k];
    }
    lct_token_angles_end_backward(p, g->dx);
    lct_sinks_backward(p, pass);
}
