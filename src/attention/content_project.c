/*
 * content_project.c - rows of a basis that a matrix projects, and their
 * gradients.
 */
#include "content_project.h"
#include "../core/pool.h"
#include "param_gradients.h"
#include <string.h>

/* A task on one table. */
struct job {
    const struct lct_plan *p;
    struct lct_content_table *table;
    double *const *dparam; /* backward */
    bool add;              /* 'basis' has gradients of earlier tables */
};

void lct_content_project_store(const struct lct_plan *p,
                               struct lct_content_table *table, int64_t head,
                               int64_t row, const double *from)
{
    float *to = table->vectors + (head * table->rows + row) * p->padded;

    for (int64_t d = 0; d < p->D; d++)
        to[d] = (float)(from[d] * lct_content_project_factor(p, table));
    memset(to + p->D, 0, (size_t)(p->padded - p->D) * sizeof(*to));
}

/* ------------------------------------------------------------------ filling */

static void fill_basis(void *context, size_t task, int slot)
{
    const struct job *job = context;
    const struct lct_content_products *c = job->p->content;
    const struct lct_call *call = job->p->tables->content;
    const struct lct_content_door *door = &call->e->row->content;
    int64_t from = (int64_t)task * LCT_TILE;
    int64_t n = lct_sizes_in_tile(job->table->rows, from);
    int64_t width = c->basis_row, first = job->table->low + from;
    float *to = c->basis + from * width;
    double *row = c->scratch[slot].row;

    if (door->basis_rows != NULL) {
        door->basis_rows(to, (size_t)width, call, first, n);
        return;
    }
    for (int64_t r = 0; r < n; r++, to += width) {
        door->basis(row, call, first + r);
        for (int64_t w = 0; w < call->width; w++)
            to[w] = (float)row[w];
        memset(to + call->width, 0,
               (size_t)(width - call->width) * sizeof(*to));
    }
}

/* c->matrix [H, width, padded] = the transposed matrix of each head. */
static void fill_matrix(void *context, size_t task, int slot)
{
    const struct job *job = context;
    const struct lct_plan *p = job->p;
    const double *from = p->tables->content->param[job->table->v.matrix];
    int64_t head = (int64_t)task;
    float *to = p->content->matrix + head * p->W * p->padded;

    (void)slot;
    from += head * p->D * p->W;
    for (int64_t w = 0; w < p->W; w++, to += p->padded) {
        for (int64_t d = 0; d < p->D; d++)
            to[d] = (float)from[d * p->W + w];
        for (int64_t d = p->D; d < p->padded; d++)
            to[d] = 0;
    }
}

/*
 * A block of rows of one head = basis x matrix + bias.  The width is summed in
 * blocks, which rounds less than one long chain.
 */
static void project(void *context, size_t task, int slot)
{
    const struct job *job = context;
    const struct lct_plan *p = job->p;
    const struct lct_content_products *c = p->content;
    struct lct_content_table *table = job->table;
    struct lct_content_scratch *s = &c->scratch[slot];
    int64_t head = (int64_t)task % p->H;
    int64_t from = (int64_t)task / p->H * LCT_TILE;
    int64_t n = lct_sizes_in_tile(table->rows, from);
    const double *bias =
        table->v.bias < 0
            ? NULL
            : p->tables->content->param[table->v.bias] + head * p->D;
    float *sum = s->rows, *part = s->rows + LCT_TILE * p->padded;
    size_t padded = (size_t)p->padded;

    memset(sum, 0, (size_t)(n * p->padded) * sizeof(*sum));
    for (int64_t w = 0; w < p->W; w += LCT_TILE) {
        struct lct_product x = lct_product_of(
            (struct lct_product_rows){ part, padded },
            lct_product_rows_of(c->basis + from * c->basis_row + w,
                                (size_t)c->basis_row),
            lct_product_rows_of(c->matrix + (head * p->W + w) * p->padded,
                                padded),
            n, padded, lct_sizes_in_tile(p->W, w));

        p->kernels->matmul(&x);
        for (int64_t i = 0; i < n * p->padded; i++)
            sum[i] += part[i];
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t d = 0; d < p->D; d++)
            s->row[d] =
                (double)sum[i * p->padded + d] + (bias == NULL ? 0 : bias[d]);
        lct_content_project_store(p, table, head, from + i, s->row);
    }
}

void lct_content_project_fill(const struct lct_plan *p,
                              struct lct_content_table *table, bool first)
{
    size_t blocks = (size_t)lct_sizes_tiles(table->rows);
    struct job job = { .p = p, .table = table };

    if (first)
        lct_parallel_for(blocks, p->slots, fill_basis, &job);
    lct_parallel_for((size_t)p->H, p->slots, fill_matrix, &job);
    lct_parallel_for(blocks * (size_t)p->H, p->slots, project, &job);
}

/* ---------------------------------------------------------------- gradients */

/* Load rows of a head's gradient as padded rows of floats. */
static void load_block(float *to, const struct job *job, int64_t head,
                       int64_t from, int64_t n)
{
    const struct lct_plan *p = job->p;
    const double *dtotal =
        job->table->dtotal + (head * job->table->rows + from) * p->D;
    double factor = lct_content_project_factor(p, job->table);

    for (int64_t i = 0; i < n; i++, to += p->padded) {
        for (int64_t d = 0; d < p->D; d++)
            to[d] = (float)(dtotal[i * p->D + d] * factor);
        memset(to + p->D, 0, (size_t)(p->padded - p->D) * sizeof(*to));
    }
}

