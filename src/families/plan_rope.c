/* plan_rope.c - rotary parameters as transformers resolves them, as a spec */
#include "plan_rope.h"
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

/* ----------------------------------------------------------------- scaling */

struct put {
    struct lct_plan_spec *s;
    struct lct_plan_keys *k;
    const struct lct_plan_rope *rope;
    const struct lct_plan_rotation *r;
};

static locant_status factor(double *out, const struct put *p, const char *key,
                            double fallback)
{
    return lct_plan_keys_real_of(out, p->k, p->rope->dict, p->rope->where, key,
                                 fallback);
}

/* A number of at least 0; 0 if it is absent. */
static locant_status weight(double *out, const struct put *p, const char *key)
{
    enum lct_found found = lct_config_real(out, p->rope->dict, key);

    if (found == LCT_ABSENT)
        *out = 0;
    else if (found == LCT_WRONG || !(*out >= 0) || !isfinite(*out))
        return lct_plan_keys_wrong(p->k, p->rope->where, key,
                                   json_object_get(p->rope->dict, key),
                                   "a number of at least 0");
    return LOCANT_OK;
}

static locant_status note_factor(const struct put *p, double value)
{
    const json_t *given = json_object_get(p->rope->dict, "factor");
    const bool null = given == NULL || json_is_null(given);

    return lct_plan_keys_note_real(p->k, "factor", null ? "" : "factor",
                                   null ? LCT_DERIVED : p->rope->origin, value);
}

static locant_status put_linear(const struct put *p)
{
    double f;

    LCT_TRY(factor(&f, p, "factor", NAN));
    LCT_TRY(note_factor(p, f));
    if (f != 1)
        lct_plan_spec_number(p->s, ",scaling=linear(factor=", f);
    lct_plan_spec_put(p->s, f != 1 ? ")" : "");
    return LOCANT_OK;
}

static locant_status put_dynamic(const struct put *p)
{
    double f;

    LCT_TRY(factor(&f, p, "factor", NAN));
    LCT_TRY(note_factor(p, f));
    lct_plan_spec_number(p->s, ",scaling=dynamic(factor=", f);
    lct_plan_spec_put(p->s, ",original=%" PRId64 ")", p->rope->length);
    return LOCANT_OK;
}

/* mscale counts only with mscale_all_dim, that one also with score. */
static locant_status put_mscale(const struct put *p)
{
    double m, all;

    LCT_TRY(weight(&m, p, "mscale"));
    LCT_TRY(weight(&all, p, "mscale_all_dim"));
    if (all > 0 && (m > 0 || p->r->score)) {
        if (m > 0)
            lct_plan_spec_number(p->s, ",mscale=", m);
        lct_plan_spec_number(p->s, ",mscale-all=", all);
        if (p->r->score)
            lct_plan_spec_put(p->s, ",score=yes");
    }
    return LOCANT_OK;
}

/* transformers reads 'truncate' from the outer dictionary. */
static locant_status put_truncate(const struct put *p)
{
    const json_t *from = p->rope->nested ? p->rope->outer : p->rope->dict;
    bool truncate = true;

    if (p->k->plan->stack == LCT_STACK_LLAMACPP ||
        p->k->plan->stack == LCT_STACK_MLX)
        return LOCANT_OK; /* they always truncate */
    if (lct_config_bool(&truncate, from, "truncate") == LCT_WRONG)
        return lct_plan_keys_wrong(p->k, p->rope->where, "truncate",
                                   json_object_get(from, "truncate"),
                                   "true or false");
    lct_plan_spec_put(p->s, truncate ? "" : ",truncate=no");
    return LOCANT_OK;
}

static locant_status put_yarn(const struct put *p)
{
    const double ratio = (double)p->rope->length / (double)p->rope->original;
    double f, fast, slow, attention;

    LCT_TRY(factor(&f, p, "factor", ratio));
    if (p->k->plan->stack == LCT_STACK_HF4 && p->rope->original > 0)
        f = ratio; /* versions 4.48 to 4.55 */
    LCT_TRY(factor(&fast, p, "beta_fast", 32));
    LCT_TRY(factor(&slow, p, "beta_slow", 1));
    LCT_TRY(factor(&attention, p, "attention_factor", -1));
    LCT_TRY(note_factor(p, f));
    lct_plan_spec_number(p->s, ",scaling=yarn(factor=", f);
    lct_plan_spec_put(p->s, ",original=%" PRId64, p->rope->original);
    lct_plan_spec_number(p->s, ",fast=", fast);
    lct_plan_spec_number(p->s, ",slow=", slow);
    if (attention > 0)
        lct_plan_spec_number(p->s, ",attention=", attention);
    else
        LCT_TRY(put_mscale(p));
    if (attention > 0 && p->r->score) { /* the scores have their factor */
        double all;

        LCT_TRY(weight(&all, p, "mscale_all_dim"));
        if (all > 0) {
            lct_plan_spec_number(p->s, ",mscale-all=", all);
            lct_plan_spec_put(p->s, ",score=yes");
        }
    }
    LCT_TRY(put_truncate(p));
    lct_plan_spec_put(p->s, ")");
    return LOCANT_OK;
}

