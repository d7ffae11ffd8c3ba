/* score.c - the score door: whole bias matrices, and their gradients */
#include "../kernel/row.h"
#include "biases.h"
#include "length_limit.h"
#include "params.h"
#include "../core/pool.h"
#include "../core/size.h"
#include <string.h>

struct bias_job {
    const locant_tensor *matrix; /* out or dout, [H, T, S] */
    const int64_t *q_pos, *k_pos;
    const locant_encoding *e;
    const locant_tensor *params;         /* of e; NULL: none are given */
    struct lct_call part[LCT_MAX_PARTS]; /* of e; unused without the door */
    struct lct_call s;                   /* of the part, or of all of them */
    double *rows;                        /* [slots, S] */
    double *values;   /* [total]: parameters of the parts with the door */
    double *gradient; /* [H, total]: one row for each head */
    size_t size[LCT_MAX_PARTS]; /* numbers of each part's parameters */
    size_t total;               /* of all */
    int slots;
    locant_sizes sizes;
};

static bool adds(const struct bias_job *job, int n)
{
    return job->e->part[n].e->doors & LOCANT_DOOR_SCORE;
}

/* The tensor of the first parameter of part n. */
static const locant_tensor *params_of(const struct bias_job *job, int n)
{
    return job->params == NULL ? NULL
                               : job->params + job->e->part[n].first_param;
}

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

/* Check the parameters and positions of a part, and count the former. */
static locant_status check_part(struct bias_job *job, const char *fn, int n)
{
    const locant_encoding *leaf = job->e->part[n].e;
    const locant_tensor *params = params_of(job, n);

    LCT_TRY(lct_params_check(&job->size[n], fn, leaf, params, &job->sizes));
    LCT_TRY(lct_length_limit_check(leaf, fn, job->q_pos,
                                   (size_t)job->matrix->shape[1], params));
    job->total += job->size[n];
    return lct_length_limit_check(leaf, fn, job->k_pos,
                                  (size_t)job->matrix->shape[2], params);
}

/* Fill the job but for its memory. */
static locant_status check_call(struct bias_job *job, const char *fn,
                                const char *arg, const locant_tensor *q_pos,
                                const locant_tensor *k_pos)
{
    const locant_tensor *matrix = job->matrix;
    int64_t any[3] = { -1, -1, -1 };
    const struct lct_part *part;

    LCT_TRY(lct_part_open(&part, fn, job->e, LOCANT_DOOR_SCORE));
    LCT_TRY(lct_check(fn, "q_pos", q_pos, LCT_IN_I64, 1, any));
    LCT_TRY(lct_check(fn, "k_pos", k_pos, LCT_IN_I64, 1, any));
    any[1] = q_pos->shape[0];
    any[2] = k_pos->shape[0];
    LCT_TRY(lct_check(fn, arg, matrix, LCT_IN_REAL, 3, any));
    job->q_pos = q_pos->data;
    job->k_pos = k_pos->data;
    job->sizes = (locant_sizes){ .heads = matrix->shape[0],
                                 .kv_heads = matrix->shape[0] };
    for (int n = 0; n < job->e->parts; n++)
        if (adds(job, n))
            LCT_TRY(check_part(job, fn, n));
    return LOCANT_OK;
}

/* Load the parameters of all parts. */
static void load(struct bias_job *job)
{
    double *to = job->values;

    for (int n = 0; n < job->e->parts; n++) {
        if (!adds(job, n))
            continue;
        lct_params_load(&job->part[n], to, job->e->part[n].e, params_of(job, n),
                        &job->sizes);
        to += job->size[n];
        job->s = job->part[n];
    }
    if (lct_biases_of(job->e) != NULL)
        job->s = lct_biases_call(job->e, job->part);
}

/* Allocate scratch for rows, parameters and gradients at once. */
static locant_status prepare(struct bias_job *job, const char *fn,
                             bool gradients)
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
    job->values = job->rows + slots * (size_t)job->matrix->shape[2];
    job->gradient = job->values + job->total;
    load(job);
    for (int64_t j = 0; j < job->matrix->shape[2]; j++)
        if (j == 0 || job->k_pos[j] > job->s.last)
            job->s.last = job->k_pos[j];
    return LOCANT_OK;
}

locant_status locant_encoding_bias(locant_tensor *out, const locant_encoding *e,
                                   const locant_tensor *q_pos,
                                   const locant_tensor *k_pos,
                                   const locant_tensor *params)
{
    static const char fn[] = "locant_encoding_bias";
    struct bias_job job = { .matrix = out, .e = e, .params = params };

    LCT_TRY(check_call(&job, fn, "out", q_pos, k_pos));
    LCT_TRY(lct_check_output(fn, "out", out));
    LCT_TRY(lct_check_apart(fn, out, q_pos));
    LCT_TRY(lct_check_apart(fn, out, k_pos));
    for (int n = 0; n < e->parts; n++)
        if (adds(&job, n))
            for (int k = 0; k < lct_param_count(e->part[n].e); k++)
                LCT_TRY(lct_check_apart(fn, out, &params_of(&job, n)[k]));
    if (lct_empty(out))
        return LOCANT_OK;
    LCT_TRY(prepare(&job, fn, false));
    lct_parallel_for((size_t)(out->shape[0] * out->shape[1]), job.slots,
                     fill_row, &job);
    locant_release(job.rows);
    return LOCANT_OK;
}

/* Check where the gradients of part n go. */
static locant_status check_gradients(const struct bias_job *job, const char *fn,
                                     const locant_tensor *dparams, int n,
                                     const locant_tensor *q_pos,
                                     const locant_tensor *k_pos)
{
    const struct lct_part *part = &job->e->part[n];

    dparams += part->first_param;
    LCT_TRY(
        lct_params_check_gradients(fn, dparams, part->e, params_of(job, n)));
    for (int k = 0; k < lct_param_count(part->e); k++) {
        LCT_TRY(lct_check_apart(fn, &dparams[k], job->matrix));
        LCT_TRY(lct_check_apart(fn, &dparams[k], q_pos));
        LCT_TRY(lct_check_apart(fn, &dparams[k], k_pos));
    }
    return LOCANT_OK;
}

/* dparams += the sum over heads, part by part. */
static void add_gradients(const struct bias_job *job, locant_tensor *dparams)
{
    const double *from = job->gradient;

    for (int64_t h = 1; h < job->matrix->shape[0]; h++)
        for (size_t n = 0; n < job->total; n++)
            job->gradient[n] += job->gradient[(size_t)h * job->total + n];
    for (int n = 0; n < job->e->parts; n++) {
        if (!adds(job, n))
            continue;
        lct_params_add(dparams + job->e->part[n].first_param, from,
                       job->e->part[n].e, params_of(job, n));
        from += job->size[n];
    }
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
    struct bias_job job = { .matrix = dout, .e = e, .params = params };

    LCT_TRY(check_call(&job, fn, "dout", q_pos, k_pos));
    if (job.total == 0 || lct_empty(dout))
        return LOCANT_OK;
    if (dparams == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: dparams is NULL", fn);
    for (int n = 0; n < e->parts; n++)
        if (adds(&job, n))
            LCT_TRY(check_gradients(&job, fn, dparams, n, q_pos, k_pos));
    LCT_TRY(prepare(&job, fn, true));
    lct_parallel_for((size_t)dout->shape[0], job.slots, gather_head, &job);
    add_gradients(&job, dparams);
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
