/* arena.h - a bump allocator in the caller's workspace */
#ifndef LCT_ATTENTION_ARENA_H
#define LCT_ATTENTION_ARENA_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* With base NULL, an arena only counts bytes. */
struct lct_arena {
    char *base;
    size_t used;
    bool overflow;
};

/* rows x columns items of 'size' bytes, aligned to 64; NULL while counting. */
void *lct_arena_alloc(struct lct_arena *arena, int64_t rows, int64_t columns,
                      size_t size);

static inline float *lct_arena_floats(struct lct_arena *arena, int64_t rows,
                                      int64_t columns)
{
    return lct_arena_alloc(arena, rows, columns, sizeof(float));
}

static inline double *lct_arena_doubles(struct lct_arena *arena, int64_t rows,
                                        int64_t columns)
{
    return lct_arena_alloc(arena, rows, columns, sizeof(double));
}

static inline int64_t *lct_arena_ints(struct lct_arena *arena, int64_t rows,
                                      int64_t columns)
{
    return lct_arena_alloc(arena, rows, columns, sizeof(int64_t));
}

/* Does the arena have memory, or does it only count? */
static inline bool lct_arena_is_real(const struct lct_arena *arena)
{
    return arena->base != NULL && !arena->overflow;
}
#endif
