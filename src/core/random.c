/*
 * random.c - Philox4x32-10, a counter-based generator.
 *
 * Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3.
 * SC'11, section 3.3.
 */
#include "locant/core.h"
#include <math.h>

void locant_philox(uint32_t out[4], const uint32_t counter[4],
                   const uint32_t key[2])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];

    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xd2511f53u * c0;
        uint64_t p1 = (uint64_t)0xcd9e8d57u * c2;

        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        k0 += 0x9e3779b9u; /* the golden ratio */
        k1 += 0xbb67ae85u; /* sqrt(3) - 1 */
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

/* out = the block of four words that contains the next word. */
static void draw_block(uint32_t out[4], const locant_random *r)
{
    uint64_t block = r->index / 4;
    uint32_t counter[4] = { (uint32_t)block, (uint32_t)(block >> 32),
                            (uint32_t)r->stream, (uint32_t)(r->stream >> 32) };
    uint32_t key[2] = { (uint32_t)r->seed, (uint32_t)(r->seed >> 32) };

    locant_philox(out, counter, key);
}

uint32_t locant_random_word(locant_random *r)
{
    uint32_t out[4];

    draw_block(out, r);
    return out[r->index++ % 4];
}

/* Two words, the first in the high half.  A block is computed once if it has
 * both. */
static uint64_t two_words(locant_random *r)
{
    const unsigned at = (unsigned)(r->index % 4);
    uint32_t out[4];
    uint64_t high;

    draw_block(out, r);
    r->index++;
    high = (uint64_t)out[at] << 32;
    if (at == 3)
        return high | locant_random_word(r);
    r->index++;
    return high | out[at + 1];
}

double locant_random_uniform(locant_random *r)
{
    return (double)(two_words(r) >> 11) * 0x1p-53;
}

uint64_t locant_random_below(locant_random *r, uint64_t n)
{
    uint64_t reject = -n % n; /* 2^64 mod n: words below it would bias */
    uint64_t x;

    do {
        x = two_words(r);
    } while (x < reject);
    return x % n;
}

double locant_random_normal(locant_random *r)
{
    double u = 1.0 - locant_random_uniform(r); /* in (0, 1]: log is finite */
    double v = locant_random_uniform(r);

    return sqrt(-2.0 * log(u)) * cos(6.283185307179586476925 * v);
}
