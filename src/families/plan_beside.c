/* plan_beside.c - what attention takes beside an encoding, from the keys */
#include "plan_beside.h"
#include <math.h>

locant_status lct_plan_beside_scale(double *out, const char **why,
                                    struct lct_plan_keys *k)
{
    double x;

    switch (k->family->scale) {
    case LCT_SCALE_SCALAR:
        LCT_TRY(
            lct_plan_keys_real(&x, k, "scale", "query_pre_attn_scalar", 256));
        if (!(x > 0))
            return LCT_PLAN_KEYS_WRONG(k, "query_pre_attn_scalar",
                                       "a number above 0");
        *out = 1 / sqrt(x);
        *why = "query_pre_attn_scalar^-0.5";
        return LOCANT_OK;
    case LCT_SCALE_KEY:
        *why = "attention_multiplier";
        return lct_plan_keys_real(out, k, "scale", *why, 1);
    case LCT_SCALE_ONE:
        *out = 1;
        *why = "1, by the class";
        return LOCANT_OK;
    default:
        *out = NAN; /* by the width of each layer's heads */
        *why =
            k->family->flags & LCT_MLA ? "(nope + rope)^-0.5" : "head_dim^-0.5";
        return LOCANT_OK;
    }
}

locant_status lct_plan_beside_norm(struct lct_qk_norm *out,
                                   struct lct_plan_keys *k)
{
    const struct lct_family *f = k->family;
    bool on = true;

    *out = (struct lct_qk_norm){ .kind = LCT_QK_NONE };
    if (f->norm.kind != LCT_QK_NONE && f->norm_switch != NULL)
        LCT_TRY(lct_plan_keys_switch(&on, k, f->norm_switch, f->norm_default));
    if (f->norm.kind == LCT_QK_NONE || !on)
        return LOCANT_OK;
    *out = f->norm;
    return lct_plan_keys_real(&out->eps, k, "norm epsilon", f->names->epsilon,
                              f->epsilon);
}

locant_status lct_plan_beside_softcap(double *out, struct lct_plan_keys *k)
{
    static const char key[] = "attn_logit_softcapping";

    *out = 0;
    if (!(k->family->flags & LCT_SOFTCAP) || lct_plan_keys_null(k, key))
        return LOCANT_OK;
    LCT_TRY(lct_plan_keys_real(out, k, "softcap", key, k->family->softcap));
    if (*out >= 0)
        return LOCANT_OK;
    return LCT_PLAN_KEYS_WRONG(k, key, "a number of at least 0, or null");
}
