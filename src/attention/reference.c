/* reference.c - the public reference: the engine by rows, its own memory */
#include "rows.h"

/* Plan the problem, and allocate its workspace. */
static locant_status begin(struct lct_problem *p, void **memory, const char *fn,
                           const locant_attention *a)
{
    LCT_TRY(lct_problem_plan(p, fn, a, true, NULL, 0));
    *memory = locant_alloc(p->bytes);
    if (*memory != NULL)
        return LOCANT_OK;
    lct_problem_done(p);
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for scratch", fn);
}

locant_status locant_attention_reference(locant_tensor *out, locant_tensor *lse,
                                         const locant_attention *a)
{
    struct lct_problem p;
    locant_status status;
    void *memory;

    LCT_TRY(begin(&p, &memory, "locant_attention_reference", a));
    status = lct_outputs_check(&p, a, out, lse, LCT_IN_REAL);
    if (status == LOCANT_OK) {
        lct_problem_fill(&p, a, memory);
        lct_rows_forward(&p, a, out, lse);
    }
    locant_release(memory);
    lct_problem_done(&p);
    return status;
}

locant_status locant_attention_reference_backward(
    const locant_attention_gradients *gradients, const locant_tensor *dout,
    const locant_tensor *out, const locant_tensor *lse,
    const locant_attention *a)
{
    struct lct_problem p;
    locant_status status;
    void *memory;

    LCT_TRY(begin(&p, &memory, "locant_attention_reference_backward", a));
    status = lct_outputs_check_gradients(&p, a, gradients, dout, out, lse,
                                         LCT_IN_REAL);
    if (status == LOCANT_OK) {
        lct_problem_fill(&p, a, memory);
        lct_rows_backward(&p, a, gradients, dout, out, lse);
    }
    locant_release(memory);
    lct_problem_done(&p);
    return status;
}
