/* check.c - what an attention call may be given */
#include "problem.h"
#include <inttypes.h>
#include <math.h>

static locant_status check_shapes(struct lct_problem *p,
                                  const locant_attention *a)
{
    int64_t any[4] = { -1, -1, -1, -1 };
    unsigned same;

    LCT_TRY(lct_check(p->fn, "q", a->q, LCT_IN_REAL, 4, any));
    same = 1u << a->q->dtype;
    any[0] = a->q->shape[0];
    any[3] = a->q->shape[3];
    LCT_TRY(lct_check(p->fn, "k", a->k, same, 4, any));
    LCT_TRY(lct_check(p->fn, "v", a->v, same, 4, a->k->shape));
    p->q = *a->q;
    p->k = *a->k;
    p->v = *a->v;
    p->B = a->q->shape[0];
    p->H = a->q->shape[1];
    p->T = a->q->shape[2];
    p->D = a->q->shape[3];
    p->Hkv = a->k->shape[1];
    p->S = a->k->shape[2];
    if (p->D == 0)
        return locant_fail(LOCANT_ERR_SHAPE, "%s: q has 0 channels per head, "
                           "expected at least 1", p->fn);
    /* Bounds every size the plan multiplies; no memory is as large. */
    if ((double)p->B * (double)(p->H + 1) * (5.0 * (double)(p->T + p->S) + 2048)
            * (double)(p->D + LCT_TILE) > 0x1p60)
        return locant_fail(LOCANT_ERR_SHAPE, "%s: the problem does not fit in "
                           "memory", p->fn);
    if (p->H > 0 && (p->Hkv == 0 || p->H % p->Hkv != 0))
        return locant_fail(LOCANT_ERR_SHAPE, "%s: q has %" PRId64 " heads, k "
                           "has %" PRId64 ", expected a divisor of those of q",
                           p->fn, p->H, p->Hkv);
    return LOCANT_OK;
}

/* [n] or [B, n]; sets position_rows. */
static locant_status check_positions(struct lct_problem *p, const char *name,
                                     const locant_tensor *pos, int64_t n)
{
    int64_t dims[2] = { p->B, n };

    if (pos == NULL)
        return LOCANT_OK;
    if (pos->rank == 2) {
        LCT_TRY(lct_check(p->fn, name, pos, LCT_IN_I64, 2, dims));
        p->position_rows = p->B;
        return LOCANT_OK;
    }
    return lct_check(p->fn, name, pos, LCT_IN_I64, 1, dims + 1);
}

static locant_status check_options(struct lct_problem *p,
                                   const locant_attention *a)
{
    if (a->mask != LOCANT_MASK_NONE && a->mask != LOCANT_MASK_CAUSAL)
        return locant_fail(LOCANT_ERR_PARAM, "%s: mask is %d, expected 0 "
                           "(none) or 1 (causal)", p->fn, (int)a->mask);
    p->causal = a->mask == LOCANT_MASK_CAUSAL;
    if (a->scale == LOCANT_SCALE_AUTO) {
        p->scale = (float)(1 / sqrt((double)p->D));
        return LOCANT_OK;
    }
    p->scale = (float)a->scale;
    if (!isfinite(p->scale))
        return locant_fail(LOCANT_ERR_PARAM, "%s: scale is %g, expected a "
                           "finite number or LOCANT_SCALE_AUTO", p->fn,
                           a->scale);
    return LOCANT_OK;
}

static locant_status check_encoding(struct lct_problem *p,
                                    const locant_attention *a)
{
    const locant_encoding *e = a->encoding;

    if (e == NULL)
        return LOCANT_OK;
    if (e->row->info.doors & LOCANT_DOOR_CONTENT)
        return locant_fail(LOCANT_ERR_UNSUPPORTED, "%s: %s uses the content "
                           "door, which attention does not have yet", p->fn,
                           e->row->info.name);
    if ((e->row->info.doors & LOCANT_DOOR_ROTATE) && p->D > 0)
        LCT_TRY(lct_schedule_of(&p->schedule, e, p->fn, p->D));
    if (e->row->info.doors & LOCANT_DOOR_SCORE) {
        p->has_bias = true;
        LCT_TRY(lct_score_check(&p->params, p->fn, e, a->params, p->H));
    }
    return LOCANT_OK;
}

