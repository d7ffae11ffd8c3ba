/* suggest.h - names that a message suggests for a wrong one */
#ifndef LCT_SUGGEST_H
#define LCT_SUGGEST_H
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Only so many bytes of a name are compared, to bound the work. */
enum { LCT_COMPARED = 64 };

/* Name i of a list, NULL past its end. */
typedef const char *(*lct_name_at)(const void *list, size_t i);

static inline char lct_suggest_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static inline size_t lct_suggest_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * Levenshtein distance without regard to case, row by row: row[j] is the
 * distance of the first i bytes of a to the first j of b.
 */
static inline size_t lct_edits(const char *a, size_t n, const char *b, size_t m)
{
    size_t row[LCT_COMPARED + 1];

    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t change = diagonal + (lct_suggest_lower(a[i - 1]) !=
                                        lct_suggest_lower(b[j - 1]));

            diagonal = row[j];
            row[j] = lct_suggest_least(
                change, lct_suggest_least(row[j], row[j - 1]) + 1);
        }
    }
    return row[m];
}

/*
 * The nearest name in the list of which at least half is right, or which has
 * all letters of the text in order; NULL if there is none.
 */
static inline const char *lct_nearest(lct_name_at at, const void *list,
                                      const char *text, size_t n)
{
    const char *name, *found = NULL;
    size_t best = 0;

    n = lct_suggest_least(n, LCT_COMPARED);
    for (size_t i = 0; (name = at(list, i)) != NULL; i++) {
        size_t m = lct_suggest_least(strlen(name), LCT_COMPARED);
        size_t d = lct_edits(text, n, name, m);
        bool near = d <= (n > m ? n : m) / 2 || (n > 0 && n + d == m);

        if (near && (found == NULL || d < best)) {
            best = d;
            found = name;
        }
    }
    return found;
}

/* "; did you mean 'alibi'? known: alibi, rope", to follow an unknown name;
   names that do not fit are "...". */
static inline void lct_suggest(char *out, size_t size, lct_name_at at,
                               const void *list, const char *text, size_t n)
{
    const char *name, *near = lct_nearest(at, list, text, n);
    const char *lead = near != NULL ? " known: " : "; known: ";
    size_t used = 0;

    out[0] = 0;
    if (near != NULL)
        used = (size_t)snprintf(out, size, "; did you mean '%s'?", near);
    for (size_t i = 0; (name = at(list, i)) != NULL; i++, lead = ", ") {
        const bool fits =
            used + strlen(lead) + strlen(name) + sizeof ", ..." <= size;

        if (used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s",
                                     fits ? lead : ", ", fits ? name : "...");
        if (!fits)
            return;
    }
}
#endif
