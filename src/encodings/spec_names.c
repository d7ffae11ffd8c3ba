/* spec_names.c - names and ranges that messages suggest for a wrong one */
#include "spec.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *lct_family_name(const void *family, size_t i)
{
    const struct lct_encoding *const *rows = family;

    return rows[i] != NULL ? rows[i]->info.name : NULL;
}

const char *lct_key_name(const void *keys, size_t i)
{
    return keys != NULL ? ((const struct lct_key *)keys)[i].name : NULL;
}

const char *lct_word_name(const void *words, size_t i)
{
    return ((const char *const *)words)[i];
}

/* Append to a text; what does not fit is dropped. */
static void append(char *out, size_t size, const char *format, ...)
    LOCANT_PRINTF(3, 4);
static void append(char *out, size_t size, const char *format, ...)
{
    size_t used = strlen(out);
    va_list args;

    va_start(args, format);
    if (used < size)
        vsnprintf(out + used, size - used, format, args);
    va_end(args);
}

static void choices(char *out, size_t size, lct_name_at at, const void *list)
{
    const char *name;

    for (size_t i = 0; (name = at(list, i)) != NULL; i++)
        append(out, size, "%s%s", i > 0 ? " | " : "", name);
}

static void interval(char *out, size_t size, const struct lct_key *key)
{
    bool low = key->min > -1e300, high = key->max < 1e300;
    char min[LCT_NUMBER_BYTES] = "", max[LCT_NUMBER_BYTES] = "";

    if (low)
        lct_number_print(min, key->min);
    if (high)
        lct_number_print(max, key->max);
    if (low && high && !key->min_open)
        append(out, size, "%s .. %s", min, max);
    else if (low)
        append(out, size, "%s %s", key->min_open ? ">" : ">=", min);
    if (high && (!low || key->min_open))
        append(out, size, "%s<= %s", low ? " and " : "", max);
}

void lct_key_range(char *out, size_t size, const struct lct_key *key)
{
    out[0] = 0;
    switch (key->kind) {
    case LCT_NUMBER:
    case LCT_INTEGER:
    case LCT_LIST: interval(out, size, key); break;
    case LCT_EXPRESSION:
    case LCT_WORD: choices(out, size, lct_word_name, key->words); break;
    case LCT_SWITCH: append(out, size, "yes | no"); break;
    case LCT_SPEC:
        if (key->family == lct_encodings)
            append(out, size, "any encoding, or several with + between");
        else
            choices(out, size, lct_family_name, key->family);
        break;
    }
}
