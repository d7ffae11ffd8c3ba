/*
 * fuzz_tensors.c - any bytes: rejected with an error message, or tensors that
 * do not overlap in the file and are the same after writing and reading them.
 * The memory of jansson is counted with ours.
 */
#define _GNU_SOURCE
#include "fuzz.h"
#include "locant/files.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TENSORS = 64 };

static void write_again(const locant_tensors *t)
{
    locant_named_tensor named[TENSORS];
    locant_tensors *again;
    const locant_tensor *x;
    char path[64];
    size_t n = 0;

    for (; n < TENSORS; n++) {
        x = locant_tensors_at(t, n, &named[n].name);
        if (x == NULL)
            break;
        named[n].tensor = *x;
    }
    snprintf(path, sizeof path, "fuzz_tensors.%ld", (long)getpid());
    HOLDS(locant_tensors_write(path, named, n, NULL, 0) == LOCANT_OK);
    HOLDS(locant_tensors_read(&again, path) == LOCANT_OK);
    unlink(path);
    for (size_t i = 0; i < n; i++)
        fuzz_same(&named[i].tensor, locant_tensors_find(again, named[i].name));
    locant_tensors_free(again);
}

/* The elements are those of the file, in its order, without a rest. */
static void check_elements(const locant_tensors *t, const uint8_t *data,
                           size_t size)
{
    const locant_tensor *x;
    const char *name;
    size_t total = 0;

    for (size_t i = 0; (x = locant_tensors_at(t, i, &name)) != NULL; i++) {
        HOLDS(locant_tensors_find(t, name) == x);
        total += fuzz_bytes(x);
    }
    HOLDS(total <= size - 8);
    data += size - total;
    for (size_t i = 0; (x = locant_tensors_at(t, i, NULL)) != NULL; i++) {
        HOLDS(fuzz_bytes(x) == 0 || memcmp(x->data, data, fuzz_bytes(x)) == 0);
        data += fuzz_bytes(x);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned accepted;
    locant_tensors *t;
    locant_status status;

    json_set_alloc_funcs(fuzz_malloc, fuzz_free);
    fuzz_begin();
    status = locant_tensors_parse(&t, data, size, "fuzz");
    if (status == LOCANT_OK) {
        check_elements(t, data, size);
        locant_tensors_free(t);
    } else {
        HOLDS(t == NULL);
        HOLDS(strncmp(locant_last_error(), "fuzz: ", 6) == 0);
        fuzz_sentence();
    }
    fuzz_end(fuzz_limit(size));
    /* fsync is slow: only every sixteenth file is written */
    if (status == LOCANT_OK && accepted++ % 16 == 0) {
        HOLDS(locant_tensors_parse(&t, data, size, "fuzz") == LOCANT_OK);
        write_again(t);
        locant_tensors_free(t);
    }
    return 0;
}
