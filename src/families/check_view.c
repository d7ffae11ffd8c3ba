/* check_view.c - what the checks read of a configuration, as transformers 5
 * resolves it, and the numbers that their sentences state */
#include "check_view.h"
#include "../core/text.h"
#include "../core/suggest.h"
#include "../encodings/yarn.h"
#include "check.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- accessors */

double lct_check_real(const json_t *object, const char *key, double fallback)
{
    double x;

    return lct_config_real(&x, object, key) == LCT_RIGHT ? x : fallback;
}

int64_t lct_check_integer(const json_t *object, const char *key,
                          int64_t fallback)
{
    int64_t x;

    if (lct_config_integer(&x, object, key) != LCT_RIGHT)
        return fallback;
    /* no size of a model; products of two such numbers would overflow */
    return x > INT64_C(1) << 40 || x < -(INT64_C(1) << 40) ? fallback : x;
}

bool lct_check_bool(const json_t *object, const char *key, bool fallback)
{
    bool x;

    return lct_config_bool(&x, object, key) == LCT_RIGHT ? x : fallback;
}

const char *lct_check_text(const json_t *object, const char *key,
                           const char *fallback)
{
    const char *x;

    return lct_config_text(&x, object, key) == LCT_RIGHT ? x : fallback;
}

bool lct_check_has(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return value != NULL && !json_is_null(value);
}

const json_t *lct_check_object(const struct lct_check *k, const char *key)
{
    const json_t *value = json_object_get(k->text, key);

    return json_is_object(value) && json_object_size(value) > 0 ? value : NULL;
}

double lct_check_class_base(const struct lct_check *k)
{
    return k->class != NULL && k->class->base > 0 ? k->class->base : 10000;
}

bool lct_check_is(const struct lct_check *k, const char *types)
{
    return lct_is_among(types, k->type) ||
           (k->class != NULL && lct_is_among(types, k->class->type));
}

bool lct_check_class_has(const struct lct_check *k, unsigned traits)
{
    return k->class != NULL && (k->class->traits & traits) == traits;
}

const char *lct_check_path(char out[LCT_PATH_BYTES],
                           const struct lct_rope_entry *e, const char *key)
{
    snprintf(out, LCT_PATH_BYTES, "%s.%s", e->path, key);
    return out;
}

bool lct_check_is_gguf(const struct lct_check *k)
{
    return k->config->dialect == LCT_DIALECT_GGUF;
}

size_t lct_check_edits(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);

    return n > LCT_COMPARED || m > LCT_COMPARED ? SIZE_MAX
                                                : lct_edits(a, n, b, m);
}

const char *lct_check_nearest(char out[LCT_NEAREST_BYTES], const char *word,
                              const char *names)
{
    size_t least = strlen(word) / 3 + 1;
    char name[LCT_NEAREST_BYTES];

    out[0] = '\0';
    while (lct_next_word(name, sizeof name, &names)) {
        const size_t d = lct_check_edits(word, name);

        if (d < least) {
            least = d;
            snprintf(out, LCT_NEAREST_BYTES, "%s", name);
        }
    }
    return out[0] != '\0' ? out : NULL;
}

/* ------------------------------------------------------------------ numbers */

struct lct_ramp lct_check_ramp(double rot, double base, double original,
                               double fast, double slow)
{
    struct lct_ramp r = { .low_exact = lct_yarn_pair(rot, base, original, fast),
                          .high_exact =
                              lct_yarn_pair(rot, base, original, slow) };
    const double low = floor(r.low_exact), high = ceil(r.high_exact);

    /* of wild numbers only the clipped ends count */
    r.low = (int)fmin(fmax(low, 0), 1e6);
    r.high = (int)fmax(fmin(fmin(high, rot - 1), 1e6), -1e6);
    return r;
}

double lct_check_yarn_amplitude(const json_t *dict, double factor)
{
    const double m = lct_check_real(dict, "mscale", 0);
    const double all = lct_check_real(dict, "mscale_all_dim", 0);

    if (m != 0 && all != 0)
        return lct_yarn_gain(factor, m) / lct_yarn_gain(factor, all);
    return lct_yarn_gain(factor, 1);
}

/* --------------------------------------------------------------- resolution */

/* The first of the keys that holds a whole number above 0; 0 if none does. */
static int64_t first_of(const json_t *text, const char *const *keys)
{
    for (; *keys != NULL; keys++) {
        const int64_t n = lct_check_integer(text, *keys, 0);

        if (n > 0)
            return n;
    }
    return 0;
}

/* A size of which products fit; 0 is unknown. */
static int64_t small(int64_t n)
{
    return n > 0 && n <= INT64_C(1) << 30 ? n : 0;
}

int64_t lct_check_channels(int64_t width, double partial)
{
    const double x = (double)width * partial;

    return x > 0 && x < 0x1p40 ? (int64_t)x : 0;
}

static void read_sizes(struct lct_check *k)
{
    static const char *const D[] = { "hidden_size", "n_embd", "d_model", NULL };
    static const char *const H[] = { "num_attention_heads", "n_head", "n_heads",
                                     NULL };
    static const char *const L[] = { "num_hidden_layers", "n_layer", "n_layers",
                                     "num_layers", NULL };
    static const char *const M[] = { "max_position_embeddings", "n_positions",
                                     "seq_length", "max_seq_len", NULL };
    const json_t *text = k->text;

    k->D = small(first_of(text, D));
    k->H = small(first_of(text, H));
    k->K = small(lct_check_integer(text, "num_key_value_heads", 0));
    k->L = small(first_of(text, L));
    k->M = first_of(text, M);
    k->d = small(lct_check_integer(text, "head_dim", 0));
    if (k->M == 0 && k->class != NULL)
        k->M = k->class->length;
    if (k->d <= 0 && k->class != NULL && k->class->head_dim > 0)
        k->d = k->class->head_dim;
    if (k->d <= 0 && k->D > 0 && k->H > 0)
        k->d = k->D / k->H;
}

