/*
 * crc32c.c - CRC-32C by eight tables, eight bytes per iteration.
 *
 * Polynomial 0x1EDC6F41, bits reversed: RFC 3720 section 12.1.  table[k] has
 * the CRC of each byte followed by k zero bytes (Kounavis, Berry: "A Systematic
 * Approach to Building High Performance Software-based CRC Generators", 2005).
 */
#include "crc32c.h"
#include <pthread.h>

static uint32_t table[8][256];

static void fill(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;

        for (int bit = 0; bit < 8; bit++)
            c = c >> 1 ^ (c & 1 ? 0x82f63b78u : 0);
        table[0][i] = c;
    }
    for (int k = 1; k < 8; k++)
        for (int i = 0; i < 256; i++)
            table[k][i] =
                table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 255];
}

uint32_t lct_crc32c(uint32_t crc, const void *bytes, size_t size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const unsigned char *p = bytes;
    uint32_t c = ~crc;

    pthread_once(&once, fill);
    for (; size >= 8; size -= 8, p += 8)
        c = table[7][(c ^ p[0]) & 255] ^ table[6][(c >> 8 ^ p[1]) & 255] ^
            table[5][(c >> 16 ^ p[2]) & 255] ^ table[4][c >> 24 ^ p[3]] ^
            table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^ table[0][p[7]];
    for (; size > 0; size--, p++)
        c = c >> 8 ^ table[0][(c ^ *p) & 255];
    return ~c;
}
