/* spec_read.c - the text of a spec, token by token */
#include "spec_read.h"
#include "../core/quote.h"
#include <string.h>

/* isalpha() and isdigit() would depend on the locale. */
bool lct_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_number_byte(char c)
{
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+';
}

static bool is_name_byte(char c)
{
    return lct_is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
}

static void skip_blanks(struct lct_reader *r)
{
    while (r->at < r->size && strchr(" \t\r\n", r->text[r->at]) != NULL)
        r->at++;
}

char lct_read_peek(struct lct_reader *r)
{
    skip_blanks(r);
    return r->at < r->size ? r->text[r->at] : 0;
}

bool lct_read_accept(struct lct_reader *r, char c)
{
    if (lct_read_peek(r) != c)
        return false;
    r->at++;
    return true;
}

locant_status lct_read_error(struct lct_reader *r, const char *wanted)
{
    char found[LCT_QUOTE_BYTES];

    if (lct_read_peek(r) == 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: the spec ends at byte %zu, expected %s", r->fn,
                           r->at, wanted);
    return locant_fail(
        LOCANT_ERR_PARAM, "%s: found '%s' at byte %zu of the spec, expected %s",
        r->fn, lct_quote(found, r->text + r->at, 1), r->at, wanted);
}

locant_status lct_read_name(struct lct_token *out, struct lct_reader *r,
                            const char *wanted)
{
    if (!lct_is_letter(lct_read_peek(r)))
        return lct_read_error(r, wanted);
    out->at = r->at;
    while (r->at < r->size && is_name_byte(r->text[r->at]))
        r->at++;
    out->n = r->at - out->at;
    return LOCANT_OK;
}

int lct_read_find(lct_name_at at, const void *list, const struct lct_reader *r,
                  struct lct_token t)
{
    const char *name;

    for (size_t i = 0; (name = at(list, i)) != NULL; i++)
        if (strlen(name) == t.n && memcmp(name, r->text + t.at, t.n) == 0)
            return (int)i;
    return -1;
}

struct lct_token lct_read_value(struct lct_reader *r)
{
    struct lct_token t = { 0, 0 };

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
