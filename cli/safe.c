/*
 * safe.c - make text of stores, files and file names safe to print: to a
 * terminal, control characters are commands.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Bytes of a UTF-8 character with this first byte; 0 if no character has it. */
static size_t utf8_length(unsigned char first)
{
    return first < 0x80   ? 1
           : first < 0xc0 ? 0
           : first < 0xe0 ? 2
           : first < 0xf0 ? 3
           : first < 0xf8 ? 4
                          : 0;
}

/*
 * Bytes of the character at p, where n bytes are left; 0 if it is not UTF-8 or
 * is a control character, U+0000 .. U+001F or U+007F .. U+009F.
 */
static size_t plain_length(const unsigned char *p, size_t n)
{
    static const unsigned least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const size_t bytes = utf8_length(p[0]);
    unsigned code;

    if (bytes < 2)
        return bytes == 1 && p[0] >= 0x20 && p[0] != 0x7f;
    if (bytes > n)
        return 0;
    code = p[0] & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (p[i] & 0x3fu);
    }
    return code >= least[bytes] && code >= 0xa0 && code <= 0x10ffff &&
                   (code < 0xd800 || code > 0xdfff)
               ? bytes
               : 0;
}

/* Write the safe text to 'out' unless that is NULL; returns its bytes. */
static size_t escape(char *out, const char *text, size_t n)
{
    size_t used = 0;

    for (size_t i = 0; i < n;) {
        const size_t bytes =
            plain_length((const unsigned char *)text + i, n - i);
        const char byte = text[i];
        char code[8];
        size_t width = bytes;

        if (bytes > 0)
            memcpy(code, text + i, bytes);
        else
            width = (size_t)(byte == '\n'   ? snprintf(code, 8, "\\n")
                             : byte == '\t' ? snprintf(code, 8, "\\t")
                                            : snprintf(code, 8, "\\x%02x",
                                                       (unsigned char)byte));
        if (out != NULL)
            memcpy(out + used, code, width);
        used += width;
        i += bytes > 0 ? bytes : 1;
    }
    return used;
}

const char *cli_text(const char *format, ...)
{
    enum { MOST = 4096 };
    static char kept[16 * MOST], *next = kept;
    char *out = next;
    va_list args;

    va_start(args, format);
    vsnprintf(out, MOST, format, args);
    va_end(args);
    next += strlen(out) + 1;
    if (next > kept + sizeof kept - MOST)
        next = kept;
    return out;
}

const char *cli_join(const char *list, const char *item)
{
    return cli_text("%s%s%s", list, *list != '\0' ? ", " : "", item);
}

const char *cli_quoted(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+";
    const char *out = "";

    if (*word != '\0' && strspn(word, plain) == strlen(word))
        return word;
    while (*word != '\0') {
        const size_t n = strcspn(word, "'");

        out = cli_text("%s%.*s%s", out, (int)n, word,
                       word[n] == '\'' ? "'\\''" : "");
        word += n + (word[n] == '\'');
    }
    return cli_text("'%s'", out);
}

const char *cli_safe(const char *text)
{
    enum { AT_A_TIME = 8 };
    static char *kept[AT_A_TIME];
    static int next;
    const size_t n = strlen(text), bytes = escape(NULL, text, n);
    char *out;

    if (bytes == n) /* nothing was escaped */
        return text;
    out = malloc(bytes + 1);
    if (out == NULL)
        return "(out of memory)";
    out[escape(out, text, n)] = '\0';
    free(kept[next]);
    kept[next] = out;
    next = (next + 1) % AT_A_TIME;
    return out;
}
