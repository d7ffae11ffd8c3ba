/*
 * sinks.c - a logit per head that joins the softmax but has no value.
 *
 * Agarwal et al. (OpenAI): gpt-oss-120b & gpt-oss-20b Model Card. 2025.
 * arXiv:2508.10925.  With S the sink of a head, p[i,j] = exp(s_ij - lse_i) and
 * lse_i = log(e^S + sum_j exp(s_ij)): the sink is a key with value 0, so
 *
 *     dS = -sum_i exp(S - lse_i) <dout_i, out_i>
 */
#include "../core/pool.h"
#include "../kernel/row.h"
#include "sinks.h"
#include <math.h>

double lct_sinks_logit(const struct lct_plan *p, int64_t h)
{
    double x = -INFINITY;

    if (p->request->sinks != NULL)
        lct_row_to_f64(&x, lct_at(p->request->sinks, &h, 1),
                       p->request->sinks->dtype, 1);
    return x;
}

struct sinks_job {
    const struct lct_plan *p;
    const struct lct_gradient_pass *pass;
};

/* <dout, out>; where out is 0, as in rows that see no key, dout may be NaN. */
static double output_product(const struct sinks_job *job, const int64_t at[3])
{
    enum { BLOCK = 64 };
    const locant_tensor *of = job->pass->out, *dof = job->pass->dout;
    const char *out = lct_at(of, at, 3), *dout = lct_at(dof, at, 3);
    double o[BLOCK], d[BLOCK], sum = 0;

    for (int64_t left = job->p->Dv; left > 0; left -= BLOCK) {
        size_t n = left < BLOCK ? (size_t)left : BLOCK;

        lct_row_to_f64(o, out, of->dtype, n);
        lct_row_to_f64(d, dout, dof->dtype, n);
        for (size_t c = 0; c < n; c++)
            sum += o[c] == 0 ? 0 : o[c] * d[c];
        out += n * locant_dtype_size(of->dtype);
        dout += n * locant_dtype_size(dof->dtype);
    }
    return sum;
}

/* dsinks of one head += the sum over batch rows and queries, in order. */
static void sink_backward(void *context, size_t task, int slot)
{
    const struct sinks_job *job = context;
    const struct lct_plan *p = job->p;
    int64_t h = (int64_t)task;
    const locant_tensor *lses = job->pass->lse, *dsinks = job->pass->g->dsinks;
    const int64_t first = job->pass->first, T = job->pass->last - first;
    double sink = lct_sinks_logit(p, h), sum = 0, lse, before;
    void *to = lct_at(dsinks, &h, 1);

    (void)slot;
    if (sink == -INFINITY)
        return;
    for (int64_t n = 0; n < p->B * T; n++) {
        int64_t at[3] = { n / T, h, first + n % T };

        if (p->documents &&
            p->tables->q_docs[lct_plan_row(p, at[0]) * p->T + at[2]] < 0)
            continue; /* padding may hold anything */
        lct_row_to_f64(&lse, lct_at(lses, at, 3), lses->dtype, 1);
        sum += exp(sink - lse) * output_product(job, at);
    }
    lct_row_to_f64(&before, to, dsinks->dtype, 1);
    before -= sum;
    lct_row_from_f64(to, dsinks->dtype, &before, 1);
}

void lct_sinks_backward(const struct lct_plan *p,
                        const struct lct_gradient_pass *pass)
{
    struct sinks_job job = { p, pass };

    if (pass->g->dsinks != NULL)
        lct_parallel_for((size_t)p->H, p->slots, sink_backward, &job);
}