locant_status lct_problem_check(struct lct_problem *p,
                                const locant_attention *a)
{
    if (a == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: the problem is NULL", p->fn);
    if (a->struct_size != sizeof(*a))
        return locant_fail(LOCANT_ERR_PARAM, "%s: struct_size is %zu, expected "
                           "%zu; start from LOCANT_ATTENTION_INIT", p->fn,
                           a->struct_size, sizeof(*a));
    p->position_rows = 1;
    LCT_TRY(check_shapes(p, a));
    LCT_TRY(check_positions(p, "q_pos", a->q_pos, p->T));
    LCT_TRY(check_positions(p, "k_pos", a->k_pos, p->S));
    LCT_TRY(check_options(p, a));
    return check_encoding(p, a);
}

/* Learned parameters of the score door. */
static int count_params(const struct lct_problem *p, const locant_attention *a)
{
    int n = 0;

    while (p->params > 0 && a->encoding->row->params[n].name != NULL)
        n++;
    return n;
}

/* 'out' must not touch anything that is read. */
static locant_status check_apart(const struct lct_problem *p,
                                 const locant_attention *a,
                                 const locant_tensor *out)
{
    const locant_tensor *inputs[] = { a->q, a->k, a->v, a->q_pos, a->k_pos };

    for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++)
        if (inputs[i] != NULL) {
            LCT_TRY(lct_check_apart(p->fn, out, inputs[i]));
            LCT_TRY(lct_check_apart(p->fn, &p->workspace, inputs[i]));
        }
    LCT_TRY(lct_check_apart(p->fn, out, &p->workspace));
    for (int i = 0; i < count_params(p, a); i++)
        LCT_TRY(lct_check_apart(p->fn, out, &a->params[i]));
    return LOCANT_OK;
}

locant_status lct_check_results(const struct lct_problem *p,
                                const locant_attention *a,
                                const locant_tensor *out,
                                const locant_tensor *lse, unsigned dtypes)
{
    LCT_TRY(lct_check(p->fn, "out", out, dtypes, 4, p->q.shape));
    LCT_TRY(lct_check(p->fn, "lse", lse, dtypes, 3, p->q.shape));
    LCT_TRY(lct_check_output(p->fn, "out", out));
    LCT_TRY(lct_check_output(p->fn, "lse", lse));
    LCT_TRY(check_apart(p, a, out));
    LCT_TRY(check_apart(p, a, lse));
    return lct_check_apart(p->fn, out, lse);
}

static locant_status check_gradient(const struct lct_problem *p,
                                    const locant_attention *a,
                                    const char *name,
                                    const locant_tensor *gradient,
                                    const int64_t *shape, unsigned dtypes)
{
    if (gradient == NULL)
        return LOCANT_OK;
    LCT_TRY(lct_check(p->fn, name, gradient, dtypes, 4, shape));
    LCT_TRY(lct_check_output(p->fn, name, gradient));
    return check_apart(p, a, gradient);
}

locant_status lct_check_gradients(const struct lct_problem *p,
                                  const locant_attention *a,
                                  const locant_attention_gradients *g,
                                  const locant_tensor *dout,
                                  const locant_tensor *out,
                                  const locant_tensor *lse, unsigned dtypes)
{
    const locant_tensor *written[3], *read[3] = { dout, out, lse };

    if (g == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: gradients is NULL", p->fn);
    if (g->struct_size != sizeof(*g))
        return locant_fail(LOCANT_ERR_PARAM, "%s: struct_size of gradients is "
                           "%zu, expected %zu; start from "
                           "LOCANT_ATTENTION_GRADIENTS_INIT", p->fn,
                           g->struct_size, sizeof(*g));
    LCT_TRY(lct_check(p->fn, "dout", dout, dtypes, 4, p->q.shape));
    LCT_TRY(lct_check(p->fn, "out", out, dtypes, 4, p->q.shape));
    LCT_TRY(lct_check(p->fn, "lse", lse, dtypes, 3, p->q.shape));
    for (int i = 0; i < 3; i++)
        LCT_TRY(lct_check_apart(p->fn, &p->workspace, read[i]));
    LCT_TRY(check_gradient(p, a, "dq", g->dq, p->q.shape, dtypes));
    LCT_TRY(check_gradient(p, a, "dk", g->dk, p->k.shape, dtypes));
    LCT_TRY(check_gradient(p, a, "dv", g->dv, p->v.shape, dtypes));
    written[0] = g->dq;
    written[1] = g->dk;
    written[2] = g->dv;
    for (int i = 0; i < 3; i++) {
        if (written[i] == NULL)
            continue;
        for (int j = 0; j < 3; j++)
            LCT_TRY(lct_check_apart(p->fn, written[i], read[j]));
        for (int j = 0; j < i; j++)
            if (written[j] != NULL)
                LCT_TRY(lct_check_apart(p->fn, written[i], written[j]));
    }
    if (p->params == 0 || g->dparams == NULL)
        return LOCANT_OK;
    LCT_TRY(lct_score_check_gradients(p->fn, g->dparams, a->encoding,
                                      a->params));
    for (int i = 0; i < count_params(p, a); i++) {
        LCT_TRY(check_apart(p, a, &g->dparams[i]));
        for (int j = 0; j < 3; j++) {
            LCT_TRY(lct_check_apart(p->fn, &g->dparams[i], read[j]));
            if (written[j] != NULL)
                LCT_TRY(lct_check_apart(p->fn, &g->dparams[i], written[j]));
        }
        for (int j = 0; j < i; j++)
            LCT_TRY(lct_check_apart(p->fn, &g->dparams[i], &g->dparams[j]));
    }
    return LOCANT_OK;
}
