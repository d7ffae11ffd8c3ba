/*
 * content_tables.c - tables of the vectors of content, and their gradients.
 *
 * A table holds rows of parameters, or rows of a basis that a matrix projects.
 * Batch rows are added in order.
 */
#include "content_tables.h"
#include "../core/pool.h"
#include "content_far.h"
#include "content_gates.h"
#include "content_maps_inputs.h"
#include "content_project.h"
#include "param_gradients.h"
#include <string.h>

/* A task on one table. */
struct job {
    const struct lct_plan *p;
    const struct lct_content_table *table;
};

static void fill_row_of(const struct lct_plan *p,
                        struct lct_content_table *table)
{
    for (int64_t n = 0; n < table->range; n++)
        table->row_of[n] =
            (int32_t)(table->v.row(p->tables->content->e, table->first + n, 0) -
                      table->low);
}

/* ------------------------------------------------------ rows of parameters */

static void fill_plain(const struct lct_plan *p,
                       struct lct_content_table *table)
{
    const double *from = p->tables->content->param[table->v.table];

    for (int64_t row = 0; row < table->rows; row++)
        for (int64_t h = 0; h < table->heads; h++)
            lct_content_project_store(
                p, table, h, row,
                from + ((table->low + row) * table->heads + h) * p->D);
}

/* forward: fill_plain() */
static void accumulate_plain(const struct lct_plan *p,
                             const struct lct_content_table *table, double *to)
{
    double factor = lct_content_project_factor(p, table);

    for (int64_t row = 0; row < table->rows; row++)
        for (int64_t h = 0; h < table->heads; h++)
            for (int64_t d = 0; d < p->D; d++)
                to[((table->low + row) * table->heads + h) * p->D + d] +=
                    factor * table->dtotal[(h * table->rows + row) * p->D + d];
}

/* -------------------------------------------------------------- all tables */

static void fill_columns(void *context, size_t task, int slot)
{
    const struct job *job = context;
    const struct lct_plan *p = job->p;
    const struct lct_content_table *table = job->table;
    float *to = table->columns + (int64_t)task * p->D * table->padded_rows;

    (void)slot;
    p->kernels->transpose(to, (size_t)table->padded_rows,
                          table->vectors +
                              (int64_t)task * table->rows * p->padded,
                          (size_t)p->padded, (size_t)table->rows, (size_t)p->D);
    for (int64_t d = 0; d < p->D; d++)
        memset(to + d * table->padded_rows + table->rows, 0,
               (size_t)(table->padded_rows - table->rows) * sizeof(*to));
}

void lct_content_tables_fill(const struct lct_plan *p)
{
    struct lct_content_products *c = p->content;
    bool first = true;

    for (int n = 0; n < c->products.count; n++) {
        struct lct_content_table *table = &c->table[n];
        struct job job = { .p = p, .table = table };

        fill_row_of(p, table);
        if (table->v.matrix < 0) {
            fill_plain(p, table);
        } else {
            lct_content_project_fill(p, table, first);
            first = false;
        }
        if (table->v.times == LCT_TIMES_KEY)
            lct_parallel_for((size_t)table->heads, p->slots, fill_columns,
                             &job);
        table->finite = p->kernels->all_finite(
            table->vectors, (size_t)p->padded,
            (size_t)(table->heads * table->rows), (size_t)p->padded);
    }
    if (c->products.gate_weight >= 0)
        lct_content_gates_fill(p);
    if (c->products.near_far)
        lct_content_far_fill(p);
    if (c->products.maps.rank > 0)
        lct_content_maps_fill(p);
}

static int64_t size_of(const struct lct_plan *p,
                       const struct lct_content_table *table)
{
    return table->rows * p->D;
}

void lct_content_tables_clear_chunk(const struct lct_plan *p, int64_t b,
                                    int64_t rows)
{
    for (int n = 0; n < p->content->products.count; n++) {
        const struct lct_content_table *table = &p->content->table[n];
        size_t each = (size_t)size_of(p, table) * sizeof(double);

        if (b == 0)
            memset(table->dtotal, 0, (size_t)table->heads * each);
        memset(table->dtable, 0, (size_t)(rows * table->owners) * each);
    }
    for (int n = 0; n <= p->content->products.count; n++)
        memset(p->content->dvector[n], 0,
               (size_t)(rows * p->H * p->D) * sizeof(double));
}

/* dparam += gradients of parameter 'param', which is u or an 'added' */
static void sum_vector(const struct lct_plan *p, int param, const double *from,
                       int64_t rows)
{
    double *dparam[LCT_MAX_PARAMS];
    int64_t each = p->H * p->D;

    if (param < 0)
        return;
    lct_param_gradients_of(dparam, p, p->tables->content, p->gradients->params);
    for (int64_t i = 0; i < rows * each; i++)
        dparam[param][i % each] += from[i];
}

static void sum_table(const struct lct_plan *p,
                      const struct lct_content_table *table, int64_t rows)
{
    int64_t each = size_of(p, table);

    for (int64_t r = 0; r < rows * table->owners; r++) {
        double *to =
            table->dtotal + (table->heads == 1 ? 0 : r % table->owners) * each;

        for (int64_t i = 0; i < each; i++)
            to[i] += table->dtable[r * each + i];
    }
}

void lct_content_tables_sum_chunk(const struct lct_plan *p,
                                  const locant_tensor *dx, bool learns,
                                  int64_t b, int64_t rows)
{
    const struct lct_content_products *c = p->content;

    if (learns) {
        sum_vector(p, c->products.u, c->dvector[0], rows);
        for (int n = 0; n < c->products.count; n++) {
            sum_table(p, &c->table[n], rows);
            sum_vector(p, c->table[n].v.added, c->dvector[1 + n], rows);
        }
    }
    if (c->products.gate_weight >= 0)
        lct_content_gates_sum_chunk(p, c->products.maps.rank > 0 ? NULL : dx,
                                    learns, b, rows);
    if (c->products.maps.rank > 0)
        lct_content_maps_inputs_sum_chunk(p, dx, learns, b, rows);
}

void lct_content_tables_accumulate(const struct lct_plan *p)
{
    const struct lct_content_products *c = p->content;
    double *dparam[LCT_MAX_PARAMS];

    lct_param_gradients_of(dparam, p, p->tables->content, p->gradients->params);
    for (int n = 0; n < c->products.count; n++)
        if (c->table[n].v.matrix < 0)
            accumulate_plain(p, &c->table[n], dparam[c->table[n].v.table]);
    if (c->basis_row > 0)
        lct_content_project_accumulate(p, dparam);
}
