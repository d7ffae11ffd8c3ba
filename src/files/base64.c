/* base64.c - encode and decode base64, RFC 4648 section 4, padded with '=' */
#include "base64.h"
#include <stdint.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "abcdefghijklmnopqrstuvwxyz0123456789+/";

void lct_base64(char *out, const void *bytes, size_t size)
{
    const uint8_t *p = bytes;

    for (size_t i = 0; i < size; i += 3, out += 4) {
        const size_t left = size - i;
        const uint32_t x = (uint32_t)p[i] << 16 |
                           (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) |
                           (left > 2 ? p[i + 2] : 0u);

        for (int k = 0; k < 4; k++)
            out[k] = alphabet[x >> (18 - 6 * k) & 63];
        if (left < 3)
            out[3] = '=';
        if (left < 2)
            out[2] = '=';
    }
}

/* value[c] = value of character c plus 1, or 0 if c is not in the alphabet. */
static void make_values(uint8_t value[256])
{
    memset(value, 0, 256);
    for (uint8_t i = 0; i < 64; i++)
        value[(uint8_t)alphabet[i]] = (uint8_t)(i + 1);
}

bool lct_base64_read(void *out, size_t *size, const char *text, size_t n)
{
    uint8_t value[256], *to = out;
    size_t pad = 0;

    make_values(value);
    while (pad < 2 && pad < n && text[n - 1 - pad] == '=')
        pad++;
    *size = n / 4 * 3 - pad;
    if (n % 4 != 0)
        return false;
    for (size_t i = 0; i < n; i += 4) {
        const bool last = i + 4 == n;
        uint32_t x = 0;

        for (size_t k = 0; k < 4; k++) {
            const uint8_t v = value[(uint8_t)text[i + k]];

            if (v == 0 && !(last && k >= 4 - pad))
                return false;
            x = x << 6 | (v ? v - 1u : 0);
        }
        for (size_t k = 0; k < 3; k++) {
            const uint8_t byte = (uint8_t)(x >> (16 - 8 * k));

            if (!last || k < 3 - pad)
                *to++ = byte;
            else if (byte != 0) /* lct_base64() writes 0 here */
                return false;
        }
    }
    return true;
}
