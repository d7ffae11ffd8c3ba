/*
 * extend_settings.c - an extension in the words of transformers, vLLM,
 * llama.cpp and MLX-LM
 *
 * Sources: modeling_rope_utils.py of transformers 4.57 and 5.23,
 * rotary_embedding of vLLM, the options of llama.cpp's common/arg.cpp, and
 * rope_utils.py of mlx-lm.
 */
#include "extend_settings.h"
#include "../core/text.h"
#include "family.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const types[] = {
    [LCT_EXTEND_PI] = "linear",         [LCT_EXTEND_NTK] = "default",
    [LCT_EXTEND_DYNAMIC] = "dynamic",   [LCT_EXTEND_YARN] = "yarn",
    [LCT_EXTEND_LONGROPE] = "longrope", [LCT_EXTEND_LLAMA3] = "llama3"
};

static void put(const struct lct_extend *e, json_t *object, const char *key,
                json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        *e->failed = true;
}

int64_t lct_extend_settings_length(const struct lct_extend *e,
                                   enum lct_extend_method m)
{
    return m == LCT_EXTEND_DYNAMIC ? e->trained : e->to;
}

/* Divisors of the pairs, to six digits: 1, or factor^(c / critical) up to the
   whole factor. */
static json_t *divisors(const struct lct_extend *e, bool longer)
{
    double critical = (double)lct_extend_critical(e);
    json_t *list = json_array();

    for (int64_t c = 0; c < e->rotated / 2; c++) {
        double x = longer ? pow(e->factor, fmin((double)c / critical, 1)) : 1;
        char text[32];

        snprintf(text, sizeof text, "%.6g", x);
        *e->failed |=
            json_array_append_new(list, json_real(strtod(text, NULL))) != 0;
    }
    return list;
}

void lct_extend_settings_strip(json_t *d)
{
    static const char keys[] =
        "type rope_type factor original_max_position_embeddings "
        "attention_factor beta_fast beta_slow mscale mscale_all_dim "
        "short_factor long_factor low_freq_factor high_freq_factor truncate";
    char key[64];

    for (const char *at = keys; lct_next_word(key, sizeof key, &at);)
        json_object_del(d, key);
}

void lct_extend_settings_put(json_t *d, const struct lct_extend *e,
                             enum lct_extend_method m)
{
    lct_extend_settings_strip(d);
    put(e, d, "rope_type", json_string(types[m]));
    if (m != LCT_EXTEND_NTK)
        put(e, d, "factor", json_real(e->factor * e->linear));
    if (m == LCT_EXTEND_LLAMA3) {
        put(e, d, "low_freq_factor", json_real(1));
        put(e, d, "high_freq_factor", json_real(4));
    }
    if (m >= LCT_EXTEND_YARN)
        put(e, d, "original_max_position_embeddings", json_integer(e->trained));
    if (m == LCT_EXTEND_LONGROPE) {
        put(e, d, "short_factor", divisors(e, false));
        put(e, d, "long_factor", divisors(e, true));
    }
}

/* ------------------------------------------------------------------- texts */

/* A JSON string of the object, which is released. */
static json_t *as_text(json_t *object)
{
    char *text = json_dumps(object, JSON_PRESERVE_ORDER);
    json_t *out = text != NULL ? json_string(text) : NULL;

    free(text);
    json_decref(object);
    return out;
}

static json_t *dictionary(const struct lct_extend *e, enum lct_extend_method m,
                          bool with_base)
{
    json_t *d = e->others != NULL ? json_deep_copy(e->others) : json_object();

    if (with_base)
        put(e, d, "rope_theta", json_real(lct_extend_base(e, m)));
    lct_extend_settings_put(d, e, m);
    return d;
}

/* ------------------------------------------- keys of the file pasted into */

static const json_t *of_file(const struct lct_extend *e, const char *key)
{
    return json_object_get(e->text, key);
}

/* A dictionary of the other dialect would be read beside the pasted one, or in
   its place. */
static void put_out(const struct lct_extend *e, json_t *keys, const char *name)
{
    if (json_is_object(of_file(e, name)))
        put(e, keys, name, json_null());
}

/* What transformers 4 reads at the top level, and this file has in its
   dictionary: the rotated part, the base of layers with a window. */