static locant_status put_list(const struct put *p, const char *name,
                              const char *key, int64_t pairs)
{
    const json_t *list = json_object_get(p->rope->dict, key);

    if (!json_is_array(list) || json_array_size(list) != (size_t)pairs)
        return lct_plan_keys_wrong(
            p->k, p->rope->where, key, list,
            "a list of %" PRId64 " numbers, one for each pair", pairs);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        double x = json_number_value(item);

        if (!json_is_number(item) || !(x > 0) || !isfinite(x))
            return lct_plan_keys_wrong(p->k, p->rope->where, key, item,
                                       "numbers above 0 in this list");
        lct_plan_spec_put(p->s, i == 0 ? ",%s=" : ":", name);
        lct_plan_spec_number(p->s, "", x);
    }
    return LOCANT_OK;
}

static locant_status put_longrope(const struct put *p, int64_t dim)
{
    const double ratio = (double)p->rope->length / (double)p->rope->original;
    double f, attention;

    LCT_TRY(factor(&f, p, "factor", ratio));
    if (p->k->plan->stack == LCT_STACK_LLAMACPP ||
        p->k->plan->stack == LCT_STACK_MLX)
        f = ratio; /* they do not read it */
    LCT_TRY(factor(&attention, p, "attention_factor", -1));
    LCT_TRY(note_factor(p, f));
    lct_plan_spec_put(p->s, ",scaling=longrope(original=%" PRId64,
                      p->rope->original);
    if (attention > 0)
        lct_plan_spec_number(p->s, ",attention=", attention);
    else if (f > 1)
        lct_plan_spec_number(p->s, ",factor=", f);
    LCT_TRY(put_list(p, "short", "short_factor", dim / 2));
    LCT_TRY(put_list(p, "long", "long_factor", dim / 2));
    lct_plan_spec_put(p->s, ")");
    return LOCANT_OK;
}

static locant_status put_llama3(const struct put *p)
{
    double f, low, high;

    LCT_TRY(factor(&f, p, "factor", NAN));
    LCT_TRY(factor(&low, p, "low_freq_factor", NAN));
    LCT_TRY(factor(&high, p, "high_freq_factor", NAN));
    LCT_TRY(note_factor(p, f));
    lct_plan_spec_number(p->s, ",scaling=llama3(factor=", f);
    lct_plan_spec_number(p->s, ",low=", low);
    lct_plan_spec_number(p->s, ",high=", high);
    lct_plan_spec_put(p->s, ",original=%" PRId64 ")", p->rope->original);
    return LOCANT_OK;
}

static locant_status put_proportional(const struct put *p)
{
    double f, partial = isnan(p->rope->partial) ? 1 : p->rope->partial;

    LCT_TRY(factor(&f, p, "factor", 1));
    lct_plan_spec_number(p->s, ",scaling=proportional(partial=", partial);
    lct_plan_spec_number(p->s, ",factor=", f);
    lct_plan_spec_put(p->s, ")");
    return LOCANT_OK;
}

/* The name under which this class knows a rope type. */
static const char *known_type(const struct lct_plan_keys *k, const char *type)
{
    const unsigned flags = k->family->flags;

    if ((flags & LCT_TYPE_MROPE) && strcmp(type, "mrope") == 0)
        return "default";
    if ((flags & LCT_PHI3) &&
        (strcmp(type, "su") == 0 || strcmp(type, "yarn") == 0))
        return "longrope";
    return type;
}

static locant_status put_scaling(const struct put *p, int64_t dim)
{
    const char *type = known_type(p->k, p->rope->type);

    if (strcmp(type, "default") == 0)
        return LOCANT_OK;
    if (strcmp(type, "linear") == 0)
        return put_linear(p);
    if (strcmp(type, "dynamic") == 0)
        return put_dynamic(p);
    if (strcmp(type, "yarn") == 0)
        return put_yarn(p);
    if (strcmp(type, "longrope") == 0)
        return put_longrope(p, dim);
    if (strcmp(type, "llama3") == 0)
        return put_llama3(p);
    if (strcmp(type, "proportional") == 0)
        return put_proportional(p);
    return lct_plan_keys_wrong(
        p->k, p->rope->where, "rope_type",
        json_object_get(p->rope->dict, "rope_type") != NULL
            ? json_object_get(p->rope->dict, "rope_type")
            : json_object_get(p->rope->dict, "type"),
        "default, linear, dynamic, yarn, longrope, llama3 or proportional");
}

locant_status lct_plan_rope_put(struct lct_plan_spec *s,
                                struct lct_plan_keys *k,
                                const struct lct_plan_rope *rope,
                                const struct lct_plan_rotation *r)
{
    const struct put p = { s, k, rope, r };
    const int64_t *n = r->section;
    int64_t dim = r->dim;

    if (dim == 0)
        LCT_TRY(lct_plan_rope_width(&dim, k, rope, r->head_dim));
    lct_plan_spec_number(
        s, r->layout != NULL ? "mrope(base=" : "rope(base=", rope->base);
    if (r->layout != NULL)
        lct_plan_spec_put(
            s, ",sections=%" PRId64 ":%" PRId64 ":%" PRId64 ",layout=%s", n[0],
            n[1], n[2], r->layout);
    else
        lct_plan_spec_put(s, r->interleaved ? ",pairing=interleaved" : "");
    if (dim != r->head_dim || r->trailing)
        lct_plan_spec_put(s, ",dim=%" PRId64, dim);
    if (r->trailing)
        lct_plan_spec_put(s, ",side=trailing");
    LCT_TRY(put_scaling(&p, dim));
    lct_plan_spec_put(s, ")");
    return LOCANT_OK;
}
