/*
 * plan_params.c - plans from a params.json of Meta or Mistral: the keys are
 * renamed to those of transformers, and the family plans the rest
 *
 * Source: llama and llama-models of Meta, model.py (theta, scaling);
 * mistral-inference, transformer.py (theta); the converter of llama.cpp for the
 * keys yarn and llama_4_scaling.
 */
#include "plan_params.h"
#include "plan_names.h"
#include <stdio.h>
#include <string.h>

struct params {
    const struct lct_config *c;
    json_t *out;
};

static locant_status set(struct params *m, const char *key, json_t *value)
{
    if (value != NULL && json_object_set_new(m->out, key, value) == 0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", m->c->file);
}

/* The same value under another name, if it is there. */
static locant_status rename_key(struct params *m, const char *to,
                                const char *from)
{
    json_t *value = json_object_get(m->c->root, from);

    return value != NULL ? set(m, to, json_incref(value)) : LOCANT_OK;
}

static const char *const names[][2] = {
    { "hidden_size", "dim" },
    { "num_hidden_layers", "n_layers" },
    { "num_attention_heads", "n_heads" },
    { "num_key_value_heads", "n_kv_heads" },
    { "head_dim", "head_dim" },
    { "rope_theta", "rope_theta" },
    { "rms_norm_eps", "norm_eps" },
    { "max_position_embeddings", "max_position_embeddings" },
    { "max_position_embeddings", "max_seq_len" },
};
enum { NAMES = sizeof names / sizeof names[0] };

static locant_status sizes(struct params *m)
{
    for (size_t i = 0; i < NAMES; i++)
        LCT_TRY(rename_key(m, names[i][0], names[i][1]));
    if (json_object_get(m->out, "num_key_value_heads") == NULL)
        LCT_TRY(set(m, "num_key_value_heads", json_null()));
    return LOCANT_OK;
}

/* use_scaled_rope: factor 8, but 32 in the two text models of Llama 3.2. */
static locant_status meta(struct params *m)
{
    const json_t *root = m->c->root;
    const json_int_t layers =
        json_integer_value(json_object_get(root, "n_layers"));
    const json_int_t dim = json_integer_value(json_object_get(root, "dim"));
    const bool small =
        (layers == 16 && dim == 2048) || (layers == 28 && dim == 3072);
    bool scaled = false;
    char shown[LCT_CONFIG_SHOWN];

    if (lct_config_bool(&scaled, root, "use_scaled_rope") == LCT_WRONG)
        return locant_fail(
            LOCANT_ERR_FORMAT,
            "%s: use_scaled_rope is %s, expected true or false", m->c->file,
            lct_config_show(shown, json_object_get(root, "use_scaled_rope")));
    if (!scaled)
        return LOCANT_OK;
    if (json_object_get(m->out, "max_position_embeddings") == NULL)
        LCT_TRY(set(m, "max_position_embeddings", json_integer(131072)));
    return set(m, "rope_scaling",
               json_pack("{s:s, s:f, s:f, s:f, s:i}", "rope_type", "llama3",
                         "factor", small ? 32.0 : 8.0, "low_freq_factor", 1.0,
                         "high_freq_factor", 4.0,
                         "original_max_position_embeddings", 8192));
}

static const char *const yarn_names[][2] = {
    { "factor", "factor" },
    { "beta_fast", "beta" },
    { "beta_slow", "alpha" },
    { "original_max_position_embeddings", "original_max_position_embeddings" },
};
enum { YARN_NAMES = sizeof yarn_names / sizeof yarn_names[0] };

/* The keys of 'yarn' and of 'llama_4_scaling' as rope_scaling. */
static locant_status mistral_scaling(struct params *m)
{
    const json_t *yarn = json_object_get(m->c->root, "yarn");
    const json_t *hot = json_object_get(m->c->root, "llama_4_scaling");
    json_t *rope;

    if (!json_is_object(yarn))
        return LOCANT_OK;
    rope = json_pack("{s:s, s:f, s:f}", "rope_type", "yarn", "mscale", 1.0,
                     "mscale_all_dim", 1.0);
    for (size_t i = 0; i < YARN_NAMES; i++) {
        json_t *value = json_object_get(yarn, yarn_names[i][1]);

        if (value != NULL)
            json_object_set(rope, yarn_names[i][0], value);
    }
    if (json_object_get(hot, "beta") != NULL)
        json_object_set(rope, "llama_4_scaling_beta",
                        json_object_get(hot, "beta"));
    return set(m, "rope_scaling", rope);
}

static locant_status mistral(struct params *m)
{
    json_t *window = json_object_get(m->c->root, "sliding_window");
    const bool wide = window == NULL || json_is_null(window);

    LCT_TRY(set(m, "sliding_window", wide ? json_null() : json_incref(window)));
    if (json_object_get(m->out, "rope_theta") == NULL)
        LCT_TRY(set(m, "rope_theta", json_real(wide ? 1e6 : 1e4)));
    return mistral_scaling(m);
}

/* The family of the file, whose layers may be those of Ministral 3. */
static const struct lct_family *family_of(const struct lct_config *c)
{
    return lct_family_find(
        json_is_object(json_object_get(c->root, "llama_4_scaling"))
            ? "ministral3"
            : c->model_type);
}

/* The key that a scaling came from. */
static bool scaling_name(char out[LCT_PLAN_NAME], const struct params *m,
                         const char *last)
{
    if (!json_is_object(json_object_get(m->out, "rope_scaling")))
        return false;
    snprintf(out, LCT_PLAN_NAME, "%s",
             m->c->dialect == LCT_DIALECT_META ? "use_scaled_rope" : "yarn");
    if (m->c->dialect == LCT_DIALECT_META)
        return true;
    for (size_t i = 0; i < YARN_NAMES; i++)
        if (strcmp(yarn_names[i][0], last) == 0)
            snprintf(out, LCT_PLAN_NAME, "yarn.%s", yarn_names[i][1]);
    return true;
}

/* The key that a value came from; of two the one that is there. */
static bool name_of(char out[LCT_PLAN_NAME], const void *context,
                    const char *key)
{
    const struct params *m = context;
    const char *last = lct_plan_names_last(key), *found = NULL;

    if (strcmp(last, "sliding_window") == 0)
        found = last;
    for (size_t i = 0; i < NAMES; i++)
        if (strcmp(names[i][0], last) == 0 &&
            (found == NULL || json_object_get(m->c->root, names[i][1])))
            found = names[i][1];
    if (found == NULL ||
        (strcmp(last, "max_position_embeddings") == 0 &&
         json_object_get(m->c->root, found) == NULL)) /* or by its scaling */
        return scaling_name(out, m, last);
    snprintf(out, LCT_PLAN_NAME, "%s", found);
    return true;
}

static bool has_key(const void *context, const char *name)
{
    const struct params *m = context;
    const json_t *root = m->c->root;

    return json_object_get(root, name) != NULL ||
           (strncmp(name, "yarn.", 5) == 0 &&
            json_object_get(json_object_get(root, "yarn"), name + 5) != NULL);
}

static locant_status plan(struct lct_position_plan *p, struct params *m)
{
    const struct lct_plan_names names_of = { name_of, has_key, m };
    struct lct_config inner = *m->c;
    locant_status s;
    bool length;

    LCT_TRY(sizes(m));
    LCT_TRY(m->c->dialect == LCT_DIALECT_META ? meta(m) : mistral(m));
    length = json_object_get(m->out, "max_position_embeddings") != NULL;
    inner.root = m->out;
    inner.text = m->out;
    s = p->family->plan(p, &inner);
    if (s == LOCANT_ERR_FORMAT)
        return lct_plan_names_fail(s, &names_of);
    LCT_TRY(s);
    lct_plan_names_notes(p, &names_of);
    if (!length) { /* no key says it, and the default of a class is no one's */
        if (p->length_trained == p->length_config)
            p->length_trained = 0;
        p->length_config = 0;
        lct_plan_names_drop(p, "length");
    }
    return LOCANT_OK;
}

locant_status lct_plan_params(struct lct_position_plan *p,
                              const struct lct_config *c)
{
    struct params m = { .c = c, .out = json_object() };
    locant_status s;

    p->family = family_of(c);
    if (p->pairing_assumed)
        p->interleaved = true;
    s = m.out != NULL ? plan(p, &m)
                      : locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", c->file);
    json_decref(m.out);
    return s;
}
