/* check_layers.c - checks P01 to P04, P09 to P11 and G11: which layers slide,
 * rotate or are scaled */
#include "check.h"
#include "../core/quote.h"
#include <string.h>

static const json_t *list_of(const struct lct_check *k, const char *key)
{
    const json_t *value = json_object_get(k->text, key);

    return json_is_array(value) ? value : NULL;
}

/* -------------------------------------------------------------- layer_types */

static const char *const layer_words[] = { "full_attention",
                                           "sliding_attention",
                                           "chunked_attention",
                                           "linear_attention",
                                           "window_attention",
                                           "indexed_attention",
                                           "compressed_sparse_attention",
                                           "heavily_compressed_attention",
                                           "conv",
                                           "moe",
                                           "hybrid",
                                           "hybrid_sliding",
                                           "mamba",
                                           "attention",
                                           "sparse",
                                           "dense",
                                           "deepseek_sparse_attention",
                                           "minimax_m3_sparse",
                                           NULL };

static bool is_layer_word(const char *word)
{
    for (size_t i = 0; word != NULL && layer_words[i] != NULL; i++)
        if (strcmp(word, layer_words[i]) == 0)
            return true;
    return false;
}

/* P01 */
static void layer_types(struct lct_check *k)
{
    const json_t *list = list_of(k, "layer_types");
    const size_t n = json_array_size(list);
    struct lct_draft *f;

    if (list == NULL)
        return;
    if (k->L > 0 && n != (size_t)k->L) {
        f = lct_check_report(k, LCT_CHECK_P01, "layer_types",
                             "layer_types has %zu entries, and there are %lld "
                             "layers",
                             n, (long long)k->L);
        lct_check_says(f, LCT_HF5, "ValueError");
        lct_check_says(f, LCT_HF4 | LCT_VLLM | LCT_MLX,
                       "IndexError, or the last entries are ignored");
        lct_check_mend(f, "one entry for each layer");
    }
    for (size_t i = 0; i < n; i++) {
        const char *word = json_string_value(json_array_get(list, i));
        char quoted[LCT_QUOTE_BYTES];
        const char *nearest;

        if (is_layer_word(word))
            continue;
        word = word ? word : "(no text)";
        nearest = lct_check_nearest(word, layer_words);
        f = lct_check_report(k, LCT_CHECK_P01, "layer_types",
                             "layer %zu is of the kind '%s', which no class "
                             "knows",
                             i, lct_quote(quoted, word, strlen(word)));
        lct_check_says(f, LCT_HF5, "ValueError");
        lct_check_says(f, LCT_HF4 | LCT_VLLM | LCT_MLX,
                       "KeyError, or full attention");
        lct_check_mend(f, "%s",
                       nearest ? nearest
                               : "full_attention or "
                                 "sliding_attention");
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
    if ((lct_check_is(k, "qwen2") || lct_check_is(k, "qwen3")) &&
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
    struct lct_draft *f;

    for (size_t l = 0; l < json_array_size(list); l++) {
        const char *word = json_string_value(json_array_get(list, l));
        const int local = local_by_keys(k, (int64_t)l, &key);

        if (word == NULL || local < 0 ||
            local == (strcmp(word, "full_attention") != 0))
            continue;
        f = lct_check_report(k, LCT_CHECK_P02, "layer_types",
                             "layer %zu is '%s' in layer_types, and %s makes "
                             "it %s",
                             l, word, key, local ? "local" : "full");
        lct_check_says(f, LCT_HF, "masks by layer_types%s",
                       strcmp(key, "no_rope_layers") == 0
                           ? ", and rotates by no_rope_layers"
                           : "");
        lct_check_says(f, LCT_LLAMA_CPP, "a period fixed in its code");
        lct_check_mend(f, "remove %s, or make layer_types follow it", key);
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

/* P03 */
static void wrong_rope_layers(struct lct_check *k, const json_t *list)
{
    const size_t n = json_array_size(list);
    bool binary = true;
    struct lct_draft *f;

    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(list, i);

        binary &=
            json_integer_value(item) == 0 || json_integer_value(item) == 1;
    }
    if (n == 0 || (binary && (k->L <= 0 || n == (size_t)k->L)))
        return;
    f = lct_check_report(k, LCT_CHECK_P03, "no_rope_layers",
                         binary ? "no_rope_layers has %zu entries, and "
                                  "there are %lld layers"
                                : "no_rope_layers has %zu numbers that "
                                  "are not 0 or 1 for each of %lld "
                                  "layers; 1 means that a layer rotates",
                         n, (long long)k->L);
    lct_check_says(f, LCT_HF,
                   binary ? "IndexError at layer %zu"
                          : "every number above 0 rotates, IndexError "
                            "after layer %zu",
                   binary ? n : n - 1);
    lct_check_says(f, LCT_VLLM | LCT_MLX, "the same");
    lct_check_says(f, LCT_LLAMA_CPP,
                   "every fourth layer does not rotate, whatever the list "
                   "says");
    lct_check_mend(f, "a 1 for each layer that rotates, a 0 for each that "
                      "does not");
    if (holds_indices(k, list))
        lct_check_fix(f, "no_rope_layers", default_rope_layers(k));
}

/* P03, P04 */
static void no_rope_layers(struct lct_check *k)
{
    const json_t *list = list_of(k, "no_rope_layers");
    const bool llama = lct_check_is(k, "llama4_text");
    struct lct_draft *f;

    wrong_rope_layers(k, list);
    if (list == NULL || json_array_size(list) > 0)
        return;
    f = lct_check_report(k, LCT_CHECK_P04, "no_rope_layers",
                         "no_rope_layers is empty");
    lct_check_says(
        f, LCT_HF,
        llama ? "the default pattern: every %lldth layer does "
                "not rotate"
              : "IndexError (null would be the default "
                "pattern, every %lldth layer)",
        (long long)lct_check_integer(k->text, "no_rope_layer_interval", 4));
    lct_check_says(f, LCT_LLAMA_CPP, "every fourth layer does not rotate");
    lct_check_mend(f, "write null for the default pattern, or a list of "
                      "ones for none");
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
    struct lct_draft *f;

    if (!lct_check_class_has(k, LCT_CLASS_KINDS))
        return;
    for (int i = 0; i < k->n_entries; i++) {
        const struct lct_rope_entry *e = &k->entries[i];

        if (!scales(e))
            continue;
        f = lct_check_report(k, modern ? LCT_CHECK_P11 : LCT_CHECK_P09, e->path,
                             modern ? "the scaling '%s' of a model with local "
                                      "and global layers"
                                    : "the scaling '%s' belongs to the full "
                                      "layers alone",
                             e->kind);
        if (modern) {
            lct_check_says(f, LCT_HF5, "scales both kinds of layers");
            lct_check_says(f, LCT_HF4, "ignores it");
            lct_check_mend(f, "rope_parameters with an entry for each kind");
            continue;
        }
        lct_check_says(f, LCT_HF5,
                       lct_check_is(k, "olmo3")
                           ? "full layers (versions 5.0 until #45945 scaled "
                             "the sliding layers of OLMo 3, too)"
                           : "full layers");
        lct_check_says(f, LCT_VLLM | LCT_LLAMA_CPP,
                       "full layers in recent versions, all layers or none in "
                       "older ones");
        lct_check_mend(f, strcmp(e->layers, "sliding_attention") == 0
                              ? "put it under full_attention"
                              : "compare layers of both kinds in each stack "
                                "that serves the model");
    }
}

/* P10 */
static void olmo3_base(struct lct_check *k)
{
    const double base = lct_check_real(k->text, "rope_theta", 500000);
    struct lct_draft *f;

    if (!lct_check_is(k, "olmo3") || base == 500000 ||
        json_is_object(json_object_get(k->text, "rope_parameters")))
        return;
    f = lct_check_report(k, LCT_CHECK_P10, "rope_theta",
                         "rope_theta is %.10g at the top level", base);
    lct_check_says(f, LCT_HF5,
                   "base %.10g on full layers, 500000 on sliding layers", base);
    lct_check_says(f, LCT_HF4 | LCT_VLLM | LCT_LLAMA_CPP | LCT_MLX,
                   "base %.10g on all layers", base);
    lct_check_mend(f, "rope_parameters with rope_theta under full_attention "
                      "and under sliding_attention");
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
    struct lct_draft *f;

    if (at < 0)
        return;
    f = lct_check_report(k, LCT_CHECK_G11,
                         list_of(k, "layer_types") ? "layer_types"
                                                   : "sliding_window_pattern",
                         "full and local layers follow another pattern than "
                         "one full layer in %lld, first at layer %lld",
                         (long long)period, (long long)at);
    lct_check_says(f, LCT_LLAMA_CPP,
                   "one full layer in %lld, whatever the file says, unless "
                   "attention.sliding_window_pattern is written and read",
                   (long long)period);
    lct_check_mend(f, "write attention.sliding_window_pattern into the GGUF, "
                      "for a build that reads it");
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
