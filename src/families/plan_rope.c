/* plan_rope.c - rotary parameters as transformers resolves them, as a spec */
#include "plan_rope.h"
#include "../core/text.h"
#include "../core/quote.h"
#include "plan_scaling.h"
#include "plan_stack.h"
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

/* Keep an object that the reader made until it ends. */
static locant_status keep(const json_t **out, struct lct_plan_keys *k,
                          json_t *made)
{
    *out = made;
    if (k->own == NULL)
        k->own = json_array();
    if (made != NULL && json_array_append_new(k->own, made) == 0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", k->plan->file);
}

/*
 * An entry updated by rope_scaling.  transformers 5 begins with an entry that
 * has rope_type already, so that it does not see the old key 'type'.
 */
static locant_status merge(const json_t **out, struct lct_plan_keys *k,
                           const json_t *entry, const json_t *scaling)
{
    json_t *both = entry != NULL ? json_deep_copy(entry) : json_object();

    if (entry == NULL && k->plan->stack == LCT_STACK_HF5)
        json_object_set_new(both, "rope_type", json_string("default"));
    json_object_update(both, (json_t *)(uintptr_t)scaling);
    return keep(out, k, both);
}

/* The two dictionaries that may be there, as program and class see them. */
static locant_status both_of(const json_t **scaling, const json_t **params,
                             struct lct_plan_rope *out, struct lct_plan_keys *k)
{
    const bool old = k->plan->stack == LCT_STACK_HF4;
    const unsigned flags = k->family->flags;

    LCT_TRY(truthy(scaling, k, "rope_scaling"));
    LCT_TRY(truthy(params, k, "rope_parameters"));
    if (old)
        *params = NULL;
    if ((flags & LCT_ROPE_NEW) || (old && (flags & LCT_HF4_PLAIN)))
        *scaling = NULL;
    if (*params != NULL || *scaling != NULL || k->family->rope_absent == NULL ||
        (old && lct_plan_keys_null(k, "rope_scaling")))
        return LOCANT_OK;
    out->origin = LCT_CLASS_DEFAULT;
    return keep(params, k, json_loads(k->family->rope_absent, 0, NULL));
}

/* Which dictionary counts, and where it is. */
static locant_status choose(struct lct_plan_rope *out, struct lct_plan_keys *k,
                            const char *kind)
{
    const json_t *scaling, *params, *entry = NULL;
    const bool scales = kind == NULL || strcmp(kind, "full_attention") == 0 ||
                        (k->family->flags & LCT_ROPE_BOTH) != 0;

    out->nested = kind != NULL;
    out->origin = LCT_GIVEN;
    LCT_TRY(both_of(&scaling, &params, out, k));
    if (kind != NULL && params != NULL) {
        LCT_TRY(entry_of(&entry, k, params, kind));
        out->outer = params;
    }
    if (scaling != NULL && scales) {
        if (kind != NULL)
            LCT_TRY(merge(&scaling, k, entry, scaling));
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

    const char *type = "default";
    char shown[LCT_QUOTE_BYTES];

    for (int i = 0; i < 2; i++) {
        const char *key = keys[old_first ? 1 - i : i];
        enum lct_found found = lct_config_text(&type, out->dict, key);

        if (found == LCT_WRONG)
            return lct_plan_keys_wrong(k, out->where, key,
                                       json_object_get(out->dict, key),
                                       "the name of a rope type");
        if (found == LCT_RIGHT) {
            LCT_TRY(lct_plan_keys_note(k, "rope_type", key, out->origin, "%s",
                                       type));
            break;
        }
        type = "default";
    }
    out->type =
        k->plan->dialect == LCT_DIALECT_GGUF && strcmp(type, "divisors") == 0
            ? type
            : lct_plan_stack_type(k->plan->stack, k->family, type);
    if (out->type != NULL)
        return LOCANT_OK;
    lct_quote(shown, type, strlen(type));
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: %srope_type is the text '%s', which %s refuses "
                       "in this class, expected default, linear, dynamic, "
                       "yarn, longrope, llama3 or proportional",
                       k->plan->file, out->where, shown,
                       lct_plan_stack_name(k->plan->stack));
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
             within          ? inner
             : outer != NULL ? outer
                             : "rope_theta");
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

/* vLLM reads the names of GPT-NeoX in every class. */
static const char *other_name(const struct lct_plan_keys *k, const char *usual,
                              const char *other)
{
    return k->plan->stack == LCT_STACK_VLLM && usual != NULL &&
                   json_object_get(k->object, usual) == NULL
               ? other
               : usual;
}

static locant_status base_of(struct lct_plan_rope *out, struct lct_plan_keys *k,
                             const char *kind)
{
    const struct lct_family *f = k->family;
    const bool old = k->plan->stack == LCT_STACK_HF4;
    const bool local = kind != NULL && strcmp(kind, "sliding_attention") == 0;
    const double usual = local && f->base_local > 0 ? f->base_local : f->base;
    const double fallback = old && f->base_hf4 > 0 ? f->base_hf4 : usual;
    const char *outer = local ? f->names->base_local : f->names->base;

    if (!lct_plan_stack_base(k->plan->stack, f)) {
        out->base = 10000;
        return lct_plan_keys_note(k, "base", "", LCT_CLASS_DEFAULT, "10000");
    }
    if (old && outer == NULL) /* OLMo 3: one base for all layers */
        outer = f->names->base;
    if ((f->flags & LCT_ROPE_NEW) && !old) /* of both types of layers */
        outer = f->names->base;
    /* transformers 4 reads the top level alone. */
    return number_of(&out->base, k, out, old ? NULL : "rope_theta",
                     other_name(k, outer, "rotary_emb_base"), fallback,
                     local ? "base (window)" : "base");
}

static locant_status partial_of(struct lct_plan_rope *out,
                                struct lct_plan_keys *k)
{
    const struct lct_family *f = k->family;

    if (f->partial == 0 && strcmp(out->type, "proportional") != 0 &&
        k->plan->stack != LCT_STACK_VLLM)
        return LOCANT_OK;
    return number_of(&out->partial, k, out,
                     k->plan->stack == LCT_STACK_HF4 ? NULL
                                                     : "partial_rotary_factor",
                     other_name(k, f->names->partial, "rotary_pct"),
                     f->partial > 0 ? f->partial : NAN, "partial");
}

/* The length of the first training. */
static locant_status original_of(struct lct_plan_rope *out,
                                 struct lct_plan_keys *k, bool nested)
{
    static const char key[] = "original_max_position_embeddings";
    const enum lct_stack stack = k->plan->stack;
    const bool given = json_object_get(out->dict, key) != NULL;
    int64_t outer = 0, absent;
    double inner;

    if (!lct_is_among("yarn llama3 longrope", out->type))
        return LOCANT_OK;
    absent = lct_plan_stack_original(stack, out->type);
    if (stack == LCT_STACK_HF4) /* knows no dictionaries by type of layers */
        nested = false;
    if (!nested && lct_plan_stack_outer_original(stack, k->family, out->type))
        LCT_TRY(lct_plan_keys_whole(&outer, k, NULL, key,
                                    k->plan->dialect == LCT_DIALECT_GGUF
                                        ? 0 /* its dictionary has its key */
                                        : k->family->original,
                                    0));
    if (outer == 0 && !given && absent < 0)
        return lct_plan_keys_wrong(k, out->where, key, NULL,
                                   "a length, without which %s fails",
                                   lct_plan_stack_name(stack));
    absent = outer > 0 ? outer : absent > 0 ? absent : out->length;
    LCT_TRY(lct_plan_keys_real_of(
        &inner, k,
        lct_plan_stack_inner_original(stack, out->type) ? out->dict : NULL,
        out->where, key, (double)absent));
    out->outer_original = outer > 0;
    out->original = outer > 0 ? outer : (int64_t)fmin(inner, 0x1p40);
    return lct_plan_keys_note(k, "original", key,
                              outer > 0 ? LCT_GIVEN
                              : given   ? out->origin
                                        : LCT_DERIVED,
                              "%" PRId64, out->original);
}

locant_status lct_plan_rope_read(struct lct_plan_rope *out,
                                 struct lct_plan_keys *k, const char *kind,
                                 int64_t length)
{
    *out =
        (struct lct_plan_rope){ .length = length, .partial = NAN, .score = 1 };
    LCT_TRY(choose(out, k, kind));
    LCT_TRY(type_of(out, k));
    LCT_TRY(base_of(out, k, kind));
    LCT_TRY(partial_of(out, k));
    return original_of(out, k, kind != NULL);
}

/* The rotated channels of a head, an even number. */
static locant_status width_of(int64_t *out, struct lct_plan_keys *k,
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
                                struct lct_plan_rope *rope,
                                const struct lct_plan_rotation *r)
{
    const int64_t *n = r->section;
    int64_t dim = r->dim;

    if (dim == 0)
        LCT_TRY(width_of(&dim, k, rope, r->head_dim));
    lct_plan_spec_number(
        s, r->layout != NULL ? "mrope(base=" : "rope(base=", rope->base);
    if (r->layout != NULL && !(n[0] == 16 && n[1] == 24 && n[2] == 24))
        lct_plan_spec_put(s, ",sections=%" PRId64 ":%" PRId64 ":%" PRId64, n[0],
                          n[1], n[2]); /* others than the default */
    if (r->layout != NULL)
        lct_plan_spec_put(s, ",layout=%s", r->layout);
    lct_plan_spec_put(s, r->interleaved ? ",pairing=interleaved" : "");
    if (dim != r->head_dim || r->trailing)
        lct_plan_spec_put(s, ",dim=%" PRId64, dim);
    if (r->trailing)
        lct_plan_spec_put(s, ",side=trailing");
    LCT_TRY(lct_plan_scaling_put(s, k, rope, r, dim));
    lct_plan_spec_put(s, ")");
    return LOCANT_OK;
}
