/* check_dialect.c - checks D01 to D05, D10, D11: which dictionary and which
 * base a reader takes */
#include "check.h"
#include "check_view.h"
#include "../core/quote.h"
#include <math.h>
#include <string.h>

/* All keys of 'a' but the base are in 'b' with the same value. */
static bool says_the_same(const json_t *a, const json_t *b)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)a, key, value) {
        const json_t *other = json_object_get(b, key);

        if (strcmp(key, "rope_theta") != 0 && !json_equal(value, other))
            return false;
    }
    return true;
}

/* D01 */
static void both_dictionaries(struct lct_check *k)
{
    const json_t *scaling = lct_check_object(k, "rope_scaling");
    const json_t *params = lct_check_object(k, "rope_parameters");
    const double outer =
        lct_check_real(k->text, "rope_theta", lct_check_class_base(k));
    const double lost = lct_check_real(params, "rope_theta", outer);
    const double inner = lct_check_real(scaling, "rope_theta", outer);
    struct lct_draft *f;

    if (scaling == NULL || params == NULL ||
        lct_check_class_has(k, LCT_CLASS_KINDS) ||
        (says_the_same(scaling, params) && says_the_same(params, scaling) &&
         lost == inner))
        return;
    f = lct_check_report(k, LCT_CHECK_D01, "rope_parameters",
                         "rope_scaling and rope_parameters are both there, and "
                         "rope_parameters, whose base is %.10g, is ignored",
                         lost);
    lct_check_says(f, LCT_HF5 | LCT_VLLM,
                   "rope_scaling replaces rope_parameters whole: base %.10g",
                   inner);
    lct_check_says(f, LCT_HF4, "only rope_scaling is known: base %.10g", outer);
    lct_check_mend(f, "keep one of them: put the base and all keys into "
                      "rope_parameters, and remove rope_scaling");
}

/* The entry whose base a single top-level rope_theta would be. */
static const struct lct_rope_entry *main_entry(const struct lct_check *k)
{
    for (int i = 0; i < k->n_entries; i++)
        if (strcmp(k->entries[i].layers, "") == 0 ||
            strcmp(k->entries[i].layers, "full_attention") == 0)
            return &k->entries[i];
    return NULL;
}

/* D02, D03: a base inside the dictionary */
static void inner_base(struct lct_check *k)
{
    const struct lct_rope_entry *e = main_entry(k);
    const double outer = lct_check_real(k->text, "rope_theta", 0);
    double inner;
    bool scaled;
    char key[LCT_PATH_BYTES];
    struct lct_draft *f;

    if (e == NULL || (inner = lct_check_real(e->dict, "rope_theta", 0)) <= 0)
        return;
    scaled = strcmp(e->kind, "default") != 0 && strcmp(e->kind, "mrope") != 0;
    lct_check_path(key, e, "rope_theta");
    if (outer > 0 && outer != inner) {
        f = lct_check_report(k, LCT_CHECK_D02, key,
                             "rope_theta is %.10g in the dictionary and %.10g "
                             "at the top level",
                             inner, outer);
        lct_check_says(f, LCT_HF5 | LCT_LLAMA_CPP | LCT_MLX,
                       "the inner one, %.10g", inner);
        lct_check_says(f, LCT_HF4, "the outer one, %.10g", outer);
        lct_check_says(f, LCT_VLLM, "the outer one, %.10g, before #42624",
                       outer);
        lct_check_mend(f, "give both the base that the model was trained with");
    }
    if (outer == 0 && !lct_check_has(k->text, "rope_theta") &&
        strncmp(e->path, "rope_parameters", 15) == 0 &&
        (inner != lct_check_class_base(k) || scaled)) {
        f = lct_check_report(k, LCT_CHECK_D03, key,
                             "rope_theta %.10g%s only inside rope_parameters, "
                             "where programs for transformers 4 do not look",
                             inner,
                             scaled ? " and the scaling stand" : " stands");
        lct_check_says(f, LCT_HF4, "the default of the class, base %.10g%s",
                       lct_check_class_base(k),
                       scaled ? ", and no scaling" : "");
        lct_check_says(f, LCT_MLX, "older versions fail, or take base %.10g",
                       lct_check_class_base(k));
        lct_check_mend(f, "add rope_theta %.10g at the top level too", inner);
        if (e->layers[0] == '\0')
            lct_check_fix(f, "rope_theta",
                          json_incref(json_object_get(e->dict, "rope_theta")));
    }
}

/* The base that the files of this model have, if they must say it; 0: none. */
static double expected_base(const struct lct_check *k)
{
    const bool scaled =
        k->n_entries > 0 && strcmp(k->entries[0].kind, "default") != 0;
    const json_t *window = json_object_get(k->text, "sliding_window");

    if (lct_check_is(k, "llama")) {
        if (lct_check_integer(k->text, "vocab_size", 0) == 128256)
            return 500000;
        return !scaled && lct_check_integer(k->text, "max_position_embeddings",
                                            0) > 4096
                   ? 500000
                   : 0;
    }
    if (lct_check_is(k, "mistral"))
        return json_is_null(window) ? 1e6 : 0;
    return k->class != NULL ? k->class->files_base : 0;
}

/* D04 */
static void no_base(struct lct_check *k)
{
    const double expected = expected_base(k);
    struct lct_draft *f;

    /* null and entries by layer kind are findings of their own */
    if (expected == 0 || json_object_get(k->text, "rope_theta") != NULL ||
        lct_check_view_nested(lct_check_object(k, "rope_parameters")))
        return;
    for (int i = 0; i < k->n_entries; i++)
        if (lct_check_has(k->entries[i].dict, "rope_theta"))
            return;
    f = lct_check_report(k, LCT_CHECK_D04, "rope_theta",
                         "rope_theta is absent, and published files of %s have "
                         "another base (%.10g) than the class",
                         k->type, expected);
    lct_check_says(f, LCT_EVERY_STACK, "base %.10g", lct_check_class_base(k));
    lct_check_mend(f, "add the rope_theta that the model was trained with");
}

