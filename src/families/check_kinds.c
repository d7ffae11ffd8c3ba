/* check_kinds.c - checks D06, D07 and X11: dictionaries by kind of layer */
#include "check.h"
#include "check_view.h"
#include <string.h>

/* X11: transformers 5 copies the dictionary into entries by kind of layer that
   have a rope_type, "default", already. */
static void old_name_of_kind(struct lct_check *k)
{
    const json_t *scaling = lct_check_object(k, "rope_scaling");
    const char *kind = scaling ? lct_check_text(scaling, "type", NULL) : NULL;
    struct lct_draft *f;
    json_t *named;

    if (kind == NULL || strcmp(kind, "default") == 0 ||
        lct_check_has(scaling, "rope_type") ||
        !lct_check_is(k, "gemma3_text gemma3n_text olmo3 modernbert"))
        return;
    f = LCT_FIND(k, NULL, ID(X11), Q(kind));
    named = json_copy((json_t *)(uintptr_t)scaling);
    json_object_set_new(named, "rope_type", json_string(kind));
    json_object_del(named, "type");
    lct_check_fix(f, "rope_scaling", named);
}

/* ------------------------------------------------------------- layer kinds */

/* The one dictionary that all kinds of layers have, NULL if they differ. */
static json_t *common_entry(const json_t *params)
{
    json_t *first = NULL, *value;
    const char *key;

    json_object_foreach((json_t *)(uintptr_t)params, key, value) {
        if (!json_is_object(value) || (first && !json_equal(first, value)))
            return NULL;
        first = value;
    }
    return first;
}

/* D06 */
static void nested_in_flat_class(struct lct_check *k)
{
    const json_t *params = lct_check_object(k, "rope_parameters");
    json_t *common = common_entry(params);
    struct lct_draft *f;

    if (params == NULL || k->class == NULL || !lct_check_view_nested(params) ||
        lct_check_class_has(k, LCT_CLASS_KINDS))
        return;
    f = LCT_FIND(
        k, NULL, ID(D06),
        R(lct_check_real(k->text, "rope_theta", lct_check_class_base(k))));
    if (common != NULL)
        lct_check_fix(f, "rope_parameters", json_incref(common));
}

/* rope_parameters by layer kind, where 'flat' is meant for the full layers. */
static json_t *by_kind(const struct lct_check *k, const json_t *flat)
{
    const double local =
        lct_check_is(k, "olmo3")
            ? lct_check_real(flat, "rope_theta", 500000)
            : lct_check_real(k->text, "rope_local_base_freq", 10000);
    json_t *full = json_copy((json_t *)(uintptr_t)flat);

    if (!lct_check_has(full, "rope_type"))
        json_object_set_new(full, "rope_type", json_string("default"));
    return json_pack("{s:{s:s, s:f}, s:o}", "sliding_attention", "rope_type",
                     "default", "rope_theta", local, "full_attention", full);
}

/* D07 */
static void flat_in_nested_class(struct lct_check *k)
{
    const json_t *params = lct_check_object(k, "rope_parameters");
    struct lct_draft *f;

    if (params == NULL || lct_check_object(k, "rope_scaling") != NULL ||
        !lct_check_class_has(k, LCT_CLASS_KINDS) ||
        lct_check_view_nested(params))
        return;
    f = LCT_FIND(
        k, NULL, ID(D07),
        R(lct_check_real(k->text, "rope_theta", lct_check_class_base(k))),
        R(lct_check_real(params, "rope_theta", lct_check_class_base(k))));
    if (lct_check_is(k, "gemma3_text gemma3n_text olmo3"))
        lct_check_fix(f, "rope_parameters", by_kind(k, params));
}

void lct_check_kinds(struct lct_check *k)
{
    nested_in_flat_class(k);
    flat_in_nested_class(k);
    old_name_of_kind(k);
}
