/* check_dialect.c - checks D01 to D05, D10, D11: which dictionary and which
 * base a reader takes */
#include "check.h"
#include "../core/text.h"
#include "check_view.h"
#include "family.h"
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

    if (scaling == NULL || params == NULL ||
        lct_check_class_has(k, LCT_CLASS_KINDS) ||
        (says_the_same(scaling, params) && says_the_same(params, scaling) &&
         lost == inner))
        return;
    LCT_FIND(k, NULL, ID(D01), R(lost), R(inner), R(outer));
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
    const char *name = lct_family_base_key(lct_family_find(k->type));
    const double outer = lct_check_real(k->text, name, 0);
    double inner;
    bool scaled;
    char key[LCT_PATH_BYTES];
    struct lct_draft *f;

    if (e == NULL || (inner = lct_check_real(e->dict, "rope_theta", 0)) <= 0)
        return;
    scaled = strcmp(e->kind, "default") != 0 && strcmp(e->kind, "mrope") != 0;
    lct_check_path(key, e, "rope_theta");
    if (outer > 0 && outer != inner)
        LCT_FIND(k, NULL, ID(D02), S(key), R(inner), R(outer), S(name));
    if (outer == 0 && !lct_check_has(k->text, name) &&
        strncmp(e->path, "rope_parameters", 15) == 0 &&
        (inner != lct_check_class_base(k) || scaled)) {
        f = LCT_FIND(k, NULL, ID(D03), S(key), R(inner), I(scaled), S(name));
        if (e->layers[0] == '\0')
            lct_check_fix(f, name,
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

    /* null and entries by layer kind are findings of their own */
    if (expected == 0 || json_object_get(k->text, "rope_theta") != NULL ||
        lct_check_view_nested(lct_check_object(k, "rope_parameters")))
        return;
    for (int i = 0; i < k->n_entries; i++)
        if (lct_check_has(k->entries[i].dict, "rope_theta"))
            return;
    LCT_FIND(k, NULL, ID(D04), R(expected));
}

/* ---------------------------------------------------------------- rope_type */

static const char hf_kinds[] =
    "default linear dynamic yarn longrope llama3 proportional axial";

/* transformers 5 knows the kind in this class. */
static bool known_to_hf5(const struct lct_check *k, const char *kind)
{
    if (strcmp(kind, "su") == 0)
        return lct_check_is(k, "phi3");
    if (strcmp(kind, "mrope") == 0)
        return lct_check_is(k, "qwen2_vl_text qwen2_5_vl_text");
    return lct_is_among(hf_kinds, kind);
}

/* The kind that was meant, NULL if that is not clear. */
static const char *meant(char room[LCT_NEAREST_BYTES],
                         const struct lct_check *k, const json_t *dict,
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
    return lct_check_nearest(room, kind, hf_kinds);
}

/* D05 */
static void unknown_kind(struct lct_check *k, const struct lct_rope_entry *e)
{
    char room[LCT_NEAREST_BYTES];
    const char *better = meant(room, k, e->dict, e->kind);
    char key[LCT_PATH_BYTES];
    struct lct_draft *f;

    if (known_to_hf5(k, e->kind))
        return;
    lct_check_path(key, e,
                   lct_check_has(e->dict, "rope_type") ? "rope_type" : "type");
    f = LCT_FIND(
        k, NULL, ID(D05), S(key), Q(e->kind),
        I(lct_is_among("ntk mrope deepseek_yarn mllama4 xdrope su", e->kind)),
        I(lct_is_among("mrope su", e->kind)), S(better));
    if (better != NULL)
        lct_check_fix(f, key, json_string(better));
}

/* D10 */
static void two_kinds(struct lct_check *k, const struct lct_rope_entry *e)
{
    const char *a = lct_check_text(e->dict, "rope_type", NULL);
    const char *b = lct_check_text(e->dict, "type", NULL);

    if (a == NULL || b == NULL || strcmp(a, b) == 0 ||
        (strcmp(b, "mrope") == 0 && strcmp(a, "default") == 0))
        return;
    LCT_FIND(k, e, ID(D10), Q(a), Q(b));
}

/* D11 */
static void neox_names(struct lct_check *k)
{
    static const char *const names[] = { "rotary_pct", "rotary_emb_base" };

    if (k->class == NULL || lct_check_is(k, "gpt_neox"))
        return;
    for (int i = 0; i < 2; i++) {
        if (!lct_check_has(k->text, names[i]) ||
            (i == 0 && lct_check_is(k, "cohere2")))
            continue;
        LCT_FIND(k, NULL, ID(D11), S(names[i]), R(k->base), R(k->partial),
                 S(i == 0 ? "partial_rotary_factor" : "rope_theta"),
                 R(lct_check_real(k->text, names[i], 0)));
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
