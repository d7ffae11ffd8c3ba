/*
 * language.c - the language of help, of what the registry says and of figures:
 * --lang or else the locale.  Error messages and JSON stay English, because
 * people search for the former and programs read the latter.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "language.h"

static int chinese;

/* English texts of the command and their Chinese; blanks and line ends of the
   former need not agree with those in the code. */
static const char *const texts[][2] = {
#define TRANSLATION(en, zh) { en, zh },
#include "chinese.def"
#undef TRANSLATION
};

void cli_set_language(int lang)
{
    chinese = lang >= 0 ? lang : cli_locale_is_chinese();
}

int cli_chinese(void)
{
    return chinese;
}

static size_t blanks(const char *text)
{
    return strspn(text, " \n");
}

/* Whether two texts have the same words. */
static int same(const char *a, const char *b)
{
    while (*a != '\0' && *b != '\0') {
        const size_t of_a = blanks(a), of_b = blanks(b);

        if ((of_a > 0) != (of_b > 0) || (of_a == 0 && *a != *b))
            return 0;
        a += of_a > 0 ? of_a : 1;
        b += of_b > 0 ? of_b : 1;
    }
    return *a == *b;
}

const char *cli_find_chinese(const char *english)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (same(texts[i][0], english))
            return texts[i][1];
    return locant_chinese(english);
}

const char *cli_translate(const char *english)
{
    const char *zh = chinese && english ? cli_find_chinese(english) : NULL;

    return zh != NULL ? zh : english;
}

const char *cli_translate_list(const char *words)
{
    const char *out = "";

    while (*words != '\0') {
        const size_t n = strcspn(words, ",");
        const char *word = cli_text("%.*s", (int)n, words);

        out = cli_text("%s%s%s", out,
                       *out == '\0' ? ""
                       : chinese    ? "、"
                                    : ", ",
                       cli_translate(word));
        words += n + strspn(words + n, ", ");
    }
    return out;
}

/* ------------------------------------------------------------------ columns */

/* The character at *text, which is valid UTF-8; moves on to the next. */
static unsigned next(const char **text)
{
    const unsigned char first = (unsigned char)*(*text)++;
    unsigned code = first;

    if (first >= 0xc0)
        code = first & (first < 0xe0 ? 0x1fu : first < 0xf0 ? 0x0fu : 0x07u);
    while (((unsigned char)**text & 0xc0) == 0x80)
        code = code << 6 | ((unsigned char)*(*text)++ & 0x3fu);
    return code;
}

/* Whether a character takes two columns (Unicode Standard Annex 11). */
static int is_wide(unsigned code)
{
    static const unsigned runs[][2] = {
        { 0x1100, 0x115f },   { 0x2e80, 0x303e },   { 0x3041, 0xa4cf },
        { 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },
        { 0xff01, 0xff60 },   { 0xffe0, 0xffe6 },   { 0x1f300, 0x1f64f },
        { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
    };

    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++)
        if (code >= runs[i][0] && code <= runs[i][1])
            return 1;
    return 0;
}

size_t cli_text_columns(const char *text, size_t n)
{
    const char *end = text + n;
    size_t columns = 0;

    while (text < end)
        columns += 1 + (size_t)is_wide(next(&text));
    return columns;
}

const char *cli_padded(const char *text, int columns)
{
    const int used = (int)cli_text_columns(text, strlen(text));

    return cli_text("%s%*s", text, used < columns ? columns - used : 0, "");
}

/* ------------------------------------------------------------------ lines */

/* Whether the character from .. to is in the set. */
static int is_among(const char *set, const char *from, const char *to)
{
    for (; *set != '\0'; next(&set))
        if (to > from && strncmp(set, from, (size_t)(to - from)) == 0)
            return 1;
    return 0;
}

size_t cli_piece(const char *text)
{
    /* Punctuation that no line begins with, or ends with. */
    static const char closing[] = "，。、；：？！）》”’］…—",
                      opening[] = "（《“‘［";
    const char *at = text;

    while (*at != '\0' && *at != ' ') {
        const char *from = at, *after;
        const int wide = is_wide(next(&at)),
                  opens = is_among(opening, from, at);
        int next_wide;

        after = at;
        next_wide = *at != '\0' &&
                    (is_wide(next(&after)) || is_among(opening, at, after));
        if (!opens && (wide || next_wide) && *at != '\0' &&
            !is_among(closing, at, after))
            break;
    }
    return (size_t)(at - text);
}
