/* rows_forward.c - attention by rows: softmax(scores) v */
#include "../core/pool.h"
#include "../kernel/row.h"
#include "rotation.h"
#include "rows.h"
#include "rows_stick.h"
#include "sinks.h"
#include "stick.h"
#include <math.h>
#include <string.h>

struct forward_job {
    const struct lct_plan *p;
    const locant_tensor *out, *lse;
    int64_t count; /* documents in memory, one for each task */
};

static void load(void *context, size_t n, int slot)
{
    const struct forward_job *job = context;
    struct lct_rows_task w = lct_rows_task_of(job->p, n, slot);

    if (w.doc->active)
        lct_rows_load(&w);
}

/* Turn scores s into weights; returns the log-sum-exp of scores and sink. */
static double softmax(double *s, int64_t n, double sink)
{
    double row_max = sink, sum;

    for (int64_t j = 0; j < n; j++)
        row_max = s[j] > row_max || isnan(s[j]) ? s[j] : row_max;
    sum = sink == -INFINITY ? 0 : exp(sink - row_max);
    for (int64_t j = 0; j < n; j++) {
        s[j] = s[j] == -INFINITY ? 0 : exp(s[j] - row_max);
        sum += s[j];
    }
    if (sum != 0)
        for (int64_t j = 0; j < n; j++)
            s[j] /= sum;
    return sum == 0 ? -INFINITY : row_max + log(sum);
}

/* o = p v; values with weight 0 are not read. */
static void weighted_sum(double *o, const double *weight, const double *v,
                         int64_t keys, int64_t D)
{
    memset(o, 0, (size_t)D * sizeof(*o));
    for (int64_t j = 0; j < keys; j++)
        if (weight[j] != 0)
            lct_accumulate(o, weight[j], v + j * D, D);
}

static void store(const struct forward_job *job, int64_t b, int64_t h,
                  int64_t i, double *o, double lse)
{
    int64_t index[3] = { b, h, i };

    lct_rotation_value(job->p, o, LCT_QUERY, index, -1);
    lct_row_from_f64(lct_at(job->out, index, 3), job->out->dtype, o,
                     (size_t)job->p->Dv);
    lct_row_from_f64(lct_at(job->lse, index, 3), job->lse->dtype, &lse, 1);
}

/* Stick-breaking: o += the rest times the query's own value. */
static void add_own(const struct lct_rows_task *w, int64_t i)
{
    const struct lct_rows_document *doc = w->doc;
    int64_t group = doc->heads / doc->kv_heads, D = w->p->Dv;
    int64_t own = lct_rows_stick_own(w, i);

    for (int64_t h = 0; own >= 0 && h < doc->heads; h++)
        if (w->r->rest[h] != 0)
            lct_accumulate(w->r->o + h * D, w->r->rest[h],
                           doc->v + (h / group * doc->c.keys + own) * D, D);
}

/* Query i of document n. */
static void forward_row(void *context, size_t task, int slot)
{
    const struct forward_job *job = context;
    const struct lct_plan *p = job->p;
    struct lct_rows_task w = lct_rows_task_of(p, task / (size_t)p->T, slot);
    const struct lct_rows_document *doc = w.doc;
    int64_t i = (int64_t)(task % (size_t)p->T);
    int64_t keys = doc->c.keys, group = doc->heads / doc->kv_heads;
    double *lse = w.r->dq; /* [heads]; forward needs no dq */
    bool any;

    if (!doc->active || !lct_rows_has(&w, i))
        return;
    any = lct_rows_scores(&w, i);
    if (any && p->tables->content != NULL)
        lct_rows_content_scores(w.r->s, &w);
    lct_rows_finish_scores(w.r->s, NULL, &w);
    for (int64_t h = 0; h < doc->heads; h++) {
        double *weight = w.r->s + h * keys;

        if (p->request->stick != NULL) {
            w.r->rest[h] = lct_rows_stick_weights(weight, NULL, doc);
            lse[h] = lct_stick_lse(w.r->rest[h]);
        } else {
            lse[h] = softmax(weight, keys, lct_sinks_logit(p, doc->head + h));
        }
        if (p->tables->after != NULL)
            for (int64_t j = 0; j < keys; j++)
                weight[j] *= w.r->after[h * keys + j];
        weighted_sum(w.r->o + h * p->Dv, weight,
                     doc->v + h / group * keys * p->Dv, keys, p->Dv);
    }
    if (any && p->tables->content != NULL)
        lct_rows_content_values(w.r->o, w.r->s, &w);
    if (p->request->stick != NULL)
        add_own(&w, i);
    for (int64_t h = 0; h < doc->heads; h++)
        store(job, doc->b, doc->head + h, i, w.r->o + h * p->Dv, lse[h]);
}

/* Set out to 0, lse to the sink; what is not padding is overwritten later. */
static void clear_outputs(void *context, size_t task, int slot)
{
    const struct forward_job *job = context;
    const struct lct_plan *p = job->p;
    double *zero = p->rows->scratch[slot].x;

    memset(zero, 0, (size_t)p->Dv * sizeof(*zero));
    for (int64_t i = 0; i < p->T; i++)
        store(job, (int64_t)task / p->H, (int64_t)task % p->H, i, zero,
              lct_sinks_logit(p, (int64_t)task % p->H));
}

/* Move each task to its next document; false: no task has one. */
static bool next_documents(const struct forward_job *job)
{
    bool any = false;

    for (int64_t n = 0; n < job->count; n++)
        any |= lct_rows_next(&job->p->rows->documents[n], job->p);
    return any;
}

void lct_rows_forward(const struct lct_plan *p, locant_tensor *out,
                      locant_tensor *lse)
{
    struct forward_job job = { .p = p, .out = out, .lse = lse };
    int64_t tasks = lct_rows_tasks(p);

    if (p->documents)
        lct_parallel_for((size_t)(p->B * p->H), p->slots, clear_outputs, &job);
    for (int64_t from = 0; from < tasks; from += job.count) {
        job.count = tasks - from < p->slots ? tasks - from : p->slots;
        for (int64_t n = 0; n < job.count; n++)
            lct_rows_begin(&p->rows->documents[n], p, from + n);
        while (next_documents(&job)) {
            lct_parallel_for((size_t)job.count, p->slots, load, &job);
            lct_parallel_for((size_t)(job.count * p->T), p->slots, forward_row,
                             &job);
        }
    }
}
