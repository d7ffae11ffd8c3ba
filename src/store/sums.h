/* sums.h - the checksums by which damage to a checkpoint is detected */
#ifndef LCT_SUMS_H
#define LCT_SUMS_H
#include "locant/core.h"
#include <stdbool.h>

/* Metadata of a checkpoint as text. 'hash' is that of the other three, of the
   run's key and of the checksum of each tensor. */
struct lct_sums_metadata {
    char step[24], seconds[40], checksum[17], hash[17];
};

/* A metadata pair "crc32c.<tensor>". */
struct lct_sum {
    char key[160], value[9];
};

/* Compute the CRC-32C of a tensor; false if its name is too long. */
bool lct_sums_compute(struct lct_sum *out, const char *name,
                      const locant_tensor *t);

/* Bytes of a dense tensor. */
size_t lct_sums_bytes(const locant_tensor *t);

/* The hash of the key and the metadata. To it add lct_sums_hash_one() of each
   tensor, in any order. */
uint64_t lct_sums_hash(const struct lct_sums_metadata *t, const char *key);
uint64_t lct_sums_hash_one(const struct lct_sum *sum);

/* Is 'text' this hash as a checkpoint states it, in hexadecimal digits? */
bool lct_sums_match(const char *text, uint64_t hash);
#endif
