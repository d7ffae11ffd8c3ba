/* chinese.h - finds English sentences that a Chinese reader of a page sees */
#ifndef CHINESE_H
#define CHINESE_H
#include "testing.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Does an element 'name' open at p, with a tag that contains 'with'? */
static inline bool opens(const char *p, const char *name, const char *with)
{
    size_t n = strlen(name), tag = strcspn(p, ">");

    return p[0] == '<' && strncmp(p + 1, name, n) == 0 &&
           (p[n + 1] == ' ' || p[n + 1] == '>') &&
           memmem(p, tag, with, strlen(with)) != NULL;
}

/* The last byte of the element that opens at p; others of its name may be
 * nested in it. */
static inline const char *end_of(const char *p, const char *name)
{
    char open[32], close[32];
    int depth = 0;

    snprintf(open, sizeof open, "<%s", name);
    snprintf(close, sizeof close, "</%s>", name);
    for (; *p; p++) {
        if (opens(p, name, ""))
            depth++;
        if (strncmp(p, close, strlen(close)) == 0 && --depth == 0)
            return p + strlen(close) - 1;
    }
    FAIL("%s is not closed", name);
    return p;
}

/* The text that a Chinese reader sees, with line ends for tags and without
 * formulas and names; memory of malloc(). */
static inline char *chinese_of(const char *page)
{
    static const struct {
        const char *name, *with;
    } left[] = {
        { "style", "" },
        { "title", "" },
        { "span", "class=\"en\"" },
        { "text", " en\"" },
        { "text", " en " },
        { "code", "" },
        { "label", "lang=\"en\"" },
        { "script", "" },
        { "pre", "" },
        { "cite", "" },
    };
    char *out = calloc(strlen(page) + 1, 1);
    size_t n = 0;

    CHECK(out != NULL);
    for (const char *p = page; *p; p++) {
        size_t i = 0;

        while (i < LEN(left) && !opens(p, left[i].name, left[i].with))
            i++;
        if (i < LEN(left))
            p = end_of(p, left[i].name);
        else if (*p == '<')
            p += strcspn(p, ">");
        out[n++] = i < LEN(left) || *p == '>' ? '\n' : *p;
    }
    return out;
}

/* The first English sentence, or NULL: four words of small letters in a row,
 * with nothing but blanks between them. */
static inline const char *english(const char *text)
{
    int words = 0;
    const char *start = text;

    while (*text) {
        size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz");
        bool whole = n >= 2 && (text[n] == ' ' || text[n] == ',' ||
                                text[n] == '.' || text[n] == '\n');

        start = words == 0 ? text : start;
        words = whole ? words + 1 : n > 0 || *text != ' ' ? 0 : words;
        if (words == 4)
            return start;
        text += n > 0 ? n : 1;
    }
    return NULL;
}

static inline void check_chinese(const char *page, const char *what)
{
    char *text = chinese_of(page);
    const char *found = english(text);

    if (found)
        FAIL("%s: no Chinese of '%.80s'", what, found);
    free(text);
}
#endif
