/* extend_model.c - read what is extended from a model, and extend its
 * configuration */
#include "extend_model.h"
#include "../core/text.h"
#include "extend_settings.h"
#include "family.h"
#include "plan_waves.h"
#include "spec_key.h"
#include "weights.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- layers */

static bool is_rotated(const struct lct_layer_plan *l)
{
    return l->attention == LCT_SOFTMAX && strstr(l->spec, "rope") != NULL;
}

static bool has_window(const struct lct_layer_plan *l)
{
    return l->chunk > 0 || l->grid_window > 0 ||
           strstr(l->spec, "window(") != NULL;
}

/* The text, else the decoder: the last tower but for vision. */
static const struct lct_tower *tower_of(const struct lct_position_plan *p)
{
    const struct lct_tower *found = NULL;

    for (int i = 0; i < p->n_towers; i++)
        if (strcmp(p->towers[i].name, "vision") != 0)
            found = &p->towers[i];
    return found;
}

/* The first layer that is extended, or -1; *windows: rotated layers have
   windows. */
static int64_t layer_of(bool *windows, const struct lct_tower *t)
{
    int64_t found = -1;

    *windows = false;
    for (int64_t l = t->n_layers; l-- > 0;) {
        if (!is_rotated(&t->layers[l]))
            continue;
        if (has_window(&t->layers[l]))
            *windows = true;
        else
            found = l;
    }
    return found;
}

/* -------------------------------------------------------------------- spec */

/* "pairing=interleaved,dim=32,side=trailing", as far as they are there. */
static void put_keys(char *out, size_t size, const char *spec)
{
    static const char *const names[] = { "pairing", "dim", "side" };
    const char *value;
    size_t length;

    out[0] = '\0';
    for (size_t i = 0; i < 3; i++)
        if ((length = lct_spec_key_value(&value, spec, names[i])) > 0)
            lct_append(out, size, "%s%s=%.*s", out[0] != '\0' ? "," : "",
                       names[i], (int)length, value);
}

/* A linear scaling, whose factors multiply; any other is refused, and so are
   frequencies of their own, as divisors of a GGUF give them. */
static locant_status read_scaling(struct lct_extend *e, const char *spec)
{
    const char *value;
    size_t n = lct_spec_key_value(&value, spec, "freqs");

    if (n == 0)
        n = lct_spec_key_value(&value, spec, "scaling");
    e->linear = 1;
    if (n == 0 || strncmp(value, "none", n) == 0)
        return LOCANT_OK;
    if (strncmp(value, "linear(factor=", 14) == 0) {
        e->linear = strtod(value + 14, NULL);
        return LOCANT_OK;
    }
    return locant_fail(LOCANT_ERR_UNSUPPORTED,
                       "%s: is already scaled by %.*s, whose factor cannot be "
                       "multiplied; extend the model that it was made of",
                       e->file, (int)(n < 120 ? n : 120), value);
}

/* -------------------------------------------------------------------- open */

static locant_status read_lengths(struct lct_extend *e,
                                  const struct lct_position_plan *p)
{
    if (e->trained == 0)
        e->trained = e->linear > 1 ? p->length_config : p->length_trained;
    if (e->trained <= 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: says no trained length; --trained T gives it",
                           e->file);
    if (e->to <= e->trained)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: --to %" PRId64 " is not above the trained "
                           "length %" PRId64,
                           e->file, e->to, e->trained);
    e->factor = (double)e->to / (double)e->trained;
    return LOCANT_OK;
}

/* The keys of the rope dictionary that say other things than a scaling. */
static json_t *others_of(const struct lct_config *c)
{
    const json_t *d = json_object_get(c->text, c->dialect == LCT_DIALECT_HF4
                                                   ? "rope_scaling"
                                                   : "rope_parameters");
    const json_t *full = json_object_get(d, "full_attention");
    json_t *others;

    if (json_is_object(full))
        d = full;
    others = json_is_object(d) ? json_deep_copy(d) : NULL;
    if (others != NULL) {
        lct_extend_settings_strip(others);
        json_object_del(others, "rope_theta");
    }
    return others;
}

