/*
 * npy_header.c - the header of a .npy file.
 *
 * NumPy Enhancement Proposal 1 and numpy/lib/format.py: magic, version, length,
 * then a Python dictionary with the keys descr, fortran_order and shape.  The
 * dictionary is parsed by this grammar; nothing is evaluated:
 *
 *     header = "{" entry { "," entry } [ "," ] "}" { blank }
 *     entry  = "descr" ":" string | "fortran_order" ":" ( "True" | "False" )
 *            | "shape" ":" "(" [ size "," [ size { "," size } [ "," ] ] ] ")"
 *     size   = digits [ "L" ]      the L of Python 2, versions 1.0 and 2.0
 *
 * with the keys quoted, in any order, each once.
 */
#include "../core/quote.h"
#include "json.h"
#include "npy.h"
#include "path.h"
#include <inttypes.h>
#include <string.h>

struct reader {
    struct lct_json text;
    int version;
};

struct token {
    const char *text;
    size_t n;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word_byte(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           c == '_' || c == '.';
}

/* Quote the next word or byte for a message. */
static const char *quote_next(char out[LCT_QUOTE_BYTES], struct lct_json *r)
{
    size_t n = lct_json_peek(r) == '-';

    while (r->at + n < r->end && is_word_byte(r->text[r->at + n]))
        n++;
    if (n == 0 && r->at < r->end)
        n = 1;
    return lct_quote(out, r->text + r->at, n);
}

static locant_status syntax_error(struct lct_json *r, const char *wanted)
{
    char found[LCT_QUOTE_BYTES];

    quote_next(found, r);
    if (r->at == r->end)
        return lct_json_fail(r, r->at, "the header ends, %s expected", wanted);
    return lct_json_fail(r, r->at, "found '%s', %s expected", found, wanted);
}

/* A quoted string of printable ASCII without escapes. */
static locant_status read_string(struct token *out, struct lct_json *r,
                                 const char *wanted)
{
    char quote = lct_json_peek(r);

    if (quote != '\'' && quote != '"')
        return syntax_error(r, wanted);
    r->at++;
    out->text = r->text + r->at;
    while (r->at < r->end && r->text[r->at] != quote) {
        unsigned char c = (unsigned char)r->text[r->at];

        if (c < 0x20 || c > 0x7e || c == '\\')
            return syntax_error(r, "printable ASCII in a string");
        r->at++;
    }
    if (r->at == r->end)
        return syntax_error(r, "the closing quote of a string");
    out->n = (size_t)(r->text + r->at - out->text);
    r->at++;
    return LOCANT_OK;
}

static bool is(struct token t, const char *text)
{
    return t.n == strlen(text) && memcmp(t.text, text, t.n) == 0;
}

/* -------------------------------------------------------------- the values */

static const struct {
    const char *code;
    locant_dtype dtype;
} codes[] = {
    { "f4", LOCANT_F32 }, { "f8", LOCANT_F64 }, { "f2", LOCANT_F16 },
    { "i4", LOCANT_I32 }, { "i8", LOCANT_I64 }, { "V2", LOCANT_BF16 },
    { "u1", LOCANT_U8 },  { "b1", LOCANT_U8 },
};

static locant_status unsupported(const struct lct_json *r, struct token t)
{
    char found[LCT_QUOTE_BYTES];
    bool objects = is(t, "|O") || is(t, "O");

    return locant_fail(LOCANT_ERR_UNSUPPORTED,
                       "%s: header: descr: '%s'%s; known: <f4 <f8 <f2 <i4 <i8 "
                       "|u1 |b1, <V2 for bfloat16, and > for <",
                       r->file, lct_quote(found, t.text, t.n),
                       objects ? ", pickled objects are never read" : "");
}

static locant_status read_descr(struct lct_npy *out, struct reader *reader)
{
    struct lct_json *r = &reader->text;
    char found[LCT_QUOTE_BYTES];
    struct token t = { "", 0 }, code;
    size_t i = 0;
    bool ordered;

    if (lct_json_accept(r, '['))
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: header[byte %zu]: "
                           "descr: a structured dtype, numbers are needed",
                           r->file, r->at - 1);
    LCT_TRY(read_string(&t, r, "the string of descr"));
    ordered = t.n > 0 && strchr("<>|=", t.text[0]) != NULL;
    code.text = t.text + ordered;
    code.n = t.n - ordered;
    while (i < sizeof codes / sizeof codes[0] && !is(code, codes[i].code))
        i++;
    if (i == sizeof codes / sizeof codes[0])
        return unsupported(r, t);
    out->dtype = codes[i].dtype;
    /* NumPy writes '|V2' for an array that it read as '<V2'. */
    if (is(t, "|V2") || out->dtype == LOCANT_U8)
        out->swap = false;
    else if (ordered && (t.text[0] == '<' || t.text[0] == '>'))
        out->swap = t.text[0] != lct_npy_native();
    else
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: header: descr: '%s' tells "
                           "no byte order, '<' or '>' is needed",
                           r->file, lct_quote(found, t.text, t.n));
    return LOCANT_OK;
}

