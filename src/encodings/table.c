/* table.c - the input door: rows of a table, and their gradient */
#include "../angle/schedule.h"
#include "../core/pool.h"
#include "../core/size.h"
#include "params.h"
#include <math.h>

struct table_job {
    locant_tensor *out;
    const locant_encoding *e;    /* a leaf */
    const locant_tensor *params; /* its own */
    int first_param;
    const int64_t *positions;    /* one of these two */
    const double *coords;        /* [N, axes] */
    int axes;
    double *scratch; /* [slots, D]; NULL where a row fits the stack */
};

/* I64 [N], or F64 [N] or [N, axes]. */
static locant_status check_positions(struct table_job *job, const char *fn,
                                     const locant_tensor *positions)
{
    int64_t any[2] = { -1, job->axes };
    bool real = job->e->row->axes != NULL ||
                (job->e->traits & LOCANT_TRAIT_REAL);
    int rank = 1;

    if (real && positions != NULL && positions->dtype == LOCANT_F64 &&
        positions->rank == 2)
        rank = 2;
    LCT_TRY(lct_check(fn, "positions", positions,
                      LCT_IN_I64 | (real ? LCT_IN_F64 : 0u), rank, any));
    LCT_TRY(lct_check_dense(fn, "positions", positions));
    if (positions->dtype == LOCANT_I64) {
        job->positions = positions->data;
        return LOCANT_OK;
    }
    if (rank == 1 && job->axes > 1)
        return locant_fail(LOCANT_ERR_SHAPE, "%s: positions are [N], expected "
                           "[N, %d] coordinates", fn, job->axes);
    job->coords = positions->data;
    for (size_t i = 0; i < lct_elements(positions); i++)
        if (!(fabs(job->coords[i]) < 0x1p63))
            return locant_fail(LOCANT_ERR_PARAM, "%s: coordinate %zu of "
                               "positions is %g, expected a finite number "
                               "below 2^63", fn, i, job->coords[i]);
    return LOCANT_OK;
}

/* What both directions check; rows are [N, D]. */
static locant_status check_call(struct table_job *job, const char *fn,
                                const char *arg, const locant_tensor *rows,
                                const locant_encoding *e,
                                const locant_tensor *positions,
                                const locant_tensor *params)
{
    const struct lct_schedule *made;
    const struct lct_part *part;
    int64_t any[2] = { -1, -1 };
    size_t total;

    LCT_TRY(lct_part_open(&part, fn, e, LOCANT_DOOR_INPUT));
    if (part == NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED, "%s: %s adds nothing to "
                           "embeddings; it has no input door", fn,
                           e->row->info.name);
    job->e = part->e;
    job->first_param = part->first_param;
    job->params = params == NULL ? NULL : params + part->first_param;
    job->axes = locant_encoding_axes(part->e);
    LCT_TRY(check_positions(job, fn, positions));
    any[0] = positions->shape[0];
    LCT_TRY(lct_check(fn, arg, rows, LCT_IN_REAL, 2, any));
    LCT_TRY(lct_params_check(&total, fn, job->e, job->params,
                             &(locant_sizes){ .width = rows->shape[1] }));
    if (job->e->row->positions != NULL && job->positions != NULL)
        LCT_TRY(job->e->row->positions(job->e, fn, job->positions,
                                       (size_t)any[0], job->params));
    if (job->e->row->schedule != NULL && rows->shape[1] > 0)
        LCT_TRY(lct_schedule_of(&made, job->e, fn, rows->shape[1], 0));
    return LOCANT_OK;
}

static struct lct_point point_at(const struct table_job *job, int64_t t)
{
    return (struct lct_point){
        .pos = job->positions != NULL ? job->positions[t] : 0,
        .coords = job->coords != NULL ? job->coords + t * job->axes : NULL,
    };
}

enum { ROWS_PER_TASK = 16, STACK_ROW = 1024 };

