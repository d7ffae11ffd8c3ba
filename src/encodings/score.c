/* score.c - the score door: whole bias matrices, and their gradients */
#include "../kernel/row.h"
#include "length_limit.h"
#include "params.h"
#include "../core/pool.h"
#include "../core/size.h"
#include <string.h>

struct bias_job {
    const locant_tensor *matrix; /* out or dout, [H, T, S] */
    const int64_t *q_pos, *k_pos;
    struct lct_call s;
    double *rows;     /* [slots, S] */
    double *gradient; /* [H, total]: one row for each head */
    size_t total;
    int slots;
    const struct lct_part *part; /* NULL: the encoding has no door */
    locant_sizes sizes;
};

static void fill_row(void *context, size_t task, int slot)
{
    const struct bias_job *job = context;
    const locant_tensor *out = job->matrix;
    int64_t index[2] = { (int64_t)task / out->shape[1],
                         (int64_t)task % out->shape[1] };
    size_t n = (size_t)out->shape[2];
    double *row = job->rows + (size_t)slot * n;

    if (job->s.e == NULL)
        memset(row, 0, n * sizeof(*row));
    else
        job->s.e->row->score.bias(row, &job->s, index[0], job->q_pos[index[1]],
                                  job->k_pos, n);
    lct_row_from_f64(lct_at(out, index, 2), out->dtype, row, n);
}

/* One head, rows in order, so the sum does not depend on threads. */
static void gather_head(void *context, size_t task, int slot)
{
    const struct bias_job *job = context;
    const locant_tensor *dout = job->matrix;
    int64_t index[2] = { (int64_t)task, 0 };
    size_t n = (size_t)dout->shape[2];
    double *row = job->rows + (size_t)slot * n;
    double *dparam[LCT_MAX_PARAMS];

    lct_params_split(dparam, &job->s, job->gradient + task * job->total);
    for (; index[1] < dout->shape[1]; index[1]++) {
        lct_row_to_f64(row, lct_at(dout, index, 2), dout->dtype, n);
        job->s.e->row->score.backward(dparam, &job->s, index[0],
                                      job->q_pos[index[1]], job->k_pos, row, n);
    }
}

/* Fill the job; *params then points to the parameters of the part that has the
   score door. */
static locant_status check_call(struct bias_job *job, const char *fn,
                                const char *arg, const locant_encoding *e,
                                const locant_tensor *q_pos,
                                const locant_tensor *k_pos,
                                const locant_tensor **params)
{
    const locant_tensor *matrix = job->matrix;
    int64_t any[3] = { -1, -1, -1 };

    LCT_TRY(lct_part_open(&job->part, fn, e, LOCANT_DOOR_SCORE));
    LCT_TRY(lct_check(fn, "q_pos", q_pos, LCT_IN_I64, 1, any));
    LCT_TRY(lct_check(fn, "k_pos", k_pos, LCT_IN_I64, 1, any));
    any[1] = q_pos->shape[0];
    any[2] = k_pos->shape[0];
    LCT_TRY(lct_check(fn, arg, matrix, LCT_IN_REAL, 3, any));
    job->q_pos = q_pos->data;
    job->k_pos = k_pos->data;
    if (job->part == NULL)
        return LOCANT_OK;
    *params = *params == NULL ? NULL : *params + job->part->first_param;
    job->sizes = (locant_sizes){ .heads = matrix->shape[0],
                                 .kv_heads = matrix->shape[0] };
    LCT_TRY(
        lct_params_check(&job->total, fn, job->part->e, *params, &job->sizes));
    LCT_TRY(lct_length_limit_check(job->part->e, fn, job->q_pos, (size_t)any[1],
                                   *params));
    return lct_length_limit_check(job->part->e, fn, job->k_pos, (size_t)any[2],
                                  *params);
}