static void put_top(const struct lct_extend *e, json_t *keys)
{
    const json_t *d = of_file(e, "rope_parameters");
    const json_t *local = json_object_get(d, "sliding_attention");
    const json_t *partial = json_object_get(e->others, "partial_rotary_factor");
    const struct lct_family *f = e->family;

    if (partial != NULL && f->width_key != NULL)
        put(e, keys, f->width_key, json_integer(e->rotated));
    else if (partial != NULL)
        put(e, keys,
            f->names && f->names->partial ? f->names->partial
                                          : "partial_rotary_factor",
            json_deep_copy(partial));
    local = json_object_get(local, "rope_theta");
    if (local != NULL && f->names && f->names->base_local)
        put(e, keys, f->names->base_local, json_deep_copy(local));
}

/* Keys of transformers 4 and of mlx-lm; 'd' is rope_scaling, or NULL. */
static json_t *top_level(const struct lct_extend *e, enum lct_extend_method m,
                         json_t *d)
{
    json_t *keys = json_object();

    put(e, keys, lct_family_length_key(e->family),
        json_integer(lct_extend_settings_length(e, m)));
    if (m == LCT_EXTEND_LONGROPE)
        put(e, keys, "original_max_position_embeddings",
            json_integer(e->trained));
    put(e, keys, lct_family_base_key(e->family),
        json_real(lct_extend_base(e, m)));
    put_top(e, keys);
    if (d != NULL) {
        json_object_del(d, "partial_rotary_factor");
        put(e, keys, "rope_scaling", d);
    } else {
        put_out(e, keys, "rope_scaling");
    }
    put_out(e, keys, "rope_parameters");
    return keys;
}

static json_t *hf4(const struct lct_extend *e, enum lct_extend_method m)
{
    const bool plain = m == LCT_EXTEND_NTK;

    return as_text(top_level(e, m, plain ? NULL : dictionary(e, m, false)));
}

/* Layers with a window keep their own entry. */
static json_t *parameters(const struct lct_extend *e, enum lct_extend_method m)
{
    const json_t *old = of_file(e, "rope_parameters");
    json_t *d = dictionary(e, m, true), *nested;

    if (!e->kinds)
        return d;
    nested = json_is_object(json_object_get(old, "full_attention"))
                 ? json_deep_copy(old)
                 : json_object();
    put(e, nested, "full_attention", d);
    return nested;
}

/* rope_parameters, and what must not stand beside it. */
static void put_parameters(const struct lct_extend *e, json_t *keys,
                           enum lct_extend_method m)
{
    put(e, keys, "rope_parameters", parameters(e, m));
    put_out(e, keys, "rope_scaling");
}

static json_t *hf5(const struct lct_extend *e, enum lct_extend_method m)
{
    json_t *keys = json_object();

    put(e, keys, lct_family_length_key(e->family),
        json_integer(lct_extend_settings_length(e, m)));
    /* For programs that read it at the top level (check D03). */
    put(e, keys, lct_family_base_key(e->family),
        json_real(lct_extend_base(e, m)));
    put_parameters(e, keys, m);
    return as_text(keys);
}

/*
 * vLLM multiplies max_position_embeddings by the factor of linear and dynamic,
 * and takes the number itself otherwise; of yarn older versions take the factor
 * times original, which is the same.
 */
static json_t *vllm(const struct lct_extend *e, enum lct_extend_method m)
{
    const char *base = lct_family_base_key(e->family);
    json_t *overrides = json_object(), *text, *out = NULL;
    size_t n;
    char *line;

    if (json_is_number(of_file(e, base)))
        put(e, overrides, base, json_real(lct_extend_base(e, m)));
    put_parameters(e, overrides, m);
    if (m != LCT_EXTEND_PI && m != LCT_EXTEND_DYNAMIC)
        put(e, overrides, lct_family_length_key(e->family),
            json_integer(e->to));
    if (m == LCT_EXTEND_LONGROPE)
        put(e, overrides, "original_max_position_embeddings",
            json_integer(e->trained));
    text = as_text(overrides);
    n = text != NULL ? json_string_length(text) + 100 : 0;
    line = n > 0 ? malloc(n) : NULL;
    if (line != NULL) {
        snprintf(line, n, "--max-model-len %" PRId64 " --hf-overrides '%s'",
                 e->to, json_string_value(text));
        out = json_string(line);
    }
    free(line);
    json_decref(text);
    return out;
}

