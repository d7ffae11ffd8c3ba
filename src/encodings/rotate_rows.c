/* rotate_rows.c - tensors turned by the cosines and sines of their tokens */
#include "blocks.h"
#include "rotate.h"
#include <string.h>

/* What is both copied and turned is still in the cache for the second. */
enum { ROWS_AT_ONCE = 64 };

struct job {
    const struct lct_rotation *r;
    const struct lct_kernels *k;
};

/* Cosines [n, pairs], then sines [n, pairs]. */
static void fill(float *table, const void *context, size_t first, size_t n)
{
    const struct lct_rotation *r = ((const struct job *)context)->r;

    r->angles(table, table + n * (size_t)r->s->pairs, r->context, first, n);
}

/* Do channels stay that have to be copied? */
static bool has_rest(const struct lct_block_run *r,
                     const struct lct_schedule *s)
{
    return r->out != r->x &&
           2 * s->pairs < r->shape->shape[r->shape->rank - 1];
}

/* Whole rows: they are turned where they then are. */
static void copy_rows(const struct lct_block_run *r)
{
    size_t bytes = (size_t)r->shape->shape[r->shape->rank - 1] *
                   locant_dtype_size(r->shape->dtype);

    for (ptrdiff_t h = 0; h < (ptrdiff_t)r->heads; h++)
        for (ptrdiff_t t = 0; t < (ptrdiff_t)r->rows; t++)
            memcpy(r->out + h * r->out_head + t * r->out_row,
                   r->x + h * r->x_head + t * r->x_row, bytes);
}

static void turn_f64(const struct lct_block_run *r,
                     const struct lct_rotation *by, const float *cosines,
                     const float *sines)
{
    size_t dim = (size_t)r->shape->shape[r->shape->rank - 1];
    ptrdiff_t pairs = (ptrdiff_t)by->s->pairs;

    for (ptrdiff_t t = 0; t < (ptrdiff_t)r->rows; t++)
        for (ptrdiff_t h = 0; h < (ptrdiff_t)r->heads; h++) {
            double *to = (double *)(r->out + h * r->out_head + t * r->out_row);

            if (r->out != r->x)
                memcpy(to, r->x + h * r->x_head + t * r->x_row,
                       dim * sizeof(*to));
            lct_rotate_row_f64(to, by->s, cosines + t * pairs,
                               sines + t * pairs, by->sign);
        }
}

static void turn_rows(const struct lct_block_run *r, const struct job *job,
                      const float *cosines, const float *sines)
{
    const struct lct_schedule *s = job->r->s;
    size_t pairs = (size_t)s->pairs;
    size_t skip = (size_t)s->first * locant_dtype_size(r->shape->dtype);

    job->k->rope(&(struct lct_rope){
        .out = r->out + skip, .x = r->x + skip, .out_row = r->out_row,
        .x_row = r->x_row, .out_head = r->out_head, .x_head = r->x_head,
        .cosines = cosines, .sines = sines, .table_row = pairs,
        .rows = r->rows, .heads = r->heads, .pairs = pairs,
        .kind = (enum lct_stored)r->shape->dtype,
        .interleaved = s->pairing == LCT_INTERLEAVED, .sign = job->r->sign });
}

static void turn(const struct lct_block_run *r, const void *context)
{
    const struct job *job = context;
    size_t pairs = (size_t)job->r->s->pairs;
    const float *cosines = r->table, *sines = cosines + r->rows * pairs;
    struct lct_block_run piece = *r;

    if (r->shape->dtype == LOCANT_F64) {
        turn_f64(r, job->r, cosines, sines);
        return;
    }
    if (!has_rest(r, job->r->s)) {
        turn_rows(r, job, cosines, sines);
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
        turn_rows(&piece, job, cosines + t * pairs, sines + t * pairs);
    }
}

locant_status lct_rotate_rows(const char *fn, size_t n,
                              locant_tensor *const *out,
                              const locant_tensor *const *x,
                              const struct lct_rotation *r)
{
    const struct job job = { r, lct_kernels() };
    const struct lct_blocks blocks = { .floats = 2 * (size_t)r->s->pairs,
                                       .fill = fill, .run = turn,
                                       .by_row = r->by_row,
                                       .context = &job };

    return lct_blocks_run(fn, n, out, x, &blocks);
}
