/* json.c - see json.h */
#include "json.h"
#include "../core/quote.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

locant_status lct_json_fail(const struct lct_json *r, size_t at,
                            const char *format, ...)
{
    char what[320];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return locant_fail(LOCANT_ERR_FORMAT, "%s: header[byte %zu]: %s%s", r->file,
                       r->base + at, r->where, what);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

char lct_json_peek(struct lct_json *r)
{
    while (r->at < r->end && is_blank(r->text[r->at]))
        r->at++;
    return r->at < r->end ? r->text[r->at] : 0;
}

bool lct_json_accept(struct lct_json *r, char c)
{
    if (lct_json_peek(r) != c)
        return false;
    r->at++;
    return true;
}

static locant_status syntax_error(struct lct_json *r, const char *wanted)
{
    char found[LCT_QUOTE_BYTES];

    lct_json_peek(r);
    if (r->at == r->end)
        return lct_json_fail(r, r->at, "the header ends, %s expected", wanted);
    return lct_json_fail(r, r->at, "found '%s', %s expected",
                         lct_quote(found, r->text + r->at, 1), wanted);
}

/* One past the string whose opening quote is at 'at'. */
static size_t skip_string(const struct lct_json *r, size_t at)
{
    for (at++; at < r->end && r->text[at] != '"'; at++)
        if (r->text[at] == '\\')
            at++;
    return at < r->end ? at + 1 : r->end;
}

/* Count one byte outside of strings; return the depth after it. */
static int count_byte(struct lct_extent *out, char c, int depth)
{
    bool closes = c == ']' || c == '}';

    if (depth == 1 && !is_blank(c) && !closes && out->members == 0)
        out->members = 1;
    if (c == ',') {
        out->commas++;
        out->members += depth == 1;
    }
    if (c == '{' || c == '[') {
        out->containers++;
        depth++;
    }
    return closes ? depth - 1 : depth;
}

locant_status lct_json_measure(struct lct_extent *out, const struct lct_json *r)
{
    size_t at = r->at;
    int depth = 0;

    memset(out, 0, sizeof *out);
    while (at < r->end) {
        char c = r->text[at];

        depth = count_byte(out, c, depth);
        if (depth > LCT_JSON_DEPTH)
            return lct_json_fail(r, at, "nested deeper than %d",
                                 LCT_JSON_DEPTH);
        at = c == '"' ? skip_string(r, at) : at + 1;
        if (depth == 0) {
            out->end = at;
            return LOCANT_OK;
        }
    }
    return lct_json_fail(r, at, "the header ends inside of a value");
}

static locant_status jansson_error(const struct lct_json *r,
                                   const json_error_t *error)
{
    char what[LCT_QUOTE_BYTES];
    size_t at = r->at + (error->position > 0 ? (size_t)error->position : 0);

    switch (json_error_code(error)) {
    case json_error_out_of_memory:
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for the header",
                           r->file);
    case json_error_numeric_overflow:
        return lct_json_fail(r, at,
                             "a number is too large, at most 2^63-1 is "
                             "allowed");
    case json_error_null_character:
    case json_error_null_byte_in_key:
        return lct_json_fail(r, at, "a string contains NUL");
    default:
        return lct_json_fail(r, at, "%s",
                             lct_quote(what, error->text, strlen(error->text)));
    }
}

/* Parse one name or value with jansson; duplicate names are an error. */
static locant_status load(json_t **out, struct lct_json *r)
{
    json_error_t error;

    *out = json_loadb(r->text + r->at, r->end - r->at,
                      JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK |
                          JSON_REJECT_DUPLICATES,
                      &error);
    if (*out == NULL)
        return jansson_error(r, &error);
    r->at += (size_t)error.position;
    return LOCANT_OK;
}

locant_status lct_json_member(json_t **name, size_t *name_at, int *state,
                              struct lct_json *r)
{
    bool first = *state == 0;

    *name = NULL;
    if (first && !lct_json_accept(r, '{'))
        return syntax_error(r, "'{'");
    *state = 1;
    if (lct_json_accept(r, '}'))
        return LOCANT_OK;
    if (!first && !lct_json_accept(r, ','))
        return syntax_error(r, "',' or '}'");
    if (lct_json_peek(r) != '"')
        return syntax_error(r, "a name in quotes");
    *name_at = r->base + r->at;
    LCT_TRY(load(name, r));
    if (lct_json_accept(r, ':'))
        return LOCANT_OK;
    json_decref(*name);
    *name = NULL;
    return syntax_error(r, "':'");
}

static const char *const types[] = {
    [JSON_OBJECT] = "an object",   [JSON_ARRAY] = "an array",
    [JSON_STRING] = "a string",    [JSON_INTEGER] = "an integer",
    [JSON_REAL] = "a real number", [JSON_TRUE] = "true",
    [JSON_FALSE] = "false",        [JSON_NULL] = "null",
};

/*
 * Fail if jansson's tree of the next value would take too much memory: the tree
 * of "[],[],.." takes sixty times its text.  On 64 bits jansson 2.14 takes 200
 * bytes for an object, 104 for an array, 64 for a member with its name, and 8
 * for an element of an array, doubled while it grows.  A valid header needs
 * less than 48 KiB; a tree may take this and twice the bytes read so far.
 */
static locant_status check_tree(const struct lct_json *r)
{
    struct lct_extent x;
    size_t read = r->base + r->end;

    LCT_TRY(lct_json_measure(&x, r));
    if (x.containers * 208 + x.commas * 96 > 2 * read + 48 * 1024)
        return lct_json_fail(r, r->at,
                             "a value of %zu objects and arrays is too large",
                             x.containers);
    return LOCANT_OK;
}

locant_status lct_json_value(json_t **out, struct lct_json *r, json_type type,
                             const char *what)
{
    char c = lct_json_peek(r);
    size_t at = r->at;
    json_type found;

    if (r->at == r->end || c == ',' || c == '}' || c == ']')
        return syntax_error(r, "a value");
    if (c == '[' || c == '{')
        LCT_TRY(check_tree(r));
    LCT_TRY(load(out, r));
    found = json_typeof(*out);
    if (type == JSON_NULL || found == type)
        return LOCANT_OK;
    json_decref(*out);
    *out = NULL;
    return lct_json_fail(r, at, "%s: is %s, %s required", what, types[found],
                         types[type]);
}
