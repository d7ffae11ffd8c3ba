/* fuzz.c - see fuzz.h */
#include "fuzz.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stored before each block; as large as the strictest alignment of malloc(). */
union head {
    size_t bytes;
    max_align_t align;
};

static size_t taken, most;

void fuzz_fail(const char *claim, const char *file, int line)
{
    fprintf(stderr, "%s:%d: does not hold: %s\nlast sentence: %s\n", file, line,
            claim, locant_last_error());
    abort();
}

void fuzz_sentence(void)
{
    for (const char *c = locant_last_error(); *c != 0; c++)
        HOLDS(*c >= 0x20 && *c < 0x7f);
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    HOLDS(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = 0;
    return text;
}

size_t fuzz_bytes(const locant_tensor *t)
{
    size_t n = locant_dtype_size(t->dtype);

    for (int i = 0; i < t->rank; i++)
        n *= (size_t)t->shape[i];
    return n;
}

void fuzz_same(const locant_tensor *a, const locant_tensor *b)
{
    HOLDS(b != NULL && a->dtype == b->dtype && a->rank == b->rank);
    for (int i = 0; i < a->rank; i++)
        HOLDS(a->shape[i] == b->shape[i]);
    HOLDS(fuzz_bytes(a) == 0 || memcmp(a->data, b->data, fuzz_bytes(a)) == 0);
}

void *fuzz_malloc(size_t bytes)
{
    union head *head;

    /* Larger than any input may request: fail before malloc() is called. */
    HOLDS(bytes < (size_t)1 << 31);
    head = malloc(sizeof *head + bytes);
    HOLDS(head != NULL);
    head->bytes = bytes;
    taken += bytes;
    most = taken > most ? taken : most;
    return head + 1;
}

void fuzz_free(void *memory)
{
    union head *head = memory;

    if (memory == NULL)
        return;
    head--;
    taken -= head->bytes;
    free(head);
}

static void *allocate(size_t bytes, void *context)
{
    (void)context;
    return fuzz_malloc(bytes);
}

static void release(void *memory, void *context)
{
    (void)context;
    fuzz_free(memory);
}

void fuzz_begin(void)
{
    static const locant_allocator counting = { allocate, release, NULL };

    HOLDS(taken == 0);
    locant_set_allocator(&counting);
    most = 0;
}

void fuzz_end(size_t limit)
{
    HOLDS(taken == 0);
    HOLDS(most <= limit);
}
