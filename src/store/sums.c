/* sums.c - see sums.h */
#include "sums.h"
#include "../files/crc32c.h"
#include "../files/hash.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t hash_text(uint64_t h, const char *text)
{
    return lct_hash(h, text, strlen(text) + 1);
}

uint64_t lct_sums_hash(const struct lct_sums_metadata *t, const char *key)
{
    uint64_t h = hash_text(LCT_HASH_BEGIN, key);

    h = hash_text(h, t->step);
    h = hash_text(h, t->seconds);
    return hash_text(h, t->checksum);
}

uint64_t lct_sums_hash_one(const struct lct_sum *sum)
{
    return hash_text(hash_text(LCT_HASH_BEGIN, sum->key), sum->value);
}

size_t lct_sums_bytes(const locant_tensor *t)
{
    size_t n = locant_dtype_size(t->dtype);

    for (int i = 0; i < t->rank; i++)
        n *= (size_t)t->shape[i];
    return n;
}

bool lct_sums_compute(struct lct_sum *out, const char *name,
                      const locant_tensor *t)
{
    int n = snprintf(out->key, sizeof out->key, "crc32c.%s", name);

    snprintf(out->value, sizeof out->value, "%08" PRIx32,
             lct_crc32c(0, t->data, lct_sums_bytes(t)));
    return n > 0 && (size_t)n < sizeof out->key;
}

bool lct_sums_match(const char *text, uint64_t hash)
{
    char found[17];

    snprintf(found, sizeof found, "%016" PRIx64, hash);
    return strcmp(found, text) == 0;
}
