/* check_values.c - checks D09 and X01: numbers that are none, values of a wrong
 * type */
#include "check.h"
#include "check_params.h"
#include "family.h"
#include "../core/quote.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *type_name(const json_t *value)
{
    static const char *const names[] = { "an object",  "a list",   "a text",
                                         "an integer", "a number", "true",
                                         "false",      "null" };

    return names[json_typeof(value)];
}

/* What the text of a JSON string says as a number or a bool, or NULL. */
static json_t *unquoted(const json_t *value)
{
    const char *text = json_string_value(value);
    json_error_t error;
    json_t *inner;

    if (text == NULL)
        return NULL;
    if (strcmp(text, "True") == 0 || strcmp(text, "False") == 0)
        return json_boolean(text[0] == 'T');
    inner = json_loads(text, JSON_DECODE_ANY, &error);
    if (json_is_number(inner) || json_is_boolean(inner))
        return inner;
    json_decref(inner);
    return NULL;
}

static void mend_type(struct lct_draft *f, const char *path,
                      const json_t *value, bool number)
{
    json_t *inner = unquoted(value);

    if (inner != NULL && json_is_number(inner) == number) {
        lct_check_mend(f, "write it without quotation marks");
        lct_check_fix(f, path, inner);
        return;
    }
    json_decref(inner);
    lct_check_mend(f, "write %s, or remove the key",
                   number ? "a number" : "a value of the right type");
}

/* A key as the file calls it. */
static const char *shown(const struct lct_check *k, const char *name)
{
    return k->params ? lct_check_params_key(name) : name;
}

/* D09 */
static void check_number(struct lct_check *k, const json_t *object,
                         const char *dict, const char *name)
{
    const json_t *value = json_object_get(object, name);
    char path[160];
    struct lct_draft *f;

    if (value == NULL || json_is_number(value) || json_is_null(value))
        return;
    snprintf(path, sizeof path, "%s%s%s", dict, *dict ? "." : "", name);
    f = lct_check_report(k, LCT_CHECK_D09, path,
                         "%s is %s, and a number is due", shown(k, name),
                         type_name(value));
    lct_check_says(f, LCT_EVERY_STACK,
                   "TypeError, or the text is taken for something else");
    mend_type(f, path, value, true);
}

static bool is_frequency(const char *name)
{
    return strcmp(name, "rope_theta") == 0 || strcmp(name, "factor") == 0 ||
           strcmp(name, "original_max_position_embeddings") == 0;
}

/* null says that the class derives it */
static bool may_be_null(const char *name)
{
    return strcmp(name, "head_dim") == 0 ||
           strcmp(name, "num_key_value_heads") == 0;
}

/* D09 of what must be above 0, and not null. */
static void check_positive(struct lct_check *k, const json_t *object,
                           const char *dict, const char *name)
{
    const json_t *value = json_object_get(object, name);
    struct lct_draft *f;
    char path[160];

    snprintf(path, sizeof path, "%s%s%s", dict, *dict ? "." : "", name);
    if (value != NULL && json_is_null(value) && !may_be_null(name)) {
        f = lct_check_report(k, LCT_CHECK_D09, path,
                             "%s is null, and a number is due", shown(k, name));
        lct_check_says(f, LCT_HF5,
                       strcmp(name, "factor") == 0
                           ? "TypeError (YaRN and longrope: length / original)"
                           : "TypeError when the model is built");
        lct_check_says(f, LCT_HF4 | LCT_VLLM | LCT_LLAMA_CPP | LCT_MLX,
                       "TypeError, or a default");
        lct_check_mend(f, "write the number, or remove the key");
    } else if (json_is_number(value) && !(json_number_value(value) > 0)) {
        f = lct_check_report(k, LCT_CHECK_D09, path,
                             "%s is %.10g, and must be above 0", shown(k, name),
                             json_number_value(value));
        lct_check_says(f, LCT_EVERY_STACK,
                       is_frequency(name)
                           ? "frequencies that are infinite, not "
                             "numbers, or backwards"
                           : "no tensor has such a size");
        lct_check_mend(f, "write the number that is meant");
    }
}

/* D09: a window of no key, where only null means none */
static void check_no_window(struct lct_check *k)
{
    const json_t *window = json_object_get(k->text, "sliding_window");
    const struct lct_family *f = lct_family_find(k->type);
    struct lct_draft *d;

    if (!json_is_integer(window) || json_integer_value(window) != 0 ||
        f == NULL ||
        (f->rule != LCT_LAYERS_WINDOW && f->rule != LCT_LAYERS_PERIOD))
        return;
    d = lct_check_report(k, LCT_CHECK_D09, "sliding_window",
                         "sliding_window is 0, which is no window of 0 keys");
    lct_check_says(d, LCT_HF5,
                   "hides every key: each token attends to all alike");
    lct_check_says(d, LCT_LLAMA_CPP, "no window");
    lct_check_mend(d, "null");
}

