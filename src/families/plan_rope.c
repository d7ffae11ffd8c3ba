/* plan_rope.c - rotary parameters as transformers resolves them, as a spec */
#include "plan_rope.h"
#include "plan_scaling.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------- resolution */

/* An object that is there and not empty, as 'a or b' of Python takes it. */
static locant_status truthy(const json_t **out, struct lct_plan_keys *k,
                            const char *key)
{
    LCT_TRY(lct_plan_keys_object(out, k, key));
    if (*out != NULL && json_object_size(*out) == 0)
        *out = NULL;
    return LOCANT_OK;
}

/* The entry of one type of layers; NULL if there is none. */
static locant_status entry_of(const json_t **out, struct lct_plan_keys *k,
                              const json_t *params, const char *kind)
{
    *out = json_object_get(params, kind);
    if (*out == NULL || json_is_null(*out))
        *out = NULL;
    else if (!json_is_object(*out))
        return lct_plan_keys_wrong(k, "rope_parameters.", kind, *out,
                                   "an object of keys and values");
    return LOCANT_OK;
}

/* What the class takes if no rope parameters are given. */
static locant_status class_default(const json_t **out, struct lct_plan_keys *k)
{
    if (k->own == NULL)
        k->own = json_loads(k->family->rope_absent, 0, NULL);
    *out = k->own;
    return k->own != NULL
               ? LOCANT_OK
               : locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", k->plan->file);
}

/* Which dictionary counts, and where it is. */
static locant_status choose(struct lct_plan_rope *out, struct lct_plan_keys *k,
                            const char *kind)
{
    const unsigned flags = k->family->flags;
    const json_t *scaling, *params, *entry = NULL;
    bool scales = kind == NULL || strcmp(kind, "full_attention") == 0 ||
                  (flags & LCT_ROPE_BOTH) != 0;

    LCT_TRY(truthy(&scaling, k, "rope_scaling"));
    LCT_TRY(truthy(&params, k, "rope_parameters"));
    if (k->plan->stack == LCT_STACK_HF4)
        params = NULL;
    out->nested = kind != NULL;
    out->origin = LCT_GIVEN;
    if (flags & LCT_ROPE_NEW)
        scaling = NULL;
    if (params == NULL && scaling == NULL && k->family->rope_absent != NULL) {
        LCT_TRY(class_default(&params, k));
        out->origin = LCT_CLASS_DEFAULT;
    }
    if (kind != NULL && params != NULL) {
        LCT_TRY(entry_of(&entry, k, params, kind));
        out->outer = params;
    }
    if (scaling != NULL && scales) {
        out->dict = scaling;
        snprintf(out->where, sizeof out->where, "rope_scaling.");
    } else if (kind != NULL) {
        out->dict = entry;
        snprintf(out->where, sizeof out->where, "rope_parameters.%s.", kind);
    } else {
        out->dict = params;
        snprintf(out->where, sizeof out->where, "rope_parameters.");
    }
    return LOCANT_OK;
}

static locant_status type_of(struct lct_plan_rope *out, struct lct_plan_keys *k)
{
    static const char *const keys[] = { "rope_type", "type" };
    const bool old_first = k->plan->stack == LCT_STACK_MLX;

    out->type = "default";
    for (int i = 0; i < 2; i++) {
        const char *key = keys[old_first ? 1 - i : i];
        enum lct_found found = lct_config_text(&out->type, out->dict, key);

        if (found == LCT_WRONG)
            return lct_plan_keys_wrong(k, out->where, key,
                                       json_object_get(out->dict, key),
                                       "the name of a rope type");
        if (found == LCT_RIGHT)
            return lct_plan_keys_note(k, "rope_type", key, out->origin, "%s",
                                      out->type);
        out->type = "default";
    }
    return LOCANT_OK;
}

/*
 * A number above 0: a key of the dictionary, NULL: none; then one of the top
 * level, NULL: none; then the default, NAN: not needed.
 */
static locant_status number_of(double *out, struct lct_plan_keys *k,
                               const struct lct_plan_rope *rope,
                               const char *inner, const char *outer,
                               double fallback, const char *field)
{
    const json_t *value = inner ? json_object_get(rope->dict, inner) : NULL;
    const bool within = value != NULL && !json_is_null(value);
    enum lct_origin origin = within ? rope->origin : LCT_GIVEN;
    char key[96];

    snprintf(key, sizeof key, "%s%s", within ? rope->where : k->where,
             within || outer == NULL ? inner : outer);
    if (!within)
        value = outer ? json_object_get(k->object, outer) : NULL;
    if (value == NULL || json_is_null(value)) {
        *out = fallback;
        origin = LCT_CLASS_DEFAULT;
    } else {
        *out = json_number_value(value);
        if (!json_is_number(value) || !(*out > 0) || !isfinite(*out))
            return lct_plan_keys_wrong(k, "", key, value, "a number above 0");
    }
    return isnan(*out) ? LOCANT_OK
                       : lct_plan_keys_note_real(k, field, key, origin, *out);
}

