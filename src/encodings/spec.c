/*
 * spec.c - text to encoding: the grammar of include/locant/encoding.h.
 *
 * One pass, each value bound to its key as it is read, so that every sentence
 * knows both the byte and what was wanted there.  Time is linear in the text;
 * recursion ends at LCT_SPEC_DEPTH.
 */
#include "../core/quote.h"
#include "spec.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

struct reader {
    const char *fn;
    const char *text;
    size_t at, size;
    int depth;
};

/* A piece of the text. */
struct token {
    size_t at, n;
};

/* Integers beyond 2^53 would not be the number that was written. */
static const double INTEGER_MAX = 9007199254740992.0;

/* Locale-free: bytes of a name, and of a number. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_number_byte(char c)
{
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+';
}

static bool is_name_byte(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
}

static void skip_blanks(struct reader *r)
{
    while (r->at < r->size && strchr(" \t\r\n", r->text[r->at]) != NULL)
        r->at++;
}

/* The next byte that is no blank, 0 at the end; it is not taken. */
static char peek(struct reader *r)
{
    skip_blanks(r);
    return r->at < r->size ? r->text[r->at] : 0;
}

static bool accept(struct reader *r, char c)
{
    if (peek(r) != c)
        return false;
    r->at++;
    return true;
}

static locant_status syntax_error(struct reader *r, const char *wanted)
{
    char found[LCT_QUOTE_BYTES];

    if (peek(r) == 0)
        return locant_fail(LOCANT_ERR_PARAM, "%s: the spec ends at byte %zu, "
                           "expected %s", r->fn, r->at, wanted);
    return locant_fail(LOCANT_ERR_PARAM, "%s: found '%s' at byte %zu of the "
                       "spec, expected %s", r->fn,
                       lct_quote(found, r->text + r->at, 1), r->at, wanted);
}

static locant_status read_name(struct token *out, struct reader *r,
                               const char *wanted)
{
    if (!is_letter(peek(r)))
        return syntax_error(r, wanted);
    out->at = r->at;
    while (r->at < r->size && is_name_byte(r->text[r->at]))
        r->at++;
    out->n = r->at - out->at;
    return LOCANT_OK;
}

/* Index of the name in the list, or -1. */
static int find(lct_name_at at, const void *list, const struct reader *r,
                struct token t)
{
    const char *name;

    for (size_t i = 0; (name = at(list, i)) != NULL; i++)
        if (strlen(name) == t.n && memcmp(name, r->text + t.at, t.n) == 0)
            return (int)i;
    return -1;
}

static const char *const kind_names[] = {
    [LCT_NUMBER] = "a number", [LCT_INTEGER] = "an integer",
    [LCT_WORD] = "", [LCT_SWITCH] = "", [LCT_SPEC] = "",
};

/* The value at 't' is not what key k takes. */
static locant_status bad_value(const struct reader *r, struct token t,
                               const locant_encoding *e, int k)
{
    const struct lct_key *key = &e->row->keys[k];
    const char *kind = kind_names[key->kind];
    char found[LCT_QUOTE_BYTES], range[256];

    lct_key_range(range, sizeof range, key);
    return locant_fail(LOCANT_ERR_PARAM, "%s: key '%s' of '%s': '%s' at byte "
                       "%zu should be %s%s%s", r->fn, key->name,
                       e->row->info.name, lct_quote(found, r->text + t.at, t.n),
                       t.at, kind, *kind && *range ? " " : "", range);
}

/* Everything that could belong to one value, for sentences. */
static struct token value_token(struct reader *r)
{
    struct token t = { 0, 0 };

    skip_blanks(r);
    t.at = r->at;
    while (r->at < r->size &&
           (is_name_byte(r->text[r->at]) || is_number_byte(r->text[r->at])))
        r->at++;
    t.n = r->at - t.at;
    if (t.n == 0 && r->at < r->size)
        t.n = 1;
    return t;
}

