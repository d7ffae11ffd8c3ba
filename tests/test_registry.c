/*
 * test_registry.c - every row of the registry is documented, has a judge, and
 * keeps its own word: defaults, keys, canonical specs.
 */
#include "oracle/draw.h"
#include <stdio.h>
#include <string.h>

static int says_something(const char *text)
{
    return text != NULL && strlen(text) >= 3;
}

static int has_row(const char *name)
{
    const locant_encoding_info *info;

    for (int i = 0; (info = locant_encoding_at(i)) != NULL; i++)
        if (strcmp(info->name, name) == 0)
            return 1;
    return 0;
}

TEST(every_row_has_an_oracle)
{
    const locant_encoding_info *info;
    int rows = 0;

    for (; (info = locant_encoding_at(rows)) != NULL; rows++)
        if (oracle_of(info->name) == NULL)
            FAIL("encoding '%s' has no oracle in src/oracle", info->name);
    for (int i = 0; oracle_all[i] != NULL; i++)
        if (!has_row(oracle_all[i]->name))
            FAIL("the oracle of '%s' has no encoding", oracle_all[i]->name);
    CHECK(locant_encoding_at(-1) == NULL);
    CHECK(locant_encoding_at(rows + 1000) == NULL);
}

TEST(rows_are_sorted_and_documented)
{
    const locant_encoding_info *info, *last = NULL;

    for (int i = 0; (info = locant_encoding_at(i)) != NULL; i++) {
        if (last != NULL)
            CHECK(strcmp(last->name, info->name) < 0);
        last = info;
        if (!says_something(info->title) || !says_something(info->formula) ||
            !says_something(info->source) || info->used_by == NULL ||
            info->pitfalls == NULL)
            FAIL("'%s' lacks a title, formula, source, used_by or pitfalls",
                 info->name);
        /* A paper has an identifier and a year. */
        if (strpbrk(info->source, "0123456789") == NULL)
            FAIL("'%s' has no paper in its source: %s", info->name,
                 info->source);
        CHECK((info->doors & ~15u) == 0 && (info->traits & ~511u) == 0);
    }
}

static void check_key(const char *name, int i)
{
    static const char *const kinds[] = { "number",    "integer", "word",
                                         "switch",    "spec",    "list",
                                         "expression" };
    locant_key_info key;
    int known = 0;

    CHECK(locant_encoding_key(&key, name, i) == 1);
    for (size_t k = 0; k < LEN(kinds); k++)
        known |= strcmp(key.kind, kinds[k]) == 0;
    if (!known || !says_something(key.name) || !says_something(key.doc) ||
        key.fallback == NULL || !says_something(key.range))
        FAIL("key %d of '%s' lacks a name, kind, fallback, range or doc", i,
             name);
}

/* Spec i of the oracle of a row; NULL past the last. */
static const char *spec_of(const char *name, int i)
{
    return oracle_of(name)->specs[i].text;
}

/* The default written out is the default: a spec that lacks the key and the
 * same with it have one canonical form. */
static void check_default(const char *name, int i)
{
    locant_encoding *a, *b;
    locant_key_info key;
    const char *spec = spec_of(name, 0);
    char more[500];
    size_t n;

    CHECK(locant_encoding_key(&key, name, i) == 1);
    snprintf(more, sizeof(more), "%s=", key.name);
    if (key.fallback[0] == '\0' || strchr(spec, '+') != NULL ||
        strstr(spec, more) != NULL)
        return;
    n = strlen(spec);
    if (spec[n - 1] == ')')
        snprintf(more, sizeof(more), "%.*s,%s=%s)", (int)n - 1, spec, key.name,
                 key.fallback);
    else
        snprintf(more, sizeof(more), "%s(%s=%s)", spec, key.name, key.fallback);
    a = test_create(spec);
    b = test_create(more);
    if (strcmp(locant_encoding_spec(a), locant_encoding_spec(b)) != 0)
        FAIL("%s is canonically %s, expected %s", more, locant_encoding_spec(b),
             locant_encoding_spec(a));
    locant_encoding_free(a);
    locant_encoding_free(b);
}

TEST(keys_are_documented_and_default)
{
    const locant_encoding_info *info;
    locant_key_info key;

    for (int i = 0; (info = locant_encoding_at(i)) != NULL; i++) {
        CHECK(locant_encoding_key(&key, info->name, -1) == 0);
        for (int k = 0; locant_encoding_key(&key, info->name, k); k++) {
            check_key(info->name, k);
            check_default(info->name, k);
        }
    }
    CHECK(locant_encoding_key(&key, "nonesuch", 0) == 0);
}

static void round_trip(const char *spec)
{
    OWNED(locant_encoding) *a = test_create(spec);
    OWNED(locant_encoding) *b = test_create(locant_encoding_spec(a));

    if (strcmp(locant_encoding_spec(a), locant_encoding_spec(b)) != 0)
        FAIL("%s is canonically %s, then %s", spec, locant_encoding_spec(a),
             locant_encoding_spec(b));
    CHECK(locant_encoding_info_of(a) == locant_encoding_info_of(b));
    CHECK(locant_encoding_traits(a) == locant_encoding_traits(b));
    CHECK(locant_encoding_doors(a) == locant_encoding_doors(b));
}

TEST(canonical_specs_round_trip)
{
    const locant_encoding_info *info;
    const char *spec;

    for (int n = 0; (info = locant_encoding_at(n)) != NULL; n++)
        for (int i = 0; (spec = spec_of(info->name, i)) != NULL; i++)
            round_trip(spec);
}

/* Learned is what has a parameter that is not data of the task. */
TEST(learned_trait_means_parameters)
{
    const locant_sizes sizes = { 16, 4, 4, 4 };
    const locant_encoding_info *info;
    const char *spec;

    for (int n = 0; (info = locant_encoding_at(n)) != NULL; n++)
        for (int i = 0; (spec = spec_of(info->name, i)) != NULL; i++) {
            OWNED(locant_encoding) *e = test_create(spec);
            locant_param_info param;
            int learned = 0;

            for (int k = 0; locant_encoding_param(&param, e, k, &sizes); k++)
                learned |= param.rate > 0;
            if (learned != !!(locant_encoding_traits(e) & LOCANT_TRAIT_LEARNED))
                FAIL("%s: the trait 'learned' is wrong", spec);
        }
}

/* A variant is a spec that is understood and names its row. */
TEST(variants_are_specs)
{
    const locant_encoding_info *info;

    for (int n = 0; (info = locant_encoding_at(n)) != NULL; n++)
        for (int i = 0; info->variants && info->variants[i].spec; i++) {
            const locant_variant *v = &info->variants[i];

            if (!says_something(v->title) || v->used_by == NULL)
                FAIL("the variant %s lacks a title or its users", v->spec);
            round_trip(v->spec);
        }
}

TEST(null_is_refused)
{
    locant_encoding *e = (locant_encoding *)&e;

    CHECK(locant_encoding_create(NULL, "none") == LOCANT_ERR_NULL);
    CHECK(locant_encoding_create(&e, NULL) == LOCANT_ERR_NULL);
    locant_encoding_free(NULL);
}