/* D09: a factor from 0 to 1 */
static void check_shrinking(struct lct_check *k, const struct lct_rope_entry *e)
{
    struct lct_draft *f;

    if (e->factor <= 0 || e->factor >= 1 || strcmp(e->kind, "default") == 0)
        return;
    f = lct_check_report(k, LCT_CHECK_D09, LCT_CHECK_PATH(e, "factor"),
                         "factor %.10g is below 1, so the length would shrink",
                         e->factor);
    lct_check_says(f, LCT_HF, "a warning, and frequencies multiplied by %.10g",
                   1 / e->factor);
    lct_check_says(f, LCT_VLLM | LCT_LLAMA_CPP | LCT_MLX,
                   "frequencies multiplied by %.10g", 1 / e->factor);
    lct_check_mend(f, "factor %.10g, if that is meant", 1 / e->factor);
}

static const char *const dictionary_numbers[] = {
    "rope_theta",
    "factor",
    "original_max_position_embeddings",
    "attention_factor",
    "beta_fast",
    "beta_slow",
    "mscale",
    "mscale_all_dim",
    "low_freq_factor",
    "high_freq_factor",
    "partial_rotary_factor",
    "attn_factor",
    "alpha",
    "extrapolation_factor",
    "llama_4_scaling_beta"
};

static const char *const top_numbers[] = { "hidden_size",
                                           "num_attention_heads",
                                           "num_key_value_heads",
                                           "num_hidden_layers",
                                           "max_position_embeddings",
                                           "head_dim",
                                           "rope_theta",
                                           "rope_local_base_freq",
                                           "global_rope_theta",
                                           "local_rope_theta",
                                           "partial_rotary_factor",
                                           "rotary_dim",
                                           "rotary_pct",
                                           "rotary_emb_base",
                                           "sliding_window",
                                           "max_window_layers",
                                           "attention_multiplier",
                                           "query_pre_attn_scalar",
                                           "attn_logit_softcapping",
                                           "final_logit_softcapping",
                                           "qk_rope_head_dim",
                                           "qk_nope_head_dim",
                                           "v_head_dim",
                                           "original_max_position_embeddings",
                                           "n_positions",
                                           "n_head",
                                           "n_layer",
                                           "n_embd",
                                           "no_rope_layer_interval",
                                           "attention_chunk_size",
                                           "floor_scale",
                                           "attn_scale",
                                           "relative_attention_num_buckets",
                                           "relative_attention_max_distance",
                                           "position_buckets",
                                           "max_relative_positions",
                                           "local_attention",
                                           "global_attn_every_n_layers" };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool has_inner_base(const struct lct_check *k)
{
    for (int i = 0; i < k->n_entries; i++)
        if (lct_check_has(k->entries[i].dict, "rope_theta"))
            return true;
    return false;
}

/* D09 of a number that counts something */
static void check_whole(struct lct_check *k, const char *name)
{
    const json_t *value = json_object_get(k->text, name);
    struct lct_draft *f;
    double x;

    if (!json_is_real(value))
        return;
    x = json_real_value(value);
    f = lct_check_report(k, LCT_CHECK_D09, name,
                         "%s is %.10g, and a whole number is due", name, x);
    lct_check_says(f, LCT_HF5, "refuses the configuration");
    lct_check_says(f, LCT_HF4 | LCT_VLLM | LCT_LLAMA_CPP | LCT_MLX,
                   "TypeError where it becomes a size");
    lct_check_mend(f, "write a whole number");
    if (x == floor(x) && fabs(x) < 1e15)
        lct_check_fix(f, name, json_integer((json_int_t)x));
}

