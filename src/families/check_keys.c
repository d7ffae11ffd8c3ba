/* check_keys.c - checks D08, X02, X03 and X04: keys of the dictionaries that
 * are unknown, missing or unread, and keys of the top level that nearly are one
 * of positions */
#include "check.h"
#include "../core/text.h"
#include "../encodings/yarn.h"
#include <string.h>

/* ----------------------------------------------------------- what is read */

enum kinds {
    DEFAULT = 1,
    LINEAR = 2,
    DYNAMIC = 4,
    YARN = 8,
    LONGROPE = 16,
    LLAMA3 = 32,
    PROPORTIONAL = 64,
    EVERY = 127
};

/* A key of a dictionary: the kinds that read it, and those that need it. */
struct known_key {
    const char *name;
    unsigned read, needed;
};

/* clang-format off */
static const struct known_key known_keys[] = {
    { "rope_type", EVERY, 0 },           { "type", EVERY, 0 },
    { "rope_theta", EVERY, 0 },          { "partial_rotary_factor", EVERY, 0 },
    { "factor", LINEAR | DYNAMIC | YARN | LONGROPE | LLAMA3 | PROPORTIONAL,
                LINEAR | DYNAMIC | YARN | LLAMA3 },
    /* checks of their own say what it means under the other kinds */
    { "original_max_position_embeddings", EVERY, 0 },
    { "attention_factor", YARN | LONGROPE, 0 },
    { "beta_fast", YARN, 0 },            { "beta_slow", YARN, 0 },
    { "mscale", YARN, 0 },               { "mscale_all_dim", YARN, 0 },
    { "truncate", YARN, 0 },
    { "low_freq_factor", LLAMA3, LLAMA3 },
    { "high_freq_factor", LLAMA3, LLAMA3 },
    { "short_factor", LONGROPE, LONGROPE },
    { "long_factor", LONGROPE, LONGROPE },
    { "mrope_section", EVERY, 0 },       { "mrope_interleaved", EVERY, 0 },
    { "attn_factor", 0, 0 },             { "alpha", 0, 0 },
    { "extrapolation_factor", 0, 0 },    { "short_mscale", LONGROPE, 0 },
    { "long_mscale", LONGROPE, 0 },      { "finetuned", EVERY, 0 },
    { "interleaved", EVERY, 0 },
    { "llama_4_scaling_beta", EVERY, 0 },
    { "max_position_embeddings", EVERY, 0 },
    { "apply_yarn_scaling", EVERY, 0 },
    { "full_attention", EVERY, 0 },      { "sliding_attention", EVERY, 0 },
    { "chunked_attention", EVERY, 0 },   { "linear_attention", EVERY, 0 },
    { NULL, 0, 0 }
};
/* clang-format on */

static unsigned kind_bit(const struct lct_check *k, const char *kind)
{
    static const struct {
        const char *name;
        unsigned bit;
    } names[] = { { "default", DEFAULT },   { "linear", LINEAR },
                  { "dynamic", DYNAMIC },   { "yarn", YARN },
                  { "longrope", LONGROPE }, { "su", LONGROPE },
                  { "llama3", LLAMA3 },     { "proportional", PROPORTIONAL },
                  { "mrope", DEFAULT },     { "deepseek_yarn", YARN } };

    if (strcmp(kind, "yarn") == 0 && lct_check_is(k, "phi3"))
        return LONGROPE;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(kind, names[i].name) == 0)
            return names[i].bit;
    return 0;
}

static const struct known_key *find_key(const char *name)
{
    for (const struct known_key *key = known_keys; key->name != NULL; key++)
        if (strcmp(key->name, name) == 0)
            return key;
    return NULL;
}

