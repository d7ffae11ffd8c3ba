/*
 * content_gradients.c - gradients of vectors: from tasks to sums, and through
 * the projection to parameters.  Batch rows are added in order.
 */
#include "../core/pool.h"
#include "content_window.h"
#include <string.h>

static int64_t size_of(const struct lct_problem *p,
                       const struct lct_content_table *term)
{
    return term->rows * p->D;
}

void lct_content_clear(const struct lct_problem *p, int64_t b, int64_t rows)
{
    for (int n = 0; n < p->terms.terms.count; n++) {
        const struct lct_content_table *term = &p->terms.term[n];
        size_t each = (size_t)size_of(p, term) * sizeof(double);

        if (b == 0)
            memset(term->dtotal, 0, (size_t)term->heads * each);
        memset(term->dtable, 0, (size_t)(rows * term->owners) * each);
    }
    for (int n = 0; n <= p->terms.terms.count; n++)
        memset(p->terms.dvector[n], 0,
               (size_t)(rows * p->H * p->D) * sizeof(double));
}

/* u and 'added'. */
static void fold_vector(const struct lct_problem *p, int param,
                        const double *from, int64_t rows)
{
    double *dparam[LCT_MAX_PARAMS];
    int64_t each = p->H * p->D;

    if (param < 0)
        return;
    lct_param_gradients_of(dparam, p, p->content, p->dparam);
    for (int64_t i = 0; i < rows * each; i++)
        dparam[param][i % each] += from[i];
}

void lct_content_fold(const struct lct_problem *p, const locant_attention *a,
                      const locant_tensor *dx, bool learns, int64_t b,
                      int64_t rows)
{
    for (int n = 0; learns && n < p->terms.terms.count; n++) {
        const struct lct_content_table *term = &p->terms.term[n];
        int64_t each = size_of(p, term);

        for (int64_t r = 0; r < rows * term->owners; r++) {
            double *to = term->dtotal +
                         (term->heads == 1 ? 0 : r % term->owners) * each;

            for (int64_t i = 0; i < each; i++)
                to[i] += term->dtable[r * each + i];
        }
    }
    if (learns)
        fold_vector(p, p->terms.terms.u, p->terms.dvector[0], rows);
    for (int n = 0; learns && n < p->terms.terms.count; n++)
        fold_vector(p, p->terms.term[n].v.added, p->terms.dvector[1 + n],
                    rows);
    if (p->terms.terms.gate_weight >= 0)
        lct_content_gates_fold(p, a, dx, learns, b, rows);
}

/* -------------------------------------------------------------- projection */

struct deliver_job {
    const struct lct_problem *p;
    const struct lct_content_table *term;
    double *const *dparam;
    bool add;
};

static double factor_of(const struct deliver_job *job)
{
    return job->term->v.meets == LCT_MEETS_KEY ? job->p->scale : 1;
}

/* Rows of a head's gradient in float, padded. */
static void load_block(float *to, const struct deliver_job *job, int64_t head,
                       int64_t from, int64_t n)
{
    const struct lct_problem *p = job->p;
    const double *dtotal = job->term->dtotal +
                           (head * job->term->rows + from) * p->D;

    for (int64_t i = 0; i < n; i++, to += p->padded) {
        for (int64_t d = 0; d < p->D; d++)
            to[d] = (float)(dtotal[i * p->D + d] * factor_of(job));
        memset(to + p->D, 0, (size_t)(p->padded - p->D) * sizeof(*to));
    }
}

/* Columns w .. of dmatrix += what a block of rows gives. */
static void add_stretch(const struct deliver_job *job, float *part,
                        const float *block, int64_t head, int64_t from,
                        int64_t n, int64_t w)
{
    const struct lct_problem *p = job->p;
    const struct lct_content_plan *plan = &p->terms;
    int64_t wide = plan->basis_row - w;
    double *to = job->dparam[job->term->v.matrix] + head * p->D * p->W + w;

    wide = wide < LCT_TILE ? wide : LCT_TILE;
    p->kernels->matmul(&(struct lct_product){
        .c = part, .c_row = LCT_TILE, .a = block, .a_row = 1,
        .a_col = (size_t)p->padded,
        .b = plan->basis + from * plan->basis_row + w,
        .b_row = (size_t)plan->basis_row, .m = (size_t)p->D,
        .n = (size_t)wide, .k = (size_t)n });
    wide = p->W - w < LCT_TILE ? p->W - w : LCT_TILE;
    for (int64_t d = 0; d < p->D; d++)
        for (int64_t i = 0; i < wide; i++)
            to[d * p->W + i] += (double)part[d * LCT_TILE + i];
}

