/*
 * test_traits_specs.c - specs of every row: canonical forms, blanks, order of
 * keys, unknown keys, and the ends of every key's range.
 */
#include "traits_case.h"

/* ---------------------------------------------------------- canonical forms */

static void same_params(const locant_encoding *a, const locant_encoding *b)
{
    const locant_sizes sizes = { 16, 4, 2, 8 };
    locant_param_info p, q;
    char name[128];
    int i = 0;

    for (; locant_encoding_param(&p, a, i, &sizes); i++) {
        snprintf(name, sizeof(name), "%s", p.name);
        CHECK(locant_encoding_param(&q, b, i, &sizes) == 1);
        CHECK(strcmp(name, q.name) == 0 && p.rank == q.rank &&
              p.rate == q.rate && p.per_layer == q.per_layer);
        CHECK(memcmp(p.shape, q.shape, sizeof(p.shape)) == 0);
    }
    CHECK(locant_encoding_param(&q, b, i, &sizes) == 0);
}

static void same_encoding(const locant_encoding *a, const char *spec)
{
    OWNED(locant_encoding) *b = test_create(spec);

    if (strcmp(locant_encoding_spec(a), locant_encoding_spec(b)) != 0)
        FAIL("'%s' is canonically '%s', expected '%s'", spec,
             locant_encoding_spec(b), locant_encoding_spec(a));
    CHECK(locant_encoding_doors(a) == locant_encoding_doors(b));
    CHECK(locant_encoding_traits(a) == locant_encoding_traits(b));
    CHECK(locant_encoding_length_limit(a) == locant_encoding_length_limit(b));
    CHECK(locant_encoding_axes(a) == locant_encoding_axes(b));
    same_params(a, b);
}

/* Blanks around everything that is no part of a word. */
static void spread(char *out, size_t size, const char *spec)
{
    size_t n = 0;

    for (; *spec != '\0' && n + 4 < size; spec++) {
        int mark = strchr("(),=+:", *spec) != NULL;

        if (*spec == '+' && n > 0 && out[n - 1] == 'e')
            mark = 0; /* an exponent */
        if (mark && test_rand() % 2)
            out[n++] = "\t \n "[test_rand() % 4];
        out[n++] = *spec;
        if (mark && test_rand() % 2)
            out[n++] = ' ';
    }
    out[n] = '\0';
}

static void round_trip(const char *spec)
{
    char wide[3 * SUBJECT_SPEC];
    locant_encoding *e = test_create(spec), *known;

    CHECK(strpbrk(locant_encoding_spec(e), " \t\n") == NULL);
    same_encoding(e, locant_encoding_spec(e));
    spread(wide, sizeof(wide), spec);
    same_encoding(e, wide);
    /* fope takes at least 7 tokens, one turn of its fastest pair */
    CHECK_OK(locant_encoding_resolve(
        &known, e, test_range(strstr(spec, "fope") != NULL ? 7 : 2, 100)));
    same_encoding(known, locant_encoding_spec(known));
    locant_encoding_free(known);
    locant_encoding_free(e);
}

TEST(canonical_specs_round_trip)
{
    const char *spec;

    for (int i = 0; (spec = traits_spec(i)) != NULL; i++)
        round_trip(spec);
}

/* A random spec of row i that is accepted, as text. */
static void accepted(char *spec, size_t size, int i)
{
    locant_encoding *e = NULL;

    do
        random_spec(spec, size, locant_encoding_at(i)->name);
    while (locant_encoding_create(&e, spec) != LOCANT_OK);
    locant_encoding_free(e);
}

TEST(random_specs_round_trip)
{
    int cases = test_cases(100);
    char spec[SUBJECT_SPEC];

    for (int i = 0; i < traits_rows(); i++)
        for (int k = 0; k < cases; k++) {
            accepted(spec, sizeof(spec), i);
            round_trip(spec);
        }
}

/* Two or three rows at once: understood or refused, never half of it. */
static void random_sum(void)
{
    char spec[3 * SUBJECT_SPEC] = "";
    locant_encoding *e = (locant_encoding *)spec;
    int parts = (int)test_range(2, 3);

    for (int n = 0; n < parts; n++) {
        size_t used = strlen(spec);

        if (n > 0)
            spec[used++] = '+';
        accepted(spec + used, SUBJECT_SPEC,
                 (int)test_range(0, traits_rows() - 1));
    }
    if (locant_encoding_create(&e, spec) == LOCANT_OK) {
        locant_encoding_free(e);
        round_trip(spec);
        return;
    }
    CHECK(e == NULL);
    if (strstr(locant_last_error(), "both") == NULL &&
        strstr(locant_last_error(), "layers stands alone") == NULL)
        FAIL("%s: refused with: %s", spec, locant_last_error());
}

