/* lines.c - breaks text into lines of 80 columns. */
#include "lines.h"

#include <string.h>

enum { COLUMNS = 80 };

/* The bytes of the UTF-8 character at 'text'. */
static size_t bytes_of(const char *text)
{
    size_t n = 1;

    while (((unsigned char)text[n] & 0xc0) == 0x80)
        n++;
    return n;
}

static unsigned code_of(const char *text, size_t n)
{
    const unsigned char *byte = (const unsigned char *)text;
    unsigned code = n > 1 ? byte[0] & (0x7fU >> n) : byte[0];

    for (size_t i = 1; i < n; i++)
        code = code << 6 | (byte[i] & 0x3f);
    return code;
}

/* Whether a character takes two columns: the blocks of Chinese, Japanese and
   Korean, and full-width forms (Unicode Standard Annex 11). */
static int is_wide(const char *text)
{
    static const unsigned blocks[][2] = {
        { 0x1100, 0x115f }, { 0x2e80, 0xa4cf },  { 0xac00, 0xd7a3 },
        { 0xf900, 0xfaff }, { 0xfe30, 0xfe6f },  { 0xff00, 0xff60 },
        { 0xffe0, 0xffe6 }, { 0x20000, 0x3ffff }
    };
    unsigned code = code_of(text, bytes_of(text));

    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        if (code >= blocks[i][0] && code <= blocks[i][1])
            return 1;
    return 0;
}

int columns_of(const char *text, size_t n)
{
    int columns = 0;

    for (size_t i = 0; i < n; i += bytes_of(text + i))
        columns += is_wide(text + i) ? 2 : 1;
    return columns;
}

/* Whether the character at 'text' is one of 'set'. */
static int is_in(const char *set, const char *text)
{
    size_t n = bytes_of(text);

    for (; *set != '\0'; set += bytes_of(set))
        if (bytes_of(set) == n && memcmp(set, text, n) == 0)
            return 1;
    return 0;
}

/* Whether a line can end with the character a and go on with b. */
static int may_break(const char *a, const char *b)
{
    return (is_wide(a) || is_wide(b)) && !is_in("([{“‘（《「", a) &&
           !is_in(",.;:!?)]}%”’，。；：、！？）》」", b);
}

/* The bytes up to a blank or to where the line may be broken. */
static size_t unit_of(const char *text)
{
    size_t n = 0, last = 0;

    while (text[n] != '\0' && text[n] != ' ') {
        if (n > 0 && may_break(text + last, text + n))
            break;
        last = n;
        n += bytes_of(text + n);
    }
    return n;
}

void wrap(FILE *out, const char *text, int column, int indent, int gap)
{
    const char *start = text;

    while (*text != '\0') {
        size_t n = unit_of(text);
        int width = columns_of(text, n);

        if ((gap > 0 || text > start) && column + gap + width > COLUMNS) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            gap = 0;
        }
        fprintf(out, "%*s%.*s", gap, "", (int)n, text);
        column += gap + width;
        gap = (int)strspn(text + n, " ");
        text += n + (size_t)gap;
    }
    fputc('\n', out);
}