static void check_numbers(struct lct_check *k)
{
    static const char *const whole[] = { "hidden_size",
                                         "num_attention_heads",
                                         "num_key_value_heads",
                                         "num_hidden_layers",
                                         "max_position_embeddings",
                                         "head_dim",
                                         "sliding_window",
                                         "rotary_dim",
                                         "qk_rope_head_dim",
                                         "max_window_layers" };

    static const char *const positive[] = {
        "hidden_size",         "head_dim",          "num_key_value_heads",
        "num_attention_heads", "num_hidden_layers", "max_position_embeddings"
    };

    for (size_t i = 0; i < COUNT(top_numbers); i++)
        check_number(k, k->text, "", top_numbers[i]);
    for (size_t i = 0; i < COUNT(whole); i++)
        check_whole(k, whole[i]);
    for (size_t i = 0; i < COUNT(positive); i++)
        check_positive(k, k->text, "", positive[i]);
    check_no_window(k);
    if (!lct_check_class_has(k, LCT_CLASS_NO_ROPE) && !has_inner_base(k))
        check_positive(k, k->text, "", "rope_theta");
    for (int i = 0; i < k->n_entries; i++) {
        const struct lct_rope_entry *e = &k->entries[i];

        for (size_t j = 0; j < COUNT(dictionary_numbers); j++)
            check_number(k, e->dict, e->path, dictionary_numbers[j]);
        check_positive(k, e->dict, e->path, "rope_theta");
        check_positive(k, e->dict, e->path, "factor");
        check_positive(k, e->dict, e->path, "original_max_position_embeddings");
        check_shrinking(k, e);
    }
}

/* ------------------------------------------------------------- wrong types */

enum wanted { OBJECT, LIST, NUMBERS, BOOL, TEXT };

static bool is_wanted(const json_t *value, enum wanted wanted)
{
    size_t i;
    json_t *item;

    switch (wanted) {
    case OBJECT: return json_is_object(value);
    case BOOL: return json_is_boolean(value);
    case TEXT: return json_is_string(value);
    case LIST: return json_is_array(value);
    case NUMBERS: break;
    }
    json_array_foreach((json_t *)(uintptr_t)value, i, item)
        if (!json_is_number(item))
            return false;
    return json_is_array(value);
}

/* X01 */
static void check_type(struct lct_check *k, const json_t *object,
                       const char *dict, const char *name, enum wanted wanted)
{
    static const char *const names[] = { "an object", "a list",
                                         "a list of numbers", "true or false",
                                         "a text" };
    const json_t *value = json_object_get(object, name);
    char path[160];
    struct lct_draft *f;

    if (value == NULL || json_is_null(value) || is_wanted(value, wanted))
        return;
    snprintf(path, sizeof path, "%s%s%s", dict, *dict ? "." : "", name);
    f = lct_check_report(
        k, LCT_CHECK_X01, path, "%s is %s, and %s is due", name,
        wanted == NUMBERS && json_is_array(value) ? "a list of something else"
                                                  : type_name(value),
        names[wanted]);
    lct_check_says(f, LCT_HF5,
                   *dict == '\0'    ? "refuses the configuration"
                   : wanted == BOOL ? "takes any text for true"
                                    : "fails when the model is built");
    lct_check_says(f, LCT_HF4 | LCT_VLLM | LCT_LLAMA_CPP | LCT_MLX,
                   "an exception, or a value that nobody meant");
    if (wanted == BOOL)
        mend_type(f, path, value, false);
    else
        lct_check_mend(f, "write %s", names[wanted]);
}

static void check_types(struct lct_check *k)
{
    static const char *const bools[] = { "use_sliding_window",
                                         "tie_word_embeddings",
                                         "alibi",
                                         "rope_interleave",
                                         "relative_attention",
                                         "position_biased_input",
                                         "share_att_key",
                                         "attn_temperature_tuning",
                                         "use_qk_norm",
                                         "scale_attn_weights",
                                         "scale_attn_by_inverse_layer_idx",
                                         "use_cache",
                                         "scale_embedding",
                                         "use_bidirectional_attention" };
    const json_t *text = k->text;

    for (size_t i = 0; i < COUNT(bools); i++)
        check_type(k, text, "", bools[i], BOOL);
    check_type(k, text, "", "rope_scaling", OBJECT);
    check_type(k, text, "", "rope_parameters", OBJECT);
    check_type(k, text, "", "layer_types", LIST);
    check_type(k, text, "", "no_rope_layers", NUMBERS);
    for (int i = 0; i < k->n_entries; i++) {
        const struct lct_rope_entry *e = &k->entries[i];

        check_type(k, e->dict, e->path, "rope_type", TEXT);
        check_type(k, e->dict, e->path, "type", TEXT);
        check_type(k, e->dict, e->path, "mrope_section", NUMBERS);
        check_type(k, e->dict, e->path, "short_factor", NUMBERS);
        check_type(k, e->dict, e->path, "long_factor", NUMBERS);
        check_type(k, e->dict, e->path, "truncate", BOOL);
        check_type(k, e->dict, e->path, "mrope_interleaved", BOOL);
    }
}

void lct_check_values(struct lct_check *k)
{
    check_numbers(k);
    check_types(k);
}
