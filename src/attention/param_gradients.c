/* param_gradients.c - sums of the gradients of the encoding's parameters */
#include "param_gradients.h"
#include "pairs.h"
#include <string.h>

/* Is the content part the only one with parameters? */
static bool content_learns_alone(const struct lct_request *r)
{
    for (int n = 0; n < LCT_MAX_PARTS; n++)
        if (r->call[n].e != NULL && &r->call[n] != r->content &&
            lct_param_count(r->call[n].e) > 0)
            return false;
    return true;
}

/* A chunk has as many batch rows as fit 8 MiB, or as keep all threads busy. */
void lct_param_gradients_plan(struct lct_plan *p, double more)
{
    bool content = p->request->content != NULL && p->engine != LCT_REFERENCE;
    int64_t busy = p->Hkv > 0 ? (p->slots + p->Hkv - 1) / p->Hkv : 1;
    double each, rows;

    p->task_params =
        content && !lct_pairs_are_used(p) && content_learns_alone(p->request)
            ? 0
            : p->params;
    each = (double)p->H * (double)p->table_width +
           (double)p->Hkv * (double)p->task_params + more;
    rows = (1 << 20) / (each > 1 ? each : 1);
    p->chunk = rows < (double)busy ? busy : (int64_t)rows;
    p->chunk = p->chunk > p->B ? p->B : p->chunk;
}

void lct_param_gradients_layout(struct lct_param_gradients *g,
                                const struct lct_plan *p,
                                struct lct_arena *arena)
{
    int64_t tasks = p->task_params > 0 ? p->chunk * p->Hkv : 0;

    if (p->params == 0)
        return;
    g->bias = lct_arena_doubles(arena, p->chunk * p->H, p->table_width);
    g->bias_total = g->bias;
    if (p->chunk < p->B)
        g->bias_total = lct_arena_doubles(arena, p->H, p->table_width);
    if (tasks > 0 && tasks < LCT_PARAM_GRADIENTS_PARTS)
        tasks = LCT_PARAM_GRADIENTS_PARTS;
    g->params = lct_arena_doubles(arena, 1 + tasks, (int64_t)p->params);
}

void lct_param_gradients_clear(const struct lct_plan *p)
{
    memset(p->gradients->bias_total, 0,
           (size_t)(p->H * p->table_width) * sizeof(double));
    memset(p->gradients->params, 0, p->params * sizeof(double));
}

void lct_param_gradients_clear_chunk(const struct lct_plan *p, int64_t rows)
{
    memset(p->gradients->bias, 0,
           (size_t)(rows * p->H * p->table_width) * sizeof(double));
    memset(p->gradients->params + p->params, 0,
           (size_t)(rows * p->Hkv) * p->task_params * sizeof(double));
}

/* to += the rows of from. */
static void sum_rows(double *to, const double *from, int64_t rows, size_t n,
                     size_t row)
{
    for (size_t r = 0; n > 0 && r < (size_t)rows; r++)
        for (size_t i = 0; i < n; i++)
            to[i] += from[r * row + i];
}

void lct_param_gradients_sum_chunk(const struct lct_plan *p, int64_t rows)
{
    const struct lct_param_gradients *g = p->gradients;
    size_t table = (size_t)(p->H * p->table_width);

    if (g->bias != g->bias_total)
        sum_rows(g->bias_total, g->bias, rows, table, table);
    else /* row 0 holds the sums */
        sum_rows(g->bias_total, g->bias + table, rows - 1, table, table);
    sum_rows(g->params, g->params + p->params, rows * p->Hkv, p->task_params,
             p->params);
}

void lct_param_gradients_accumulate(const struct lct_plan *p,
                                    locant_tensor *dparams)
{
    const locant_attention *a = p->request->a;

    if (p->params == 0 || dparams == NULL)
        return;
    for (int n = 0; n < a->encoding->parts; n++) {
        int first = a->encoding->part[n].first_param;
        const struct lct_call *call = &p->tables->call[n];

        if (call->e != NULL && lct_param_count(call->e) > 0)
            lct_params_add(dparams + first,
                           p->gradients->params + p->request->part_param[n],
                           call->e, a->params + first);
    }
}

void lct_param_gradients_of(double *out[LCT_MAX_PARAMS],
                            const struct lct_plan *p, const struct lct_call *c,
                            double *row)
{
    for (int i = 0; i < LCT_MAX_PARAMS; i++)
        out[i] = c->param[i] != NULL
                     ? row + (c->param[i] - p->tables->param_memory)
                     : NULL;
}
