/* check_values.c - checks D09 and X01: numbers that are none, values of a wrong
 * type */
#include "check.h"
#include "../core/text.h"
#include "check_params.h"
#include "family.h"
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

/* What the text of a JSON string says as a number, or else as a bool; NULL if
   it says none. */
static json_t *unquoted(const json_t *value, bool number)
{
    const char *text = json_string_value(value);
    json_error_t error;
    json_t *inner = NULL;

    if (text != NULL && (lct_is_among("True False", text)))
        inner = json_boolean(text[0] == 'T');
    else if (text != NULL)
        inner = json_loads(text, JSON_DECODE_ANY, &error);
    if (number ? json_is_number(inner) : json_is_boolean(inner))
        return inner;
    json_decref(inner);
    return NULL;
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
    json_t *inner;

    if (value == NULL || json_is_number(value) || json_is_null(value))
        return;
    inner = unquoted(value, true);
    snprintf(path, sizeof path, "%s%s%s", dict, *dict ? "." : "", name);
    f = LCT_FIND(k, NULL, ID(D09_TYPE), S(path), S(shown(k, name)),
                 S(type_name(value)), I(inner != NULL));
    if (inner != NULL)
        lct_check_fix(f, path, inner);
}

static bool is_frequency(const char *name)
{
    return lct_is_among("rope_theta factor original_max_position_embeddings",
                        name);
}

/* null says that the class derives it */
static bool may_be_null(const char *name)
{
    return lct_is_among("head_dim num_key_value_heads", name);
}

/* D09 of what must be above 0, and not null. */
static void check_positive(struct lct_check *k, const json_t *object,
                           const char *dict, const char *name)
{
    const json_t *value = json_object_get(object, name);
    char path[160];

    snprintf(path, sizeof path, "%s%s%s", dict, *dict ? "." : "", name);
    if (value != NULL && json_is_null(value) && !may_be_null(name)) {
        LCT_FIND(k, NULL, ID(D09_NULL), S(path), S(shown(k, name)),
                 I(strcmp(name, "factor") == 0));
    } else if (json_is_number(value) && !(json_number_value(value) > 0))
        LCT_FIND(k, NULL, ID(D09_POSITIVE), S(path), S(shown(k, name)),
                 R(json_number_value(value)), I(is_frequency(name)));
}

/* D09: a window of no key, where only null means none */
static void check_no_window(struct lct_check *k)
{
    const json_t *window = json_object_get(k->text, "sliding_window");
    const struct lct_family *f = lct_family_find(k->type);

    if (json_is_integer(window) && json_integer_value(window) == 0 &&
        f != NULL &&
        (f->rule == LCT_LAYERS_WINDOW || f->rule == LCT_LAYERS_PERIOD))
        LCT_FIND(k, NULL, ID(D09_WINDOW));
}

/* D09: a factor from 0 to 1 */
static void check_shrinking(struct lct_check *k, const struct lct_rope_entry *e)
{
    if (e->factor <= 0 || e->factor >= 1 || strcmp(e->kind, "default") == 0)
        return;
    LCT_FIND(k, e, ID(D09_SHRINKS), R(1 / e->factor));
}

static const char dictionary_numbers[] =
    "rope_theta factor original_max_position_embeddings attention_factor "
    "beta_fast beta_slow mscale mscale_all_dim low_freq_factor "
    "high_freq_factor partial_rotary_factor attn_factor alpha "
    "extrapolation_factor llama_4_scaling_beta";

static const char top_numbers[] =
    "hidden_size num_attention_heads num_key_value_heads num_hidden_layers "
    "max_position_embeddings head_dim rope_theta rope_local_base_freq "
    "global_rope_theta local_rope_theta partial_rotary_factor rotary_dim "
    "rotary_pct rotary_emb_base sliding_window max_window_layers "
    "attention_multiplier query_pre_attn_scalar attn_logit_softcapping "
    "final_logit_softcapping qk_rope_head_dim qk_nope_head_dim v_head_dim "
    "original_max_position_embeddings n_positions n_head n_layer n_embd "
    "no_rope_layer_interval attention_chunk_size floor_scale attn_scale "
    "relative_attention_num_buckets relative_attention_max_distance "
    "position_buckets max_relative_positions local_attention "
    "global_attn_every_n_layers";

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
    f = LCT_FIND(k, NULL, ID(D09_WHOLE), S(name), R(x));
    if (x == floor(x) && fabs(x) < 1e15)
        lct_check_fix(f, name, json_integer((json_int_t)x));
}

static void check_numbers(struct lct_check *k)
{
    char name[64];
    static const char whole[] =
        "hidden_size num_attention_heads num_key_value_heads "
        "num_hidden_layers max_position_embeddings head_dim sliding_window "
        "rotary_dim qk_rope_head_dim max_window_layers";

    static const char positive[] =
        "hidden_size head_dim num_key_value_heads num_attention_heads "
        "num_hidden_layers max_position_embeddings";

    for (const char *at = top_numbers; lct_next_word(name, sizeof name, &at);)
        check_number(k, k->text, "", name);
    for (const char *at = whole; lct_next_word(name, sizeof name, &at);)
        check_whole(k, name);
    for (const char *at = positive; lct_next_word(name, sizeof name, &at);)
        check_positive(k, k->text, "", name);
    check_no_window(k);
    if (!lct_check_class_has(k, LCT_CLASS_NO_ROPE) && !has_inner_base(k))
        check_positive(k, k->text, "", "rope_theta");
    for (int i = 0; i < k->n_entries; i++) {
        const struct lct_rope_entry *e = &k->entries[i];

        for (const char *at = dictionary_numbers;
             lct_next_word(name, sizeof name, &at);)
            check_number(k, e->dict, e->path, name);
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
    const char *built = *dict == '\0'    ? "refuses the configuration"
                        : wanted == BOOL ? "takes any text for true"
                                         : "fails when the model is built";
    char path[160];
    const char *found;
    struct lct_draft *f;
    json_t *inner;

    if (value == NULL || json_is_null(value) || is_wanted(value, wanted))
        return;
    found = wanted == NUMBERS && json_is_array(value)
                ? "a list of something else"
                : type_name(value);
    inner = wanted == BOOL ? unquoted(value, false) : NULL;
    snprintf(path, sizeof path, "%s%s%s", dict, *dict ? "." : "", name);
    f = LCT_FIND(k, NULL, ID(X01_TYPE), S(path), S(name), S(found),
                 S(names[wanted]), S(built), I(inner != NULL),
                 S(wanted == BOOL
                       ? "a value of the right type, or remove the key"
                       : names[wanted]));
    if (inner != NULL)
        lct_check_fix(f, path, inner);
}

static void check_types(struct lct_check *k)
{
    static const char bools[] =
        "use_sliding_window tie_word_embeddings alibi rope_interleave "
        "relative_attention position_biased_input share_att_key "
        "attn_temperature_tuning use_qk_norm scale_attn_weights "
        "scale_attn_by_inverse_layer_idx use_cache scale_embedding "
        "use_bidirectional_attention";
    const json_t *text = k->text;
    char name[64];

    for (const char *at = bools; lct_next_word(name, sizeof name, &at);)
        check_type(k, text, "", name, BOOL);
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
