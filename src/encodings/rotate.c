/* rotate.c - the rotate door: turn queries and keys, and turn them back */
#include "rotate.h"
#include "../core/pool.h"
#include "../core/size.h"
#include "encoding.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

void lct_rotate_row(float *row, const struct lct_schedule *s,
                    const struct lct_kernels *k, const float *cos_row,
                    const float *sin_row, float sign)
{
    if (s->pairing == LCT_HALF)
        k->rope_half(row, row, cos_row, sin_row, sign, (size_t)s->pairs);
    else
        k->rope_interleaved(row, row, cos_row, sin_row, sign,
                            (size_t)s->pairs);
}

void lct_rotate_row_f64(double *row, const struct lct_schedule *s,
                        const float *cos_row, const float *sin_row, double sign)
{
    for (int64_t c = 0; c < s->pairs; c++) {
        double *a = row + (s->pairing == LCT_HALF ? c : 2 * c);
        double *b = row + (s->pairing == LCT_HALF ? c + s->pairs : 2 * c + 1);
        double cosine = cos_row[c], sine = sin_row[c] * sign;
        double x = *a, y = *b;

        *a = x * cosine - y * sine;
        *b = x * sine + y * cosine;
    }
}

struct rotate_job {
    locant_tensor *out;
    const locant_tensor *x;
    const struct lct_schedule *s;
    const struct lct_kernels *k;
    const float *cosines, *sines; /* [T, pairs] */
    void *scratch;                /* [slots, D], float or double */
    float sign;
};

/* One row that is not float32: widened, turned, narrowed. */
static void rotate_stored(const struct rotate_job *job, void *to,
                          const void *from, const float *c, const float *s,
                          int slot)
{
    size_t dim = (size_t)job->x->shape[job->x->rank - 1];

    if (job->x->dtype == LOCANT_F64) {
        double *row = (double *)job->scratch + (size_t)slot * dim;

        memcpy(row, from, dim * sizeof(*row));
        lct_rotate_row_f64(row, job->s, c, s, job->sign);
        memcpy(to, row, dim * sizeof(*row));
    } else {
        float *row = (float *)job->scratch + (size_t)slot * dim;

        lct_row_to_f32(row, from, job->x->dtype, dim);
        lct_rotate_row(row, job->s, job->k, c, s, job->sign);
        lct_row_from_f32(to, job->x->dtype, row, dim);
    }
}

static void rotate_f32(const struct rotate_job *job, float *to,
                       const float *from, const float *c, const float *s)
{
    size_t dim = (size_t)job->x->shape[job->x->rank - 1];
    size_t turned = 2 * (size_t)job->s->pairs;

    if (job->s->pairing == LCT_HALF)
        job->k->rope_half(to, from, c, s, job->sign, turned / 2);
    else
        job->k->rope_interleaved(to, from, c, s, job->sign, turned / 2);
    if (to != from)
        memcpy(to + turned, from + turned, (dim - turned) * sizeof(*to));
}

/* One task: all tokens of one [T, D] matrix; 'task' counts the outer ones. */
static void rotate_matrix(void *context, size_t task, int slot)
{
    const struct rotate_job *job = context;
    const locant_tensor *x = job->x;
    int64_t index[LOCANT_MAX_RANK];
    int time = x->rank - 2;

    for (int i = time - 1; i >= 0; i--) {
        index[i] = (int64_t)(task % (size_t)x->shape[i]);
        task /= (size_t)x->shape[i];
    }
    for (index[time] = 0; index[time] < x->shape[time]; index[time]++) {
        const void *from = lct_at(x, index, time + 1);
        void *to = lct_at(job->out, index, time + 1);
        size_t at = (size_t)index[time] * (size_t)job->s->pairs;

        if (x->dtype == LOCANT_F32)
            rotate_f32(job, to, from, job->cosines + at, job->sines + at);
        else
            rotate_stored(job, to, from, job->cosines + at, job->sines + at,
                          slot);
    }
}

static locant_status check_positions(const char *fn, const locant_tensor *p,
                                     int64_t tokens)
{
    LCT_TRY(lct_check(fn, "positions", p, LCT_IN_I64 | LCT_IN_F64, 1,
                      &tokens));
    for (int64_t t = 0; p->dtype == LOCANT_F64 && t < tokens; t++) {
        double x = ((const double *)p->data)[t];

        if (!(fabs(x) < 0x1p63))
            return locant_fail(LOCANT_ERR_PARAM, "%s: position %" PRId64
                               " is %g, expected a finite number below 2^63",
                               fn, t, x);
    }
    return LOCANT_OK;
}

