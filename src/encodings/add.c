/*
 * add.c - the input door as models use it: rows added to embeddings.
 *
 * Rows are made in float32 for a block of tokens, once for the whole batch, and
 * added while they are in the cache; in double where the embeddings are.
 */
#include "../kernel/kernels.h"
#include "blocks.h"
#include "table.h"

struct job {
    struct lct_table_call call;
    const struct lct_kernels *k;
    int64_t dim;
    bool wide; /* double */
};

static void fill(float *table, const void *context, size_t first, size_t n)
{
    const struct job *job = context;
    size_t floats = n * (size_t)job->dim;
    double *spare = (double *)(void *)(table + floats + floats % 2);

    if (job->wide)
        lct_table_rows_f64((double *)(void *)table, &job->call, first, n,
                           job->dim);
    else
        lct_table_rows(table, spare, &job->call, first, n, job->dim);
}

static void add_f64(const struct lct_block_run *r, size_t dim)
{
    const double *p = (const double *)(const void *)r->table + r->token * dim;

    for (ptrdiff_t t = 0; t < (ptrdiff_t)r->rows; t++) {
        const double *x = (const double *)(const void *)(r->x + t * r->x_row);
        double *out = (double *)(void *)(r->out + t * r->out_row);

        for (size_t i = 0; i < dim; i++)
            out[i] = x[i] + p[i];
        p += r->across ? 0 : dim;
    }
}

static void add(const struct lct_block_run *r, const void *context)
{
    const struct job *job = context;
    size_t dim = (size_t)job->dim;

    if (job->wide)
        add_f64(r, dim);
    else
        job->k->add_table(&(struct lct_sum){
            .out = r->out, .x = r->x, .out_row = r->out_row,
            .x_row = r->x_row, .table = r->table + r->token * dim,
            .table_row = r->across ? 0 : dim, .rows = r->rows, .n = dim,
            .kind = (enum lct_stored)r->shape->dtype, .soon_x = r->soon_x,
            .soon_out = r->soon_out });
}

static locant_status check_rows(const char *fn, const locant_tensor *out,
                                const locant_tensor *x)
{
    int64_t any[LOCANT_MAX_RANK] = { -1, -1, -1, -1, -1, -1 };

    if (x != NULL && (x->rank < 2 || x->rank > LOCANT_MAX_RANK))
        return locant_fail(LOCANT_ERR_SHAPE, "%s: x has rank %d, expected [.., "
                           "tokens, channels], 2 to %d", fn, (int)x->rank,
                           LOCANT_MAX_RANK);
    LCT_TRY(lct_check(fn, "x", x, LCT_IN_FLOAT, x ? x->rank : 2, any));
    LCT_TRY(lct_check(fn, "out", out, 1u << x->dtype, x->rank, x->shape));
    LCT_TRY(lct_check_output(fn, "out", out));
    return lct_check_overlap(fn, out, x);
}

locant_status locant_encoding_add(locant_tensor *out, const locant_tensor *x,
                                  const locant_encoding *e,
                                  const locant_tensor *positions,
                                  const locant_tensor *params)
{
    static const char fn[] = "locant_encoding_add";
    struct job job = { .k = lct_kernels() };
    struct lct_blocks blocks = { .fill = fill, .run = add, .context = &job };

    LCT_TRY(check_rows(fn, out, x));
    job.dim = x->shape[x->rank - 1];
    job.wide = x->dtype == LOCANT_F64;
    LCT_TRY(lct_table_open(&job.call, fn, x->shape[x->rank - 2], job.dim, e,
                           positions, params));
    LCT_TRY(lct_check_apart(fn, out, positions));
    for (int i = 0; i < lct_param_count(job.call.e); i++)
        LCT_TRY(lct_check_apart(fn, out, &job.call.params[i]));
    blocks.floats = (size_t)job.dim * (job.wide ? 2 : 1);
    blocks.spare = job.wide ? 0 : 2 * (size_t)job.dim + 1;
    return lct_blocks_run(fn, 1, &out, &x, &blocks);
}