/* Columns of dmatrix from w on += block^T times the basis. */
static void add_block(const struct job *job, float *part, const float *block,
                      int64_t head, int64_t from, int64_t n, int64_t w)
{
    const struct lct_plan *p = job->p;
    const struct lct_content_products *c = p->content;
    int64_t columns = lct_sizes_in_tile(c->basis_row, w);
    double *to = job->dparam[job->table->v.matrix] + head * p->D * p->W + w;
    struct lct_product x;

    x = lct_product_of((struct lct_product_rows){ part, LCT_TILE },
                       lct_product_transposed(block, (size_t)p->padded),
                       lct_product_rows_of(c->basis + from * c->basis_row + w,
                                           (size_t)c->basis_row),
                       p->D, (size_t)columns, n);
    p->kernels->matmul(&x);
    columns = lct_sizes_in_tile(p->W, w);
    for (int64_t d = 0; d < p->D; d++)
        for (int64_t i = 0; i < columns; i++)
            to[d * p->W + i] += (double)part[d * LCT_TILE + i];
}

/* forward: row = matrix basis + bias: dmatrix = drow basis^T, dbias = drow */
static void accumulate_matrix(void *context, size_t task, int slot)
{
    const struct job *job = context;
    const struct lct_plan *p = job->p;
    struct lct_content_scratch *s = &p->content->scratch[slot];
    float *block = s->rows, *part = s->rows + LCT_TILE * p->padded;
    int64_t head = (int64_t)task, rows = job->table->rows;

    for (int64_t from = 0; from < rows; from += LCT_TILE) {
        int64_t n = lct_sizes_in_tile(rows, from);

        load_block(block, job, head, from, n);
        for (int64_t w = 0; w < p->W; w += LCT_TILE)
            add_block(job, part, block, head, from, n, w);
        if (job->table->v.bias < 0)
            continue;
        for (int64_t i = 0; i < n; i++)
            for (int64_t d = 0; d < p->D; d++)
                job->dparam[job->table->v.bias][head * p->D + d] +=
                    (double)block[i * p->padded + d];
    }
}

/* c->matrix [H D, basis_row] = the matrix, not transposed. */
static void copy_matrix(const struct job *job)
{
    const struct lct_plan *p = job->p;
    const double *from = p->tables->content->param[job->table->v.matrix];
    int64_t row = p->content->basis_row;

    for (int64_t i = 0; i < p->H * p->D; i++) {
        float *to = p->content->matrix + i * row;

        for (int64_t w = 0; w < p->W; w++)
            to[w] = (float)from[i * p->W + w];
        memset(to + p->W, 0, (size_t)(row - p->W) * sizeof(*to));
    }
}

/* dbasis = drow matrix overwrites the basis, which is no longer needed. */
static void basis_gradient(void *context, size_t task, int slot)
{
    const struct job *job = context;
    const struct lct_plan *p = job->p;
    const struct lct_content_products *c = p->content;
    float *block = c->scratch[slot].rows;
    int64_t from = (int64_t)task * LCT_TILE;
    int64_t n = lct_sizes_in_tile(job->table->rows, from);

    for (int64_t h = 0; h < p->H; h++) {
        struct lct_product x;

        load_block(block, job, h, from, n);
        x = lct_product_of(
            (struct lct_product_rows){ c->basis + from * c->basis_row,
                                       (size_t)c->basis_row },
            lct_product_rows_of(block, (size_t)p->padded),
            lct_product_rows_of(c->matrix + h * p->D * c->basis_row,
                                (size_t)c->basis_row),
            n, (size_t)c->basis_row, p->D);
        x.add = job->add || h > 0;
        p->kernels->matmul(&x);
    }
}

/* For the next leaf of queries, since basis_gradient() of the last one has
   overwritten the basis. */
static void refill_basis(const struct lct_plan *p)
{
    struct job job = { .p = p };

    for (int n = 0; n < p->content->products.count && job.table == NULL; n++)
        if (p->content->table[n].v.matrix >= 0)
            job.table = &p->content->table[n];
    if (job.table != NULL)
        lct_parallel_for((size_t)lct_sizes_tiles(job.table->rows), p->slots,
                         fill_basis, &job);
}

void lct_content_project_accumulate(const struct lct_plan *p,
                                    double *const *dparam)
{
    struct lct_content_products *c = p->content;
    const struct lct_content_door *door = &p->tables->content->e->row->content;
    struct job job = { .p = p, .dparam = dparam };
    const struct lct_content_table *last = NULL;
    double *row = c->scratch[0].row;

    if (p->request->leaves > 0 && door->basis_backward != NULL)
        refill_basis(p);
    for (int n = 0; n < c->products.count; n++) {
        job.table = &c->table[n];
        if (job.table->v.matrix >= 0)
            lct_parallel_for((size_t)p->H, p->slots, accumulate_matrix, &job);
    }
    if (door->basis_backward == NULL)
        return;
    for (int n = 0; n < c->products.count; n++) {
        job.table = &c->table[n];
        if (job.table->v.matrix < 0)
            continue;
        copy_matrix(&job);
        lct_parallel_for((size_t)lct_sizes_tiles(job.table->rows), p->slots,
                         basis_gradient, &job);
        job.add = true;
        last = job.table;
    }
    if (last == NULL)
        return;
    for (int64_t r = 0; r < last->rows; r++) {
        for (int64_t w = 0; w < p->W; w++)
            row[w] = (double)c->basis[r * c->basis_row + w];
        door->basis_backward(dparam, row, p->tables->content, last->low + r);
    }
}