static json_t *llama_cpp(const struct lct_extend *e, enum lct_extend_method m)
{
    char text[200];
    int64_t group, window;
    int n = snprintf(text, sizeof text, "-c %" PRId64, e->to);
    char *rest = text + n;
    size_t room = sizeof text - (size_t)n;

    switch (m) {
    case LCT_EXTEND_PI:
        snprintf(rest, room, " --rope-scaling linear --rope-scale %.10g",
                 e->factor * e->linear);
        break;
    case LCT_EXTEND_NTK:
        snprintf(rest, room, " --rope-freq-base %.10g", lct_extend_base(e, m));
        break;
    case LCT_EXTEND_YARN:
        snprintf(rest, room,
                 " --rope-scaling yarn --rope-scale %.10g --yarn-orig-ctx "
                 "%" PRId64,
                 e->factor, e->trained);
        break;
    case LCT_EXTEND_SELFEXTEND:
        if (!lct_extend_group(&group, &window, e))
            return json_null();
        snprintf(rest, room, " --grp-attn-n %" PRId64 " --grp-attn-w %" PRId64,
                 group, window);
        break;
    default: return json_null(); /* their factors are tensors of the file */
    }
    return json_string(text);
}

/* mlx-lm reads "type", and of longrope the long list alone. */
static json_t *mlx(const struct lct_extend *e, enum lct_extend_method m)
{
    json_t *d;

    if (m == LCT_EXTEND_DYNAMIC)
        return json_null();
    if (m == LCT_EXTEND_NTK)
        return hf4(e, m);
    d = dictionary(e, m, false);
    put(e, d, "type", json_string(types[m]));
    return as_text(top_level(e, m, d));
}

json_t *lct_extend_settings_json(const struct lct_extend *e,
                                 enum lct_extend_method m)
{
    bool grouped = m == LCT_EXTEND_SELFEXTEND;

    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "transformers 4",
                     grouped ? json_null() : hf4(e, m), "transformers 5",
                     grouped ? json_null() : hf5(e, m), "vLLM",
                     grouped ? json_null() : vllm(e, m), "llama.cpp",
                     llama_cpp(e, m), "MLX-LM",
                     grouped ? json_null() : mlx(e, m));
}

/* ------------------------------------------------------------------- notes */

static const char *const notes_of[] = {
    [LCT_EXTEND_PI] = "vLLM multiplies max_position_embeddings by the factor: "
                      "leave it at the trained length there",
    [LCT_EXTEND_NTK] = "llama.cpp and files without scaling keys cannot tell "
                       "it from a model trained with this base",
    [LCT_EXTEND_DYNAMIC] =
        "max_position_embeddings stays at the trained length, where the base "
        "begins to grow; keys that were cached at a smaller base stay so",
    [LCT_EXTEND_YARN] = "some releases of transformers 4 take "
                        "max_position_embeddings / original instead of the "
                        "factor; both are the same here",
    [LCT_EXTEND_LONGROPE] =
        "the lists are a start, not the result of a search; llama.cpp reads "
        "them from converted files only, mlx-lm the long one alone",
    [LCT_EXTEND_LLAMA3] = "llama.cpp reads it from the tensor rope_freqs of a "
                          "converted file only",
    [LCT_EXTEND_SELFEXTEND] = "needs no training, and keys that are rotated "
                              "when they are read: of these programs llama.cpp "
                              "alone has it",
};

json_t *lct_extend_settings_notes(const struct lct_extend *e,
                                  enum lct_extend_method m)
{
    json_t *notes = json_array();

    *e->failed |= json_array_append_new(notes, json_string(notes_of[m])) != 0;
    if (e->kinds && m != LCT_EXTEND_SELFEXTEND)
        *e->failed |=
            json_array_append_new(
                notes,
                json_string("layers with a window keep their entry of "
                            "rope_parameters; llama.cpp may scale them too")) !=
            0;
    return notes;
}
