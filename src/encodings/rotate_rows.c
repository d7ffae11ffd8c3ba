/* rotate_rows.c - rotate tensors by the cosines and sines of their tokens */
#include "blocks.h"
#include "rotate.h"
#include <string.h>

enum {
    /* Rows copied at a time: so few that they are still in the cache
     * afterwards. */
    ROWS_AT_ONCE = 64
};

struct job {
    const struct lct_rotation *r;
    const struct lct_kernels *k;
    bool wide, narrow; /* are there tensors of F64, and of other types? */
    bool large;        /* can no cache hold the results? */
};

/*
 * A block's table of n tokens holds cosines [n, pairs] and sines [n, pairs] in
 * double if job->wide, followed by the same in float if job->narrow.
 */
static struct lct_table table_of(const float *table, const struct job *job,
                                 size_t n, bool wide)
{
    size_t entries = n * (size_t)job->r->s->pairs;
    char *at = (char *)(uintptr_t)table;

    if (!wide && job->wide)
        at += 2 * entries * sizeof(double);
    return (struct lct_table){ at, at + entries * lct_table_size(wide), wide };
}

static void fill(float *table, const void *context, size_t first, size_t n)
{
    const struct job *job = context;
    const struct lct_rotation *r = job->r;

    if (job->wide)
        r->angles(table_of(table, job, n, true), r->context, first, n);
    if (job->narrow)
        r->angles(table_of(table, job, n, false), r->context, first, n);
}

/* Are there channels that are not rotated and have to be copied? */
static bool has_rest(const struct lct_block_run *r,
                     const struct lct_schedule *s)
{
    return r->out != r->x && 2 * s->pairs < r->shape->shape[r->shape->rank - 1];
}

/* Copy whole rows, which are then rotated in place. */
static void copy_rows(const struct lct_block_run *r)
{
    size_t bytes = (size_t)r->shape->shape[r->shape->rank - 1] *
                   locant_dtype_size(r->shape->dtype);

    for (ptrdiff_t h = 0; h < (ptrdiff_t)r->heads; h++)
        for (ptrdiff_t t = 0; t < (ptrdiff_t)r->rows; t++)
            memcpy(r->out + h * r->out_head + t * r->out_row,
                   r->x + h * r->x_head + t * r->x_row, bytes);
}

static void rotate_f64(const struct lct_block_run *r,
                       const struct lct_rotation *by, struct lct_table table)
{
    size_t dim = (size_t)r->shape->shape[r->shape->rank - 1];
    size_t pairs = (size_t)by->s->pairs;

    for (ptrdiff_t t = 0; t < (ptrdiff_t)r->rows; t++)
        for (ptrdiff_t h = 0; h < (ptrdiff_t)r->heads; h++) {
            double *to = (double *)(r->out + h * r->out_head + t * r->out_row);

            if (r->out != r->x)
                memcpy(to, r->x + h * r->x_head + t * r->x_row,
                       dim * sizeof(*to));
            lct_rotate_row_f64(
                to, by->s, lct_table_at(table, (size_t)t * pairs), by->sign);
        }
}

static void rotate_rows(const struct lct_block_run *r, const struct job *job,
                        const float *cosines, const float *sines)
{
    const struct lct_schedule *s = job->r->s;
    size_t pairs = (size_t)s->pairs;
    size_t skip = (size_t)s->first * locant_dtype_size(r->shape->dtype);

    lct_rotate_bands(
        &(struct lct_rope){ .out = r->out + skip,
                            .x = r->x + skip,
                            .out_row = r->out_row,
                            .x_row = r->x_row,
                            .out_head = r->out_head,
                            .x_head = r->x_head,
                            .cosines = cosines,
                            .sines = sines,
                            .table_row = pairs,
                            .rows = r->rows,
                            .heads = r->heads,
                            .pairs = pairs,
                            .kind = (enum lct_stored)r->shape->dtype,
                            .interleaved = s->pairing == LCT_INTERLEAVED,
                            .sign = job->r->sign,
                            .streams = job->large && r->out != r->x },
        s, job->k);
}

static void rotate(const struct lct_block_run *r, const void *context)
{
    const struct job *job = context;
    size_t pairs = (size_t)job->r->s->pairs;
    bool wide = r->shape->dtype == LOCANT_F64;
    struct lct_table table = table_of(r->table, job, r->rows, wide);
    const float *cosines = table.cosines, *sines = table.sines;
    struct lct_block_run piece = *r;

    if (wide) {
        rotate_f64(r, job->r, table);
        return;
    }
    if (!has_rest(r, job->r->s)) {
        rotate_rows(r, job, cosines, sines);
        return;
    }
    for (size_t t = 0; t < r->rows; t += ROWS_AT_ONCE) {
        piece.rows = r->rows - t < ROWS_AT_ONCE ? r->rows - t : ROWS_AT_ONCE;
        piece.out = r->out + (ptrdiff_t)t * r->out_row;
        piece.x = r->x + (ptrdiff_t)t * r->x_row;
        piece.x_row = r->x_row;
        piece.x_head = r->x_head;
        copy_rows(&piece);
        piece.x = piece.out;
        piece.x_row = r->out_row;
        piece.x_head = r->out_head;
        rotate_rows(&piece, job, cosines + t * pairs, sines + t * pairs);
    }
}

locant_status lct_rotate_rows(const char *fn, size_t n,
                              locant_tensor *const *out,
                              const locant_tensor *const *x,
                              const struct lct_rotation *r)
{
    struct job job = { .r = r, .k = lct_kernels() };
    size_t bytes = 0;
    struct lct_blocks blocks = { .fill = fill,
                                 .run = rotate,
                                 .context = &job,
                                 .outer = r->outer,
                                 .prefetches = r->s->pairing == LCT_HALF };

    for (size_t i = 0; i < n; i++) {
        job.wide |= x[i]->dtype == LOCANT_F64;
        job.narrow |= x[i]->dtype != LOCANT_F64;
        bytes += lct_elements(x[i]) * locant_dtype_size(x[i]->dtype);
    }
    job.large = bytes >= LCT_STREAMED_BYTES;
    blocks.floats = (job.wide ? 4 : 0) + (job.narrow ? 2 : 0);
    blocks.floats *= (size_t)r->s->pairs;
    return lct_blocks_run(fn, n, out, x, &blocks);
}
