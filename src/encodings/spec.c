/*
 * spec.c - text to encoding: the grammar of include/locant/encoding.h.
 *
 * One pass: each value is checked against its key when it is read, so error
 * messages name the byte and what was expected there.  Time is linear in the
 * text; recursion ends at LCT_SPEC_DEPTH.
 */
#include "../core/quote.h"
#include "../core/text.h"
#include "spec_read.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LIST_MOST = 512 }; /* most numbers in a list */

/* Integers beyond 2^53 are not exact in double. */
static const double INTEGER_MAX = 9007199254740992.0;

static locant_status no_memory(const struct lct_reader *r)
{
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for the encoding",
                       r->fn);
}

static const char *const kind_names[] = {
    [LCT_NUMBER] = "a number", [LCT_INTEGER] = "an integer",
    [LCT_WORD] = "",           [LCT_SWITCH] = "",
    [LCT_SPEC] = "",           [LCT_LIST] = "numbers joined by ':'",
    [LCT_EXPRESSION] = "",
};

/* Error: key k does not accept the value at 't'. */
static locant_status bad_value(const struct lct_reader *r, struct lct_token t,
                               const locant_encoding *e, int k)
{
    const struct lct_key *key = &e->row->keys[k];
    const char *kind = kind_names[key->kind];
    char found[LCT_QUOTE_BYTES], range[256];

    lct_key_range(range, sizeof range, key);
    return locant_fail(
        LOCANT_ERR_PARAM,
        "%s: key '%s' of '%s': '%s' at byte %zu should be %s%s%s", r->fn,
        key->name, e->row->info.name, lct_quote(found, r->text + t.at, t.n),
        t.at, kind, *kind && *range ? " " : "", range);
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

static locant_status read_number(locant_encoding *e, int k,
                                 struct lct_reader *r)
{
    const struct lct_key *key = &e->row->keys[k];
    struct lct_token t = lct_read_value(r);
    double value;

    if (!lct_number_parse(&value, r->text + t.at, t.n) || !in_range(value, key))
        return bad_value(r, t, e, k);
    e->value[k] = value;
    return LOCANT_OK;
}

/* number { ":" number } */
static locant_status read_list(locant_encoding *e, int k, struct lct_reader *r)
{
    const struct lct_key *key = &e->row->keys[k];
    double item[LIST_MOST];
    size_t n = 0;

    do {
        struct lct_token t = lct_read_value(r);

        if (n == LIST_MOST ||
            !lct_number_parse(&item[n], r->text + t.at, t.n) ||
            !in_range(item[n], key))
            return bad_value(r, t, e, k);
        n++;
    } while (lct_read_accept(r, ':'));
    e->list[k] = locant_alloc(sizeof(*e->list[k]) + n * sizeof(item[0]));
    if (e->list[k] == NULL)
        return no_memory(r);
    e->list[k]->n = n;
    memcpy(e->list[k]->item, item, n * sizeof(item[0]));
    e->value[k] = (double)n;
    return LOCANT_OK;
}

static locant_status read_word(locant_encoding *e, int k, struct lct_reader *r)
{
    static const char *const switches[] = { "no", "yes", NULL };
    const struct lct_key *key = &e->row->keys[k];
    struct lct_token t = lct_read_value(r);
    int i = lct_read_find(
        lct_word_name, key->kind == LCT_SWITCH ? switches : key->words, r, t);

    if (i < 0)
        return bad_value(r, t, e, k);
    e->value[k] = i;
    return LOCANT_OK;
}

static locant_status read_sum(locant_encoding **out, struct lct_reader *r,
                              const struct lct_encoding *const *family);

static locant_status read_nested(locant_encoding *e, int k,
                                 struct lct_reader *r)
{
    const struct lct_key *key = &e->row->keys[k];
    size_t i = 0;

    if (!lct_is_letter(lct_read_peek(r)))
        return bad_value(r, lct_read_value(r), e, k);
    LCT_TRY(read_sum(&e->nested[k], r, key->family));
    while (key->family[i] != NULL && key->family[i] != e->nested[k]->row)
        i++;
    e->value[k] = (double)i;
    return LOCANT_OK;
}

locant_status lct_spec_read_value(locant_encoding *e, int k,
                                  struct lct_reader *r)
{
    if (lct_read_peek(r) == 0 || lct_read_peek(r) == ',' ||
        lct_read_peek(r) == ')')
        return lct_read_error(r, "a value");
    switch (e->row->keys[k].kind) {
    case LCT_NUMBER:
    case LCT_INTEGER: return read_number(e, k, r);
    case LCT_WORD:
    case LCT_SWITCH: return read_word(e, k, r);
    case LCT_LIST: return read_list(e, k, r);
    case LCT_EXPRESSION: return e->row->keys[k].read(e, k, r);
    case LCT_SPEC: break;
    }
    return read_nested(e, k, r);
}

static locant_status unknown_key(const struct lct_reader *r, struct lct_token t,
                                 const struct lct_encoding *row)
{
    char found[LCT_QUOTE_BYTES], suggest[240];

    lct_quote(found, r->text + t.at, t.n);
    if (row->keys == NULL || row->keys[0].name == NULL)
        return locant_fail(
            LOCANT_ERR_PARAM,
            "%s: unknown key '%s' at byte %zu: '%s' takes no keys", r->fn,
            found, t.at, row->info.name);
    lct_suggest(suggest, sizeof suggest, lct_key_name, row->keys,
                r->text + t.at, t.n);
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: unknown key '%s' of '%s' at byte %zu%s", r->fn,
                       found, row->info.name, t.at, suggest);
}

