/* document.c - see document.h */
#include "document.h"
#include "../core/quote.h"
#include "../core/text.h"
#include "io.h"
#include "path.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* One past the string whose opening quote is at 'at'. */
static size_t skip_string(const char *text, size_t n, size_t at)
{
    for (at++; at < n && text[at] != '"'; at++)
        if (text[at] == '\\')
            at++;
    return at < n ? at + 1 : n;
}

/* The length of a number that JSON does not know at the start of the text. */
static size_t no_json_number(const char *text, size_t n)
{
    static const char *const words[] = { "-Infinity", "Infinity", "NaN" };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (n >= strlen(words[i]) &&
            memcmp(text, words[i], strlen(words[i])) == 0)
            return strlen(words[i]);
    return 0;
}

/*
 * Copy the text with null for such numbers, and count its objects and arrays.
 * 'out' has 4/3 of its bytes, for "null" in place of "NaN".
 */
static size_t copy_text(char *out, size_t *containers, const char *text,
                        size_t n)
{
    size_t used = 0;

    *containers = 0;
    for (size_t at = 0; at < n;) {
        const size_t word = no_json_number(text + at, n - at);
        size_t end = at + 1;

        if (word > 0) {
            memcpy(out + used, "null", 4);
            used += 4;
            at += word;
            continue;
        }
        if (text[at] == '"')
            end = skip_string(text, n, at);
        *containers += text[at] == '{' || text[at] == '[';
        memcpy(out + used, text + at, end - at);
        used += end - at;
        at = end;
    }
    return used;
}

static locant_status parse_error(const json_error_t *error, const char *name)
{
    char what[LCT_QUOTE_BYTES];

    if (json_error_code(error) == json_error_out_of_memory)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for it", name);
    return locant_fail(LOCANT_ERR_FORMAT, "%s: line %d, column %d: %s", name,
                       error->line, error->column,
                       lct_quote(what, error->text, strlen(error->text)));
}

static locant_status load(json_t **out, const char *text, size_t n,
                          const char *name)
{
    json_error_t error;
    json_t *root = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error);

    if (root == NULL)
        return parse_error(&error, name);
    if (!json_is_object(root)) {
        json_decref(root);
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: is an array, an object is required", name);
    }
    *out = root;
    return LOCANT_OK;
}

locant_status lct_document_parse(json_t **out, const char *text, size_t n,
                                 const char *name, size_t containers)
{
    locant_status status;
    size_t found, length;
    char *copy;

    *out = NULL;
    name = lct_path_tail(name);
    if (n > LCT_DOCUMENT_MAX)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: has %zu bytes, at most %d allowed", name, n,
                           LCT_DOCUMENT_MAX);
    copy = locant_alloc(n + n / 3 + 1);
    if (copy == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for it", name);
    length = copy_text(copy, &found, text, n);
    if (found > containers)
        status = locant_fail(LOCANT_ERR_FORMAT,
                             "%s: has %zu objects and arrays, at most %zu "
                             "allowed",
                             name, found, containers);
    else
        status = load(out, copy, length, name);
    locant_release(copy);
    return status;
}

locant_status lct_document_read(json_t **out, const char *path,
                                size_t containers)
{
    locant_status status;
    size_t size;
    void *text;

    *out = NULL;
    LCT_TRY(lct_read_file(&text, &size, path, LCT_DOCUMENT_MAX));
    status = lct_document_parse(out, text, size, path, containers);
    locant_release(text);
    return status;
}

locant_status lct_document_text(char **out, size_t *size, json_t *value,
                                size_t flags, const char *fn)
{
    char *text = value != NULL ? json_dumps(value, flags) : NULL;
    const size_t n = text != NULL ? strlen(text) : 0;

    json_decref(value);
    *out = text != NULL ? lct_copy_text(text, n) : NULL;
    free(text);
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", fn);
    if (size != NULL)
        *size = n;
    return LOCANT_OK;
}