static bool in_range(double value, const struct lct_key *key)
{
    if (!isfinite(value) || value < key->min || value > key->max)
        return false;
    if (key->min_open && value == key->min)
        return false;
    return key->kind != LCT_INTEGER ||
           (value == floor(value) && fabs(value) <= INTEGER_MAX);
}

static locant_status read_number(locant_encoding *e, int k, struct reader *r)
{
    const struct lct_key *key = &e->row->keys[k];
    struct token t = value_token(r);
    double value;

    if (!lct_number_parse(&value, r->text + t.at, t.n) ||
        !in_range(value, key))
        return bad_value(r, t, e, k);
    e->value[k] = value;
    return LOCANT_OK;
}

static locant_status read_word(locant_encoding *e, int k, struct reader *r)
{
    static const char *const switches[] = { "no", "yes", NULL };
    const struct lct_key *key = &e->row->keys[k];
    struct token t = value_token(r);
    int i = find(lct_word_name, key->kind == LCT_SWITCH ? switches : key->words,
                 r, t);

    if (i < 0)
        return bad_value(r, t, e, k);
    e->value[k] = i;
    return LOCANT_OK;
}

static locant_status read_spec(locant_encoding **out, struct reader *r,
                               const struct lct_encoding *const *family);

static locant_status read_nested(locant_encoding *e, int k, struct reader *r)
{
    const struct lct_key *key = &e->row->keys[k];
    size_t i = 0;

    if (!is_letter(peek(r)))
        return bad_value(r, value_token(r), e, k);
    LCT_TRY(read_spec(&e->nested[k], r, key->family));
    while (key->family[i] != e->nested[k]->row)
        i++;
    e->value[k] = (double)i;
    return LOCANT_OK;
}

static locant_status read_value(locant_encoding *e, int k, struct reader *r)
{
    if (peek(r) == 0 || peek(r) == ',' || peek(r) == ')')
        return syntax_error(r, "a value");
    switch (e->row->keys[k].kind) {
    case LCT_NUMBER:
    case LCT_INTEGER:
        return read_number(e, k, r);
    case LCT_WORD:
    case LCT_SWITCH:
        return read_word(e, k, r);
    case LCT_SPEC:
        break;
    }
    return read_nested(e, k, r);
}

static locant_status unknown_key(const struct reader *r, struct token t,
                                 const struct lct_encoding *row)
{
    char found[LCT_QUOTE_BYTES], suggest[240];

    lct_quote(found, r->text + t.at, t.n);
    if (row->keys == NULL || row->keys[0].name == NULL)
        return locant_fail(LOCANT_ERR_PARAM, "%s: unknown key '%s' at byte "
                           "%zu: '%s' takes no keys", r->fn, found, t.at,
                           row->info.name);
    lct_suggest(suggest, sizeof suggest, lct_key_name, row->keys,
                r->text + t.at, t.n);
    return locant_fail(LOCANT_ERR_PARAM, "%s: unknown key '%s' of '%s' at byte "
                       "%zu%s", r->fn, found, row->info.name, t.at, suggest);
}

/* key "=" value { "," key "=" value } ")", after "(" */
static locant_status read_keys(locant_encoding *e, struct reader *r)
{
    bool given[LCT_MAX_KEYS] = { false };

    do {
        struct token t;
        int k;

        LCT_TRY(read_name(&t, r, "the name of a key"));
        k = find(lct_key_name, e->row->keys, r, t);
        if (k < 0)
            return unknown_key(r, t, e->row);
        if (given[k])
            return locant_fail(LOCANT_ERR_PARAM, "%s: key '%s' of '%s' is "
                               "given a second time at byte %zu", r->fn,
                               e->row->keys[k].name, e->row->info.name, t.at);
        given[k] = true;
        if (!accept(r, '='))
            return syntax_error(r, "'='");
        LCT_TRY(read_value(e, k, r));
    } while (accept(r, ','));
    return accept(r, ')') ? LOCANT_OK : syntax_error(r, "',' or ')'");
}

