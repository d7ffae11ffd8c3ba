/* schedule.c - lists of frequencies, and tables of angles on several threads */
#include "schedule.h"
#include "../core/size.h"
#include "../kernel/kernels.h"
#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum {
    BLOCK_PAIRS = 4096, /* pairs of a task: 2 us and more, fits L1 */
    KERNEL_LEAST = 64,  /* rows of a task of the kernel: the first costs most */
    MOST_ROWS = 256
};

struct lct_schedule *lct_schedule_new(int64_t pairs, int axes, int64_t head_dim)
{
    static atomic_uint_fast64_t made;
    size_t turns, singles, bytes;
    struct lct_schedule *s;

    if (pairs < 0 || axes < 1 ||
        !lct_mul(&turns, (size_t)pairs, (size_t)axes) ||
        !lct_mul(&bytes, turns, sizeof(struct lct_phase)) ||
        !lct_mul(&singles, (size_t)pairs, sizeof(float)) ||
        !lct_add(&bytes, bytes, singles) ||
        !lct_add(&bytes, bytes, sizeof(struct lct_schedule)))
        return NULL;
    s = locant_alloc(bytes);
    if (s == NULL)
        return NULL;
    s->id = atomic_fetch_add(&made, 1) + 1;
    s->head_dim = head_dim;
    s->pairs = pairs;
    s->axes = axes;
    s->pairing = LCT_HALF;
    s->mode = LOCANT_ANGLES_EXACT;
    s->magnitude = 1;
    s->single = (float *)(s->frequency + turns);
    return s;
}

struct lct_schedule *lct_schedule_create(double base, int64_t pairs,
                                         int64_t head_dim)
{
    struct lct_schedule *s = lct_schedule_new(pairs, 1, head_dim);

    if (s == NULL)
        return NULL;
    s->base = base;
    for (int64_t i = 0; i < pairs; i++)
        s->frequency[i] = lct_phase_of(base, i, 2 * pairs);
    return s;
}

struct job {
    float *cos_out, *sin_out;
    double *wide_cos, *wide_sin; /* outputs in double; or NULL */
    const struct lct_schedule *s;
    const int64_t *integers; /* NULL: at 'reals' */
    const double *reals;     /* [n, axes] */
    const struct lct_kernels *kernels;
    size_t n, rows; /* positions in all, and in a task */
};

size_t lct_schedule_run(const int64_t *positions, size_t first, size_t end)
{
    size_t i = first + 1;

    while (i < end && positions[i - 1] != INT64_MAX && positions[i] != 0 &&
           positions[i] == positions[i - 1] + 1)
        i++;
    return i - first;
}

void lct_schedule_angles_of(float *cos_out, float *sin_out,
                            const struct lct_schedule *s, size_t first,
                            size_t pairs, const int64_t *positions, size_t n)
{
    const struct lct_kernels *kernels = lct_kernels();

    for (size_t t = 0, rows; t < n; t += rows) {
        rows = lct_schedule_run(positions, t, n);
        kernels->angle_rows(cos_out + t * pairs, sin_out + t * pairs,
                            s->frequency + first, pairs, positions[t], rows,
                            s->magnitude);
    }
}

static void exact_integers(const struct job *job, size_t first, size_t end)
{
    size_t pairs = (size_t)job->s->pairs;

    lct_schedule_angles_of(job->cos_out + first * pairs,
                           job->sin_out + first * pairs, job->s, 0, pairs,
                           job->integers + first, end - first);
}

static void store(float *cos_out, float *sin_out, const struct lct_reduced *x,
                  double magnitude)
{
    double c, s;

    lct_reduced_cos_sin(&c, &s, x, magnitude);
    *cos_out = (float)c;
    *sin_out = (float)s;
}

static void exact_reals(const struct job *job, size_t first, size_t end)
{
    size_t pairs = (size_t)job->s->pairs;

    for (size_t t = first; t < end; t++) {
        double p = job->reals[t];
        float *c_row = job->cos_out + t * pairs;
        float *s_row = job->sin_out + t * pairs;

        if (p == floor(p)) {
            job->kernels->angle_rows(c_row, s_row, job->s->frequency, pairs,
                                     (int64_t)p, 1, job->s->magnitude);
            continue;
        }
        for (size_t i = 0; i < pairs; i++) {
            struct lct_reduced x = lct_reduce_real(job->s->frequency[i], p);

            store(&c_row[i], &s_row[i], &x, job->s->magnitude);
        }
    }
}

/* The axis that alone moves pair c; -1: several do, or none. */
static int only_axis(const struct lct_schedule *s, size_t c)
{
    int found = -1;

    for (int k = 0; k < s->axes; k++) {
        const struct lct_phase *f =
            &s->frequency[(size_t)k * (size_t)s->pairs + c];

        if (f->hi == 0 && f->lo == 0)
            continue;
        if (found >= 0)
            return -1;
        found = k;
    }
    return found;
}

/* Pairs first .. end - 1 of token t, one by one. */
static void point_pairs(const struct job *job, size_t t, size_t first,
                        size_t end)
{
    size_t pairs = (size_t)job->s->pairs, axes = (size_t)job->s->axes;

    for (size_t c = first; c < end; c++) {
        struct lct_reduced x =
            lct_reduce_point(job->s, job->reals + t * axes, (int64_t)c);

        store(job->cos_out + t * pairs + c, job->sin_out + t * pairs + c, &x,
              job->s->magnitude);
    }
}

/* Fewer pairs are not worth a call of the kernel. */
enum { KERNEL_PAIRS = 4 };