/* forward: row = matrix basis + bias: dmatrix = drow basis^T, dbias = drow */
static void deliver_matrix(void *context, size_t task, int slot)
{
    const struct deliver_job *job = context;
    const struct lct_problem *p = job->p;
    struct lct_content_scratch *s = &p->terms.scratch[slot];
    float *block = s->rows, *part = s->rows + LCT_TILE * p->padded;
    int64_t head = (int64_t)task, rows = job->term->rows;

    for (int64_t from = 0; from < rows; from += LCT_TILE) {
        int64_t n = rows - from < LCT_TILE ? rows - from : LCT_TILE;

        load_block(block, job, head, from, n);
        for (int64_t w = 0; w < p->W; w += LCT_TILE)
            add_stretch(job, part, block, head, from, n, w);
        for (int64_t i = 0; job->term->v.bias >= 0 && i < n; i++)
            for (int64_t d = 0; d < p->D; d++)
                job->dparam[job->term->v.bias][head * p->D + d] +=
                    (double)block[i * p->padded + d];
    }
}

/* plan->matrix [H D, basis_row]: the matrix as it is. */
static void copy_matrix(const struct deliver_job *job)
{
    const struct lct_problem *p = job->p;
    const double *from = p->content->param[job->term->v.matrix];
    int64_t row = p->terms.basis_row;

    for (int64_t i = 0; i < p->H * p->D; i++) {
        float *to = p->terms.matrix + i * row;

        for (int64_t w = 0; w < p->W; w++)
            to[w] = (float)from[i * p->W + w];
        memset(to + p->W, 0, (size_t)(row - p->W) * sizeof(*to));
    }
}

/* dbasis = drow matrix, where the basis was: nothing reads that any more. */
static void deliver_basis(void *context, size_t task, int slot)
{
    const struct deliver_job *job = context;
    const struct lct_problem *p = job->p;
    const struct lct_content_plan *plan = &p->terms;
    float *block = plan->scratch[slot].rows;
    int64_t from = (int64_t)task * LCT_TILE, n = job->term->rows - from;

    n = n < LCT_TILE ? n : LCT_TILE;
    for (int64_t h = 0; h < p->H; h++) {
        load_block(block, job, h, from, n);
        p->kernels->matmul(&(struct lct_product){
            .c = plan->basis + from * plan->basis_row,
            .c_row = (size_t)plan->basis_row, .a = block,
            .a_row = (size_t)p->padded, .a_col = 1,
            .b = plan->matrix + h * p->D * plan->basis_row,
            .b_row = (size_t)plan->basis_row, .m = (size_t)n,
            .n = (size_t)plan->basis_row, .k = (size_t)p->D,
            .add = job->add || h > 0 });
    }
}

/* All matrices first, while the basis is there; then the basis. */
static void deliver_projected(const struct lct_problem *p,
                              double *const *dparam)
{
    const struct lct_content_plan *plan = &p->terms;
    const struct lct_content_door *door = &p->content->e->row->content;
    struct deliver_job job = { .p = p, .dparam = dparam };
    const struct lct_content_table *last = NULL;
    double *row = plan->scratch[0].row;

    for (int n = 0; n < plan->terms.count; n++) {
        job.term = &plan->term[n];
        if (job.term->v.matrix >= 0)
            lct_parallel_for((size_t)p->H, p->slots, deliver_matrix, &job);
    }
    if (door->basis_backward == NULL)
        return;
    for (int n = 0; n < plan->terms.count; n++) {
        job.term = &plan->term[n];
        if (job.term->v.matrix < 0)
            continue;
        copy_matrix(&job);
        lct_parallel_for((size_t)((job.term->rows + LCT_TILE - 1) / LCT_TILE),
                         p->slots, deliver_basis, &job);
        job.add = true;
        last = job.term;
    }
    for (int64_t r = 0; last != NULL && r < last->rows; r++) {
        for (int64_t w = 0; w < p->W; w++)
            row[w] = (double)plan->basis[r * plan->basis_row + w];
        door->basis_backward(dparam, row, p->content, last->low + r);
    }
}

/* Rows of parameters themselves. */
static void deliver_plain(const struct lct_problem *p,
                          const struct lct_content_table *term, double *to)
{
    double factor = term->v.meets == LCT_MEETS_KEY ? p->scale : 1;

    for (int64_t row = 0; row < term->rows; row++)
        for (int64_t h = 0; h < term->heads; h++)
            for (int64_t d = 0; d < p->D; d++)
                to[((term->low + row) * term->heads + h) * p->D + d] +=
                    factor * term->dtotal[(h * term->rows + row) * p->D + d];
}

void lct_content_deliver(const struct lct_problem *p)
{
    const struct lct_content_plan *plan = &p->terms;
    double *dparam[LCT_MAX_PARAMS];

    lct_param_gradients_of(dparam, p, p->content, p->dparam);
    for (int n = 0; n < plan->terms.count; n++)
        if (plan->term[n].v.matrix < 0)
            deliver_plain(p, &plan->term[n],
                          dparam[plan->term[n].v.table]);
    if (plan->basis_row > 0)
        deliver_projected(p, dparam);
}
