/*
 * rotate_map.c - the rotate door for maps that are no plain rotation: each row
 * is widened to double, mapped by the encoding, and rounded once.
 */
#include "../core/pool.h"
#include "../core/size.h"
#include "../kernel/row.h"
#include "blocks.h"
#include "params.h"
#include "rotate.h"
#include "locant/rotate.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

struct map_job {
    locant_tensor *out;
    const locant_tensor *x;
    const struct lct_rotate_call *c;
    struct lct_call call;
    void (*map)(double *out, const double *x, const struct lct_call *c,
                enum lct_role role, int64_t head, const struct lct_point *at);
    enum lct_role role;
    size_t dim, width;
    double *memory;   /* parameters; one allocation with what follows */
    double *gradient; /* of the parameters */
    double *rows;     /* [slots, dim + width]; backward: [2 dim + width] */
};

/* The leading indices of matrix 'task' among the [T, D] matrices of x. */
static void leading_index(int64_t *index, const locant_tensor *x, size_t task)
{
    for (int i = x->rank - 3; i >= 0; i--) {
        index[i] = (int64_t)(task % (size_t)x->shape[i]);
        task /= (size_t)x->shape[i];
    }
}

static size_t matrices_of(const locant_tensor *x)
{
    size_t matrices = 1;

    for (int i = 0; i < x->rank - 2; i++)
        matrices *= (size_t)x->shape[i];
    return matrices;
}

static int64_t heads_of(const locant_tensor *x)
{
    return x->rank < 3 ? 1 : x->shape[x->rank - 3];
}

/* Parameters with a row for each head must have as many as x has heads; queries
 * can share those of keys, of which there then are *kv_heads. */
static locant_status check_heads(int64_t *kv_heads, const struct map_job *job,
                                 const locant_tensor *params)
{
    const struct lct_param *p = lct_params_of(job->c->e);
    int64_t heads = heads_of(job->x);

    for (int k = 0; k < lct_param_count(job->c->e); k++) {
        int64_t rows = params[k].rank > 0 ? params[k].shape[0] : 0;
        bool shared = strcmp(p[k].dims[0], "kv_heads") == 0 &&
                      job->role == LCT_QUERY && rows > 0 && heads % rows == 0;

        if (strcmp(p[k].dims[0], "heads") != 0 &&
            strcmp(p[k].dims[0], "kv_heads") != 0)
            continue;
        if (rows != heads && !shared)
            return locant_fail(
                LOCANT_ERR_SHAPE,
                "%s: x has %" PRId64 " heads, '%s' of %s has %" PRId64,
                job->c->fn, heads, p[k].name, job->c->e->row->info.name, rows);
        if (shared)
            *kv_heads = rows;
    }
    return LOCANT_OK;
}

/* Check parameters, make the schedule, and allocate memory. */
static locant_status open_job(struct map_job *job, const locant_tensor *x,
                              const struct lct_rotate_call *c,
                              const locant_tensor *params, int flags)
{
    const struct lct_encoding *row = c->e->row;
    const struct lct_schedule *made; /* row->rotate.map finds it again */
    locant_sizes sizes = { .head_dim = x->shape[x->rank - 1] };
    size_t total, bytes = 0, slots = (size_t)lct_slots();
    int64_t kv_heads;

    job->x = x;
    job->c = c;
    job->role = flags & LOCANT_ROTATE_KEY ? LCT_KEY : LCT_QUERY;
    job->dim = (size_t)sizes.head_dim;
    job->width = row->rotate.width != NULL
                     ? (size_t)row->rotate.width(c->e, sizes.head_dim)
                     : job->dim;
    if (job->width == job->dim)
        LCT_TRY(lct_rotate_check_pairs(c->fn, sizes.head_dim));
    LCT_TRY(lct_params_check(&total, c->fn, c->e, params, &sizes));
    kv_heads = heads_of(x);
    LCT_TRY(check_heads(&kv_heads, job, params));
    if (row->schedule.create != NULL && job->dim > 0)
        LCT_TRY(lct_schedule_of(&made, c->e, c->fn, sizes.head_dim, c->length));
    sizes.heads = heads_of(x);
    sizes.kv_heads = kv_heads;
    if (lct_mul(&bytes, slots, 2 * (job->dim + job->width)) &&
        lct_add(&bytes, bytes, 2 * total + 1) &&
        lct_mul(&bytes, bytes, sizeof(double)))
        job->memory = locant_alloc(bytes);
    if (job->memory == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "%s: no memory for %zu rows of scratch", c->fn,
                           slots);
    lct_params_load(&job->call, job->memory, c->e, params, &sizes);
    job->call.wide = x->dtype == LOCANT_F64;
    if (job->dim > 0) /* attention with its own scale then gives the scores */
        job->call.scale = 1 / sqrt((double)job->dim);
    job->gradient = job->memory + total;
    job->rows = job->gradient + total;
    return LOCANT_OK;
}

