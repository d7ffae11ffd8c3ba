/* check_layers.c - checks P01 to P04, P09 to P11 and G11: which layers slide,
 * rotate or are scaled */
#include "check.h"
#include "../core/text.h"
#include <string.h>

static const json_t *list_of(const struct lct_check *k, const char *key)
{
    const json_t *value = json_object_get(k->text, key);

    return json_is_array(value) ? value : NULL;
}

/* -------------------------------------------------------------- layer_types */

static const char layer_words[] =
    "full_attention sliding_attention chunked_attention linear_attention "
    "window_attention indexed_attention compressed_sparse_attention "
    "heavily_compressed_attention conv moe hybrid hybrid_sliding mamba "
    "attention sparse dense deepseek_sparse_attention minimax_m3_sparse";

/* P01 */
static void layer_types(struct lct_check *k)
{
    const json_t *list = list_of(k, "layer_types");
    const size_t n = json_array_size(list);

    if (list == NULL)
        return;
    if (k->L > 0 && n != (size_t)k->L)
        LCT_FIND(k, NULL, ID(P01_LENGTH), I((int64_t)n));
    for (size_t i = 0; i < n; i++) {
        const char *word = json_string_value(json_array_get(list, i));
        char room[LCT_NEAREST_BYTES];
        const char *nearest;

        if (word != NULL && lct_is_among(layer_words, word))
            continue;
        word = word ? word : "(no text)";
        nearest = lct_check_nearest(room, word, layer_words);
        LCT_FIND(k, NULL, ID(P01_KIND), I((int64_t)i), Q(word), S(nearest));
        return;
    }
}

/* Whether layer l is local by the other keys: 1 or 0, -1 if none says it. */
static int local_by_keys(const struct lct_check *k, int64_t l, const char **key)
{
    const int64_t period =
        lct_check_integer(k->text, "sliding_window_pattern", 0);
    const json_t *rope = list_of(k, "no_rope_layers");

    if (period > 0) {
        *key = "sliding_window_pattern";
        return (l + 1) % period != 0;
    }
    if (lct_check_is(k, "llama4_text") && json_array_size(rope) > 0) {
        *key = "no_rope_layers";
        return json_integer_value(json_array_get(rope, (size_t)l)) != 0;
    }
    if (lct_check_is(k, "qwen2 qwen3") &&
        lct_check_has(k->text, "max_window_layers") &&
        lct_check_window(k) > 0 &&
        lct_check_bool(k->text, "use_sliding_window", false)) {
        *key = "max_window_layers";
        return l >= lct_check_integer(k->text, "max_window_layers", 0);
    }
    return -1;
}

/* P02 */
static void contradiction(struct lct_check *k)
{
    const json_t *list = list_of(k, "layer_types");
    const char *key = "";

    for (size_t l = 0; l < json_array_size(list); l++) {
        const char *word = json_string_value(json_array_get(list, l));
        const int local = local_by_keys(k, (int64_t)l, &key);

        if (word == NULL || local < 0 ||
            local == (strcmp(word, "full_attention") != 0))
            continue;
        LCT_FIND(k, NULL, ID(P02), I((int64_t)l), Q(word), S(key), I(local),
                 I(strcmp(key, "no_rope_layers") == 0));
        return;
    }
}

/* The numbers of 'list' are indices of every no_rope_layer_interval-th layer,
   which is what NoPE layers are by default. */
static bool holds_indices(const struct lct_check *k, const json_t *list)
{
    const int64_t step =
        lct_check_integer(k->text, "no_rope_layer_interval", 4);
    const size_t n = json_array_size(list);

    for (size_t i = 0; i < n && step > 0; i++)
        if (json_integer_value(json_array_get(list, i)) !=
            (int64_t)(i + 1) * step - 1)
            return false;
    return n > 0 && step > 0 && k->L > 0 && n == (size_t)(k->L / step);
}

static json_t *default_rope_layers(const struct lct_check *k)
{
    const int64_t step =
        lct_check_integer(k->text, "no_rope_layer_interval", 4);
    json_t *list = json_array();

    for (int64_t l = 0; l < k->L && l < 4096; l++)
        json_array_append_new(list, json_integer((l + 1) % step != 0));
    return list;
}

