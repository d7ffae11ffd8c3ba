/* Characters of UTF-8 and the columns they take, against GLib. */
/* needs: lab, glib */
#include "testing.h"
#include "figure/columns.h"
#include "files/utf8.h"
#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

static void same_as_glib(const unsigned char bytes[5])
{
    const char *text = (const char *)bytes, *end = text;
    gunichar want = g_utf8_get_char_validated(text, -1);
    int32_t got = lct_utf8_next(&end);
    bool bad = want == (gunichar)-1 || want == (gunichar)-2;
    long moved = bad || want == 0 ? 1 : (long)(g_utf8_next_char(text) - text);

    if (got != (bad ? -1 : (int32_t)want) || end - text != moved)
        FAIL("%02x %02x %02x %02x: %ld, %ld bytes, not %ld, %ld bytes",
             bytes[0], bytes[1], bytes[2], bytes[3], (long)got,
             (long)(end - text), bad ? -1L : (long)want, moved);
}

/* Every pair of bytes, followed by those at which something changes. */
TEST(reads_what_is_utf8)
{
    static const unsigned char last[] = { 0,    0x41, 0x7f, 0x80, 0x9f,
                                          0xa0, 0xbf, 0xc0, 0xff };
    unsigned char bytes[5] = { 0 };

    for (int i = 0; i < 1 << 16; i++)
        for (size_t j = 0; j < LEN(last) * LEN(last); j++) {
            bytes[0] = (unsigned char)(i >> 8);
            bytes[1] = (unsigned char)i;
            bytes[2] = last[j / LEN(last)];
            bytes[3] = last[j % LEN(last)];
            same_as_glib(bytes);
        }
}

TEST(reads_every_character)
{
    for (gunichar c = 0; c < 0x110000; c++) {
        char bytes[8] = { 0 };
        if (g_unichar_validate(c)) {
            g_unichar_to_utf8(c, bytes);
            same_as_glib((unsigned char *)bytes);
        }
    }
}

/*
 * GLib shows the separators of lines and of paragraphs, which end a line of
 * some terminals; its copy of Unicode may be newer than our table's, and know
 * some more characters, most of them not below U+10000.
 */
TEST(takes_the_columns_of_unicode)
{
    int differ = 0;

    for (gunichar c = 0; c < 0x10000; c++) {
        int want = !g_unichar_isprint(c) || (c | 1) == 0x2029 ? -1
                   : g_unichar_iszerowidth(c)                 ? 0
                   : g_unichar_iswide(c)                      ? 2
                                                              : 1;
        if (g_unichar_isdefined(c) && lct_columns((int32_t)c) != want) {
            printf("U+%04X: %d columns, not %d\n", c, lct_columns((int32_t)c),
                   want);
            differ++;
        }
    }
    CHECK(differ <= 8);
    CHECK(lct_columns(0x1f600) == 2 && lct_columns(0x2a700) == 2);
    CHECK(lct_columns(0xe0001) == -1 && lct_columns(0xe0100) == 0);
    CHECK(lct_columns(-1) == -1 && lct_columns(0x110000) == -1);
}
