/* text.h - texts: put together piece by piece, copied, compared */
#ifndef LCT_TEXT_H
#define LCT_TEXT_H
#include "locant/core.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Append to 'text' as by printf(); it is cut where its 'size' bytes end. */
static inline void LOCANT_PRINTF(3, 4)
    lct_append(char *text, size_t size, const char *format, ...)
{
    const size_t n = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text + n, size - n, format, arguments);
    va_end(arguments);
}
/* The same of an array of characters. */
#define LCT_APPEND(text, ...) lct_append(text, sizeof(text), __VA_ARGS__)

/* n bytes of text and a zero, to be released; NULL without memory. */
static inline char *lct_copy_text(const char *text, size_t n)
{
    char *copy = locant_alloc(n + 1);

    if (copy != NULL) {
        memcpy(copy, text, n);
        copy[n] = '\0';
    }
    return copy;
}

static inline bool lct_ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Is the word one of 'words', between which are blanks? */
static inline bool lct_is_among(const char *words, const char *word)
{
    const size_t n = strlen(word);

    if (n == 0 || strchr(word, ' ') != NULL)
        return false;
    for (const char *at = words; (at = strstr(at, word)) != NULL; at++)
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

/* out = the next of 'words', which are shorter than 'size'; false past the last
   one: for (const char *at = words; lct_next_word(out, size, &at);) */
static inline bool lct_next_word(char *out, size_t size, const char **words)
{
    const size_t n = strcspn(*words, " ");

    (void)snprintf(out, size, "%.*s", (int)n, *words);
    *words += n + ((*words)[n] == ' ');
    return n > 0;
}

/* What stands behind the last slash of a path. */
static inline const char *lct_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}
#endif