/* Allocate scratch for rows, parameters and gradients at once. */
static locant_status prepare(struct bias_job *job, const char *fn,
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
    if (job->part != NULL)
        lct_params_load(&job->s, job->gradient, job->part->e, params,
                        &job->sizes);
    for (int64_t j = 0; j < job->matrix->shape[2]; j++)
        if (j == 0 || job->k_pos[j] > job->s.last)
            job->s.last = job->k_pos[j];
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

    LCT_TRY(check_call(&job, fn, "out", e, q_pos, k_pos, &params));
    LCT_TRY(lct_check_output(fn, "out", out));
    LCT_TRY(lct_check_apart(fn, out, q_pos));
    LCT_TRY(lct_check_apart(fn, out, k_pos));
    if (job.part)
        for (int i = 0; i < lct_param_count(job.part->e); i++)
            LCT_TRY(lct_check_apart(fn, out, &params[i]));
    if (lct_empty(out))
        return LOCANT_OK;
    LCT_TRY(prepare(&job, fn, params, false));
    lct_parallel_for((size_t)(out->shape[0] * out->shape[1]), job.slots,
                     fill_row, &job);
    locant_release(job.rows);
    return LOCANT_OK;
}

/* forward: out[h,i,:] = b(h, q_pos[i], k_pos) */
locant_status locant_encoding_bias_backward(locant_tensor *dparams,
                                            const locant_tensor *dout,
                                            const locant_encoding *e,
                                            const locant_tensor *q_pos,
                                            const locant_tensor *k_pos,
                                            const locant_tensor *params)
{
    static const char fn[] = "locant_encoding_bias_backward";
    struct bias_job job = { .matrix = dout };
    size_t heads;

    LCT_TRY(check_call(&job, fn, "dout", e, q_pos, k_pos, &params));
    if (job.total == 0 || lct_empty(dout))
        return LOCANT_OK;
    if (dparams == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: dparams is NULL", fn);
    dparams += job.part->first_param;
    LCT_TRY(lct_params_check_gradients(fn, dparams, job.part->e, params));
    for (int i = 0; i < lct_param_count(job.part->e); i++) {
        LCT_TRY(lct_check_apart(fn, &dparams[i], dout));
        LCT_TRY(lct_check_apart(fn, &dparams[i], q_pos));
        LCT_TRY(lct_check_apart(fn, &dparams[i], k_pos));
    }
    LCT_TRY(prepare(&job, fn, params, true));
    heads = (size_t)dout->shape[0];
    lct_parallel_for(heads, job.slots, gather_head, &job);
    for (size_t h = 1; h < heads; h++)
        for (size_t n = 0; n < job.total; n++)
            job.gradient[n] += job.gradient[h * job.total + n];
    lct_params_add(dparams, job.gradient, job.part->e, params);
    locant_release(job.rows);
    return LOCANT_OK;
}

void lct_bias_of_entries(double *out, const struct lct_call *s, int64_t head,
                         int64_t q_pos, const int64_t *k_pos, size_t n)
{
    const struct lct_score_door *door = &s->e->row->score;

    for (size_t j = 0; j < n; j++)
        out[j] = s->param[0][door->entry(s, q_pos, k_pos[j]) * s->heads + head];
}

/* forward: out[j] = table[entry(j), head] */
void lct_bias_of_entries_backward(double *const *dparam,
                                  const struct lct_call *s, int64_t head,
                                  int64_t q_pos, const int64_t *k_pos,
                                  const double *dout, size_t n)
{
    const struct lct_score_door *door = &s->e->row->score;

    for (size_t j = 0; j < n; j++)
        dparam[0][door->entry(s, q_pos, k_pos[j]) * s->heads + head] += dout[j];
}

void lct_bias_of_heads(double *out, const struct lct_call *s, int64_t head,
                       int64_t q_pos, const int64_t *k_pos, size_t n)
{
    for (size_t j = 0; j < n; j++)
        s->e->row->score.heads(out + j, s, head, 1, q_pos, k_pos[j]);
}

void lct_bias_of_heads_backward(double *const *dparam, const struct lct_call *s,
                                int64_t head, int64_t q_pos,
                                const int64_t *k_pos, const double *dout,
                                size_t n)
{
    for (size_t j = 0; j < n; j++)
        if (dout[j] != 0)
            s->e->row->score.heads_backward(dparam, s, head, 1, q_pos, k_pos[j],
                                            dout + j);
}