static locant_status read_layer(struct lct_extend_model *m,
                                struct lct_extend *e)
{
    const struct lct_layer_plan *l;
    struct lct_plan_waves w;
    bool windows = false;

    m->tower = tower_of(&m->plan);
    m->layer = m->tower != NULL ? layer_of(&windows, m->tower) : -1;
    if (m->layer < 0)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           windows ? "%s: every rotated layer sees a window, "
                                     "within which its angles stay; there is "
                                     "nothing to extend"
                                   : "%s: no layer is rotated; there is "
                                     "nothing to extend",
                           e->file);
    l = &m->tower->layers[m->layer];
    e->kinds = windows;
    LCT_TRY(read_scaling(e, l->spec));
    LCT_TRY(lct_plan_waves_of(&w, l, 1, e->file));
    e->rotated = 2 * w.pairs;
    lct_plan_waves_free(&w);
    e->base = lct_spec_number(l->spec, "base", 10000);
    put_keys(m->keys, sizeof m->keys, l->spec);
    e->keys = m->keys;
    m->others = others_of(&m->config);
    e->others = m->others;
    if (m->config.dialect == LCT_DIALECT_HF4 ||
        m->config.dialect == LCT_DIALECT_HF5) {
        e->text = m->config.text;
        e->family = m->plan.family;
    }
    return read_lengths(e, &m->plan);
}

locant_status lct_extend_model_open(struct lct_extend_model *out,
                                    struct lct_extend *e, const char *path)
{
    struct lct_weights *w; /* a GGUF has scalings as tensors, too */
    locant_status s;

    *out = (struct lct_extend_model){ 0 };
    s = lct_config_read_both(&out->config, &w, path);
    if (s == LOCANT_OK)
        s = lct_position_plan_beside(&out->plan, &out->config, LCT_STACK_TRUE,
                                     w);
    lct_weights_close(w);
    if (s == LOCANT_OK) {
        e->file = out->config.file;
        s = read_layer(out, e);
    }
    if (s != LOCANT_OK)
        lct_extend_model_close(out);
    return s;
}

void lct_extend_model_close(struct lct_extend_model *m)
{
    lct_position_plan_free(&m->plan);
    lct_config_free(&m->config);
    json_decref(m->others);
    *m = (struct lct_extend_model){ 0 };
}

/* ------------------------------------------------------------------- apply */