/* The position of the token at 'index' of x. */
static struct lct_point point_at(const struct lct_rotate_call *c,
                                 const locant_tensor *x, const int64_t *index)
{
    int64_t t = index[x->rank - 2];

    if (c->by_row && x->rank > 2)
        t += index[0] * x->shape[x->rank - 2];
    return (struct lct_point){
        .pos = c->pos != NULL ? c->pos[t] : 0,
        .coords = c->coords != NULL ? c->coords + t * c->axes : NULL,
    };
}

static void map_matrix(void *context, size_t task, int slot)
{
    const struct map_job *job = context;
    const locant_tensor *x = job->x;
    double *from = job->rows + (size_t)slot * (job->dim + job->width);
    double *to = from + job->dim;
    int64_t index[LOCANT_MAX_RANK];
    int time = x->rank - 2;

    leading_index(index, x, task);
    for (index[time] = 0; index[time] < x->shape[time]; index[time]++) {
        struct lct_point at = point_at(job->c, x, index);

        lct_row_to_f64(from, lct_at(x, index, time + 1), x->dtype, job->dim);
        job->map(to, from, &job->call, job->role,
                 time > 0 ? index[time - 1] : 0, &at);
        lct_row_from_f64(lct_at(job->out, index, time + 1), x->dtype, to,
                         job->width);
    }
}

static locant_status open_map(struct map_job *job,
                              const struct lct_map_call *call,
                              const struct lct_rotate_call *c,
                              const locant_tensor *params)
{
    const struct lct_encoding *row = c->e->row;
    bool inverse = call->flags & LOCANT_ROTATE_INVERSE;

    *job = (struct map_job){ .out = call->out,
                             .map = inverse ? row->rotate.inverse
                                            : row->rotate.map };
    if (job->map == NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED, "%s: %s has no inverse",
                           c->fn, row->info.name);
    LCT_TRY(open_job(job, call->x, c, params, call->flags));
    LCT_TRY(lct_rotate_check_width(c->fn, call->name, call->out, call->x,
                                   (int64_t)job->width));
    for (int k = 0; k < lct_param_count(c->e); k++)
        LCT_TRY(lct_check_apart(c->fn, call->out, &params[k]));
    return LOCANT_OK;
}

locant_status lct_rotate_map(const struct lct_map_call *calls, size_t n,
                             const struct lct_rotate_call *c,
                             const locant_tensor *params)
{
    struct map_job jobs[LCT_MOST_VIEWS] = { { 0 } };
    locant_status status = LOCANT_OK;

    for (size_t i = 0; status == LOCANT_OK && i < n; i++)
        status = open_map(&jobs[i], &calls[i], c, params);
    for (size_t i = 0; status == LOCANT_OK && i < n; i++)
        if (!lct_empty(calls[i].x))
            lct_parallel_for(matrices_of(calls[i].x), lct_slots(), map_matrix,
                             &jobs[i]);
    for (size_t i = 0; i < n; i++)
        locant_release(jobs[i].memory);
    return status;
}

/* ---------------------------------------------------------------- gradients */

