/* arena.c - a bump allocator in the caller's workspace */
#include "arena.h"
#include "../core/size.h"

void *lct_arena_alloc(struct lct_arena *arena, int64_t rows, int64_t columns,
                      size_t size)
{
    size_t at = arena->used, bytes = 0;

    if (rows < 0 || columns < 0 ||
        !lct_mul(&bytes, (size_t)rows, (size_t)columns) ||
        !lct_mul(&bytes, bytes, size) || !lct_add(&bytes, bytes, 63) ||
        !lct_add(&arena->used, at, bytes / 64 * 64))
        arena->overflow = true;
    return lct_arena_is_real(arena) ? arena->base + at : NULL;
}
