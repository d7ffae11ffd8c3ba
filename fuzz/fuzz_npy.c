/*
 * fuzz_npy.c - any bytes: refused with a sentence, or an array whose .npy file
 * holds the same array again.
 */
#define _GNU_SOURCE
#include "fuzz.h"
#include "locant/files.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static size_t bytes_of(const locant_tensor *t)
{
    size_t n = locant_dtype_size(t->dtype);

    for (int i = 0; i < t->rank; i++)
        n *= (size_t)t->shape[i];
    return n;
}

static void same(const locant_tensor *a, const locant_tensor *b)
{
    HOLDS(a->dtype == b->dtype && a->rank == b->rank);
    for (int i = 0; i < a->rank; i++)
        HOLDS(a->shape[i] == b->shape[i]);
    HOLDS(bytes_of(a) == 0 || memcmp(a->data, b->data, bytes_of(a)) == 0);
}

static void write_again(const locant_tensor *t)
{
    char path[64];
    locant_array again;

    snprintf(path, sizeof path, "fuzz_npy.%ld.npy", (long)getpid());
    HOLDS(locant_npy_write(path, t) == LOCANT_OK);
    HOLDS(locant_npy_read(&again, path) == LOCANT_OK);
    unlink(path);
    same(t, &again.tensor);
    locant_array_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned accepted;
    locant_array a;
    locant_status status;

    fuzz_begin();
    status = locant_npy_parse(&a, data, size, "fuzz");
    if (status == LOCANT_OK) {
        HOLDS(bytes_of(&a.tensor) <= size);
        locant_array_free(&a);
    } else {
        HOLDS(strncmp(locant_last_error(), "fuzz: ", 6) == 0);
        for (const char *c = locant_last_error(); *c != 0; c++)
            HOLDS(*c >= 0x20 && *c < 0x7f);
    }
    fuzz_end(fuzz_limit(size));
    /* fsync is slow: every sixteenth array goes through a file */
    if (status == LOCANT_OK && accepted++ % 16 == 0) {
        HOLDS(locant_npy_parse(&a, data, size, "fuzz") == LOCANT_OK);
        write_again(&a.tensor);
        locant_array_free(&a);
    }
    return 0;
}