/* A copy of the configuration; the text part is found by its place. */
static locant_status copy(struct lct_config *out, const struct lct_config *c)
{
    const char *key;
    json_t *value;

    *out = *c;
    out->root = json_deep_copy(c->root);
    if (out->root == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", c->file);
    out->text = out->root;
    json_object_foreach(c->root, key, value) {
        if (value == c->text)
            out->text = json_object_get(out->root, key);
    }
    /* The copy owns its own text. */
    out->model_type =
        json_string_value(json_object_get(out->text, "model_type"));
    if (out->model_type == NULL)
        out->model_type = c->model_type;
    return LOCANT_OK;
}

/* The dictionary that is changed; made if there is none. */
static json_t *member(json_t *object, const char *key)
{
    json_t *found = json_object_get(object, key);

    if (json_is_object(found))
        return found;
    json_object_set_new(object, key, json_object());
    return json_object_get(object, key);
}

static json_t *dictionary_of(json_t *text, const struct lct_extend_model *m)
{
    json_t *d, *full;

    if (m->config.dialect == LCT_DIALECT_HF4)
        return member(text, "rope_scaling");
    d = member(text, "rope_parameters");
    full = json_object_get(d, "full_attention");
    return json_is_object(full) ? full : d;
}

/* The base where the file has it; that of NTK at the place of its dialect if
   the file leaves it to the class.  Files of transformers 5 get it at the top
   level too, for programs that read it there (check D03). */
static void patch_base(json_t *text, json_t *d, const char *key, double base,
                       bool needed, enum lct_dialect dialect)
{
    bool outer = json_object_get(text, key) != NULL;
    bool inner = json_object_get(d, "rope_theta") != NULL;

    if (outer || inner || needed)
        json_object_set_new(text, key, json_real(base));
    if (inner || (needed && !outer && dialect == LCT_DIALECT_HF5))
        json_object_set_new(d, "rope_theta", json_real(base));
}

static void patch(json_t *text, const struct lct_extend_model *m,
                  const struct lct_extend *e, enum lct_extend_method method)
{
    json_t *d = dictionary_of(text, m);

    lct_extend_settings_put(d, e, method);
    patch_base(text, d, lct_family_base_key(m->plan.family),
               lct_extend_base(e, method), method == LCT_EXTEND_NTK,
               m->config.dialect);
    if (m->config.dialect == LCT_DIALECT_HF4 && method == LCT_EXTEND_NTK &&
        json_object_size(d) == 1) /* it says "default" alone */
        json_object_del(text, "rope_scaling");
    if (method == LCT_EXTEND_LONGROPE ||
        json_object_get(text, "original_max_position_embeddings") != NULL)
        json_object_set_new(text, "original_max_position_embeddings",
                            json_integer(e->trained));
    json_object_set_new(text, lct_family_length_key(m->plan.family),
                        json_integer(lct_extend_settings_length(e, method)));
}

/* Keys of llama.cpp; the other methods need tensors. */
static bool patch_gguf(json_t *root, const char *architecture,
                       const struct lct_extend *e,
                       enum lct_extend_method method)
{
    char key[160];

#define SET(name, value)                                                       \
    (snprintf(key, sizeof key, "%.100s." name, architecture),                  \
     json_object_set_new(root, key, value))
    if (method != LCT_EXTEND_PI && method != LCT_EXTEND_NTK &&
        method != LCT_EXTEND_YARN)
        return false;
    SET("context_length", json_integer(e->to));
    SET("rope.freq_base", json_real(lct_extend_base(e, method)));
    if (method == LCT_EXTEND_NTK)
        return true;
    SET("rope.scaling.type",
        json_string(method == LCT_EXTEND_PI ? "linear" : "yarn"));
    SET("rope.scaling.factor", json_real(e->factor * e->linear));
    if (method == LCT_EXTEND_YARN)
        SET("rope.scaling.original_context_length", json_integer(e->trained));
#undef SET
    return true;
}

locant_status lct_extend_model_apply(json_t **config,
                                     struct lct_position_plan *plan,
                                     const struct lct_extend_model *m,
                                     const struct lct_extend *e,
                                     enum lct_extend_method method)
{
    struct lct_config c;
    bool said = method != LCT_EXTEND_SELFEXTEND &&
                m->config.dialect != LCT_DIALECT_META &&
                m->config.dialect != LCT_DIALECT_MISTRAL;
    locant_status s;

    *config = NULL;
    *plan = (struct lct_position_plan){ 0 };
    if (!said)
        return LOCANT_OK;
    LCT_TRY(copy(&c, &m->config));
    if (m->config.dialect == LCT_DIALECT_GGUF)
        said = patch_gguf(c.root, c.model_type, e, method);
    else
        patch((json_t *)(uintptr_t)c.text, m, e, method);
    s = said ? lct_position_plan_of(plan, &c) : LOCANT_OK;
    if (s == LOCANT_OK && said)
        *config = json_incref(c.root);
    json_decref(c.root);
    return s;
}

bool lct_extend_model_spares_windows(const struct lct_extend_model *m,
                                     const struct lct_position_plan *plan)
{
    const struct lct_tower *t = tower_of(plan);

    for (int64_t l = 0; l < t->n_layers; l++)
        if (has_window(&m->tower->layers[l]) &&
            strcmp(t->layers[l].spec, m->tower->layers[l].spec) != 0)
            return false;
    return true;
}
