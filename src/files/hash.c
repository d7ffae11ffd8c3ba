/* hash.c - see hash.h. Source: Fowler, Noll, Vo; draft-eastlake-fnv. */
#include "hash.h"

uint64_t lct_hash(uint64_t h, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < size; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}