static locant_status check_rows(const char *fn, const char *out_name,
                                const locant_tensor *out, const char *in_name,
                                const locant_tensor *x)
{
    int64_t any[LOCANT_MAX_RANK] = { -1, -1, -1, -1, -1, -1 };

    if (x != NULL && (x->rank < 2 || x->rank > LOCANT_MAX_RANK))
        return locant_fail(LOCANT_ERR_SHAPE, "%s: %s has rank %d, expected "
                           "[.., tokens, channels], 2 to %d", fn, in_name,
                           (int)x->rank, LOCANT_MAX_RANK);
    LCT_TRY(lct_check(fn, in_name, x, LCT_IN_FLOAT, x ? x->rank : 2, any));
    LCT_TRY(lct_check(fn, out_name, out, 1u << x->dtype, x->rank, x->shape));
    LCT_TRY(lct_check_output(fn, out_name, out));
    return lct_check_overlap(fn, out, x);
}

/* Cosines, sines and scratch in one allocation, then the turning itself. */
static locant_status run(const char *fn, struct rotate_job *job,
                         const locant_tensor *positions)
{
    size_t tokens = (size_t)positions->shape[0];
    size_t table, slots = (size_t)lct_slots(), scratch, matrices = 1;
    float *memory;

    if (!lct_mul(&table, tokens, (size_t)job->s->pairs) ||
        !lct_mul(&table, table, 2 * sizeof(float)) ||
        !lct_mul(&scratch, slots * sizeof(double),
                 (size_t)job->x->shape[job->x->rank - 1]) ||
        !lct_add(&table, (table + 63) / 64 * 64, scratch) ||
        (memory = locant_alloc(table)) == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for the angles of "
                           "%zu positions", fn, tokens);
    job->cosines = memory;
    job->sines = memory + tokens * (size_t)job->s->pairs;
    job->scratch = (char *)memory + (table - scratch);
    if (positions->dtype == LOCANT_F64)
        lct_schedule_angles_real(memory, (float *)job->sines, job->s,
                                 positions->data, tokens);
    else
        lct_schedule_angles(memory, (float *)job->sines, job->s,
                            positions->data, tokens);
    for (int i = 0; i < job->x->rank - 2; i++)
        matrices *= (size_t)job->x->shape[i];
    lct_parallel_for(matrices, (int)slots, rotate_matrix, job);
    locant_release(memory);
    return LOCANT_OK;
}

static locant_status rotate(const char *fn, const char *const names[2],
                            locant_tensor *out, const locant_tensor *x,
                            const locant_encoding *e,
                            const locant_tensor *positions, float sign)
{
    struct rotate_job job = { .out = out, .x = x, .sign = sign,
                              .k = lct_kernels() };

    LCT_TRY(check_rows(fn, names[0], out, names[1], x));
    if (e == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: e is NULL", fn);
    if (!(e->row->info.doors & LOCANT_DOOR_ROTATE))
        return locant_fail(LOCANT_ERR_UNSUPPORTED, "%s: %s does not turn "
                           "queries and keys; it has no rotate door", fn,
                           e->row->info.name);
    LCT_TRY(check_positions(fn, positions, x->shape[x->rank - 2]));
    LCT_TRY(lct_check_apart(fn, out, positions));
    if (lct_empty(x))
        return LOCANT_OK;
    LCT_TRY(lct_schedule_of(&job.s, e, fn, x->shape[x->rank - 1]));
    return run(fn, &job, positions);
}

locant_status
locant_encoding_rotate(locant_tensor *out, const locant_tensor *x,
                       const locant_encoding *e, const locant_tensor *positions,
                       int inverse)
{
    static const char *const names[2] = { "out", "x" };

    return rotate("locant_encoding_rotate", names, out, x, e, positions,
                  inverse ? -1.0f : 1.0f);
}

/* forward: out = R x with R orthogonal, so dx = R^T dout */
locant_status
locant_encoding_rotate_backward(locant_tensor *dx, const locant_tensor *dout,
                                const locant_encoding *e,
                                const locant_tensor *positions)
{
    static const char *const names[2] = { "dx", "dout" };

    return rotate("locant_encoding_rotate_backward", names, dx, dout, e,
                  positions, -1.0f);
}
