/* problem.c - one attention call, stage by stage */
#include "problem.h"
#include "content_plan.h"
#include "content_tables.h"
#include "../core/size.h"
#include <string.h>

static bool lay_out(struct lct_problem *x, struct lct_arena *arena)
{
    const struct lct_plan *p = &x->plan;

    lct_tables_layout(&x->tables, p, arena);
    lct_dense_gradient_layout(&x->dense, p, arena);
    lct_real_layout(&x->real, p, arena);
    lct_leaf_sums_layout(&x->leaf_sums, p, arena);
    if (p->engine == LCT_REFERENCE) {
        lct_rows_layout(&x->rows, p, arena);
    } else {
        if (p->engine == LCT_DECODE)
            lct_decode_layout(&x->decode, p, arena);
        lct_param_gradients_layout(&x->gradients, p, arena);
        lct_scratch_layout(&x->tiled, p, arena);
        lct_content_plan_layout(&x->content, p, arena);
    }
    return !arena->overflow && lct_add(&x->plan.bytes, arena->used, 64);
}

static locant_status check_workspace(struct lct_plan *p, void *workspace,
                                     size_t bytes)
{
    if (workspace == NULL)
        return LOCANT_OK;
    if (bytes < p->bytes)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: workspace has %zu bytes, expected at least %zu",
                           p->request->fn, bytes, p->bytes);
    p->workspace = locant_dense(workspace, LOCANT_F16, 1,
                                (int64_t[]){ (int64_t)(p->bytes / 2) });
    return LOCANT_OK;
}

static locant_status plan(struct lct_problem *x, enum lct_pass pass,
                          void *workspace, size_t bytes)
{
    struct lct_arena count = { NULL, 0, false };

    LCT_TRY(lct_plan_make(&x->plan, &x->request, pass));
    if (!lay_out(x, &count))
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: the problem does not fit in memory",
                           x->request.fn);
    return check_workspace(&x->plan, workspace, bytes);
}

locant_status lct_problem_begin(struct lct_problem *x, const char *fn,
                                const locant_attention *a, enum lct_pass pass,
                                void *workspace, size_t bytes)
{
    return lct_problem_begin_part(x, fn, a, NULL, pass, workspace, bytes);
}

locant_status lct_problem_begin_part(struct lct_problem *x, const char *fn,
                                     const locant_attention *a,
                                     const locant_attention_part *part,
                                     enum lct_pass pass, void *workspace,
                                     size_t bytes)
{
    locant_status status;

    memset(x, 0, sizeof(*x));
    x->plan.tables = &x->tables;
    x->plan.content = &x->content;
    x->plan.gradients = &x->gradients;
    x->plan.dense = &x->dense;
    x->plan.real = &x->real;
    x->plan.tiled = &x->tiled;
    x->plan.decode = &x->decode;
    x->plan.rows = &x->rows;
    LCT_TRY(lct_request_check(&x->request, fn, a, part));
    status = plan(x, pass, workspace, bytes);
    if (status != LOCANT_OK)
        lct_plan_release(&x->plan);
    return status;
}

void lct_problem_end(struct lct_problem *x)
{
    lct_plan_release(&x->plan);
}

void lct_problem_fill(struct lct_problem *x, void *workspace)
{
    struct lct_arena arena = { (char *)workspace + (-(uintptr_t)workspace & 63),
                               0, false };

    lay_out(x, &arena);
    lct_tables_fill(&x->tables, &x->plan);
    if (x->plan.engine != LCT_REFERENCE && x->request.content != NULL)
        lct_content_tables_fill(&x->plan);
}
