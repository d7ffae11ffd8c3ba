/* alloc.c - all memory of the libraries: 64-byte aligned, zeroed, hookable */
#include "locant/core.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };

static void *default_alloc(size_t bytes, void *context)
{
    (void)context;
    return malloc(bytes);
}

static void default_release(void *memory, void *context)
{
    (void)context;
    free(memory);
}

static const locant_allocator defaults = { default_alloc, default_release,
                                           NULL };
static locant_allocator current = { default_alloc, default_release, NULL };

void locant_set_allocator(const locant_allocator *allocator)
{
    current = allocator ? *allocator : defaults;
}

/* The address to release is stored just below the aligned block. */
void *locant_alloc(size_t bytes)
{
    size_t total;
    char *raw, *aligned;

    if (__builtin_add_overflow(bytes, (size_t)ALIGN + sizeof(void *), &total) ||
        total > PTRDIFF_MAX)
        return NULL;
    raw = current.alloc(total, current.context);
    if (raw == NULL)
        return NULL;
    aligned = raw + sizeof(void *);
    aligned += -(uintptr_t)aligned % ALIGN;
    memcpy(aligned - sizeof(void *), &raw, sizeof(raw));
    memset(aligned, 0, bytes);
    return aligned;
}

void locant_release(void *memory)
{
    char *raw;

    if (memory == NULL)
        return;
    memcpy(&raw, (char *)memory - sizeof(void *), sizeof(raw));
    current.release(raw, current.context);
}
