/* sums.h - what shows that a checkpoint is damaged: the CRC-32C of each tensor,
   and a hash of all texts */
#ifndef LCT_SUMS_H
#define LCT_SUMS_H
#include "locant/core.h"
#include <stdbool.h>

/* Metadata of a checkpoint; 'hash' is that of the others, of the run's key and
   of all sums. */
struct lct_sums_texts {
    char step[24], seconds[40], checksum[17], hash[17];
};

/* A metadata pair "crc32c.<tensor>". */
struct lct_sum {
    char key[160], value[9];
};

/* The sum of a tensor; false if its name is too long. */
bool lct_sums_tensor(struct lct_sum *out, const char *name,
                     const locant_tensor *t);

/* Bytes of a dense tensor. */
size_t lct_sums_bytes(const locant_tensor *t);

/* The hash of the key and the texts, and what one sum adds to it: the order of
   the sums does not matter. */
uint64_t lct_sums_hash(const struct lct_sums_texts *t, const char *key);
uint64_t lct_sums_hash_one(const struct lct_sum *sum);

/* Is 'text' this hash, as a checkpoint states it? */
bool lct_sums_match(const char *text, uint64_t hash);
#endif