static locant_status given_twice(const struct lct_reader *r, struct lct_token t,
                                 const locant_encoding *e)
{
    char name[LCT_QUOTE_BYTES];

    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: key '%s' of '%s' is given a second time at byte "
                       "%zu",
                       r->fn, lct_quote(name, r->text + t.at, t.n),
                       e->row->info.name, t.at);
}

/* spec, after "name=": a key that the row does not list */
static locant_status read_other(locant_encoding *e, struct lct_token t,
                                struct lct_reader *r)
{
    int k = lct_key_count(e->row);

    for (; k < LCT_MAX_KEYS && e->text[k] != NULL; k++)
        if (strlen(e->text[k]) == t.n &&
            memcmp(e->text[k], r->text + t.at, t.n) == 0)
            return given_twice(r, t, e);
    if (k == LCT_MAX_KEYS)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: more than %d encodings in '%s' at byte %zu",
                           r->fn, LCT_MAX_KEYS - lct_key_count(e->row),
                           e->row->info.name, t.at);
    if (!lct_read_accept(r, '='))
        return lct_read_error(r, "'='");
    e->text[k] = lct_copy_text(r->text + t.at, t.n);
    if (e->text[k] == NULL)
        return no_memory(r);
    return read_sum(&e->nested[k], r, e->row->others);
}

/* key "=" value { "," key "=" value } ")", after "(" */
static locant_status read_keys(locant_encoding *e, struct lct_reader *r)
{
    bool given[LCT_MAX_KEYS] = { false };

    do {
        struct lct_token t;
        int k;

        LCT_TRY(lct_read_name(&t, r, "the name of a key"));
        k = lct_read_find(lct_key_name, e->row->keys, r, t);
        if (k < 0 && e->row->others != NULL) {
            LCT_TRY(read_other(e, t, r));
            continue;
        }
        if (k < 0)
            return unknown_key(r, t, e->row);
        if (given[k])
            return given_twice(r, t, e);
        given[k] = true;
        if (!lct_read_accept(r, '='))
            return lct_read_error(r, "'='");
        LCT_TRY(lct_spec_read_value(e, k, r));
    } while (lct_read_accept(r, ','));
    return lct_read_accept(r, ')') ? LOCANT_OK
                                   : lct_read_error(r, "',' or ')'");
}

