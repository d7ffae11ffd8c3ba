/* check_params.c - see check_params.h */
#include "check_params.h"
#include <stdint.h>
#include <string.h>

/* clang-format off */
static const char *const names[][2] = {
    { "dim", "hidden_size" },           { "n_layers", "num_hidden_layers" },
    { "n_heads", "num_attention_heads" },
    { "n_kv_heads", "num_key_value_heads" },
    { "head_dim", "head_dim" },         { "rope_theta", "rope_theta" },
    { "sliding_window", "sliding_window" },
    { "vocab_size", "vocab_size" },
    { "max_seq_len", "max_position_embeddings" },
    { "max_position_embeddings", "max_position_embeddings" },
};
static const char *const yarn_names[][2] = {
    { "factor", "factor" },             { "beta", "beta_fast" },
    { "alpha", "beta_slow" },
    { "original_max_position_embeddings", "original_max_position_embeddings" },
};
/* Keys of findings. */
static const char *const keys[][2] = {
    { "rope_scaling.factor", "yarn.factor" },
    { "rope_scaling.beta_fast", "yarn.beta" },
    { "rope_scaling.beta_slow", "yarn.alpha" },
    { "rope_scaling.original_max_position_embeddings",
      "yarn.original_max_position_embeddings" },
    { "rope_scaling", "yarn" },
};
/* clang-format on */

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const char *lct_check_params_key(const char *key)
{
    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(names[i][1], key) == 0)
            return names[i][0];
    for (size_t i = 0; i < COUNT(keys); i++)
        if (strcmp(keys[i][0], key) == 0)
            return keys[i][1];
    return key;
}

/* Copy the keys of a table that 'object' has. */
static void copy(json_t *out, const json_t *object,
                 const char *const table[][2], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        json_t *value = json_object_get(object, table[i][0]);

        if (value != NULL)
            json_object_set(out, table[i][1], value);
    }
}

/* rope_scaling of Mistral's yarn; a key that is none of its own is kept, to be
   found. */
static json_t *yarn_of(const json_t *yarn)
{
    json_t *out = json_pack("{s:s}", "rope_type", "yarn"), *value;
    const char *key;

    if (!json_is_object(yarn)) {
        json_decref(out);
        return json_incref((json_t *)(uintptr_t)yarn);
    }
    copy(out, yarn, yarn_names, COUNT(yarn_names));
    json_object_foreach((json_t *)(uintptr_t)yarn, key, value) {
        bool known = false;

        for (size_t i = 0; i < COUNT(yarn_names); i++)
            known |= strcmp(yarn_names[i][0], key) == 0;
        if (!known)
            json_object_set(out, key, value);
    }
    return out;
}

json_t *lct_check_params(const struct lct_config *c)
{
    json_t *out = json_pack("{s:s}", "model_type", c->model_type);
    const json_t *yarn = json_object_get(c->root, "yarn");

    copy(out, c->root, names, COUNT(names));
    /* here an absent window is none; in transformers it is the class's */
    if (json_object_get(out, "sliding_window") == NULL)
        json_object_set_new(out, "sliding_window", json_null());
    if (yarn != NULL && !json_is_null(yarn))
        json_object_set_new(out, "rope_scaling", yarn_of(yarn));
    else if (json_is_true(json_object_get(c->root, "use_scaled_rope")))
        json_object_set_new(
            out, "rope_scaling",
            json_pack("{s:s, s:f, s:f, s:f, s:i}", "rope_type", "llama3",
                      "factor", 8.0, "low_freq_factor", 1.0, "high_freq_factor",
                      4.0, "original_max_position_embeddings", 8192));
    return out;
}
