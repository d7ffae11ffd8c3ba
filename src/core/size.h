/* size.h - products and sums of untrusted sizes, checked for overflow */
#ifndef LCT_SIZE_H
#define LCT_SIZE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* *out = a * b, or a + b, and true; false if the result does not fit. */
static inline bool lct_mul(size_t *out, size_t a, size_t b)
{
    return !__builtin_mul_overflow(a, b, out);
}
static inline bool lct_add(size_t *out, size_t a, size_t b)
{
    return !__builtin_add_overflow(a, b, out);
}

/*
 * Bytes of an array: the product of 'rank' sizes and 'item'; false if it
 * overflows, even if one of the sizes is 0.
 */
static inline bool lct_array_bytes(size_t *out, const int64_t *shape, int rank,
                                   size_t item)
{
    size_t bytes = item;
    bool empty = false;

    for (int i = 0; i < rank; i++) {
        if (shape[i] < 0)
            return false;
        if (shape[i] == 0)
            empty = true;
        else if (!lct_mul(&bytes, bytes, (size_t)shape[i]))
            return false;
    }
    if (bytes > (size_t)PTRDIFF_MAX)
        return false;
    *out = empty ? 0 : bytes;
    return true;
}
#endif