/* Give the keys that may be left out their defaults. */
static locant_status set_defaults(locant_encoding *e, const struct reader *r)
{
    const struct lct_key *keys = e->row->keys;

    for (int k = 0; keys != NULL && keys[k].name != NULL; k++) {
        struct reader nested = { r->fn, "", 0, 0, r->depth };

        if (keys[k].kind != LCT_SPEC) {
            e->value[k] = keys[k].def;
            continue;
        }
        e->value[k] = NAN;
        if (isnan(keys[k].def))
            continue;
        nested.text = keys[k].family[(size_t)keys[k].def]->info.name;
        nested.size = strlen(nested.text);
        LCT_TRY(read_nested(e, k, &nested));
    }
    return LOCANT_OK;
}

static locant_status no_memory(const struct reader *r)
{
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for the encoding",
                       r->fn);
}

/* Give the encoding its own text, and let its row judge the whole. */
static locant_status finish(locant_encoding *e, const struct reader *r)
{
    size_t n = lct_spec_print(NULL, 0, e);

    e->spec = locant_alloc(n + 1);
    if (e->spec == NULL)
        return no_memory(r);
    lct_spec_print(e->spec, n + 1, e);
    if (e->row->check != NULL)
        LCT_TRY(e->row->check(e));
    return e->row->prepare != NULL ? e->row->prepare(e) : LOCANT_OK;
}

static locant_status fill(locant_encoding *e, struct reader *r)
{
    LCT_TRY(set_defaults(e, r));
    if (accept(r, '(') && !accept(r, ')'))
        LCT_TRY(read_keys(e, r));
    return finish(e, r);
}

static locant_status unknown_encoding(const struct reader *r, struct token t,
                                      const struct lct_encoding *const *family)
{
    char found[LCT_QUOTE_BYTES], suggest[320];

    lct_suggest(suggest, sizeof suggest, lct_family_name, family,
                r->text + t.at, t.n);
    return locant_fail(LOCANT_ERR_PARAM, "%s: unknown encoding '%s' at byte "
                       "%zu%s", r->fn, lct_quote(found, r->text + t.at, t.n),
                       t.at, suggest);
}

static locant_status read_spec(locant_encoding **out, struct reader *r,
                               const struct lct_encoding *const *family)
{
    locant_encoding *e;
    struct token t;
    locant_status status;
    int i;

    LCT_TRY(read_name(&t, r, "the name of an encoding"));
    i = find(lct_family_name, family, r, t);
    if (i < 0)
        return unknown_encoding(r, t, family);
    if (r->depth >= LCT_SPEC_DEPTH)
        return locant_fail(LOCANT_ERR_PARAM, "%s: specs nested deeper than %d "
                           "at byte %zu", r->fn, LCT_SPEC_DEPTH, t.at);
    e = locant_alloc(sizeof *e);
    if (e == NULL)
        return no_memory(r);
    e->row = family[i];
    r->depth++;
    status = fill(e, r);
    r->depth--;
    if (status != LOCANT_OK) {
        lct_encoding_release(e);
        return status;
    }
    lct_encoding_release(*out);
    *out = e;
    return LOCANT_OK;
}

locant_status lct_spec_parse(locant_encoding **out, const char *fn,
                             const char *text,
                             const struct lct_encoding *const *family)
{
    struct reader r = { fn, text, 0, 0, 0 };
    locant_encoding *e = NULL;

    *out = NULL;
    if (text == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: spec is NULL", fn);
    while (r.size <= LCT_SPEC_BYTES && text[r.size] != 0)
        r.size++;
    if (r.size > LCT_SPEC_BYTES)
        return locant_fail(LOCANT_ERR_PARAM, "%s: the spec has more than %d "
                           "bytes", fn, LCT_SPEC_BYTES);
    LCT_TRY(read_spec(&e, &r, family));
    if (peek(&r) != 0) {
        lct_encoding_release(e);
        return syntax_error(&r, "the end of the spec");
    }
    *out = e;
    return LOCANT_OK;
}
