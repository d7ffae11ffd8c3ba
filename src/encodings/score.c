/* score.c - the score door: biases of whole matrices, and their gradients */
#include "score.h"
#include "../core/pool.h"
#include "../core/size.h"
#include <string.h>

locant_status lct_score_check(size_t *total, const char *fn,
                              const locant_encoding *e,
                              const locant_tensor *params, int64_t heads)
{
    locant_param_info info;

    *total = 0;
    for (int i = 0; locant_encoding_param(&info, e, i, heads, 0); i++) {
        if (params == NULL)
            return locant_fail(LOCANT_ERR_NULL, "%s: %s has a learned "
                               "parameter '%s' %s, none was given", fn,
                               e->row->info.name, info.name, info.dims);
        LCT_TRY(lct_check(fn, info.name, &params[i], LCT_IN_REAL, info.rank,
                          info.shape));
        LCT_TRY(lct_check_dense(fn, info.name, &params[i]));
        *total += lct_elements(&params[i]);
    }
    return LOCANT_OK;
}

void lct_score_load(struct lct_score *s, double *memory,
                    const locant_encoding *e, const locant_tensor *params,
                    int64_t heads)
{
    *s = (struct lct_score){ .e = e, .heads = heads };
    for (int i = 0; e->row->params != NULL && e->row->params[i].name; i++) {
        lct_row_to_f64(memory, params[i].data, params[i].dtype,
                       lct_elements(&params[i]));
        s->param[i] = memory;
        memory += lct_elements(&params[i]);
    }
}

void lct_score_add(locant_tensor *dparams, const double *gradient,
                   const locant_encoding *e, const locant_tensor *params)
{
    for (int i = 0; e->row->params != NULL && e->row->params[i].name; i++) {
        for (size_t n = 0; n < lct_elements(&params[i]); n++) {
            if (dparams[i].dtype == LOCANT_F64)
                ((double *)dparams[i].data)[n] += gradient[n];
            else
                ((float *)dparams[i].data)[n] =
                    (float)(((float *)dparams[i].data)[n] + gradient[n]);
        }
        gradient += lct_elements(&params[i]);
    }
}

locant_status lct_score_check_gradients(const char *fn,
                                        const locant_tensor *dparams,
                                        const locant_encoding *e,
                                        const locant_tensor *params)
{
    for (int i = 0; e->row->params != NULL && e->row->params[i].name; i++) {
        LCT_TRY(lct_check(fn, "dparams", &dparams[i], LCT_IN_REAL,
                          params[i].rank, params[i].shape));
        LCT_TRY(lct_check_dense(fn, "dparams", &dparams[i]));
        LCT_TRY(lct_check_apart(fn, &dparams[i], &params[i]));
    }
    return LOCANT_OK;
}

struct bias_job {
    const locant_tensor *matrix; /* out or dout, [H, T, S] */
    const int64_t *q_pos, *k_pos;
    struct lct_score s;
    double *rows;                /* [slots, S] */
    double *gradient;            /* [H, total]: one head each */
    size_t total;
    int slots;
};

static void fill_row(void *context, size_t task, int slot)
{
    const struct bias_job *job = context;
    const locant_tensor *out = job->matrix;
    int64_t index[2] = { (int64_t)task / out->shape[1],
                         (int64_t)task % out->shape[1] };
    size_t n = (size_t)out->shape[2];
    double *row = job->rows + (size_t)slot * n;

    if (job->s.e->row->bias == NULL)
        memset(row, 0, n * sizeof(*row));
    else
        job->s.e->row->bias(row, &job->s, index[0], job->q_pos[index[1]],
                            job->k_pos, n);
    lct_row_from_f64(lct_at(out, index, 2), out->dtype, row, n);
}

/* One head: rows in order, so the sum does not depend on threads. */
static void gather_head(void *context, size_t task, int slot)
{
    const struct bias_job *job = context;
    const locant_tensor *dout = job->matrix;
    int64_t index[2] = { (int64_t)task, 0 };
    size_t n = (size_t)dout->shape[2];
    double *row = job->rows + (size_t)slot * n;
    double *dparam[LCT_MAX_PARAMS] = { NULL };
    double *mine = job->gradient + task * job->total;

    for (int i = 0; i < LCT_MAX_PARAMS && job->s.param[i] != NULL; i++)
        dparam[i] = mine + (job->s.param[i] - job->s.param[0]);
    for (; index[1] < dout->shape[1]; index[1]++) {
        lct_row_to_f64(row, lct_at(dout, index, 2), dout->dtype, n);
        job->s.e->row->bias_backward(dparam, &job->s, index[0],
                                     job->q_pos[index[1]], job->k_pos, row, n);
    }
}