/* P03, P04 */
static void no_rope_layers(struct lct_check *k)
{
    const json_t *list = list_of(k, "no_rope_layers");
    const size_t n = json_array_size(list);
    bool binary = true;
    struct lct_draft *f;

    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(list, i);

        binary &=
            json_integer_value(item) == 0 || json_integer_value(item) == 1;
    }
    if (n > 0 && (!binary || (k->L > 0 && n != (size_t)k->L))) {
        f = LCT_FIND(k, NULL, ID(P03), I((int64_t)n), I(binary),
                     I((int64_t)(binary ? n : n - 1)));
        if (holds_indices(k, list))
            lct_check_fix(f, "no_rope_layers", default_rope_layers(k));
    }
    if (list != NULL && n == 0) {
        const bool llama = lct_check_is(k, "llama4_text");

        LCT_FIND(k, NULL, ID(P04),
                 I(lct_check_integer(k->text, "no_rope_layer_interval", 4)),
                 I(llama));
    }
}

/* ---------------------------------------------------------- scaled layers */

static bool scales(const struct lct_rope_entry *e)
{
    return strcmp(e->kind, "default") != 0 &&
           strcmp(e->kind, "proportional") != 0;
}

/* P09, P11 */
static void scaled_kinds(struct lct_check *k)
{
    const bool modern = lct_check_is(k, "modernbert");

    if (!lct_check_class_has(k, LCT_CLASS_KINDS))
        return;
    for (int i = 0; i < k->n_entries; i++) {
        const struct lct_rope_entry *e = &k->entries[i];

        if (!scales(e))
            continue;
        if (modern)
            LCT_FIND(k, e, ID(P11));
        else
            LCT_FIND(k, e, ID(P09), I(lct_check_is(k, "olmo3")),
                     I(strcmp(e->layers, "sliding_attention") == 0));
    }
}

/* P10 */
static void olmo3_base(struct lct_check *k)
{
    const double base = lct_check_real(k->text, "rope_theta", 500000);

    if (!lct_check_is(k, "olmo3") || base == 500000 ||
        json_is_object(json_object_get(k->text, "rope_parameters")))
        return;
    LCT_FIND(k, NULL, ID(P10), R(base));
}

/* The period of full layers that llama.cpp has in its code; 0: none. */
static int64_t code_period(const struct lct_check *k)
{
    static const struct {
        const char *type;
        int64_t period;
    } known[] = { { "gemma2", 2 },
                  { "gemma3_text", 6 },
                  { "cohere2", 4 },
                  { "gpt_oss", 2 },
                  { "llama4_text", 4 } };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (lct_check_is(k, known[i].type))
            return known[i].period;
    return 0;
}

/* The first layer that does not follow the period; -1 if there is none. */
static int64_t first_other_layer(const struct lct_check *k, int64_t period)
{
    const json_t *list = list_of(k, "layer_types");
    const int64_t own = lct_check_integer(k->text, "sliding_window_pattern", 0);

    for (size_t l = 0; l < json_array_size(list); l++) {
        const char *word = json_string_value(json_array_get(list, l));
        const bool full = word != NULL && strcmp(word, "full_attention") == 0;

        if (full != (((int64_t)l + 1) % period == 0))
            return (int64_t)l;
    }
    if (list == NULL && own > 0 && own != period)
        return (own < period ? own : period) - 1;
    return -1;
}

/* G11 */
static void fixed_period(struct lct_check *k)
{
    const int64_t period = code_period(k);
    const int64_t at = period > 0 ? first_other_layer(k, period) : -1;

    if (at < 0)
        return;
    LCT_FIND(
        k, NULL, ID(G11_LAYERS),
        S(list_of(k, "layer_types") ? "layer_types" : "sliding_window_pattern"),
        I(period), I(at));
}

void lct_check_layers(struct lct_check *k)
{
    layer_types(k);
    contradiction(k);
    no_rope_layers(k);
    scaled_kinds(k);
    olmo3_base(k);
    fixed_period(k);
}
