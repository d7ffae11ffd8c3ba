/* attention.c - the public functions: run the stages, then the engine */
#include "../core/pool.h"
#include "outputs.h"
#include "problem.h"
#include "stick.h"

locant_status locant_attention_workspace(size_t *bytes,
                                         const locant_attention *a)
{
    static const char fn[] = "locant_attention_workspace";
    struct lct_problem x;

    if (bytes == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: bytes is NULL", fn);
    LCT_TRY(lct_problem_begin(&x, fn, a, LCT_PASS_FORWARD, NULL, 0));
    *bytes = x.plan.bytes;
    lct_problem_end(&x);
    return LOCANT_OK;
}

static void forward(const struct lct_plan *p, locant_tensor *out,
                    locant_tensor *lse)
{
    switch (p->engine) {
    case LCT_REFERENCE: lct_rows_forward(p, out, lse); break;
    case LCT_TILED:
        (p->request->stick != NULL ? lct_stick_forward
                                   : lct_tiled_forward)(p, out, lse);
        break;
    case LCT_DECODE: lct_decode_forward(p, out, lse); break;
    }
}

locant_status locant_attention_forward(locant_tensor *out, locant_tensor *lse,
                                       const locant_attention *a,
                                       void *workspace, size_t bytes)
{
    static const char fn[] = "locant_attention_forward";
    struct lct_problem x;
    locant_status status;

    if (workspace == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: workspace is NULL", fn);
    LCT_TRY(lct_problem_begin(&x, fn, a, LCT_PASS_FORWARD, workspace, bytes));
    status = lct_outputs_check(&x.plan, out, lse, 1u << x.request.q.dtype);
    if (status == LOCANT_OK) {
        lct_problem_fill(&x, workspace);
        lct_pool_begin_cancellable();
        forward(&x.plan, out, lse);
    }
    lct_problem_end(&x);
    if (lct_pool_end_cancellable())
        return locant_fail(
            LOCANT_ERR_INTERRUPTED,
            "%s: stopped by the poll; out and lse are not complete", fn);
    return status;
}

static void backward(const struct lct_problem *x,
                     const struct lct_gradient_pass *pass)
{
    const struct lct_plan *p = &x->plan;
    const bool rows = p->engine == LCT_REFERENCE;
    /* the tiled engine also after a decode forward */
    const lct_backward_engine engine =
        rows ? lct_rows_backward : lct_tiled_backward;
    locant_attention_gradients of_rows = *pass->g;

    (rows ? lct_dense_gradient_begin_rows
          : lct_dense_gradient_begin)(p, pass->g->dbias);
    lct_real_begin_backward(p, pass->g);
    if (x->request.leaves > 0) {
        lct_leaf_sums_backward(&x->leaf_sums, p, pass, engine);
        of_rows.dk_coords = NULL;
    } else {
        engine(p, pass);
        lct_param_gradients_accumulate(p, pass->g->dparams);
    }
    lct_dense_gradient_end(p, pass->g->dbias);
    lct_real_end_backward(p, &of_rows);
}

locant_status
locant_attention_backward(const locant_attention_gradients *gradients,
                          const locant_tensor *dout, const locant_tensor *out,
                          const locant_tensor *lse, const locant_attention *a,
                          void *workspace, size_t bytes)
{
    static const char fn[] = "locant_attention_backward";
    struct lct_problem x;
    locant_status status;

    if (workspace == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: workspace is NULL", fn);
    LCT_TRY(lct_problem_begin(&x, fn, a, LCT_PASS_BACKWARD, workspace, bytes));
    status = lct_outputs_check_gradients(&x.plan, gradients, dout, out, lse,
                                         1u << x.request.q.dtype);
    if (status == LOCANT_OK) {
        lct_problem_fill(&x, workspace);
        lct_pool_begin_cancellable();
        backward(&x, &(struct lct_gradient_pass){ gradients, dout, out, lse, 0,
                                                  x.plan.T });
    }
    lct_problem_end(&x);
    if (lct_pool_end_cancellable())
        return locant_fail(
            LOCANT_ERR_INTERRUPTED,
            "%s: stopped by the poll; gradients are not complete", fn);
    return status;
}