/* Pairs that only one axis moves, side by side, take the kernel where that
 * coordinate is an integer. */
static void exact_points(const struct job *job, size_t first, size_t end)
{
    const struct lct_schedule *s = job->s;
    size_t pairs = (size_t)s->pairs;

    for (size_t c = 0, last; c < pairs; c = last) {
        const int axis = only_axis(s, c);

        for (last = c + 1; last < pairs && only_axis(s, last) == axis; last++)
            ;
        for (size_t t = first; t < end; t++) {
            double p =
                axis < 0 ? 0.5 : job->reals[t * (size_t)s->axes + (size_t)axis];

            if (p == floor(p) && last - c >= KERNEL_PAIRS)
                job->kernels->angle_rows(
                    job->cos_out + t * pairs + c, job->sin_out + t * pairs + c,
                    s->frequency + (size_t)axis * pairs + c, last - c,
                    (int64_t)p, 1, s->magnitude);
            else
                point_pairs(job, t, c, last);
        }
    }
}

/* -------------------------------------------------------------- in doubles */

static void wide_row(const struct job *job, size_t t, double *cosines,
                     double *sines)
{
    const struct lct_schedule *s = job->s;

    for (int64_t c = 0; c < s->pairs; c++) {
        struct lct_reduced x;

        if (s->axes > 1)
            x = lct_reduce_point(s, job->reals + t * (size_t)s->axes, c);
        else if (job->integers != NULL)
            x = lct_reduce(s->frequency[c], job->integers[t]);
        else
            x = lct_reduce_real(s->frequency[c], job->reals[t]);
        lct_reduced_cos_sin(&cosines[c], &sines[c], &x, s->magnitude);
    }
}

/* Widen n floats, stored in the upper half of n doubles, in place. */
static void widen(double *x, size_t n)
{
    const char *from = (const char *)(x + n) - n * sizeof(float);

    for (size_t i = 0; i < n; i++) {
        float narrow;

        memcpy(&narrow, from + i * sizeof(narrow), sizeof(narrow));
        x[i] = (double)narrow;
    }
}

/* A recipe writes floats: into the upper half of the doubles' memory. */
static void wide_recipe(const struct job *job, size_t t, double *cosines,
                        double *sines)
{
    size_t pairs = (size_t)job->s->pairs;

    lct_recipe_rows((float *)(void *)cosines + pairs,
                    (float *)(void *)sines + pairs, job->s,
                    job->integers == NULL ? NULL : job->integers + t,
                    job->reals == NULL ? NULL : job->reals + t, 0, 1);
    widen(cosines, pairs);
    widen(sines, pairs);
}

static void wide_rows(const struct job *job, size_t first, size_t end)
{
    size_t pairs = (size_t)job->s->pairs;

    for (size_t t = first; t < end; t++)
        (job->s->mode == LOCANT_ANGLES_EXACT ? wide_row : wide_recipe)(
            job, t, job->wide_cos + t * pairs, job->wide_sin + t * pairs);
}

/* ----------------------------------------------------------------- threads */

static void block(void *context, size_t task, int slot)
{
    const struct job *job = context;
    size_t first = task * job->rows;
    size_t end = job->n - first < job->rows ? job->n : first + job->rows;

    (void)slot;
    if (job->wide_cos != NULL)
        wide_rows(job, first, end);
    else if (job->s->mode != LOCANT_ANGLES_EXACT)
        lct_recipe_rows(job->cos_out, job->sin_out, job->s, job->integers,
                        job->reals, first, end);
    else if (job->s->axes > 1)
        exact_points(job, first, end);
    else if (job->integers != NULL)
        exact_integers(job, first, end);
    else
        exact_reals(job, first, end);
}

/* Does angle_rows() compute the rows, many at a time? */
static bool by_kernel(const struct job *job)
{
    return job->wide_cos == NULL && job->s->mode == LOCANT_ANGLES_EXACT &&
           job->s->axes == 1 && job->integers != NULL;
}

static void run(struct job *job)
{
    size_t pairs = (size_t)job->s->pairs;
    size_t least = by_kernel(job) ? KERNEL_LEAST : 1;

    if (pairs == 0 || job->n == 0)
        return;
    job->kernels = lct_kernels();
    job->rows = BLOCK_PAIRS / pairs;
    if (job->rows < least)
        job->rows = least;
    if (job->rows > MOST_ROWS)
        job->rows = MOST_ROWS;
    if (job->n <= job->rows)
        block(job, 0, 0);
    else
        locant_parallel_for((job->n - 1) / job->rows + 1, block, job);
}

void lct_schedule_angles(float *cos_out, float *sin_out,
                         const struct lct_schedule *s, const int64_t *positions,
                         size_t n)
{
    struct job job = { .cos_out = cos_out,
                       .sin_out = sin_out,
                       .s = s,
                       .integers = positions,
                       .n = n };

    run(&job);
}

void lct_schedule_angles_real(float *cos_out, float *sin_out,
                              const struct lct_schedule *s,
                              const double *coords, size_t n)
{
    struct job job = {
        .cos_out = cos_out, .sin_out = sin_out, .s = s, .reals = coords, .n = n
    };

    run(&job);
}

void lct_schedule_fill(struct lct_table t, const struct lct_schedule *s,
                       const int64_t *integers, const double *reals, size_t n)
{
    struct job job = { .s = s, .integers = integers, .reals = reals, .n = n };

    if (t.wide) {
        job.wide_cos = t.cosines;
        job.wide_sin = t.sines;
    } else {
        job.cos_out = t.cosines;
        job.sin_out = t.sines;
    }
    run(&job);
}
