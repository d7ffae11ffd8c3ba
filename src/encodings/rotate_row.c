/* rotate_row.c - rows turned by cosines and sines, and those of positions */
#include "../core/pool.h"
#include "../core/size.h"
#include "rotate.h"
#include <string.h>

void lct_rotate_row(float *row, const struct lct_schedule *s,
                    const struct lct_kernels *k, const float *cos_row,
                    const float *sin_row, float sign)
{
    row += s->first;
    if (s->pairing == LCT_HALF)
        k->rope_half(row, row, cos_row, sin_row, sign, (size_t)s->pairs);
    else
        k->rope_interleaved(row, row, cos_row, sin_row, sign,
                            (size_t)s->pairs);
}

void lct_rotate_row_f64(double *row, const struct lct_schedule *s,
                        const float *cos_row, const float *sin_row, double sign)
{
    row += s->first;
    for (int64_t c = 0; c < s->pairs; c++) {
        double *a = row + (s->pairing == LCT_HALF ? c : 2 * c);
        double *b = row + (s->pairing == LCT_HALF ? c + s->pairs : 2 * c + 1);
        double cosine = cos_row[c], sine = sin_row[c] * sign;
        double x = *a, y = *b;

        *a = x * cosine - y * sine;
        *b = x * sine + y * cosine;
    }
}

enum { CHUNK = 512, MOST_AXES = 4 };

void lct_rotate_angles(float *cos_out, float *sin_out,
                       const struct lct_schedule *s, const locant_encoding *e,
                       const int64_t *pos, const double *coords, size_t n)
{
    double local[CHUNK * MOST_AXES];
    size_t pairs = (size_t)s->pairs;

    if (coords != NULL) {
        lct_schedule_angles_at(cos_out, sin_out, s, coords, n);
        return;
    }
    if (s->axes == 1) {
        lct_schedule_angles(cos_out, sin_out, s, pos, n);
        return;
    }
    for (size_t t = 0; t < n; t += CHUNK) {
        size_t rows = n - t < CHUNK ? n - t : CHUNK;

        for (size_t i = 0; i < rows; i++)
            e->row->place(local + i * (size_t)s->axes, e, pos[t + i]);
        lct_schedule_angles_at(cos_out + t * pairs, sin_out + t * pairs, s,
                               local, rows);
    }
}

/* ------------------------------------------------------------ whole tensors */

struct rows_job {
    locant_tensor *out;
    const locant_tensor *x;
    const struct lct_schedule *s;
    const struct lct_kernels *k;
    const float *cosines, *sines; /* [T, pairs] */
    void *scratch;                /* [slots, D], float or double */
    float sign;
};

size_t lct_rotate_matrices(const locant_tensor *x)
{
    size_t matrices = 1;

    for (int i = 0; i < x->rank - 2; i++)
        matrices *= (size_t)x->shape[i];
    return matrices;
}

void lct_rotate_index(int64_t *index, const locant_tensor *x, size_t task)
{
    for (int i = x->rank - 3; i >= 0; i--) {
        index[i] = (int64_t)(task % (size_t)x->shape[i]);
        task /= (size_t)x->shape[i];
    }
}

/* One row that is not float32: widened, turned, narrowed. */
static void turn_stored(const struct rows_job *job, void *to, const void *from,
                        const float *c, const float *s, int slot)
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

static void turn_f32(const struct rows_job *job, float *to, const float *from,
                     const float *c, const float *s)
{
    size_t dim = (size_t)job->x->shape[job->x->rank - 1];
    size_t first = (size_t)job->s->first;
    size_t end = first + 2 * (size_t)job->s->pairs;

    if (job->s->pairing == LCT_HALF)
        job->k->rope_half(to + first, from + first, c, s, job->sign,
                          (end - first) / 2);
    else
        job->k->rope_interleaved(to + first, from + first, c, s, job->sign,
                                 (end - first) / 2);
    if (to == from)
        return;
    if (first > 0)
        memcpy(to, from, first * sizeof(*to));
    if (end < dim)
        memcpy(to + end, from + end, (dim - end) * sizeof(*to));
}

/* One task: all tokens of one [T, D] matrix; 'task' counts the outer ones. */
static void turn_matrix(void *context, size_t task, int slot)
{
    const struct rows_job *job = context;
    const locant_tensor *x = job->x;
    int64_t index[LOCANT_MAX_RANK];
    int time = x->rank - 2;

    lct_rotate_index(index, x, task);
    for (index[time] = 0; index[time] < x->shape[time]; index[time]++) {
        const void *from = lct_at(x, index, time + 1);
        void *to = lct_at(job->out, index, time + 1);
        size_t at = (size_t)index[time] * (size_t)job->s->pairs;

        if (x->dtype == LOCANT_F32)
            turn_f32(job, to, from, job->cosines + at, job->sines + at);
        else
            turn_stored(job, to, from, job->cosines + at, job->sines + at,
                        slot);
    }
}

locant_status lct_rotate_rows(const char *fn, locant_tensor *out,
                              const locant_tensor *x,
                              const struct lct_schedule *s,
                              const float *cosines, const float *sines,
                              float sign)
{
    struct rows_job job = { .out = out, .x = x, .s = s, .k = lct_kernels(),
                            .cosines = cosines, .sines = sines, .sign = sign };
    size_t slots = (size_t)lct_slots(), bytes;

    if (x->dtype != LOCANT_F32) {
        if (lct_mul(&bytes, slots * sizeof(double),
                    (size_t)x->shape[x->rank - 1]))
            job.scratch = locant_alloc(bytes);
        if (job.scratch == NULL)
            return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for %zu rows "
                               "of scratch", fn, slots);
    }
    lct_parallel_for(lct_rotate_matrices(x), (int)slots, turn_matrix, &job);
    locant_release(job.scratch);
    return LOCANT_OK;
}