/* Set keys that were left out to their defaults. */
static locant_status set_defaults(locant_encoding *e,
                                  const struct lct_reader *r)
{
    const struct lct_key *keys = e->row->keys;

    for (int k = 0; k < lct_key_count(e->row); k++) {
        struct lct_reader nested = { r->fn, "", 0, 0, r->depth };

        if (keys[k].kind == LCT_EXPRESSION)
            continue;
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

/* Set the canonical text, and call the encoding's own check. */
static locant_status finish(locant_encoding *e, const struct lct_reader *r)
{
    size_t n = lct_spec_print(NULL, 0, e);

    if (n > LCT_SPEC_BYTES)
        return locant_fail(
            LOCANT_ERR_PARAM,
            "%s: the canonical spec would have %zu bytes, expected at most %d",
            r->fn, n, LCT_SPEC_BYTES);
    e->spec = locant_alloc(n + 1);
    if (e->spec == NULL)
        return no_memory(r);
    lct_spec_print(e->spec, n + 1, e);
    LCT_TRY(lct_encoding_compose(e));
    if (e->row->check != NULL)
        LCT_TRY(e->row->check(e));
    return e->row->prepare != NULL ? e->row->prepare(e) : LOCANT_OK;
}

static locant_status fill(locant_encoding *e, struct lct_reader *r)
{
    LCT_TRY(set_defaults(e, r));
    if (e->row->read != NULL)
        LCT_TRY(e->row->read(e, r));
    else if (lct_read_accept(r, '(') && !lct_read_accept(r, ')'))
        LCT_TRY(read_keys(e, r));
    return finish(e, r);
}

static locant_status unknown_encoding(const struct lct_reader *r,
                                      struct lct_token t,
                                      const struct lct_encoding *const *family)
{
    char found[LCT_QUOTE_BYTES], suggest[320];

    lct_suggest(suggest, sizeof suggest, lct_family_name, family,
                r->text + t.at, t.n);
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: unknown encoding '%s' at byte %zu%s", r->fn,
                       lct_quote(found, r->text + t.at, t.n), t.at, suggest);
}

static locant_status read_spec(locant_encoding **out, struct lct_reader *r,
                               const struct lct_encoding *const *family)
{
    locant_encoding *e;
    struct lct_token t;
    locant_status status;
    int i;

    LCT_TRY(lct_read_name(&t, r, "the name of an encoding"));
    i = lct_read_find(lct_family_name, family, r, t);
    if (i < 0)
        return unknown_encoding(r, t, family);
    if (r->depth >= LCT_SPEC_DEPTH)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: specs nested deeper than %d at byte %zu", r->fn,
                           LCT_SPEC_DEPTH, t.at);
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

/* part { "+" part }, only for encodings, not for other families */
static locant_status read_sum(locant_encoding **out, struct lct_reader *r,
                              const struct lct_encoding *const *family)
{
    locant_encoding *e = NULL, *sum;
    locant_status status = LOCANT_OK;

    LCT_TRY(read_spec(&e, r, family));
    if (family != lct_encodings || lct_read_peek(r) != '+') {
        lct_encoding_release(*out);
        *out = e;
        return LOCANT_OK;
    }
    sum = locant_alloc(sizeof *sum);
    if (sum == NULL) {
        lct_encoding_release(e);
        return no_memory(r);
    }
    sum->row = &lct_enc_sum;
    sum->nested[0] = e;
    for (int n = 1; status == LOCANT_OK && lct_read_accept(r, '+'); n++) {
        if (n == LCT_MAX_PARTS)
            status = locant_fail(LOCANT_ERR_PARAM,
                                 "%s: more than %d encodings added at byte %zu",
                                 r->fn, LCT_MAX_PARTS, r->at);
        else
            status = read_spec(&sum->nested[n], r, family);
    }
    if (status == LOCANT_OK)
        status = finish(sum, r);
    if (status != LOCANT_OK) {
        lct_encoding_release(sum);
        return status;
    }
    lct_encoding_release(*out);
    *out = sum;
    return LOCANT_OK;
}

locant_status lct_spec_parse(locant_encoding **out, const char *fn,
                             const char *text,
                             const struct lct_encoding *const *family)
{
    struct lct_reader r = { fn, text, 0, 0, 0 };
    locant_encoding *e = NULL;

    *out = NULL;
    if (text == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: spec is NULL", fn);
    while (r.size <= LCT_SPEC_BYTES && text[r.size] != 0)
        r.size++;
    if (r.size > LCT_SPEC_BYTES)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: the spec has more than %d bytes", fn,
                           LCT_SPEC_BYTES);
    LCT_TRY(read_sum(&e, &r, family));
    if (lct_read_peek(&r) != 0) {
        lct_encoding_release(e);
        return lct_read_error(&r, "the end of the spec");
    }
    *out = e;
    return LOCANT_OK;
}