TEST(random_sums_round_trip)
{
    int cases = test_cases(2000);

    for (int k = 0; k < cases; k++)
        random_sum();
}

/* -------------------------------------------------------------- wrong specs */

static void refused(const char *spec, const char *word, const char *other)
{
    locant_encoding *e = (locant_encoding *)spec;
    static const char fn[] = "locant_encoding_create: ";

    if (locant_encoding_create(&e, spec) != LOCANT_ERR_PARAM)
        FAIL("%s: not refused with PARAM", spec);
    if (e != NULL || strncmp(locant_last_error(), fn, strlen(fn)) != 0 ||
        strstr(locant_last_error(), word) == NULL ||
        strstr(locant_last_error(), other) == NULL)
        FAIL("%s: refused, but with: %s", spec, locant_last_error());
}

static void wrong_names_of(const char *name)
{
    /* A key that layers does not know names an encoding for some layers. */
    const int layers = strcmp(name, "layers") == 0;
    char spec[400];
    locant_key_info key;

    snprintf(spec, sizeof(spec), "%s(nonesuch=1)", name);
    refused(spec, layers ? "'1'" : "nonesuch",
            layers ? "the name of an encoding" : name);
    snprintf(spec, sizeof(spec), "%s(nonesuch)", name);
    refused(spec, layers ? "')'" : "nonesuch", layers ? "expected" : name);
    snprintf(spec, sizeof(spec), "%sq", name);
    refused(spec, "did you mean", name);
    snprintf(spec, sizeof(spec), "%s(", name);
    refused(spec, "ends at byte", "expected");
    snprintf(spec, sizeof(spec), "%s+", name);
    refused(spec, "ends at byte", "expected");
    snprintf(spec, sizeof(spec), "%s)", name);
    refused(spec, "')'", "expected");
    for (int i = 0; locant_encoding_key(&key, name, i); i++) {
        snprintf(spec, sizeof(spec), "%s(%s=)", name, key.name);
        refused(spec, "byte", "a value");
        snprintf(spec, sizeof(spec), "%s(%sx=1)", name, key.name);
        refused(spec, layers ? "'1'" : "unknown key",
                layers ? "the name of an encoding" : name);
        if (key.fallback[0] == '\0')
            continue;
        snprintf(spec, sizeof(spec), "%s(%s=%s,%s=%s)", name, key.name,
                 key.fallback, key.name, key.fallback);
        refused(spec, "second time", key.name);
    }
}

TEST(unknown_and_broken_is_refused)
{
    for (int i = 0; i < traits_rows(); i++)
        wrong_names_of(locant_encoding_at(i)->name);
}

/* ---------------------------------------------------------- ends of a range */

/* A value outside of its range, by a sentence that tells the range. */
static void outside(const char *name, const locant_key_info *key,
                    const char *text)
{
    char spec[400];

    snprintf(spec, sizeof(spec), "%s(%s=%s)", name, key->name, text);
    refused(spec, "should be", key->name);
    refused(spec, text, name);
    if (strcmp(key->kind, "spec") != 0)
        refused(spec, key->range, name);
}

/*
 * An end itself is in the range.  Together with the defaults of other keys it
 * may still be refused, by a sentence of its own; 1 if it is not.
 */
static int inside(const char *name, const locant_key_info *key,
                  const char *text)
{
    locant_encoding *e;
    char spec[400];

    snprintf(spec, sizeof(spec), "%s(%s=%s)", name, key->name, text);
    if (locant_encoding_create(&e, spec) == LOCANT_OK) {
        round_trip(spec);
        locant_encoding_free(e);
        return 1;
    }
    if (strstr(locant_last_error(), "should be") != NULL ||
        strstr(locant_last_error(), name) == NULL)
        FAIL("%s: %s", spec, locant_last_error());
    return 0;
}

static void number_text(char *out, size_t size, double x)
{
    snprintf(out, size, "%.17g", x);
}

/* Numbers beside the ends, and what is no number. */
static void outside_numbers(const char *name, const locant_key_info *key)
{
    static const char *const none[] = { "nan", "inf", "-inf",
                                        "1x",  "yes", "1e999" };
    int open, integer = strcmp(key->kind, "integer") == 0;
    double low, high;
    char text[64];

    range_ends(&low, &high, &open, key->range);
    for (size_t i = 0; i < LEN(none); i++)
        outside(name, key, none[i]);
    if (integer)
        outside(name, key, "2.5");
    if (low > -HUGE_VAL) {
        double below = integer ? low - 1 : nextafter(low, -HUGE_VAL);

        number_text(text, sizeof(text), open ? low : below);
        outside(name, key, text);
        outside(name, key, low > -1 ? "-1" : "-1e300");
    }
    if (high < HUGE_VAL) {
        number_text(text, sizeof(text),
                    integer ? high + 1 : nextafter(high, HUGE_VAL));
        outside(name, key, text);
    }
}

