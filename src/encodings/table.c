/* table.c - the input door: rows of a table, and their gradient */
#include "../angle/schedule.h"
#include "../core/pool.h"
#include "../core/size.h"
#include "encoding.h"
#include <string.h>

/* The encoding has this door, and its parameters are what they should be. */
static locant_status check_door(const char *fn, const locant_encoding *e,
                                const locant_tensor *params, int64_t dim)
{
    locant_param_info info;

    if (e == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: e is NULL", fn);
    if (!(e->row->info.doors & LOCANT_DOOR_INPUT))
        return locant_fail(LOCANT_ERR_UNSUPPORTED, "%s: %s adds nothing to "
                           "embeddings; it has no input door", fn,
                           e->row->info.name);
    for (int i = 0; locant_encoding_param(&info, e, i, 0, dim); i++) {
        int64_t want[LOCANT_MAX_RANK];

        if (params == NULL)
            return locant_fail(LOCANT_ERR_NULL, "%s: %s has a learned "
                               "parameter '%s' %s, none was given", fn,
                               e->row->info.name, info.name, info.dims);
        for (int k = 0; k < info.rank; k++)
            want[k] = info.shape[k] > 0 ? info.shape[k] : -1;
        LCT_TRY(lct_check(fn, info.name, &params[i], LCT_IN_REAL, info.rank,
                          want));
    }
    return LOCANT_OK;
}

/* What both directions check; rows are [N, D]. */
static locant_status check_call(const char *fn, const char *arg,
                                const locant_tensor *rows,
                                const locant_encoding *e,
                                const locant_tensor *positions,
                                const locant_tensor *params)
{
    const struct lct_schedule *made;
    int64_t any[2] = { -1, -1 };
    size_t n;

    LCT_TRY(lct_check(fn, "positions", positions, LCT_IN_I64, 1, any));
    any[0] = positions->shape[0];
    LCT_TRY(lct_check(fn, arg, rows, LCT_IN_REAL, 2, any));
    LCT_TRY(check_door(fn, e, params, rows->shape[1]));
    n = (size_t)positions->shape[0];
    if (e->row->positions != NULL)
        LCT_TRY(e->row->positions(e, fn, positions->data, n, params));
    if (e->row->schedule != NULL && rows->shape[1] > 0)
        LCT_TRY(lct_schedule_of(&made, e, fn, rows->shape[1]));
    return LOCANT_OK;
}

struct table_job {
    locant_tensor *out;
    const locant_encoding *e;
    const locant_tensor *params;
    const int64_t *positions;
    double *scratch; /* [slots, D]; NULL where a row fits the stack */
};

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
        job->e->row->row(row, job->e, job->positions[t], dim, job->params);
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
    struct table_job job = { .out = out, .e = e, .params = params };
    size_t slots = (size_t)lct_slots(), bytes;

    LCT_TRY(check_call(fn, "out", out, e, positions, params));
    LCT_TRY(lct_check_output(fn, "out", out));
    LCT_TRY(lct_check_apart(fn, out, positions));
    for (int i = 0; e->row->params != NULL && e->row->params[i].name; i++)
        LCT_TRY(lct_check_apart(fn, out, &params[i]));
    if (lct_empty(out))
        return LOCANT_OK;
    job.positions = positions->data;
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

/* forward: out[t] = P[positions[t]] */
locant_status
locant_encoding_table_backward(locant_tensor *dparams,
                               const locant_tensor *dout,
                               const locant_encoding *e,
                               const locant_tensor *positions,
                               const locant_tensor *params)
{
    static const char fn[] = "locant_encoding_table_backward";
    double local[STACK_ROW], *row = local;

    LCT_TRY(check_call(fn, "dout", dout, e, positions, params));
    if (e->row->row_backward == NULL || lct_empty(dout))
        return LOCANT_OK;
    if (dparams == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: dparams is NULL", fn);
    for (int i = 0; e->row->params[i].name != NULL; i++) {
        LCT_TRY(lct_check(fn, "dparams", &dparams[i], LCT_IN_REAL,
                          params[i].rank, params[i].shape));
        LCT_TRY(lct_check_output(fn, "dparams", &dparams[i]));
        LCT_TRY(lct_check_apart(fn, &dparams[i], dout));
    }
    if (dout->shape[1] > STACK_ROW)
        row = locant_alloc((size_t)dout->shape[1] * sizeof(*row));
    if (row == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for one row", fn);
    for (int64_t t = 0; t < dout->shape[0]; t++) {
        lct_row_to_f64(row, lct_at(dout, &t, 1), dout->dtype,
                       (size_t)dout->shape[1]);
        e->row->row_backward(dparams, e, row,
                             ((const int64_t *)positions->data)[t],
                             dout->shape[1]);
    }
    if (row != local)
        locant_release(row);
    return LOCANT_OK;
}