/* X02 */
static void unknown_key(struct lct_check *k, const struct lct_rope_entry *e,
                        const char *name)
{
    char names[1024] = "", room[LCT_NEAREST_BYTES];
    const char *nearest;
    struct lct_draft *f;

    for (size_t i = 0; known_keys[i].name != NULL; i++)
        LCT_APPEND(names, "%s ", known_keys[i].name);
    nearest = lct_check_nearest(room, name, names);
    f = LCT_FIND(k, e, ID(X02), Q(name), S(nearest));
    if (nearest != NULL && !lct_check_has(e->dict, nearest) &&
        strchr(name, '.') == NULL) {
        lct_check_fix(f, LCT_CHECK_PATH(e, nearest),
                      json_incref(json_object_get(e->dict, name)));
        lct_check_remove(f, LCT_CHECK_PATH(e, name));
    }
}

/* D08: some stacks read keys that transformers does not. */
static void unread_key(struct lct_check *k, const struct lct_rope_entry *e,
                       const char *name)
{
    const double x = lct_check_real(e->dict, name, 1);
    const double gain = lct_yarn_gain(e->factor, 1);
    const bool yarn = strstr(e->kind, "yarn") != NULL;
    enum lct_finding_id row = LCT_FINDING_D08;

    if (strcmp(name, "attn_factor") == 0 && yarn)
        row = LCT_FINDING_D08_ATTN;
    else if (strcmp(name, "alpha") == 0 && strcmp(e->kind, "dynamic") == 0)
        row = LCT_FINDING_D08_ALPHA;
    else if (strcmp(name, "extrapolation_factor") == 0 && yarn)
        row = LCT_FINDING_D08_EXTRAPOLATION;
    LCT_FIND(k, e, I(row), S(name), Q(e->kind),
             R(lct_check_yarn_amplitude(e->dict, e->factor)), R(x), R(gain),
             R(gain * x));
}

/* X03 */
static void missing_key(struct lct_check *k, const struct lct_rope_entry *e,
                        const char *name)
{

    LCT_FIND(k, e, ID(X03), S(name), Q(e->kind));
}

static void check_entry(struct lct_check *k, const struct lct_rope_entry *e)
{
    const unsigned bit = kind_bit(k, e->kind);
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)e->dict, key, value) {
        const struct known_key *known = find_key(key);

        if (known == NULL)
            unknown_key(k, e, key);
        else if (bit != 0 && (known->read & bit) == 0)
            unread_key(k, e, known->name);
    }
    for (size_t i = 0; known_keys[i].name != NULL && e->dict != NULL; i++)
        if ((known_keys[i].needed & bit) != 0 &&
            json_object_get(e->dict, known_keys[i].name) == NULL)
            missing_key(k, e, known_keys[i].name);
}

/* ------------------------------------------------ keys of the top level */

/* Is a key in the dictionary of rotary keys? */
static bool is_inner(const struct lct_check *k, const char *name)
{
    for (int i = 0; i < k->n_entries; i++)
        if (lct_check_has(k->entries[i].dict, name))
            return true;
    return false;
}

/* The key is ignored; it may be meant, or the one that it nearly is. */
static void report_nearly(struct lct_check *k, const char *key,
                          const char *name, json_t *value)
{
    const bool inner = is_inner(k, name);
    struct lct_draft *f;

    f = LCT_FIND(k, NULL, ID(X04), Q(key), S(name), I(inner));
    if (inner)
        return;
    lct_check_fix(f, name, json_incref(value));
    lct_check_remove(f, key);
}

/* X04: a key of the top level that is within two edits of an absent one */
static void nearly_key(struct lct_check *k)
{
    static const char names[] =
        "rope_theta rope_scaling rope_parameters partial_rotary_factor "
        "sliding_window use_sliding_window max_position_embeddings "
        "original_max_position_embeddings layer_types no_rope_layers "
        "rope_local_base_freq num_key_value_heads";
    const char *key;
    char name[64];
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)k->text, key, value) {
        for (const char *at = names; lct_next_word(name, sizeof name, &at);) {
            const size_t edits = lct_check_edits(key, name);

            if (edits > 0 && edits <= 2 &&
                json_object_get(k->text, name) == NULL)
                report_nearly(k, key, name, value);
        }
    }
}

void lct_check_keys(struct lct_check *k)
{
    nearly_key(k);
    for (int i = 0; i < k->n_entries; i++)
        check_entry(k, &k->entries[i]);
}