static int inside_numbers(const char *name, const locant_key_info *key)
{
    double low, high;
    int open, accepted_ends = 0;
    char text[64];

    range_ends(&low, &high, &open, key->range);
    number_text(text, sizeof(text), open ? nextafter(low, HUGE_VAL) : low);
    if (low > -HUGE_VAL)
        accepted_ends += inside(name, key, text);
    number_text(text, sizeof(text), high);
    if (high < HUGE_VAL)
        accepted_ends += inside(name, key, text);
    return accepted_ends;
}

/* Every word of "a | b"; those of a nested spec: its own defaults hold. */
static int check_words(const char *name, const locant_key_info *key)
{
    int words = 1, good = 0;
    char word[64];

    outside(name, key, "2");
    for (const char *c = key->range; *c != '\0'; c++)
        words += *c == '|';
    for (int n = 0; n < words; n++) {
        range_word(word, sizeof(word), key->range, (uint64_t)n);
        good += inside(name, key, word);
    }
    if (strcmp(key->kind, "spec") != 0)
        outside(name, key, "nonesuch");
    return good;
}

static int check_key(const char *name, const locant_key_info *key)
{
    if (strcmp(key->kind, "word") == 0 || strcmp(key->kind, "switch") == 0)
        return check_words(name, key);
    if (strcmp(key->kind, "spec") == 0) {
        outside(name, key, "2");
        return 1;
    }
    if (strcmp(key->kind, "list") == 0) {
        outside(name, key, "x");
        return 1;
    }
    if (strcmp(key->kind, "expression") == 0)
        return 1; /* test_formula.c */
    outside_numbers(name, key);
    return inside_numbers(name, key);
}

TEST(keys_keep_their_range)
{
    const locant_encoding_info *row;
    locant_key_info key, copy;
    char range[256], name[64], kind[16];
    int met = 0;

    for (int i = 0; (row = locant_encoding_at(i)) != NULL; i++)
        for (int k = 0; locant_encoding_key(&key, row->name, k); k++) {
            /* The strings live until the next call. */
            snprintf(range, sizeof(range), "%s", key.range);
            snprintf(name, sizeof(name), "%s", key.name);
            snprintf(kind, sizeof(kind), "%s", key.kind);
            copy = key;
            copy.range = range;
            copy.name = name;
            copy.kind = kind;
            /* 'count' of layers depends on its map at both ends. */
            if (check_key(row->name, &copy) == 0 &&
                (strcmp(row->name, "layers") != 0 ||
                 strcmp(name, "count") != 0))
                FAIL("%s(%s=..): neither end of '%s' is accepted: %s",
                     row->name, name, range, locant_last_error());
            met++;
        }
    CHECK(met > 60);
}

/* ------------------------------------------------------------------- pairs */

static int says(const char *text)
{
    return strstr(locant_last_error(), text) != NULL;
}

/* Without a common door it is positions, temperatures, factors or turns within
 * the content door that collide. */
static int says_what_else_collides(void)
{
    static const char *const what[] = {
        "choose positions",        "set a temperature",
        "rotate queries and keys", "products of queries and keys",
        "weights by distance",     "replace the softmax",
        "keys that a query sees"
    };

    for (size_t i = 0; i < LEN(what); i++)
        if (says(what[i]))
            return 1;
    return 0;
}

/* Both rows at once: refused if they go through one door, unless these are
 * biases of different rows. */
static void pair(const locant_encoding_info *a, const locant_encoding_info *b)
{
    int layers =
        strcmp(a->name, "layers") == 0 || strcmp(b->name, "layers") == 0;
    unsigned both =
        a->doors & b->doors & ~(a != b ? (unsigned)LOCANT_DOOR_SCORE : 0);
    locant_encoding *e = NULL;
    char spec[128];

    snprintf(spec, sizeof(spec), "%s + %s", a->name, b->name);
    if (locant_encoding_create(&e, spec) == LOCANT_OK) {
        if (both != 0 || layers)
            FAIL("%s: accepted", spec);
        CHECK(locant_encoding_doors(e) == (a->doors | b->doors));
        locant_encoding_free(e);
        return;
    }
    CHECK(e == NULL);
    if (!(layers ? says("layers stands alone")
                 : says(a->name) && says(b->name) && says("both")))
        FAIL("%s: refused with: %s", spec, locant_last_error());
    if (both == 0 && !layers && !says_what_else_collides())
        FAIL("%s: refused with: %s", spec, locant_last_error());
}

TEST(two_parts_of_one_door_are_refused)
{
    for (int i = 0; i < traits_rows(); i++)
        for (int j = 0; j < traits_rows(); j++)
            pair(locant_encoding_at(i), locant_encoding_at(j));
}