static locant_status read_order(struct lct_npy *out, struct reader *reader)
{
    struct lct_json *r = &reader->text;
    struct token t;

    lct_json_peek(r);
    t.text = r->text + r->at;
    t.n = 0;
    while (r->at + t.n < r->end && is_word_byte(t.text[t.n]))
        t.n++;
    if (!is(t, "True") && !is(t, "False"))
        return syntax_error(r, "True or False for fortran_order");
    r->at += t.n;
    out->fortran = is(t, "True");
    return LOCANT_OK;
}

static locant_status bad_size(struct lct_json *r, int i, const char *wanted)
{
    char found[LCT_QUOTE_BYTES];

    quote_next(found, r);
    return lct_json_fail(r, r->at, "shape[%d]: '%s', %s", i, found, wanted);
}

static locant_status read_size(int64_t *out, struct reader *reader, int i)
{
    struct lct_json *r = &reader->text;
    size_t start, at;
    int64_t value = 0;

    lct_json_peek(r);
    start = at = r->at;
    for (; at < r->end && is_digit(r->text[at]); at++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, r->text[at] - '0', &value))
            return bad_size(r, i, "at most 2^63-1 is allowed");
    if (at == start)
        return bad_size(r, i, "decimal digits, 0 to 2^63-1, expected");
    if (at - start > 1 && r->text[start] == '0')
        return bad_size(r, i, "a size has no leading zero");
    if (at < r->end && r->text[at] == 'L' && reader->version < 3)
        at++;
    if (at < r->end && is_word_byte(r->text[at]))
        return bad_size(r, i, "only decimal digits are allowed");
    r->at = at;
    *out = value;
    return LOCANT_OK;
}

static locant_status read_shape(struct lct_npy *out, struct reader *reader)
{
    struct lct_json *r = &reader->text;
    bool comma = true;

    if (!lct_json_accept(r, '('))
        return syntax_error(r, "the '(' of a tuple for shape");
    for (out->rank = 0; !lct_json_accept(r, ')'); out->rank++) {
        if (!comma)
            return syntax_error(r, "',' or ')' of shape");
        if (out->rank == LOCANT_MAX_RANK)
            return locant_fail(LOCANT_ERR_UNSUPPORTED,
                               "%s: header[byte %zu]: "
                               "shape: more than %d dimensions",
                               r->file, r->at, LOCANT_MAX_RANK);
        LCT_TRY(read_size(&out->shape[out->rank], reader, out->rank));
        comma = lct_json_accept(r, ',');
    }
    if (out->rank == 1 && !comma)
        return lct_json_fail(r, r->at - 1,
                             "shape: a number in parentheses, a tuple "
                             "(%" PRId64 ",) is needed",
                             out->shape[0]);
    return LOCANT_OK;
}

/* ---------------------------------------------------------- the dictionary */

static const struct {
    const char *name;
    locant_status (*read)(struct lct_npy *out, struct reader *r);
} keys[] = {
    { "descr", read_descr },
    { "fortran_order", read_order },
    { "shape", read_shape },
};
enum { KEYS = sizeof keys / sizeof keys[0] };