static void fill_rows(void *context, size_t task, int slot)
{
    const struct table_job *job = context;
    int64_t n = job->out->shape[0], dim = job->out->shape[1];
    int64_t end = (int64_t)(task + 1) * ROWS_PER_TASK;
    double local[STACK_ROW], *row = local;

    if (job->scratch != NULL)
        row = job->scratch + (size_t)slot * (size_t)dim;
    for (int64_t t = end - ROWS_PER_TASK; t < end && t < n; t++) {
        struct lct_point at = point_at(job, t);

        job->e->row->row(row, job->e, &at, dim, job->params);
        lct_row_from_f64(lct_at(job->out, &t, 1), job->out->dtype, row,
                         (size_t)dim);
    }
}

locant_status locant_encoding_table(locant_tensor *out,
                                    const locant_encoding *e,
                                    const locant_tensor *positions,
                                    const locant_tensor *params)
{
    static const char fn[] = "locant_encoding_table";
    struct table_job job = { .out = out };
    size_t slots = (size_t)lct_slots(), bytes;

    LCT_TRY(check_call(&job, fn, "out", out, e, positions, params));
    LCT_TRY(lct_check_output(fn, "out", out));
    LCT_TRY(lct_check_apart(fn, out, positions));
    for (int i = 0; i < lct_param_count(job.e); i++)
        LCT_TRY(lct_check_apart(fn, out, &job.params[i]));
    if (lct_empty(out))
        return LOCANT_OK;
    if (out->shape[1] > STACK_ROW &&
        lct_mul(&bytes, slots * sizeof(double), (size_t)out->shape[1]))
        job.scratch = locant_alloc(bytes);
    if (out->shape[1] > STACK_ROW && job.scratch == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for %zu rows of "
                           "scratch", fn, slots);
    lct_parallel_for(((size_t)out->shape[0] + ROWS_PER_TASK - 1) /
                         ROWS_PER_TASK, (int)slots, fill_rows, &job);
    locant_release(job.scratch);
    return LOCANT_OK;
}

/* Gradients are added to while the rest is still read, and to each other. */
static locant_status check_gradients(const struct table_job *job,
                                     const char *fn,
                                     const locant_tensor *dparams,
                                     const locant_tensor *dout,
                                     const locant_tensor *positions)
{
    int n = lct_param_count(job->e);

    LCT_TRY(lct_params_check_gradients(fn, dparams, job->e, job->params));
    for (int i = 0; i < n; i++) {
        LCT_TRY(lct_check_apart(fn, &dparams[i], dout));
        LCT_TRY(lct_check_apart(fn, &dparams[i], positions));
    }
    return LOCANT_OK;
}

/* forward: out[t] = P[positions[t]] */
locant_status
locant_encoding_table_backward(locant_tensor *dparams,
                               const locant_tensor *dout,
                               const locant_encoding *e,
                               const locant_tensor *positions,
                               const locant_tensor *params)
{
    static const char fn[] = "locant_encoding_table_backward";
    struct table_job job = { 0 };
    double local[STACK_ROW], *row = local;

    LCT_TRY(check_call(&job, fn, "dout", dout, e, positions, params));
    if (job.e->row->row_backward == NULL || lct_param_count(job.e) == 0 ||
        lct_empty(dout))
        return LOCANT_OK;
    if (dparams == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: dparams is NULL", fn);
    dparams += job.first_param;
    LCT_TRY(check_gradients(&job, fn, dparams, dout, positions));
    if (dout->shape[1] > STACK_ROW)
        row = locant_alloc((size_t)dout->shape[1] * sizeof(*row));
    if (row == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for one row", fn);
    for (int64_t t = 0; t < dout->shape[0]; t++) {
        struct lct_point at = point_at(&job, t);

        lct_row_to_f64(row, lct_at(dout, &t, 1), dout->dtype,
                       (size_t)dout->shape[1]);
        job.e->row->row_backward(dparams, job.e, row, &at, dout->shape[1],
                                 job.params);
    }
    if (row != local)
        locant_release(row);
    return LOCANT_OK;
}
