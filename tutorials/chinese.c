/* chinese.c - the Chinese of what the rows print and draw. */
#include "chinese.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* Those of a document follow the shared ones, over which they win. */
static const struct translation {
    const char *english, *chinese;
    char document; /* '0' for S0; 0: all */
} translations[] = {
#define CHINESE(english, chinese) { english, chinese, DOCUMENT },
#define SAME(text)                { text, text, DOCUMENT },
#define DOCUMENT                  0
#include "chinese.def"
#undef DOCUMENT
#define DOCUMENT '0'
#include "chinese_s0.def"
#undef DOCUMENT
#define DOCUMENT '1'
#include "chinese_s1.def"
#undef DOCUMENT
#define DOCUMENT '2'
#include "chinese_s2.def"
#undef DOCUMENT
#define DOCUMENT '3'
#include "chinese_s3.def"
#undef DOCUMENT
#define DOCUMENT '4'
#include "chinese_s4.def"
#undef DOCUMENT
#undef CHINESE
#undef SAME
};

enum { TRANSLATIONS = sizeof translations / sizeof translations[0] };
enum { CONVERSIONS = 16 }; /* the most that a format has */

/* What a conversion stands for in a text. */
struct part {
    const char *text;
    size_t n;
};

/* The length of the conversion at 'format', "%5.2f", or 0. */
static size_t conversion(const char *format)
{
    return format[0] == '%' && format[1] != '%'
               ? strcspn(format, "acdefgisuxX") + 1
               : 0;
}

/* Bytes of the format outside its conversions. */
static size_t fixed_bytes(const char *format)
{
    size_t n = 0;

    while (*format != '\0') {
        size_t skip = conversion(format);

        n += skip == 0;
        format += skip > 0 ? skip : 1;
    }
    return n;
}

/* Whether the format could have made the text; parts[i] is then what its
   conversion i stands for. */
static int fits(const char *format, const char *text, struct part *parts)
{
    while (*format != '\0' && conversion(format) == 0) {
        format += format[0] == '%';
        if (*format++ != *text++)
            return 0;
    }
    if (*format == '\0')
        return *text == '\0';
    format += conversion(format);
    parts->text = text;
    if (format[-1] != 's') {
        char *end;

        strtod(text, &end);
        parts->n = format[-1] == 'c' ? *text != '\0' : (size_t)(end - text);
        return parts->n > 0 && fits(format, text + parts->n, parts + 1);
    }
    for (parts->n = 0; parts->n <= strlen(text); parts->n++)
        if (fits(format, text + parts->n, parts + 1))
            return 1;
    return 0;
}

/* The translation of the row's text with the most fixed bytes; NULL: none. */
static const struct translation *
find(const char *text, const struct tutorial_row *row, struct part *parts)
{
    const struct translation *best = NULL;
    struct part found[CONVERSIONS];

    for (const struct translation *t = translations;
         t < translations + TRANSLATIONS; t++) {
        if (t->document != 0 && t->document != row->id[1])
            continue;
        if (!fits(t->english, text, found) ||
            (best != NULL &&
             fixed_bytes(best->english) > fixed_bytes(t->english)))
            continue;
        best = t;
        memcpy(parts, found, sizeof found);
    }
    return best;
}

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int has_words(const char *text)
{
    while (*text != '\0' && !(is_letter(text[0]) && is_letter(text[1])))
        text++;
    return *text != '\0';
}

static int is_encoding(const char *name, size_t n)
{
    const locant_encoding_info *e;

    for (int i = 0; (e = locant_encoding_at(i)) != NULL; i++)
        if (strlen(e->name) == n && memcmp(e->name, name, n) == 0)
            return 1;
    return 0;
}

/* Whether the text lists encodings, "alibi, t5": their names need no line. */
static int is_encodings(const char *text)
{
    size_t n = strcspn(text, ",");

    while (is_encoding(text, n) && text[n] != '\0') {
        text += n + strspn(text + n, ", ");
        n = strcspn(text, ",");
    }
    return is_encoding(text, n);
}

/* Write a text that grows at 'at'. */
static void append(char room[LONGEST], size_t *at, const char *text, size_t n)
{
    n = n < LONGEST - 1 - *at ? n : LONGEST - 1 - *at;
    memmove(room + *at, text, n);
    *at += n;
    room[*at] = '\0';
}

/* Append n bytes of English in Chinese. */
static void append_chinese(char room[LONGEST], size_t *at,
                           const struct part *part,
                           const struct tutorial_row *row)
{
    char english[LONGEST], chinese[LONGEST];

    snprintf(english, sizeof english, "%.*s", (int)part->n, part->text);
    to_chinese(chinese, english, row);
    append(room, at, chinese, strlen(chinese));
}

/* Fill the parts into the format. */
static void fill(char room[LONGEST], const char *format,
                 const struct part *part, const struct tutorial_row *row)
{
    size_t at = 0;

    while (*format != '\0') {
        size_t skip = conversion(format);

        if (skip > 0) {
            append_chinese(room, &at, part++, row);
            format += skip;
        } else {
            format += format[0] == '%';
            append(room, &at, format++, 1);
        }
    }
}

/* Put the translation of the text into 'room' if there is one. */
static int translate(char room[LONGEST], const char *text,
                     const struct tutorial_row *row)
{
    struct part parts[CONVERSIONS];
    const struct translation *t =
        has_words(text) ? find(text, row, parts) : NULL;

    if (t == NULL)
        return 0;
    fill(room, t->chinese, parts, row);
    return 1;
}

const char *to_chinese(char room[LONGEST], const char *text,
                       const struct tutorial_row *row)
{
    if (translate(room, text, row))
        return room;
    if (has_words(text) && !is_encodings(text))
        fprintf(stderr, "locant: %s: no Chinese for \"%s\"\n", row->id, text);
    snprintf(room, LONGEST, "%s", text);
    return room;
}

const char *line_to_chinese(char room[LONGEST], const char *line,
                            const struct tutorial_row *row)
{
    size_t at = 0;

    if (translate(room, line, row))
        return room;
    room[0] = '\0';
    for (;;) {
        const struct part cell = { line, strcspn(line, "|") };

        append_chinese(room, &at, &cell, row);
        if (line[cell.n] == '\0')
            return room;
        append(room, &at, "|", 1);
        line += cell.n + 1;
    }
}