static locant_status read_entry(struct lct_npy *out, struct reader *reader,
                                bool seen[KEYS])
{
    struct lct_json *r = &reader->text;
    char found[LCT_QUOTE_BYTES];
    struct token t = { "", 0 };
    size_t at, k = 0;

    lct_json_peek(r);
    at = r->at;
    LCT_TRY(read_string(&t, r, "a quoted key or '}'"));
    lct_quote(found, t.text, t.n);
    while (k < KEYS && !is(t, keys[k].name))
        k++;
    if (k == KEYS)
        return lct_json_fail(r, at,
                             "unknown key '%s'; known: descr, fortran_order, "
                             "shape",
                             found);
    if (seen[k])
        return lct_json_fail(r, at, "key '%s' a second time", found);
    seen[k] = true;
    if (!lct_json_accept(r, ':'))
        return syntax_error(r, "':'");
    return keys[k].read(out, reader);
}

static locant_status read_dictionary(struct lct_npy *out, struct reader *reader)
{
    struct lct_json *r = &reader->text;
    bool seen[KEYS] = { false };
    bool comma = true;

    if (!lct_json_accept(r, '{'))
        return syntax_error(r, "'{'");
    while (!lct_json_accept(r, '}')) {
        if (!comma)
            return syntax_error(r, "',' or '}'");
        LCT_TRY(read_entry(out, reader, seen));
        comma = lct_json_accept(r, ',');
    }
    for (int k = 0; k < KEYS; k++)
        if (!seen[k])
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: header: key '%s' is missing", r->file,
                               keys[k].name);
    lct_json_peek(r);
    return r->at == r->end ? LOCANT_OK
                           : syntax_error(r, "blanks to the end of the header");
}

/* --------------------------------------------------------------- the frame */

static const char magic[] = "\x93NUMPY";

static locant_status check_magic(const char *file, const char *text,
                                 size_t size)
{
    size_t n = size < 6 ? size : 6;

    if (size >= 4 && memcmp(text, "PK\x03\x04", 4) == 0)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: magic: this is a zip "
                           "archive; .npz is not read, only .npy",
                           file);
    if (memcmp(text, magic, n) != 0) {
        char found[LCT_QUOTE_BYTES];

        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: magic: '%s', '\\x93NUMPY' "
                           "expected",
                           file, lct_quote(found, text, n));
    }
    if (size < 10)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: truncated: %zu bytes, 10 "
                           "needed for magic, version and header length",
                           file, size);
    return LOCANT_OK;
}

static size_t little_endian(const char *text, int n)
{
    size_t value = 0;

    for (int i = n - 1; i >= 0; i--)
        value = value << 8 | (unsigned char)text[i];
    return value;
}

/* Version 1.0 has two bytes for the length of the header, later ones four. */
static size_t header_start(int version)
{
    return version > 1 ? 12 : 10;
}

locant_status lct_npy_frame(size_t *end, const char *file, const char *bytes,
                            size_t size)
{
    int version;
    size_t at, length;

    file = lct_path_tail(file);
    LCT_TRY(check_magic(file, bytes, size));
    version = (unsigned char)bytes[6];
    if (version < 1 || version > 3 || bytes[7] != 0)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: version: %d.%d; 1.0, 2.0, 3.0 known", file,
                           version, (unsigned char)bytes[7]);
    at = header_start(version);
    if (size < at)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: truncated: %zu bytes, %zu "
                           "needed for the header length",
                           file, size, at);
    length = little_endian(bytes + 8, (int)at - 8);
    if (length > LCT_NPY_HEADER_MAX)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: header length: %zu, at most %d allowed", file,
                           length, LCT_NPY_HEADER_MAX);
    if (length > size - at)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: truncated: the header has "
                           "%zu bytes, %zu remain",
                           file, length, size - at);
    *end = at + length;
    return LOCANT_OK;
}

locant_status lct_npy_header(struct lct_npy *out, const char *file,
                             const char *bytes, size_t end)
{
    const int version = (unsigned char)bytes[6];
    struct reader r = { { lct_path_tail(file), "", bytes, header_start(version),
                          end, 0 },
                        version };

    out->data = end;
    return read_dictionary(out, &r);
}
