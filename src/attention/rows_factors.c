/* rows_factors.c - factors of scores, weights and queries in double */
#include "rows_factors.h"
#include "../kernel/row.h"
#include "param_gradients.h"
#include "rotation.h"
#include "row_factor.h"

static void load(double *to, const struct lct_rows_task *w, enum lct_factor f)
{
    const struct lct_rows_document *doc = w->doc;
    struct lct_call call;

    if (lct_factors_call(w->p, f) == NULL)
        return;
    call = *lct_factors_call(w->p, f);
    call.last = doc->c.call.last;
    for (int64_t h = 0; h < doc->heads; h++) {
        struct lct_real_row real = lct_rows_real(w, h);

        if (w->p->request->real)
            lct_real_factor(to + h * doc->c.keys, &real, f);
        else
            lct_factors_hooks(&call, f)->at(to + h * doc->c.keys, &call,
                                            doc->head + h, w->q.pos,
                                            doc->c.k_pos, (size_t)doc->c.keys);
    }
}

void lct_rows_factors_load(const struct lct_rows_task *w)
{
    load(w->r->gain, w, LCT_GAIN);
    load(w->r->after, w, LCT_AFTER);
}

/* ----------------------------------------------------------------- backward */

/* Has it parameters or coordinates whose gradients are wanted? */
static bool has_gradient(const struct lct_rows_task *w, enum lct_factor f,
                         const double *sums)
{
    const struct lct_call *call = lct_factors_call(w->p, f);

    return call != NULL &&
           (lct_real_is_wanted(w->p) ||
            (sums != NULL && lct_factors_hooks(call, f)->backward != NULL));
}

void lct_rows_factors_backward(const struct lct_rows_task *w, enum lct_factor f,
                               double *sums)
{
    const struct lct_rows_document *doc = w->doc;
    double *dparam[LCT_MAX_PARAMS];
    struct lct_call call;

    if (!has_gradient(w, f, sums))
        return;
    if (w->p->request->real) {
        for (int64_t h = 0; h < doc->heads; h++) {
            struct lct_real_row real = lct_rows_real(w, h);

            lct_real_factor_backward(&real, f, w->r->factored + h * doc->c.keys,
                                     sums);
        }
        return;
    }
    call = *lct_factors_call(w->p, f);
    call.last = doc->c.call.last;
    lct_param_gradients_of(dparam, w->p, &call, sums);
    for (int64_t h = 0; h < doc->heads; h++)
        lct_factors_hooks(&call, f)->backward(
            dparam, &call, doc->head + h, w->q.pos, doc->c.k_pos,
            w->r->factored + h * doc->c.keys, (size_t)doc->c.keys);
}

/* forward: s = gain scale q k + bias */
void lct_rows_factors_gain_backward(const struct lct_rows_task *w, double *sums)
{
    const struct lct_rows_document *doc = w->doc;
    int64_t keys = doc->c.keys, D = w->p->Dq,
            group = doc->heads / doc->kv_heads;

    if (!has_gradient(w, LCT_GAIN, sums))
        return;
    for (int64_t h = 0; h < doc->heads; h++) {
        const double *ds = w->r->ds + h * keys;
        const double *k = doc->k + h / group * keys * D;
        double *to = w->r->factored + h * keys;

        for (int64_t j = 0; j < keys; j++)
            to[j] = ds[j] == 0
                        ? 0
                        : ds[j] * w->p->scale *
                              lct_dot(w->r->q + lct_rows_query_at(w, h, j),
                                      k + j * D, D);
    }
    lct_rows_factors_backward(w, LCT_GAIN, sums);
}

/* forward: q = factor tau R(q) */
void lct_rows_factors_row_backward(const struct lct_rows_task *w,
                                   const int64_t at[3], const double *dq,
                                   double *sums)
{
    const struct lct_plan *p = w->p;
    double *q = w->r->q + (at[1] - w->doc->head) * p->Dq, sum;

    if (p->tables->row == NULL || sums == NULL)
        return;
    lct_row_to_f64(w->r->x, lct_at(&p->request->q, at, 3), p->request->q.dtype,
                   (size_t)p->D);
    lct_rotation_row(q, p, w->r->x, LCT_QUERY, at);
    sum = lct_dot(q, dq, p->Dq);
    for (int n = 1; n < lct_tables_relations(p); n++) {
        lct_rotation_relation(q, p, w->r->x, n, at);
        sum += lct_dot(q, dq + n * w->doc->heads * p->Dq, p->Dq);
    }
    if (p->tables->tau != NULL)
        sum *= p->tables->tau[lct_plan_row(p, at[0]) * p->T + at[2]];
    lct_row_factor_backward(p, at, sum, sums);
}
