/* table.c - the input door: rows of a table, and their gradient */
#include "../angle/schedule.h"
#include "../core/pool.h"
#include "../core/size.h"
#include "../kernel/row.h"
#include "length_limit.h"
#include "params.h"
#include "table.h"
#include <math.h>

struct table_job {
    struct lct_table_call call;
    locant_tensor *out;
    double *scratch; /* [slots, D]; NULL if a row fits the stack */
};

/* I64 [N], or F64 [N] or [N, axes]; n < 0: any N. */
static locant_status check_positions(struct lct_table_call *c, const char *fn,
                                     const locant_tensor *positions, int64_t n)
{
    int64_t shape[2] = { n < 0 ? -1 : n, c->axes };
    bool real = lct_own_axes(c->e) > 0 || (c->e->traits & LOCANT_TRAIT_REAL);
    int rank = 1;

    if (real && positions != NULL && positions->dtype == LOCANT_F64 &&
        positions->rank == 2)
        rank = 2;
    LCT_TRY(lct_check(fn, "positions", positions,
                      LCT_IN_I64 | (real ? LCT_IN_F64 : 0u), rank, shape));
    LCT_TRY(lct_check_dense(fn, "positions", positions));
    if (positions->dtype == LOCANT_I64) {
        c->positions = positions->data;
        return LOCANT_OK;
    }
    if (rank == 1 && c->axes > 1)
        return locant_fail(
            LOCANT_ERR_SHAPE,
            "%s: positions are [N], expected [N, %d] coordinates", fn, c->axes);
    c->coords = positions->data;
    return lct_params_check_reals(fn, "positions", positions);
}

static locant_status open_part(struct lct_table_call *c, const char *fn,
                               const locant_encoding *e,
                               const locant_tensor *params)
{
    const struct lct_part *part;

    LCT_TRY(lct_part_require(&part, fn, e, LOCANT_DOOR_INPUT));
    *c = (struct lct_table_call){
        .e = part->e,
        .first_param = part->first_param,
        .params = params == NULL ? NULL : params + part->first_param,
        .axes = locant_encoding_axes(part->e),
    };
    return LOCANT_OK;
}

/* The encoding's own checks for n rows of 'dim' channels. */
static locant_status check_encoding(const struct lct_table_call *c,
                                    const char *fn, size_t n, int64_t dim)
{
    const struct lct_schedule *made;
    size_t total;

    LCT_TRY(lct_params_check(&total, fn, c->e, c->params,
                             &(locant_sizes){ .width = dim }));
    if (c->positions != NULL)
        LCT_TRY(lct_length_limit_check(c->e, fn, c->positions, n, c->params));
    if (c->e->row->schedule.create != NULL && dim > 0)
        LCT_TRY(lct_schedule_of(&made, c->e, fn, dim, 0));
    return LOCANT_OK;
}

locant_status lct_table_open(struct lct_table_call *c, const char *fn,
                             int64_t n, int64_t dim, const locant_encoding *e,
                             const locant_tensor *positions,
                             const locant_tensor *params)
{
    LCT_TRY(open_part(c, fn, e, params));
    LCT_TRY(check_positions(c, fn, positions, n));
    return check_encoding(c, fn, (size_t)positions->shape[0], dim);
}

/* Checks of forward and backward; rows are [N, D]. */
static locant_status check_call(struct lct_table_call *c, const char *fn,
                                const char *arg, const locant_tensor *rows,
                                const locant_encoding *e,
                                const locant_tensor *positions,
                                const locant_tensor *params)
{
    LCT_TRY(open_part(c, fn, e, params));
    LCT_TRY(check_positions(c, fn, positions, -1));
    LCT_TRY(lct_check(fn, arg, rows, LCT_IN_REAL, 2,
                      (const int64_t[]){ positions->shape[0], -1 }));
    return check_encoding(c, fn, (size_t)positions->shape[0], rows->shape[1]);
}

void lct_table_rows_f64(double *out, const struct lct_table_call *c,
                        size_t first, size_t n, int64_t dim)
{
    for (size_t t = 0; t < n; t++) {
        struct lct_point at = lct_table_point(c, first + t);

        c->e->row->input.row(out + t * (size_t)dim, c->e, &at, dim, c->params);
    }
}

/* Rows by the encoding's fast float32 hook; false: it has none. */
static bool fast_rows(float *out, const struct lct_table_call *c, size_t first,
                      size_t n, int64_t dim)
{
    return c->positions != NULL && c->e->row->input.fast.rows != NULL &&
           c->e->row->input.fast.rows(out, c->e, c->positions + first, n, dim,
                                      c->params);
}

