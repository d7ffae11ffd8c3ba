/* rotate_rows.c - tensors turned by the cosines and sines of their tokens */
#include "blocks.h"
#include "rotate.h"
#include <string.h>

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

/* Channels that do not turn, where out is another memory than x. */
static void copy_rest(const struct lct_block_run *r,
                      const struct lct_schedule *s)
{
    size_t size = locant_dtype_size(r->shape->dtype);
    size_t bytes = (size_t)r->shape->shape[r->shape->rank - 1] * size;
    size_t first = (size_t)s->first * size;
    size_t end = first + 2 * (size_t)s->pairs * size;

    if (r->out == r->x || (first == 0 && end == bytes))
        return;
    for (ptrdiff_t t = 0; t < (ptrdiff_t)r->rows; t++) {
        memcpy(r->out + t * r->out_row, r->x + t * r->x_row, first);
        memcpy(r->out + t * r->out_row + end, r->x + t * r->x_row + end,
               bytes - end);
    }
}

static void turn_f64(const struct lct_block_run *r,
                     const struct lct_rotation *by, const float *cosines,
                     const float *sines, size_t apart)
{
    size_t dim = (size_t)r->shape->shape[r->shape->rank - 1];

    for (size_t t = 0; t < r->rows; t++) {
        double *to = (double *)(r->out + (ptrdiff_t)t * r->out_row);

        if (r->out != r->x)
            memcpy(to, r->x + (ptrdiff_t)t * r->x_row, dim * sizeof(*to));
        lct_rotate_row_f64(to, by->s, cosines + t * apart, sines + t * apart,
                           by->sign);
    }
}

static void turn(const struct lct_block_run *r, const void *context)
{
    const struct job *job = context;
    const struct lct_schedule *s = job->r->s;
    size_t pairs = (size_t)s->pairs, apart = r->across ? 0 : pairs;
    size_t skip = (size_t)s->first * locant_dtype_size(r->shape->dtype);
    const float *cosines = r->table + r->token * pairs;
    const float *sines = cosines + r->tokens * pairs;
    struct lct_rope rope = {
        .out = r->out + skip, .x = r->x + skip, .out_row = r->out_row,
        .x_row = r->x_row, .cosines = cosines, .sines = sines,
        .table_row = apart, .rows = r->rows, .pairs = pairs,
        .interleaved = s->pairing == LCT_INTERLEAVED, .sign = job->r->sign,
        .soon_x = r->soon_x == NULL ? NULL : r->soon_x + skip,
        .soon_out = r->soon_out == NULL ? NULL : r->soon_out + skip,
    };

    if (r->shape->dtype == LOCANT_F64) {
        turn_f64(r, job->r, cosines, sines, apart);
        return;
    }
    rope.kind = (enum lct_stored)r->shape->dtype;
    copy_rest(r, s);
    job->k->rope(&rope);
}

locant_status lct_rotate_rows(const char *fn, size_t n,
                              locant_tensor *const *out,
                              const locant_tensor *const *x,
                              const struct lct_rotation *r)
{
    const struct job job = { r, lct_kernels() };
    const struct lct_blocks blocks = { .floats = 2 * (size_t)r->s->pairs,
                                       .fill = fill, .run = turn,
                                       .context = &job };

    return lct_blocks_run(fn, n, out, x, &blocks);
}
