/* utf8.h - is a text UTF-8?  RFC 3629, section 4: the table of octets */
#ifndef LCT_UTF8_H
#define LCT_UTF8_H
#include <stdbool.h>

static inline bool lct_is_utf8(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;

    while (*p != 0) {
        const unsigned char c = *p++;
        unsigned char low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
        unsigned char high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
        int tail = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;

        if (c > 0xf4 || (c >= 0x80 && c < 0xc2))
            return false;
        for (; tail > 0; tail--, p++, low = 0x80, high = 0xbf)
            if (*p < low || *p > high)
                return false;
    }
    return true;
}
#endif
