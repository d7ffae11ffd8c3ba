/* request.c - what an attention call may be given */
#include "problem.h"
#include <inttypes.h>
#include <math.h>

static locant_status check_sizes(const struct lct_problem *p)
{
    if (p->D == 0)
        return locant_fail(LOCANT_ERR_SHAPE, "%s: q has 0 channels per head, "
                           "expected at least 1", p->fn);
    /* Bounds every size the plan multiplies; no memory is as large. */
    if (fmax(1, (double)p->B) * (double)(p->H + 1) *
            (5.0 * (double)(p->T + p->S) + 2048) * (double)(p->D + LCT_TILE) >
        0x1p60)
        return locant_fail(LOCANT_ERR_SHAPE, "%s: the problem does not fit in "
                           "memory", p->fn);
    if (p->H > 0 && (p->Hkv == 0 || p->H % p->Hkv != 0))
        return locant_fail(LOCANT_ERR_SHAPE, "%s: q has %" PRId64 " heads, k "
                           "has %" PRId64 ", expected a divisor of those of q",
                           p->fn, p->H, p->Hkv);
    return LOCANT_OK;
}

static locant_status check_shapes(struct lct_problem *p,
                                  const locant_attention *a)
{
    int64_t any[4] = { -1, -1, -1, -1 };
    unsigned same;

    LCT_TRY(lct_check(p->fn, "q", a->q, LCT_IN_FLOAT, 4, any));
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
    p->D = p->Dq = a->q->shape[3];
    p->Hkv = a->k->shape[1];
    p->S = a->k->shape[2];
    LCT_TRY(check_sizes(p));
    p->W = p->H * p->D;
    p->has_x = a->x != NULL;
    if (a->x == NULL)
        return LOCANT_OK;
    any[1] = p->S;
    any[2] = -1;
    LCT_TRY(lct_check(p->fn, "x", a->x, same, 3, any));
    p->W = a->x->shape[2];
    return LOCANT_OK;
}

static locant_status check_more(struct lct_problem *p,
                                const locant_attention *a)
{
    if (a->window < 0)
        return locant_fail(LOCANT_ERR_PARAM, "%s: window is %" PRId64
                           ", expected 0 (none) or more", p->fn, a->window);
    /* Past these the quotient leaves what float32 holds in full. */
    if (a->softcap != 0 && !(a->softcap >= 0x1p-64 && a->softcap <= 0x1p64))
        return locant_fail(LOCANT_ERR_PARAM, "%s: softcap is %g, expected 0 "
                           "(none) or a number from 2^-64 to 2^64", p->fn,
                           a->softcap);
    p->window = a->window;
    p->softcap = a->softcap;
    p->sinks = a->sinks;
    if (a->sinks == NULL)
        return LOCANT_OK;
    return lct_check(p->fn, "sinks", a->sinks,
                     p->q.dtype == LOCANT_F64 ? LCT_IN_F64 : LCT_IN_F32, 1,
                     &p->H);
}

static locant_status check_options(struct lct_problem *p,
                                   const locant_attention *a)
{
    if (a->mask != LOCANT_MASK_NONE && a->mask != LOCANT_MASK_CAUSAL)
        return locant_fail(LOCANT_ERR_PARAM, "%s: mask is %d, expected 0 "
                           "(none) or 1 (causal)", p->fn, (int)a->mask);
    p->causal = a->mask == LOCANT_MASK_CAUSAL;
    if ((a->flags & ~LOCANT_ATTENTION_KEYS_TURNED) != 0)
        return locant_fail(LOCANT_ERR_PARAM, "%s: flags are 0x%x, expected "
                           "LOCANT_ATTENTION_* only", p->fn,
                           (unsigned)a->flags);
    p->keys_turned = a->flags & LOCANT_ATTENTION_KEYS_TURNED;
    p->scale = a->scale == LOCANT_SCALE_AUTO ? 1 / sqrt((double)p->D)
                                             : a->scale;
    if (!isfinite(p->scale) || !isfinite((float)p->scale))
        return locant_fail(LOCANT_ERR_PARAM, "%s: scale is %g, expected a "
                           "number of at most 3.4e38 in magnitude, or "
                           "LOCANT_SCALE_AUTO", p->fn, a->scale);
    return check_more(p, a);
}

locant_status lct_request_check(struct lct_problem *p,
                                const locant_attention *a)
{
    if (a == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: the problem is NULL", p->fn);
    if (a->struct_size != sizeof(*a))
        return locant_fail(LOCANT_ERR_PARAM, "%s: struct_size is %zu, expected "
                           "%zu; start from LOCANT_ATTENTION_INIT", p->fn,
                           a->struct_size, sizeof(*a));
    LCT_TRY(check_shapes(p, a));
    LCT_TRY(lct_positions_check(p, a));
    LCT_TRY(check_options(p, a));
    return lct_request_parts_check(p, a);
}
