/* quote.h - untrusted bytes as printable text for a message */
#ifndef LCT_QUOTE_H
#define LCT_QUOTE_H
#include <stddef.h>

enum { LCT_QUOTE_BYTES = 84 }; /* 80, three dots, a final zero */

/*
 * Write 'n' bytes of text, truncated to 80 bytes and "...".  A byte that is not
 * printable ASCII becomes \xNN.  Returns 'out'.
 */
static inline const char *lct_quote(char out[LCT_QUOTE_BYTES], const char *text,
                                    size_t n)
{
    static const char hex[] = "0123456789abcdef";
    size_t used = 0, i = 0;

    for (; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        size_t need = c >= 0x20 && c < 0x7f ? 1 : 4;

        if (used + need > 80)
            break;
        if (need == 1) {
            out[used++] = (char)c;
            continue;
        }
        out[used++] = '\\';
        out[used++] = 'x';
        out[used++] = hex[c >> 4];
        out[used++] = hex[c & 15];
    }
    for (int dots = 0; i < n && dots < 3; dots++)
        out[used++] = '.';
    out[used] = 0;
    return out;
}
#endif