static locant_status check_call(size_t *total, const char *fn, const char *arg,
                                const locant_tensor *matrix,
                                const locant_encoding *e,
                                const locant_tensor *q_pos,
                                const locant_tensor *k_pos,
                                const locant_tensor *params)
{
    int64_t any[3] = { -1, -1, -1 };

    if (e == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: e is NULL", fn);
    if (!(e->row->info.doors & LOCANT_DOOR_SCORE) && e->row->info.doors != 0)
        return locant_fail(LOCANT_ERR_UNSUPPORTED, "%s: %s adds nothing to "
                           "scores; it has no score door", fn,
                           e->row->info.name);
    LCT_TRY(lct_check(fn, "q_pos", q_pos, LCT_IN_I64, 1, any));
    LCT_TRY(lct_check(fn, "k_pos", k_pos, LCT_IN_I64, 1, any));
    any[1] = q_pos->shape[0];
    any[2] = k_pos->shape[0];
    LCT_TRY(lct_check(fn, arg, matrix, LCT_IN_REAL, 3, any));
    return lct_score_check(total, fn, e, params, matrix->shape[0]);
}

/* Scratch for rows, parameters and gradients in one allocation. */
static locant_status prepare(struct bias_job *job, const char *fn,
                             const locant_encoding *e,
                             const locant_tensor *params, bool gradients)
{
    size_t heads = (size_t)job->matrix->shape[0], bytes, extra;
    size_t slots = (size_t)lct_slots();

    job->slots = (int)slots;
    if (!lct_mul(&bytes, slots * sizeof(double),
                 (size_t)job->matrix->shape[2]) ||
        !lct_mul(&extra, job->total * sizeof(double),
                 gradients ? heads + 1 : 1) ||
        !lct_add(&bytes, bytes, extra) ||
        (job->rows = locant_alloc(bytes)) == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for scratch", fn);
    job->gradient = job->rows + slots * (size_t)job->matrix->shape[2];
    lct_score_load(&job->s, job->gradient, e, params, (int64_t)heads);
    job->gradient += job->total;
    return LOCANT_OK;
}

locant_status locant_encoding_bias(locant_tensor *out, const locant_encoding *e,
                                   const locant_tensor *q_pos,
                                   const locant_tensor *k_pos,
                                   const locant_tensor *params)
{
    static const char fn[] = "locant_encoding_bias";
    struct bias_job job = { .matrix = out };

    LCT_TRY(check_call(&job.total, fn, "out", out, e, q_pos, k_pos, params));
    LCT_TRY(lct_check_output(fn, "out", out));
    LCT_TRY(lct_check_apart(fn, out, q_pos));
    LCT_TRY(lct_check_apart(fn, out, k_pos));
    for (int i = 0; e->row->params != NULL && e->row->params[i].name; i++)
        LCT_TRY(lct_check_apart(fn, out, &params[i]));
    if (lct_empty(out))
        return LOCANT_OK;
    job.q_pos = q_pos->data;
    job.k_pos = k_pos->data;
    LCT_TRY(prepare(&job, fn, e, params, false));
    lct_parallel_for((size_t)(out->shape[0] * out->shape[1]), job.slots,
                     fill_row, &job);
    locant_release(job.rows);
    return LOCANT_OK;
}

/* forward: out[h,i,:] = b(h, q_pos[i], k_pos) */
locant_status
locant_encoding_bias_backward(locant_tensor *dparams, const locant_tensor *dout,
                              const locant_encoding *e,
                              const locant_tensor *q_pos,
                              const locant_tensor *k_pos,
                              const locant_tensor *params)
{
    static const char fn[] = "locant_encoding_bias_backward";
    struct bias_job job = { .matrix = dout };
    size_t heads;

    LCT_TRY(check_call(&job.total, fn, "dout", dout, e, q_pos, k_pos, params));
    if (job.total == 0 || lct_empty(dout))
        return LOCANT_OK;
    if (dparams == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: dparams is NULL", fn);
    LCT_TRY(lct_score_check_gradients(fn, dparams, e, params));
    job.q_pos = q_pos->data;
    job.k_pos = k_pos->data;
    LCT_TRY(prepare(&job, fn, e, params, true));
    heads = (size_t)dout->shape[0];
    lct_parallel_for(heads, job.slots, gather_head, &job);
    for (size_t h = 1; h < heads; h++)
        for (size_t n = 0; n < job.total; n++)
            job.gradient[n] += job.gradient[h * job.total + n];
    lct_score_add(dparams, job.gradient, e, params);
    locant_release(job.rows);
    return LOCANT_OK;
}
