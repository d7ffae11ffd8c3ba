/*
 * add.c - the input door as models use it: rows added to embeddings.
 *
 * Rows of a block of tokens are computed once for the whole batch, in float32,
 * or in double for embeddings in double, and added while they are in the cache.
 * Rows that a parameter stores in the type of the embeddings are read instead,
 * sinusoids of a single sequence computed by the kernel that adds them.
 */
#include "../angle/schedule.h"
#include "../kernel/kernels.h"
#include "blocks.h"
#include "table.h"

enum {
    POINTER = sizeof(void *) / sizeof(float), /* in floats */
    LEAST_ROWS = 16,   /* rows computed at a time: the first costs most */
    WAVE_LEAST = 4096, /* elements from which on add_waves() is faster */
    WAVE_ROWS = 64,    /* the same of sinusoids, */
    WAVE_FLOATS = 256  /* which have no table: 8 rows make the least task */
};

struct job {
    struct lct_table_call call;
    const struct lct_kernels *k;
    int64_t dim;
    bool wide;   /* embeddings are F64 */
    bool stored; /* the first parameter holds the rows, in this type */
    const struct lct_schedule *waves; /* of sinusoids that are used once */
    bool large;                       /* can no cache hold the results? */
};

/* The rows of a block, preceded by pointers to them. */
static void fill(float *block, const void *context, size_t first, size_t n)
{
    const struct job *job = context;
    const struct lct_table_call *c = &job->call;
    const void **at = (const void **)(void *)block;
    size_t dim = (size_t)job->dim, size = job->wide ? 8 : 4;
    char *rows = (char *)(at + n);

    for (size_t t = 0; t < n; t++)
        at[t] = job->stored ? c->e->row->input.fast.stored(
                                  c->e, c->positions[first + t], c->params)
                            : rows + t * dim * size;
    if (job->wide && !job->stored)
        lct_table_rows_f64((double *)(void *)rows, c, first, n, job->dim);
    else if (!job->stored)
        lct_table_rows((float *)(void *)rows,
                       (double *)(void *)(rows + (n * dim + 1) / 2 * 8), c,
                       first, n, job->dim);
}

static void add_f64(const struct lct_block_run *r, const void *const *table,
                    size_t dim)
{
    for (ptrdiff_t i = 0; i < (ptrdiff_t)(r->rows * r->heads); i++) {
        ptrdiff_t t = i / (ptrdiff_t)r->heads, h = i % (ptrdiff_t)r->heads;
        const double *p = table[t];
        const double *x =
            (const double *)(const void *)(r->x + t * r->x_row + h * r->x_head);
        double *out =
            (double *)(void *)(r->out + t * r->out_row + h * r->out_head);

        for (size_t c = 0; c < dim; c++)
            out[c] = x[c] + p[c];
    }
}

static void add(const struct lct_block_run *r, const void *context)
{
    const struct job *job = context;
    const void *const *table = (const void *const *)(const void *)r->table;

    if (job->wide)
        add_f64(r, table, (size_t)job->dim);
    else
        job->k->add_table(
            &(struct lct_sum){ .out = r->out,
                               .x = r->x,
                               .out_row = r->out_row,
                               .x_row = r->x_row,
                               .out_head = r->out_head,
                               .x_head = r->x_head,
                               .table = (const float *const *)table,
                               .rows = r->rows,
                               .heads = r->heads,
                               .n = (size_t)job->dim,
                               .kind = (enum lct_stored)r->shape->dtype });
}

static void add_waves(const struct lct_block_run *r, const void *context)
{
    const struct job *job = context;
    const int64_t *positions = job->call.positions + r->first;

    for (size_t t = 0, n; t < r->rows; t += n) {
        n = lct_schedule_run(positions, t, r->rows);
        job->k->add_waves(&(struct lct_wave_sum){
            .out = r->out + (ptrdiff_t)t * r->out_row,
            .x = r->x + (ptrdiff_t)t * r->x_row,
            .out_row = r->out_row,
            .x_row = r->x_row,
            .turn = job->waves->frequency,
            .position = positions[t],
            .rows = n,
            .n = (size_t)job->dim,
            .kind = (enum lct_stored)r->shape->dtype,
            .streams = job->large && r->out != r->x,
        });
    }
}

/* The schedule of sinusoids that each token alone uses; or NULL. */
static const struct lct_schedule *waves_of(const struct job *job,
                                           const locant_tensor *x)
{
    const struct lct_table_call *c = &job->call;

    for (int i = 0; i < x->rank - 2; i++)
        if (x->shape[i] != 1)
            return NULL;
    if (c->e->row->input.fast.waves == NULL || c->positions == NULL ||
        job->wide || lct_elements(x) < WAVE_LEAST)
        return NULL;
    return c->e->row->input.fast.waves(c->e, job->dim);
}

/* Does a parameter store the rows in the type of the embeddings? */
static bool is_stored(const struct job *job)
{
    const struct lct_table_call *c = &job->call;

    return c->e->row->input.fast.stored != NULL && c->positions != NULL &&
           c->params[0].dtype == (job->wide ? LOCANT_F64 : LOCANT_F32);
}

locant_status locant_encoding_add(locant_tensor *out, const locant_tensor *x,
                                  const locant_encoding *e,
                                  const locant_tensor *positions,
                                  const locant_tensor *params)
{
    static const char fn[] = "locant_encoding_add";
    static const char *const names[2] = { "out", "x" };
    struct job job = { .k = lct_kernels() };
    struct lct_blocks blocks = { .fill = fill, .run = add, .context = &job };

    LCT_TRY(lct_blocks_check(fn, names, out, x, false));
    job.dim = x->shape[x->rank - 1];
    job.wide = x->dtype == LOCANT_F64;
    LCT_TRY(lct_table_open(&job.call, fn, x->shape[x->rank - 2], job.dim, e,
                           positions, params));
    LCT_TRY(lct_check_apart(fn, out, positions));
    for (int i = 0; i < lct_param_count(job.call.e); i++)
        LCT_TRY(lct_check_apart(fn, out, &job.call.params[i]));
    job.stored = is_stored(&job);
    /* An 8-byte boundary, and the row of doubles of lct_table_rows(). */
    blocks.spare = job.wide ? 0 : 2 * (size_t)job.dim + 1;
    blocks.floats = (size_t)job.dim * (job.wide ? 2 : 1) + POINTER;
    blocks.rows = job.stored ? 1 : LEAST_ROWS;
    job.waves = waves_of(&job, x);
    if (job.waves != NULL) {
        job.large =
            lct_elements(x) * locant_dtype_size(x->dtype) >= LCT_STREAMED_BYTES;
        blocks = (struct lct_blocks){ .floats = WAVE_FLOATS,
                                      .rows = WAVE_ROWS,
                                      .run = add_waves,
                                      .context = &job };
    }
    return lct_blocks_run(fn, 1, &out, &x, &blocks);
}