/* The rotated channels as transformers 5 counts them. */
static int64_t rotated(const struct lct_check *k, const json_t *dict,
                       const char *kind)
{
    const bool scaled = strcmp(kind, "default") != 0;
    double partial = lct_check_real(dict, "partial_rotary_factor", k->partial);

    if (lct_check_class_has(k, LCT_CLASS_MLA))
        return lct_check_integer(k->text, "qk_rope_head_dim", 64);
    if (lct_check_is(k, "gptj codegen"))
        return lct_check_integer(k->text, "rotary_dim", 64);
    if (strcmp(kind, "proportional") == 0)
        return k->d;
    if (k->class != NULL && !lct_check_class_has(k, LCT_CLASS_PARTIAL) &&
        !scaled)
        partial = 1;
    if (!(partial > 0 && partial <= 1))
        partial = 1;
    return lct_check_channels(k->d, partial);
}

static void add_entry(struct lct_check *k, const json_t *dict, const char *path,
                      const char *layers)
{
    struct lct_rope_entry *e = &k->entries[k->n_entries];
    const json_t *text = k->text;

    if (k->n_entries == LCT_ROPE_ENTRIES)
        return;
    k->n_entries++;
    e->dict = dict;
    e->layers = layers;
    snprintf(e->path, sizeof e->path, "%s%s%s", path, layers[0] ? "." : "",
             layers);
    e->kind = lct_check_text(dict, "rope_type",
                             lct_check_text(dict, "type", "default"));
    e->base = lct_check_real(dict, "rope_theta", k->base);
    if (!(e->base > 1))
        e->base = 10000;
    e->factor = lct_check_real(dict, "factor", 0);
    e->original = lct_check_real(dict, "original_max_position_embeddings", 0);
    if (layers[0] == '\0' && lct_check_is(k, "phi3"))
        e->original = 4096;
    if (layers[0] == '\0')
        e->original = lct_check_real(text, "original_max_position_embeddings",
                                     e->original);
    e->rot = rotated(k, dict, e->kind);
}

bool lct_check_view_nested(const json_t *dict)
{
    static const char kinds[] = "full_attention sliding_attention "
                                "chunked_attention linear_attention";
    char kind[64];

    for (const char *at = kinds; lct_next_word(kind, sizeof kind, &at);)
        if (json_is_object(json_object_get(dict, kind)))
            return true;
    return false;
}

static void read_entries(struct lct_check *k)
{
    const json_t *scaling = lct_check_object(k, "rope_scaling");
    const json_t *params = json_object_get(k->text, "rope_parameters");
    const json_t *dict = scaling ? scaling : params;
    const char *path = scaling ? "rope_scaling" : "rope_parameters";
    const char *key;
    json_t *value;

    if (!json_is_object(dict)) {
        add_entry(k, NULL, "", "");
        return;
    }
    if (!lct_check_view_nested(dict) ||
        (k->class != NULL && !lct_check_class_has(k, LCT_CLASS_KINDS))) {
        add_entry(k, dict, path, "");
        return;
    }
    json_object_foreach((json_t *)(uintptr_t)dict, key, value)
        if (json_is_object(value))
            add_entry(k, value, path, key);
}

/* The name of the object within the root that has the keys of the model. */
static const char *name_of_text(const struct lct_config *c)
{
    const char *key;
    json_t *value;

    if (c->text == c->root)
        return "";
    json_object_foreach(c->root, key, value)
        if (value == c->text)
            return key;
    return "";
}

void lct_check_view_open(struct lct_check *k, const struct lct_config *c,
                         const struct lct_weights *w, struct lct_report *report)
{
    const char *name = name_of_text(c);

    *k = (struct lct_check){ .config = c,
                             .weights = w,
                             .text = c->text,
                             .type = c->model_type ? c->model_type : "",
                             .report = report };
    snprintf(k->prefix, sizeof k->prefix, "%s%s", name, *name ? "." : "");
    if (lct_class_find(&k->known_class, k->type))
        k->class = &k->known_class;
    if (c->dialect != LCT_DIALECT_HF4 && c->dialect != LCT_DIALECT_HF5)
        return;
    read_sizes(k);
    k->base = lct_check_class_base(k);
    if (lct_check_is(k, "gpt_neox"))
        k->base = lct_check_real(k->text, "rotary_emb_base", k->base);
    k->base = lct_check_real(k->text, "rope_theta", k->base);
    k->partial =
        lct_check_real(k->text, "partial_rotary_factor",
                       lct_check_is(k, "gpt_neox")
                           ? lct_check_real(k->text, "rotary_pct", 0.25)
                       : k->class != NULL ? k->class->partial
                                          : 1);
    if (lct_check_is(k, "minimax_m2") && k->d > 0 &&
        !lct_check_has(k->text, "partial_rotary_factor"))
        k->partial = (double)lct_check_integer(k->text, "rotary_dim", k->d) /
                     (double)k->d;
    read_entries(k);
}
