/* request.c - check the arguments of an attention call but its encoding's */
#include "request.h"
#include "../core/tree.h"
#include "part.h"
#include "positions_check.h"
#include "rectangle.h"
#include "request_parts.h"
#include "sizes.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static locant_status check_sizes(const struct lct_request *r)
{
    if (r->D == 0)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: q has 0 channels per head, expected at least 1",
                           r->fn);
    if (r->Dv == 0)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: v has 0 channels per head, expected at least 1",
                           r->fn);
    /* This bounds all products of sizes in the plan; no memory is so large. */
    if (fmax(1, (double)r->B) * (double)(r->H + 1) *
            (5.0 * (double)(r->T + r->S) + 2048) *
            ((double)(r->D > r->Dv ? r->D : r->Dv) + LCT_TILE) >
        0x1p60)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: the problem does not fit in memory", r->fn);
    if (r->H > 0 && (r->Hkv == 0 || r->H % r->Hkv != 0))
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: q has %" PRId64 " heads, k has %" PRId64
                           ", expected a divisor of those of q",
                           r->fn, r->H, r->Hkv);
    return LOCANT_OK;
}

static locant_status check_shapes(struct lct_request *r)
{
    const locant_attention *a = r->a;
    int64_t any[4] = { -1, -1, -1, -1 }, values[4] = { -1, -1, -1, -1 };
    unsigned same, cached;

    LCT_TRY(lct_check(r->fn, "q", a->q, LCT_IN_FLOAT, 4, any));
    same = 1u << a->q->dtype;
    if (a->block_table == NULL)
        any[0] = a->q->shape[0];
    any[3] = a->q->shape[3];
    if (a->quant != LOCANT_QUANT_NONE)
        LCT_TRY(lct_quant_check(&any[3], r->fn,
                                (struct lct_quant){ a->quant, a->quant_group },
                                a->q->shape[3]));
    cached = a->quant != LOCANT_QUANT_NONE ? LCT_IN_U8 : same;
    LCT_TRY(lct_check(r->fn, "k", a->k, cached, 4, any));
    memcpy(values, a->k->shape, sizeof(values));
    if (a->quant == LOCANT_QUANT_NONE)
        values[3] = -1;
    LCT_TRY(lct_check(r->fn, "v", a->v, cached, 4, values));
    r->q = *a->q;
    r->k = *a->k;
    r->v = *a->v;
    r->B = a->q->shape[0];
    r->H = a->q->shape[1];
    r->T = a->q->shape[2];
    r->D = r->Dq = a->q->shape[3];
    /* Rows of quantised values have the channels of keys. */
    r->Dv = a->quant != LOCANT_QUANT_NONE ? r->D : a->v->shape[3];
    r->Hkv = a->k->shape[1];
    LCT_TRY(lct_paged_check(&r->paged, r->fn, a, r->B));
    r->S = r->paged.table == NULL ? a->k->shape[2] : r->paged.longest;
    r->capacity = r->paged.table == NULL ? r->S : r->paged.capacity;
    r->held_keys = r->S;
    if (r->part != NULL)
        LCT_TRY(lct_part_check(r));
    LCT_TRY(check_sizes(r));
    r->W = r->H * r->D;
    r->has_x = a->x != NULL;
    if (a->x == NULL)
        return LOCANT_OK;
    any[0] = r->B;
    any[1] = r->capacity;
    any[2] = -1;
    LCT_TRY(lct_check(r->fn, "x", a->x, same, 3, any));
    r->W = a->x->shape[2];
    return LOCANT_OK;
}

static locant_status check_score_options(struct lct_request *r)
{
    const locant_attention *a = r->a;

    if (a->window < 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: window is %" PRId64
                           ", expected 0 (none) or more",
                           r->fn, a->window);
    /* Beyond these limits score / softcap may not be a normal float32. */
    if (a->softcap != 0 && !(a->softcap >= 0x1p-64 && a->softcap <= 0x1p64))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: softcap is %g, expected 0 (none) or a number "
                           "from 2^-64 to 2^64",
                           r->fn, a->softcap);
    r->window = a->window;
    r->softcap = a->softcap;
    r->sinks = a->sinks;
    if (a->sinks == NULL)
        return LOCANT_OK;
    return lct_check(r->fn, "sinks", a->sinks,
                     r->q.dtype == LOCANT_F64 ? LCT_IN_F64 : LCT_IN_F32, 1,
                     &r->H);
}

