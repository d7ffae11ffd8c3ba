/* check_whole.c - checks of a whole model: can a plan be made of it, and has it
 * the tensors that its configuration asks for?  X07, T01, T02, T03 */
#include "check_whole.h"
#include "../core/text.h"
#include "net.h"
#include "position_plan.h"
#include <string.h>

static bool has_error(const struct lct_report *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->drafts[i]->severity == LOCANT_FINDING_ERROR)
            return true;
    return false;
}

/* The last error without the name of the file. */
static const char *last_error(const struct lct_config *c)
{
    const char *message = locant_last_error();
    const size_t name = strlen(c->file);

    return strncmp(message, c->file, name) == 0 && message[name] == ':'
               ? message + name + 2
               : message;
}

/* X07: what no check names, but the reader of plans refuses.  A GGUF file may
   lack keys that its other readers derive. */
static locant_status try_plan(struct lct_position_plan *plan,
                              struct lct_check *k, const struct lct_config *c)
{
    const locant_status status =
        lct_position_plan_beside(plan, c, LCT_STACK_TRUE, k->weights);

    if (status == LOCANT_ERR_NOMEM)
        return status;
    if (status != LOCANT_ERR_FORMAT || has_error(k->report) || plan->lacks_key)
        return LOCANT_OK;
    LCT_FIND(k, NULL, ID(X07), S(last_error(c)));
    return LOCANT_OK;
}

/* Weights that another program packed as whole numbers, whose names and shapes
   are its own. */
static bool is_packed(const struct lct_weights *w)
{
    const struct lct_weight *t;

    for (size_t i = 0; (t = lct_weights_at(w, i)) != NULL; i++)
        if (t->rank == 2 && lct_is_among("U8 I8 U32 I32", t->type->name))
            return true;
    return false;
}

/* Does a finding say already that a tensor is missing or has other sizes? */
static bool tells_of_tensors(const struct lct_report *r)
{
    static const enum lct_check_id ids[] = { LCT_CHECK_L09, LCT_CHECK_W07,
                                             LCT_CHECK_W08, LCT_CHECK_W14,
                                             LCT_CHECK_P19, LCT_CHECK_P21,
                                             LCT_CHECK_G10, LCT_CHECK_G14 };

    for (size_t i = 0; i < r->n; i++)
        for (size_t j = 0; j < sizeof ids / sizeof ids[0]; j++)
            if (r->drafts[i]->id == ids[j] &&
                r->drafts[i]->severity == LOCANT_FINDING_ERROR)
                return true;
    return false;
}

/* T01, T02, T03: what 'locant model logits' would refuse. */
static locant_status try_tensors(struct lct_check *k,
                                 const struct lct_check_model *m,
                                 const struct lct_position_plan *plan)
{
    enum lct_net_fit fit;
    const char *message;

    if (m->weights == NULL || plan->n_towers == 0 || is_packed(m->weights) ||
        tells_of_tensors(k->report))
        return LOCANT_OK;
    LCT_TRY(lct_net_fit(&fit, &m->config, plan, m->weights));
    message = last_error(&m->config);
    if (fit == LCT_NET_LACKS)
        LCT_FIND(k, NULL, ID(T01), S(message), I(lct_check_is_gguf(k)));
    if (fit == LCT_NET_MISFITS)
        LCT_FIND(k, NULL, ID(T02), S(message));
    if (fit == LCT_NET_WRONG_KEY && !has_error(k->report))
        LCT_FIND(k, NULL, ID(T03), S(message));
    return LOCANT_OK;
}

locant_status lct_check_whole(struct lct_check *k,
                              const struct lct_check_model *m)
{
    struct lct_position_plan plan;
    locant_status status = try_plan(&plan, k, &m->config);

    if (status == LOCANT_OK)
        status = try_tensors(k, m, &plan);
    lct_position_plan_free(&plan);
    return status;
}