void lct_table_rows(float *out, double *spare, const struct lct_table_call *c,
                    size_t first, size_t n, int64_t dim)
{
    if (fast_rows(out, c, first, n, dim))
        return;
    for (size_t t = 0; t < n; t++) {
        lct_table_rows_f64(spare, c, first + t, 1, dim);
        lct_row_from_f64(out + t * (size_t)dim, LOCANT_F32, spare, (size_t)dim);
    }
}

enum { ROWS_PER_TASK = 16, STACK_ROW = 1024 };

static void fill_rows(void *context, size_t task, int slot)
{
    const struct table_job *job = context;
    const locant_tensor *out = job->out;
    int64_t n = out->shape[0], dim = out->shape[1];
    int64_t t = (int64_t)task * ROWS_PER_TASK, end = t + ROWS_PER_TASK;
    double local[STACK_ROW], *row = local;

    end = end < n ? end : n;
    if (job->scratch != NULL)
        row = job->scratch + (size_t)slot * (size_t)dim;
    if (out->dtype == LOCANT_F32 && out->stride[0] == dim &&
        fast_rows(lct_at(out, &t, 1), &job->call, (size_t)t, (size_t)(end - t),
                  dim))
        return;
    for (; t < end; t++) {
        lct_table_rows_f64(row, &job->call, (size_t)t, 1, dim);
        lct_row_from_f64(lct_at(out, &t, 1), out->dtype, row, (size_t)dim);
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

    LCT_TRY(check_call(&job.call, fn, "out", out, e, positions, params));
    LCT_TRY(lct_check_output(fn, "out", out));
    LCT_TRY(lct_check_apart(fn, out, positions));
    for (int i = 0; i < lct_param_count(job.call.e); i++)
        LCT_TRY(lct_check_apart(fn, out, &job.call.params[i]));
    if (lct_empty(out))
        return LOCANT_OK;
    if (out->shape[1] > STACK_ROW &&
        lct_mul(&bytes, slots * sizeof(double), (size_t)out->shape[1]))
        job.scratch = locant_alloc(bytes);
    if (out->shape[1] > STACK_ROW && job.scratch == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "%s: no memory for %zu rows of scratch", fn, slots);
    lct_parallel_for(((size_t)out->shape[0] + ROWS_PER_TASK - 1) /
                         ROWS_PER_TASK,
                     (int)slots, fill_rows, &job);
    locant_release(job.scratch);
    return LOCANT_OK;
}

/* Gradients must not overlap what is read, nor each other. */
static locant_status check_gradients(const struct lct_table_call *c,
                                     const char *fn,
                                     const locant_tensor *dparams,
                                     const locant_tensor *dout,
                                     const locant_tensor *positions)
{
    int n = lct_param_count(c->e);

    LCT_TRY(lct_params_check_gradients(fn, dparams, c->e, c->params));
    for (int i = 0; i < n; i++) {
        LCT_TRY(lct_check_apart(fn, &dparams[i], dout));
        LCT_TRY(lct_check_apart(fn, &dparams[i], positions));
    }
    return LOCANT_OK;
}

/* forward: out[t] = P[positions[t]] */
locant_status locant_encoding_table_backward(locant_tensor *dparams,
                                             const locant_tensor *dout,
                                             const locant_encoding *e,
                                             const locant_tensor *positions,
                                             const locant_tensor *params)
{
    static const char fn[] = "locant_encoding_table_backward";
    struct lct_table_call c;
    double local[STACK_ROW], *row = local;

    LCT_TRY(check_call(&c, fn, "dout", dout, e, positions, params));
    if (c.e->row->input.backward == NULL || lct_param_count(c.e) == 0 ||
        lct_empty(dout))
        return LOCANT_OK;
    if (dparams == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: dparams is NULL", fn);
    dparams += c.first_param;
    LCT_TRY(check_gradients(&c, fn, dparams, dout, positions));
    if (dout->shape[1] > STACK_ROW)
        row = locant_alloc((size_t)dout->shape[1] * sizeof(*row));
    if (row == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for one row", fn);
    for (int64_t t = 0; t < dout->shape[0]; t++) {
        struct lct_point at = lct_table_point(&c, (size_t)t);

        lct_row_to_f64(row, lct_at(dout, &t, 1), dout->dtype,
                       (size_t)dout->shape[1]);
        c.e->row->input.backward(dparams, c.e, row, &at, dout->shape[1],
                                 c.params);
    }
    if (row != local)
        locant_release(row);
    return LOCANT_OK;
}
