/*
 * fixed.h - fixed-point numbers of a few 64-bit words.
 *
 * The first n words are in use, the least significant one first: word[n - 1] is
 * the integer part, the others are the fraction.  Numbers are not negative.
 * Results are truncated.
 */
#ifndef LCT_FIXED_H
#define LCT_FIXED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 lct_u128;

enum { LCT_FIXED_MOST = 22 };

struct lct_fixed {
    uint64_t word[LCT_FIXED_MOST];
};

/* 'fraction' has n - 1 words, the most significant one first. */
struct lct_fixed lct_fixed_from(const uint64_t *fraction, size_t n);

/* x += y; x -= y, where y is at most x */
void lct_fixed_add(struct lct_fixed *x, const struct lct_fixed *y, size_t n);
void lct_fixed_subtract(struct lct_fixed *x, const struct lct_fixed *y,
                        size_t n);

bool lct_fixed_less(const struct lct_fixed *x, const struct lct_fixed *y,
                    size_t n);
bool lct_fixed_is_zero(const struct lct_fixed *x, size_t n);

struct lct_fixed lct_fixed_product(const struct lct_fixed *x,
                                   const struct lct_fixed *y, size_t n);

/* x *= factor; x /= divisor */
void lct_fixed_times(struct lct_fixed *x, uint64_t factor, size_t n);
void lct_fixed_divide(struct lct_fixed *x, uint64_t divisor, size_t n);
#endif
