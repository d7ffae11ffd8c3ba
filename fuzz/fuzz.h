/* fuzz.h - shared by the fuzz targets: claims, and counted memory */
#ifndef FUZZ_H
#define FUZZ_H
#include "locant/core.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Print the failed claim and stop; libFuzzer keeps the input. */
/* clang-format off */
#define HOLDS(claim)                                   \
    do {                                               \
        if (!(claim)) fuzz_fail(#claim, __FILE__, __LINE__); \
    } while (0)
/* clang-format on */
void fuzz_fail(const char *claim, const char *file, int line);

/* Claim that the last error is printable ASCII. */
void fuzz_sentence(void);
/* The input as a string, to be freed with free(). */
char *fuzz_text(const uint8_t *data, size_t size);
/* Bytes of a dense array; have two the same dtype, shape and elements? */
size_t fuzz_bytes(const locant_tensor *t);
void fuzz_same(const locant_tensor *a, const locant_tensor *b);

/*
 * Count the memory of the libraries and of 'extra' (malloc and free of another
 * library) from now on.  fuzz_end() claims that never more than 'limit' bytes
 * were allocated and that all are released.
 */
void fuzz_begin(void);
void fuzz_end(size_t limit);

/* malloc() and free() that are counted as well. */
void *fuzz_malloc(size_t bytes);
void fuzz_free(void *memory);

/* Memory limit of every parser: 8 bytes per byte read, plus 64 KiB. */
static inline size_t fuzz_limit(size_t size)
{
    return 8 * size + 64 * 1024;
}
#endif
