/* attention.c - the public functions: run the stages, then the engine */
#include "../core/pool.h"
#include "outputs.h"
#include "part.h"
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

locant_status locant_attention_part_workspace(size_t *bytes, int64_t *dq_width,
                                              const locant_attention *a,
                                              const locant_attention_part *part)
{
    static const char fn[] = "locant_attention_part_workspace";
    struct lct_problem x;

    LCT_NOT_NULL(fn, bytes);
    LCT_NOT_NULL(fn, part);
    LCT_TRY(lct_problem_begin_part(&x, fn, a, part, LCT_PASS_FORWARD, NULL, 0));
    *bytes = x.plan.bytes;
    if (dq_width != NULL)
        *dq_width = lct_part_width(&x.plan, LCT_PASS_BACKWARD);
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

/* The caller's problem; 'part' is NULL: all keys. */
struct given {
    const char *fn;
    const locant_attention *a;
    const locant_attention_part *part;
    void *workspace;
    size_t bytes;
};

static locant_status begin(struct lct_problem *x, const struct given *given,
                           enum lct_pass pass)
{
    if (given->workspace == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: workspace is NULL", given->fn);
    return lct_problem_begin_part(x, given->fn, given->a, given->part, pass,
                                  given->workspace, given->bytes);
}

static locant_status run_forward(locant_tensor *out, locant_tensor *lse,
                                 const struct given *given)
{
    struct lct_problem x;
    locant_status status;

    LCT_TRY(begin(&x, given, LCT_PASS_FORWARD));
    status = lct_outputs_check(&x.plan, out, lse, 1u << x.request.q.dtype);
    if (status == LOCANT_OK) {
        lct_problem_fill(&x, given->workspace);
        lct_pool_begin_cancellable();
        forward(&x.plan, out, lse);
    }
    lct_problem_end(&x);
    if (lct_pool_end_cancellable())
        return locant_fail(
            LOCANT_ERR_INTERRUPTED,
            "%s: stopped by the poll; out and lse are not complete", given->fn);
    return status;
}

locant_status locant_attention_forward(locant_tensor *out, locant_tensor *lse,
                                       const locant_attention *a,
                                       void *workspace, size_t bytes)
{
    return run_forward(out, lse,
                       &(struct given){ "locant_attention_forward", a, NULL,
                                        workspace, bytes });
}

locant_status locant_attention_forward_part(locant_tensor *out,
                                            locant_tensor *lse,
                                            const locant_attention *a,
                                            const locant_attention_part *part,
                                            void *workspace, size_t bytes)
{
    static const char fn[] = "locant_attention_forward_part";

    LCT_NOT_NULL(fn, part);
    return run_forward(out, lse,
                       &(struct given){ fn, a, part, workspace, bytes });
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

static locant_status run_backward(struct lct_gradient_pass *pass,
                                  const struct given *given)
{
    struct lct_problem x;
    locant_status status;

    LCT_TRY(begin(&x, given, LCT_PASS_BACKWARD));
    status =
        lct_outputs_check_gradients(&x.plan, pass->g, pass->dout, pass->out,
                                    pass->lse, 1u << x.request.q.dtype);
    if (status == LOCANT_OK) {
        lct_problem_fill(&x, given->workspace);
        lct_pool_begin_cancellable();
        pass->last = x.plan.T;
        backward(&x, pass);
    }
    lct_problem_end(&x);
    if (lct_pool_end_cancellable())
        return locant_fail(
            LOCANT_ERR_INTERRUPTED,
            "%s: stopped by the poll; gradients are not complete", given->fn);
    return status;
}

locant_status
locant_attention_backward(const locant_attention_gradients *gradients,
                          const locant_tensor *dout, const locant_tensor *out,
                          const locant_tensor *lse, const locant_attention *a,
                          void *workspace, size_t bytes)
{
    return run_backward(
        &(struct lct_gradient_pass){ gradients, dout, out, lse, 0, 0 },
        &(struct given){ "locant_attention_backward", a, NULL, workspace,
                         bytes });
}

locant_status locant_attention_backward_part(
    const locant_attention_gradients *gradients, const locant_tensor *dout,
    const locant_tensor *out, const locant_tensor *lse,
    const locant_attention *a, const locant_attention_part *part,
    void *workspace, size_t bytes)
{
    static const char fn[] = "locant_attention_backward_part";

    LCT_NOT_NULL(fn, part);
    return run_backward(
        &(struct lct_gradient_pass){ gradients, dout, out, lse, 0, 0 },
        &(struct given){ fn, a, part, workspace, bytes });
}