/* Check the bias and the mask with an element for each query and key. */
static locant_status check_dense(struct lct_request *r)
{
    const locant_attention *a = r->a;
    unsigned floats = LCT_IN_F32 | LCT_IN_F16 | LCT_IN_BF16;

    if (r->q.dtype == LOCANT_F64)
        floats |= LCT_IN_F64;
    if (a->bias != NULL)
        LCT_TRY(lct_rectangle_check(r, "bias", a->bias, floats));
    if (a->visible != NULL)
        LCT_TRY(lct_rectangle_check(r, "visible", a->visible, LCT_IN_U8));
    r->bias = a->bias;
    r->visible = a->visible;
    return LOCANT_OK;
}

/* Is v the first channels of k in memory? */
static bool is_view_of_keys(const struct lct_request *r)
{
    for (int i = 0; i < 3; i++)
        if (r->v.shape[i] > 1 && r->v.stride[i] != r->k.stride[i])
            return false;
    return r->v.data == r->k.data && r->Dv <= r->D;
}

static locant_status check_flags(struct lct_request *r)
{
    const int known = LOCANT_ATTENTION_KEYS_ROTATED |
                      LOCANT_ATTENTION_VALUES_OF_KEYS |
                      LOCANT_ATTENTION_ROTATE_VALUES;

    if ((r->a->flags & ~known) != 0)
        return locant_fail(
            LOCANT_ERR_PARAM,
            "%s: flags are 0x%x, expected LOCANT_ATTENTION_* only", r->fn,
            (unsigned)r->a->flags);
    r->rotated_keys = r->a->flags & LOCANT_ATTENTION_KEYS_ROTATED;
    r->values_of_keys = r->a->flags & LOCANT_ATTENTION_VALUES_OF_KEYS;
    r->rotate_values = r->a->flags & LOCANT_ATTENTION_ROTATE_VALUES;
    if (r->values_of_keys && !is_view_of_keys(r))
        return locant_fail(LOCANT_ERR_LAYOUT,
                           "%s: v is other memory than k, expected a view of "
                           "its first channels, as "
                           "LOCANT_ATTENTION_VALUES_OF_KEYS says",
                           r->fn);
    return LOCANT_OK;
}

static locant_status check_options(struct lct_request *r)
{
    const locant_attention *a = r->a;

    if (a->mask != LOCANT_MASK_NONE && a->mask != LOCANT_MASK_CAUSAL)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: mask is %d, expected 0 (none) or 1 (causal)",
                           r->fn, (int)a->mask);
    r->causal = a->mask == LOCANT_MASK_CAUSAL;
    LCT_TRY(check_flags(r));
    r->scale =
        a->scale == LOCANT_SCALE_AUTO ? 1 / sqrt((double)r->D) : a->scale;
    if (!isfinite(r->scale) || !isfinite((float)r->scale))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: scale is %g, expected a number of at most "
                           "3.4e38 in magnitude, or LOCANT_SCALE_AUTO",
                           r->fn, a->scale);
    if (a->leaves != 0 && !lct_tree_is_size(a->leaves))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: leaves is %" PRId64
                           ", expected 0 or a power of two up to %d",
                           r->fn, a->leaves, LCT_TREE_LEAVES);
    r->leaves = a->leaves;
    return check_score_options(r);
}

locant_status lct_request_check(struct lct_request *r, const char *fn,
                                const locant_attention *a,
                                const locant_attention_part *part)
{
    *r = (struct lct_request){ .fn = fn, .a = a, .part = part };
    if (a == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: the problem is NULL", fn);
    if (a->struct_size != sizeof(*a))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: struct_size is %zu, expected %zu; start from "
                           "LOCANT_ATTENTION_INIT",
                           fn, a->struct_size, sizeof(*a));
    LCT_TRY(check_shapes(r));
    LCT_TRY(lct_positions_check(r));
    LCT_TRY(check_options(r));
    LCT_TRY(check_dense(r));
    return lct_request_parts_check(r);
}
