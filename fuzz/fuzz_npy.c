/*
 * fuzz_npy.c - any bytes: rejected with an error message, or an array that is
 * the same after writing and reading it.
 */
#define _GNU_SOURCE
#include "fuzz.h"
#include "locant/files.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void write_again(const locant_tensor *t)
{
    char path[64];
    locant_array again;

    snprintf(path, sizeof path, "fuzz_npy.%ld.npy", (long)getpid());
    HOLDS(locant_npy_write(path, t) == LOCANT_OK);
    HOLDS(locant_npy_read(&again, path) == LOCANT_OK);
    unlink(path);
    fuzz_same(t, &again.tensor);
    locant_array_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned accepted;
    locant_array a;
    locant_status status;
    bool bytes = false;

    fuzz_begin();
    status = locant_npy_parse(&a, data, size, "fuzz");
    if (status == LOCANT_OK) {
        HOLDS(fuzz_bytes(&a.tensor) <= size);
        bytes = a.tensor.dtype == LOCANT_U8; /* read, and not written */
        locant_array_free(&a);
    } else {
        HOLDS(strncmp(locant_last_error(), "fuzz: ", 6) == 0);
        fuzz_sentence();
    }
    fuzz_end(fuzz_limit(size));
    /* fsync is slow: only every sixteenth array is written to a file */
    if (status == LOCANT_OK && !bytes && accepted++ % 16 == 0) {
        HOLDS(locant_npy_parse(&a, data, size, "fuzz") == LOCANT_OK);
        write_again(&a.tensor);
        locant_array_free(&a);
    }
    return 0;
}
