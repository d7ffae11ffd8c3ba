/* fuzz.h - what the fuzz targets share: claims, and counted memory */
#ifndef FUZZ_H
#define FUZZ_H
#include "locant/core.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Stop with the words of the claim; libFuzzer keeps the input. */
#define HOLDS(claim)                                   \
    do {                                               \
        if (!(claim)) fuzz_fail(#claim, __FILE__, __LINE__); \
    } while (0)
void fuzz_fail(const char *claim, const char *file, int line);

/* The last error is printable ASCII, whatever the input held. */
void fuzz_sentence(void);
/* The input as a string, to be freed with free(). */
char *fuzz_text(const uint8_t *data, size_t size);
/* Bytes of a dense array; the same dtype, shape and elements. */
size_t fuzz_bytes(const locant_tensor *t);
void fuzz_same(const locant_tensor *a, const locant_tensor *b);

/*
 * Count the memory of the libraries and of 'extra' (malloc and free of another
 * library) from now on.  fuzz_end() claims that at no time more than 'limit'
 * bytes were taken and that all are back.
 */
void fuzz_begin(void);
void fuzz_end(size_t limit);

/* malloc() and free() that are counted, too. */
void *fuzz_malloc(size_t bytes);
void fuzz_free(void *memory);

/* The bound every parser keeps: 8 bytes per byte read, and 64 KiB. */
static inline size_t fuzz_limit(size_t size)
{
    return 8 * size + 64 * 1024;
}
#endif
