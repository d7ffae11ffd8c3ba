/* utf8.c - decode UTF-8; RFC 3629 */
#include "utf8.h"
#include <string.h>

int32_t lct_utf8_next(const char **text)
{
    /* For n bytes after the first: first byte & mask == lead, and the character
       is at least 'least'. */
    static const struct {
        unsigned mask, lead;
        int32_t least;
    } forms[] = { { 0x80, 0, 0 },
                  { 0xe0, 0xc0, 0x80 },
                  { 0xf0, 0xe0, 0x800 },
                  { 0xf8, 0xf0, 0x10000 } };
    const unsigned char *p = (const unsigned char *)*text;
    int n = 0;
    uint32_t c;

    ++*text;
    while (n < 4 && (p[0] & forms[n].mask) != forms[n].lead)
        n++;
    if (n == 4)
        return -1;
    c = p[0] & ~forms[n].mask;
    for (int i = 1; i <= n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return -1;
        c = c << 6 | (p[i] & 0x3f);
    }
    if ((int32_t)c < forms[n].least || c > 0x10ffff || c >> 11 == 0x1b)
        return -1;
    *text += n;
    return (int32_t)c;
}

bool lct_is_utf8(const char *text)
{
    int32_t c;

    while ((c = lct_utf8_next(&text)) > 0)
        ;
    return c == 0;
}

bool lct_is_utf8_bytes(const char *text, size_t n)
{
    while (n > 0) {
        char part[5] = ""; /* a character and a zero */
        const char *end = part;

        memcpy(part, text, n < 4 ? n : 4);
        if (lct_utf8_next(&end) < 0)
            return false;
        text += end - part;
        n -= (size_t)(end - part);
    }
    return true;
}