static locant_status base_of(struct lct_plan_rope *out, struct lct_plan_keys *k,
                             const char *kind)
{
    const struct lct_family *f = k->family;
    const bool local = kind != NULL && strcmp(kind, "sliding_attention") == 0;
    const char *outer = local ? f->names->base_local : f->names->base;
    const double fallback =
        local && f->base_local > 0 ? f->base_local : f->base;

    /* transformers 4 reads the top level alone. */
    const char *inner = k->plan->stack == LCT_STACK_HF4 ? NULL : "rope_theta";

    if ((f->flags & LCT_ROPE_NEW) && inner != NULL)
        outer = NULL;
    return number_of(&out->base, k, out, inner, outer, fallback,
                     local ? "base (window)" : "base");
}

/* The length of the first training, by the rules of transformers. */
static locant_status original_of(struct lct_plan_rope *out,
                                 struct lct_plan_keys *k, bool nested)
{
    static const char key[] = "original_max_position_embeddings";
    const bool needs =
        strcmp(out->type, "yarn") == 0 || strcmp(out->type, "llama3") == 0 ||
        strcmp(out->type, "longrope") == 0 || strcmp(out->type, "su") == 0;
    int64_t outer = 0;
    double inner;

    if (!needs)
        return LOCANT_OK;
    if (!nested)
        LCT_TRY(
            lct_plan_keys_whole(&outer, k, NULL, key, k->family->original, 0));
    LCT_TRY(
        lct_plan_keys_real_of(&inner, k, out->dict, out->where, key,
                              outer > 0 ? (double)outer : (double)out->length));
    out->original = outer > 0 ? outer : (int64_t)fmin(inner, 0x1p40);
    return lct_plan_keys_note(k, "original", key,
                              outer > 0 ? LCT_GIVEN
                              : json_object_get(out->dict, key) != NULL
                                  ? out->origin
                                  : LCT_DERIVED,
                              "%" PRId64, out->original);
}

locant_status lct_plan_rope_read(struct lct_plan_rope *out,
                                 struct lct_plan_keys *k, const char *kind,
                                 int64_t length)
{
    const struct lct_family *f = k->family;

    *out = (struct lct_plan_rope){ .length = length, .partial = NAN };
    LCT_TRY(choose(out, k, kind));
    LCT_TRY(type_of(out, k));
    LCT_TRY(base_of(out, k, kind));
    if (f->partial > 0 || strcmp(out->type, "proportional") == 0)
        LCT_TRY(number_of(&out->partial, k, out, "partial_rotary_factor",
                          f->names->partial, f->partial > 0 ? f->partial : NAN,
                          "partial"));
    return original_of(out, k, kind != NULL);
}

locant_status lct_plan_rope_width(int64_t *out, struct lct_plan_keys *k,
                                  const struct lct_plan_rope *rope,
                                  int64_t head_dim)
{
    double part =
        isnan(rope->partial) || strcmp(rope->type, "proportional") == 0
            ? 1
            : rope->partial;

    *out = part <= 1 ? (int64_t)((double)head_dim * part) : 0;
    if (*out < 2 || *out % 2 != 0)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: %g of the %" PRId64 " channels of a head are "
                           "rotated, which is %" PRId64
                           " channels, expected an even number, at least 2",
                           k->plan->file, part, head_dim, *out);
    return LOCANT_OK;
}

locant_status lct_plan_rope_put(struct lct_plan_spec *s,
                                struct lct_plan_keys *k,
                                const struct lct_plan_rope *rope,
                                const struct lct_plan_rotation *r)
{
    const int64_t *n = r->section;
    int64_t dim = r->dim;

    if (dim == 0)
        LCT_TRY(lct_plan_rope_width(&dim, k, rope, r->head_dim));
    lct_plan_spec_number(
        s, r->layout != NULL ? "mrope(base=" : "rope(base=", rope->base);
    if (r->layout != NULL && !(n[0] == 16 && n[1] == 24 && n[2] == 24))
        lct_plan_spec_put(s, ",sections=%" PRId64 ":%" PRId64 ":%" PRId64, n[0],
                          n[1], n[2]); /* others than the default */
    if (r->layout != NULL)
        lct_plan_spec_put(s, ",layout=%s", r->layout);
    else
        lct_plan_spec_put(s, r->interleaved ? ",pairing=interleaved" : "");
    if (dim != r->head_dim || r->trailing)
        lct_plan_spec_put(s, ",dim=%" PRId64, dim);
    if (r->trailing)
        lct_plan_spec_put(s, ",side=trailing");
    LCT_TRY(lct_plan_scaling_put(s, k, rope, r, dim));
    lct_plan_spec_put(s, ")");
    return LOCANT_OK;
}
