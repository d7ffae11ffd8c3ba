/* reference.c - the public reference: rows.h, with a workspace of its own */
#include "dense_bias.h"
#include "outputs.h"
#include "problem.h"

/* Plan the problem, and allocate its workspace. */
static locant_status begin(struct lct_problem *x, void **memory, const char *fn,
                           const locant_attention *a)
{
    locant_status status;

    LCT_TRY(lct_problem_begin(x, fn, a, LCT_PASS_REFERENCE, NULL, 0));
    status = lct_dense_bias_check_values(&x->request);
    if (status != LOCANT_OK) {
        lct_problem_end(x);
        return status;
    }
    *memory = locant_alloc(x->plan.bytes);
    if (*memory != NULL)
        return LOCANT_OK;
    lct_problem_end(x);
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for scratch", fn);
}

locant_status locant_attention_reference(locant_tensor *out, locant_tensor *lse,
                                         const locant_attention *a)
{
    struct lct_problem x;
    locant_status status;
    void *memory;

    LCT_TRY(begin(&x, &memory, "locant_attention_reference", a));
    status = lct_outputs_check(&x.plan, out, lse, LCT_IN_REAL);
    if (status == LOCANT_OK) {
        lct_problem_fill(&x, memory);
        lct_rows_forward(&x.plan, out, lse);
    }
    locant_release(memory);
    lct_problem_end(&x);
    return status;
}

locant_status locant_attention_reference_backward(
    const locant_attention_gradients *gradients, const locant_tensor *dout,
    const locant_tensor *out, const locant_tensor *lse,
    const locant_attention *a)
{
    struct lct_problem x;
    locant_status status;
    void *memory;

    LCT_TRY(begin(&x, &memory, "locant_attention_reference_backward", a));
    status = lct_outputs_check_gradients(&x.plan, gradients, dout, out, lse,
                                         LCT_IN_REAL);
    if (status == LOCANT_OK) {
        lct_problem_fill(&x, memory);
        lct_dense_gradient_begin_rows(&x.plan, gradients->dbias);
        lct_real_begin_backward(&x.plan, gradients);
        lct_rows_backward(&x.plan,
                          &(struct lct_gradient_pass){ gradients, dout, out,
                                                       lse, 0, x.plan.T });
        lct_param_gradients_accumulate(&x.plan, gradients->dparams);
        lct_dense_gradient_end(&x.plan, gradients->dbias);
        lct_real_end_backward(&x.plan, gradients);
    }
    locant_release(memory);
    lct_problem_end(&x);
    return status;
}
