/* plan_scaling.c - rope types of transformers as rope's key 'scaling' */
#include "plan_scaling.h"
#include "plan_stack.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

struct put {
    struct lct_plan_spec *s;
    struct lct_plan_keys *k;
    struct lct_plan_rope *rope;
    const struct lct_plan_rotation *r;
    int64_t pairs;
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

static locant_status put_ntk(const struct put *p)
{
    double f;

    LCT_TRY(factor(&f, p, "factor", NAN));
    LCT_TRY(note_factor(p, f));
    lct_plan_spec_number(p->s, ",scaling=ntk(factor=", f);
    lct_plan_spec_put(p->s, ")");
    return LOCANT_OK;
}

static locant_status put_dynamic(const struct put *p)
{
    const json_t *alpha = json_object_get(p->rope->dict, "alpha");
    double f;

    if ((p->k->family->flags & LCT_HUNYUAN) && json_number_value(alpha) != 0) {
        LCT_TRY(factor(&f, p, "alpha", NAN));
        lct_plan_spec_number(p->s, ",scaling=ntk(factor=", f);
        lct_plan_spec_put(p->s, ")");
        return lct_plan_keys_note_real(p->k, "alpha", "alpha", p->rope->origin,
                                       f);
    }

    LCT_TRY(factor(&f, p, "factor", NAN));
    LCT_TRY(note_factor(p, f));
    lct_plan_spec_number(p->s, ",scaling=dynamic(factor=", f);
    lct_plan_spec_put(p->s, ",original=%" PRId64 ")", p->rope->length);
    return LOCANT_OK;
}

/* The scores times (0.1 mscale_all_dim ln factor + 1)^2. */
static void put_score(const struct put *p, double f, double all)
{
    const double m = f > 1 ? 0.1 * all * log(f) + 1 : 1;

    lct_plan_spec_put(p->s, ",score=yes");
    p->rope->score = m * m;
}

/* mscale counts only with mscale_all_dim, that one also with score. */
static locant_status put_mscale(const struct put *p, double f)
{
    double m, all;

    LCT_TRY(weight(&m, p, "mscale"));
    LCT_TRY(weight(&all, p, "mscale_all_dim"));
    if (all > 0 && (m > 0 || p->r->score)) {
        if (m > 0)
            lct_plan_spec_number(p->s, ",mscale=", m);
        lct_plan_spec_number(p->s, ",mscale-all=", all);
        if (p->r->score)
            put_score(p, f, all);
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

/* vLLM multiplies the usual factor by 'attn_factor', which others ignore. */
static locant_status vllm_attention(double *attention, const struct put *p,
                                    double f)
{
    double by;

    if (p->k->plan->stack != LCT_STACK_VLLM || *attention > 0)
        return LOCANT_OK;
    LCT_TRY(factor(&by, p, "attn_factor", 1));
    if (by != 1)
        *attention = by * (f > 1 ? 0.1 * log(f) + 1 : 1);
    return LOCANT_OK;
}

static locant_status put_yarn(const struct put *p)
{
    const double ratio = (double)p->rope->length / (double)p->rope->original;
    double f, fast, slow, attention;

    if (p->rope->base <= 1) /* the ramp divides by its logarithm */
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: the base of rope is %.10g, expected more than "
                           "1 with yarn",
                           p->k->plan->file, p->rope->base);
    LCT_TRY(factor(&f, p, "factor", ratio));
    LCT_TRY(factor(&fast, p, "beta_fast", 32));
    LCT_TRY(factor(&slow, p, "beta_slow", 1));
    LCT_TRY(factor(&attention, p, "attention_factor", -1));
    LCT_TRY(vllm_attention(&attention, p, f));
    LCT_TRY(note_factor(p, f));
    lct_plan_spec_number(p->s, ",scaling=yarn(factor=", f);
    lct_plan_spec_put(p->s, ",original=%" PRId64, p->rope->original);
    lct_plan_spec_number(p->s, ",fast=", fast);
    lct_plan_spec_number(p->s, ",slow=", slow);
    if (attention > 0)
        lct_plan_spec_number(p->s, ",attention=", attention);
    else
        LCT_TRY(put_mscale(p, f));
    if (attention > 0 && p->r->score) { /* the scores have their factor */
        double all;

        LCT_TRY(weight(&all, p, "mscale_all_dim"));
        if (all > 0) {
            lct_plan_spec_number(p->s, ",mscale-all=", all);
            put_score(p, f, all);
        }
    }
    LCT_TRY(put_truncate(p));
    lct_plan_spec_put(p->s, ")");
    return LOCANT_OK;
}

static locant_status put_list(const struct put *p, const char *name,
                              const char *key)
{
    const json_t *list = json_object_get(p->rope->dict, key);

    if (!json_is_array(list) || json_array_size(list) != (size_t)p->pairs)
        return lct_plan_keys_wrong(
            p->k, p->rope->where, key, list,
            "a list of %" PRId64 " numbers, one for each pair", p->pairs);
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

static locant_status put_longrope(const struct put *p)
{
    const double ratio = (double)p->rope->length / (double)p->rope->original;
    double f, attention;

    LCT_TRY(factor(&f, p, "factor", ratio));
    if (lct_plan_stack_ratio(p->k->plan->stack, p->rope->outer_original))
        f = ratio; /* it does not read the factor */
    LCT_TRY(factor(&attention, p, "attention_factor", -1));
    LCT_TRY(note_factor(p, f));
    lct_plan_spec_put(p->s, ",scaling=longrope(original=%" PRId64,
                      p->rope->original);
    if (attention > 0)
        lct_plan_spec_number(p->s, ",attention=", attention);
    else if (f > 1)
        lct_plan_spec_number(p->s, ",factor=", f);
    LCT_TRY(
        put_list(p, "short",
                 p->k->plan->stack == LCT_STACK_MLX
                     ? "long_factor"
                     : "short_factor")); /* mlx-lm always takes the long list */
    LCT_TRY(put_list(p, "long", "long_factor"));
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

/* rope_freqs.weight of GGUF: each frequency is divided by its own number. */
static locant_status put_divisors(const struct put *p)
{
    const json_t *list = json_object_get(p->rope->dict, "divisors");

    if (json_array_size(list) != (size_t)p->pairs)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: rope_freqs.weight has %zu numbers, expected "
                           "%" PRId64 ", one for each pair",
                           p->k->plan->file, json_array_size(list), p->pairs);
    lct_plan_spec_put(p->s, ",freqs=list(values=");
    for (int64_t c = 0; c < p->pairs; c++) {
        double by = json_real_value(json_array_get(list, (size_t)c));

        lct_plan_spec_number(
            p->s, c > 0 ? ":" : "",
            pow(p->rope->base, -2 * (double)c / (double)(2 * p->pairs)) / by);
    }
    lct_plan_spec_put(p->s, ")");
    return LOCANT_OK;
}

locant_status lct_plan_scaling_put(struct lct_plan_spec *s,
                                   struct lct_plan_keys *k,
                                   struct lct_plan_rope *rope,
                                   const struct lct_plan_rotation *r,
                                   int64_t dim)
{
    static const struct {
        const char *type;
        locant_status (*put)(const struct put *p);
    } types[] = {
        { "divisors", put_divisors }, /* of GGUF alone */
        { "dynamic", put_dynamic },
        { "linear", put_linear },
        { "llama3", put_llama3 },
        { "longrope", put_longrope },
        { "ntk", put_ntk }, /* of vLLM alone */
        { "proportional", put_proportional },
        { "yarn", put_yarn },
    };
    const struct put p = { s, k, rope, r, dim / 2 };

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(rope->type, types[i].type) == 0)
            return types[i].put(&p);
    assert(strcmp(rope->type, "default") == 0);
    return LOCANT_OK;
}