static void backward_matrix(const struct map_job *job, locant_tensor *dx,
                            const locant_tensor *dout, double *const *dparam,
                            size_t task)
{
    double *x = job->rows, *dy = x + job->dim, *out = dy + job->width;
    int64_t index[LOCANT_MAX_RANK];
    int time = dx->rank - 2;

    leading_index(index, dx, task);
    for (index[time] = 0; index[time] < dx->shape[time]; index[time]++) {
        struct lct_point at = point_at(job->c, dx, index);

        lct_row_to_f64(x, lct_at(job->x, index, time + 1), job->x->dtype,
                       job->dim);
        lct_row_to_f64(dy, lct_at(dout, index, time + 1), dout->dtype,
                       job->width);
        job->c->e->row->rotate.backward(out, dparam, dy, x, &job->call,
                                        job->role,
                                        time > 0 ? index[time - 1] : 0, &at);
        lct_row_from_f64(lct_at(dx, index, time + 1), dx->dtype, out, job->dim);
    }
}

/* The positions of a call as a view, for overlap checks with outputs. */
static locant_tensor positions_of(const struct lct_rotate_call *c)
{
    const int64_t shape[2] = { (int64_t)c->tokens, c->axes };
    const void *data = c->pos != NULL ? (const void *)c->pos : c->coords;

    return locant_dense((void *)(uintptr_t)data,
                        c->pos != NULL ? LOCANT_I64 : LOCANT_F64,
                        c->pos != NULL ? 1 : 2, shape);
}

static locant_status check_backward(struct map_job *job, locant_tensor *dx,
                                    locant_tensor *dparams,
                                    const locant_tensor *dout,
                                    const locant_tensor *params)
{
    const char *fn = job->c->fn;
    const locant_tensor positions = positions_of(job->c);
    int n = lct_param_count(job->c->e);

    LCT_TRY(
        lct_rotate_check_width(fn, "dout", dout, job->x, (int64_t)job->width));
    LCT_TRY(lct_check(fn, "dx", dx, 1u << job->x->dtype, job->x->rank,
                      job->x->shape));
    LCT_TRY(lct_check_apart(fn, dx, job->x));
    for (int k = 0; k < n; k++)
        LCT_TRY(lct_check_apart(fn, dx, &params[k]));
    if (n == 0 || dparams == NULL)
        return LOCANT_OK;
    LCT_TRY(lct_params_check_gradients(fn, dparams, job->c->e, params));
    for (int k = 0; k < n; k++) {
        LCT_TRY(lct_check_apart(fn, &dparams[k], dx));
        LCT_TRY(lct_check_apart(fn, &dparams[k], dout));
        LCT_TRY(lct_check_apart(fn, &dparams[k], job->x));
        LCT_TRY(lct_check_apart(fn, &dparams[k], &positions));
    }
    return LOCANT_OK;
}

/* In one thread, so that sums have a fixed order. */
locant_status lct_rotate_map_backward(locant_tensor *dx, locant_tensor *dparams,
                                      const locant_tensor *dout,
                                      const locant_tensor *x,
                                      const struct lct_rotate_call *c,
                                      const locant_tensor *params, int flags)
{
    static const char *const names[2] = { "dx", "x" };
    struct map_job job = { 0 };
    double *dparam[LCT_MAX_PARAMS];
    locant_status status;

    if (flags & LOCANT_ROTATE_INVERSE)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: no gradient of the inverse of %s", c->fn,
                           c->e->row->info.name);
    LCT_TRY(lct_blocks_check(c->fn, names, dx, x, true));
    status = open_job(&job, x, c, params, flags);
    if (status == LOCANT_OK)
        status = check_backward(&job, dx, dparams, dout, params);
    if (status == LOCANT_OK) {
        lct_params_split(dparam, &job.call, job.gradient);
        if (!lct_empty(x))
            for (size_t m = 0; m < matrices_of(x); m++)
                backward_matrix(&job, dx, dout, dparam, m);
        if (dparams != NULL)
            lct_params_add(dparams, job.gradient, c->e, params);
    }
    locant_release(job.memory);
    return status;
}
