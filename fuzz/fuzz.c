/* fuzz.c - see fuzz.h */
#include "fuzz.h"
#include "locant/core.h"
#include <stdio.h>
#include <stdlib.h>

/* Kept before each block; as large as the strictest alignment of malloc(). */
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

void *fuzz_malloc(size_t bytes)
{
    union head *head;

    /* More than any input may ask for: told before malloc() is asked. */
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