/* ---------------------------------------------------------------- rope_type */

static bool among(const char *word, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

static const char *const hf_kinds[] = { "default",      "linear",   "dynamic",
                                        "yarn",         "longrope", "llama3",
                                        "proportional", "axial",    NULL };

/* transformers 5 knows the kind in this class. */
static bool known_to_hf5(const struct lct_check *k, const char *kind)
{
    if (strcmp(kind, "su") == 0)
        return lct_check_is(k, "phi3");
    if (strcmp(kind, "mrope") == 0)
        return lct_check_is(k, "qwen2_vl_text") ||
               lct_check_is(k, "qwen2_5_vl_text");
    return among(kind, hf_kinds);
}

/* The kind that was meant, NULL if that is not clear. */
static const char *meant(const struct lct_check *k, const json_t *dict,
                         const char *kind)
{
    if (strcmp(kind, "su") == 0)
        return "longrope";
    if (strcmp(kind, "deepseek_yarn") == 0)
        return "yarn";
    if (strcmp(kind, "mrope") == 0)
        return lct_check_class_has(k, LCT_CLASS_SECTIONS) &&
                       lct_check_has(dict, "mrope_section")
                   ? "default"
                   : NULL;
    return lct_check_nearest(kind, hf_kinds);
}

/* D05 */
static void unknown_kind(struct lct_check *k, const struct lct_rope_entry *e)
{
    static const char *const vllm[] = { "ntk",     "mrope",  "deepseek_yarn",
                                        "mllama4", "xdrope", "su",
                                        NULL };
    static const char *const mlx[] = { "mrope", "su", NULL };
    const char *better = meant(k, e->dict, e->kind);
    char key[LCT_PATH_BYTES], kind[LCT_QUOTE_BYTES];
    struct lct_draft *f;

    if (known_to_hf5(k, e->kind))
        return;
    lct_quote(kind, e->kind, strlen(e->kind));
    lct_check_path(key, e,
                   lct_check_has(e->dict, "rope_type") ? "rope_type" : "type");
    f = lct_check_report(k, LCT_CHECK_D05, key,
                         "rope_type '%s' is unknown to transformers 5", kind);
    lct_check_says(f, LCT_HF, "KeyError when the model is built");
    lct_check_says(f, LCT_VLLM,
                   among(e->kind, vllm) ? "scales by '%s'"
                                        : "ValueError: unknown '%s'",
                   kind);
    lct_check_says(f, LCT_LLAMA_CPP,
                   "the converter warns and writes no scaling");
    lct_check_says(f, LCT_MLX,
                   among(e->kind, mlx) ? "takes it, without any sections"
                                       : "ValueError");
    if (better == NULL) {
        lct_check_mend(f, "name one of default, linear, dynamic, yarn, "
                          "longrope, llama3, proportional");
        return;
    }
    lct_check_mend(f, "rope_type '%s'", better);
    lct_check_fix(f, key, json_string(better));
}

/* D10 */
static void two_kinds(struct lct_check *k, const struct lct_rope_entry *e)
{
    const char *a = lct_check_text(e->dict, "rope_type", NULL);
    const char *b = lct_check_text(e->dict, "type", NULL);
    char qa[LCT_QUOTE_BYTES], qb[LCT_QUOTE_BYTES];
    struct lct_draft *f;

    if (a == NULL || b == NULL || strcmp(a, b) == 0 ||
        (strcmp(b, "mrope") == 0 && strcmp(a, "default") == 0))
        return;
    lct_quote(qa, a, strlen(a));
    lct_quote(qb, b, strlen(b));
    f = lct_check_report(k, LCT_CHECK_D10, LCT_CHECK_PATH(e, "type"),
                         "rope_type is '%s' and type is '%s'", qa, qb);
    lct_check_says(f, LCT_HF | LCT_VLLM | LCT_LLAMA_CPP, "'%s'", qa);
    lct_check_says(f, LCT_MLX, "'%s'", qb);
    lct_check_mend(f, "remove type, or give both the same value");
}

/* D11 */
static void neox_names(struct lct_check *k)
{
    static const char *const names[] = { "rotary_pct", "rotary_emb_base" };
    struct lct_draft *f;

    if (k->class == NULL || lct_check_is(k, "gpt_neox"))
        return;
    for (int i = 0; i < 2; i++) {
        if (!lct_check_has(k->text, names[i]) ||
            (i == 0 && lct_check_is(k, "cohere2")))
            continue;
        f = lct_check_report(k, LCT_CHECK_D11, names[i],
                             "%s is a key of GPT-NeoX, and the class of '%s' "
                             "has none of it",
                             names[i], k->type);
        lct_check_says(f, LCT_HF | LCT_LLAMA_CPP | LCT_MLX,
                       "ignored: base %.10g, partial factor %.10g", k->base,
                       k->partial);
        lct_check_says(f, LCT_VLLM, "%s %.10g counts for every model",
                       i == 0 ? "partial_rotary_factor" : "rope_theta",
                       lct_check_real(k->text, names[i], 0));
        lct_check_mend(f, "write %s instead, or remove it",
                       i == 0 ? "partial_rotary_factor" : "rope_theta");
    }
}

void lct_check_dialect(struct lct_check *k)
{
    both_dictionaries(k);
    inner_base(k);
    no_base(k);
    for (int i = 0; i < k->n_entries; i++) {
        unknown_kind(k, &k->entries[i]);
        two_kinds(k, &k->entries[i]);
    }
    neox_names(k);
}
