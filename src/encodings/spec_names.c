/* spec_names.c - names and ranges that messages suggest for a wrong one */
#include "spec.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Only so many bytes of a name are compared, to bound the work. */
enum { COMPARED = 64 };

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

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * Levenshtein distance without regard to case, row by row: row[j] is the
 * distance of the first i bytes of a to the first j of b.
 */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t row[COMPARED + 1];

    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t change = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));

            diagonal = row[j];
            row[j] = least(change, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[m];
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

/*
 * The nearest name in the list of which at least half is right, or which has
 * all letters of the text in order; NULL if there is none.
 */
static const char *nearest(lct_name_at at, const void *list, const char *text,
                           size_t n)
{
    const char *name, *found = NULL;
    size_t best = 0;

    n = least(n, COMPARED);
    for (size_t i = 0; (name = at(list, i)) != NULL; i++) {
        size_t m = least(strlen(name), COMPARED);
        size_t d = distance(text, n, name, m);
        bool near = d <= (n > m ? n : m) / 2 || (n > 0 && n + d == m);

        if (near && (found == NULL || d < best)) {
            best = d;
            found = name;
        }
    }
    return found;
}

void lct_suggest(char *out, size_t size, lct_name_at at, const void *list,
                 const char *text, size_t n)
{
    const char *name, *near = nearest(at, list, text, n);
    const char *first = near != NULL ? " known: " : "; known: ";

    out[0] = 0;
    if (near != NULL)
        append(out, size, "; did you mean '%s'?", near);
    for (size_t i = 0; (name = at(list, i)) != NULL; i++) {
        const char *lead = i > 0 ? ", " : first;

        if (strlen(out) + strlen(lead) + strlen(name) + sizeof ", ..." > size) {
            append(out, size, ", ...");
            return;
        }
        append(out, size, "%s%s", lead, name);
    }
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
