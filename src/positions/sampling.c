/*
 * sampling.c - Floyd's method: for j = range - n .. range - 1 draw t of 0 .. j
 * and insert t, or j if t is in the sample already.
 *
 * Bentley and Floyd:  Programming pearls: a sample of brilliance.  CACM 30(9),
 * 1987.  It takes n draws and memory for n numbers, however large the range.
 * The sample is a hash table with linear probing, at most half full.
 */
#include "sampling.h"
#include "../core/size.h"
#include <stdlib.h>
#include <string.h>

enum { EMPTY = -1, FEWEST = 8 };

struct lct_sampler {
    int bits; /* the table has 2^bits places */
    int64_t place[];
};

struct lct_sampler *lct_sampler_create(int64_t n)
{
    struct lct_sampler *s;
    size_t places = FEWEST, bytes;
    int bits = 3;

    while (places / 2 < (size_t)n) {
        if (!lct_mul(&places, places, 2))
            return NULL;
        bits++;
    }
    if (!lct_mul(&bytes, places, sizeof(int64_t)) ||
        !lct_add(&bytes, bytes, sizeof(*s)) || bytes > (size_t)PTRDIFF_MAX)
        return NULL;
    s = locant_alloc(bytes);
    if (s != NULL)
        s->bits = bits;
    return s;
}

void lct_sampler_free(struct lct_sampler *s)
{
    locant_release(s);
}

/* Insert x; false if it was there. */
static bool insert(struct lct_sampler *s, int64_t x)
{
    size_t mask = ((size_t)1 << s->bits) - 1;
    /* 2^64 / golden ratio spreads neighbours (Knuth, TAOCP 3, 6.4). */
    uint64_t hash = (uint64_t)x * UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (size_t)(hash >> (64 - s->bits));

    for (; s->place[i] != EMPTY; i = (i + 1) & mask)
        if (s->place[i] == x)
            return false;
    s->place[i] = x;
    return true;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

void lct_sample(int64_t *out, int64_t n, int64_t range, locant_random *random,
                struct lct_sampler *s)
{
    for (size_t i = 0; i < (size_t)1 << s->bits; i++)
        s->place[i] = EMPTY;
    for (int64_t i = 0; i < n; i++) {
        int64_t j = range - n + i;
        int64_t t = (int64_t)locant_random_below(random, (uint64_t)j + 1);

        if (!insert(s, t)) {
            t = j;
            insert(s, t);
        }
        out[i] = t;
    }
    if (n > 1)
        qsort(out, (size_t)n, sizeof(*out), by_value);
}
