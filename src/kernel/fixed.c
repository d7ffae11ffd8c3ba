/* fixed.c - fixed-point numbers of a few 64-bit words */
#include "fixed.h"
#include <string.h>

struct lct_fixed lct_fixed_from(const uint64_t *fraction, size_t n)
{
    struct lct_fixed x = { { 0 } };

    for (size_t i = 0; i + 1 < n; i++)
        x.word[n - 2 - i] = fraction[i];
    return x;
}

void lct_fixed_add(struct lct_fixed *x, const struct lct_fixed *y, size_t n)
{
    uint64_t carry = 0;

    for (size_t i = 0; i < n; i++) {
        lct_u128 sum = (lct_u128)x->word[i] + y->word[i] + carry;

        x->word[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
}

void lct_fixed_subtract(struct lct_fixed *x, const struct lct_fixed *y,
                        size_t n)
{
    uint64_t borrow = 0;

    for (size_t i = 0; i < n; i++) {
        lct_u128 rest = (lct_u128)x->word[i] - y->word[i] - borrow;

        x->word[i] = (uint64_t)rest;
        borrow = (uint64_t)(rest >> 64) & 1;
    }
}

bool lct_fixed_less(const struct lct_fixed *x, const struct lct_fixed *y,
                    size_t n)
{
    while (n-- > 0)
        if (x->word[n] != y->word[n])
            return x->word[n] < y->word[n];
    return false;
}

bool lct_fixed_is_zero(const struct lct_fixed *x, size_t n)
{
    while (n-- > 0)
        if (x->word[n] != 0)
            return false;
    return true;
}

struct lct_fixed lct_fixed_product(const struct lct_fixed *x,
                                   const struct lct_fixed *y, size_t n)
{
    uint64_t full[2 * LCT_FIXED_MOST] = { 0 };
    struct lct_fixed out = { { 0 } };

    for (size_t i = 0; i < n; i++) {
        uint64_t carry = 0;

        for (size_t j = 0; j < n; j++) {
            lct_u128 sum =
                (lct_u128)x->word[i] * y->word[j] + full[i + j] + carry;

            full[i + j] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
        full[i + n] = carry;
    }
    memcpy(out.word, full + n - 1, n * sizeof(out.word[0]));
    return out;
}

void lct_fixed_times(struct lct_fixed *x, uint64_t factor, size_t n)
{
    uint64_t carry = 0;

    for (size_t i = 0; i < n; i++) {
        lct_u128 sum = (lct_u128)x->word[i] * factor + carry;

        x->word[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
}

void lct_fixed_divide(struct lct_fixed *x, uint64_t divisor, size_t n)
{
    uint64_t rest = 0;

    while (n-- > 0) {
        lct_u128 part = (lct_u128)rest << 64 | x->word[n];

        x->word[n] = (uint64_t)(part / divisor);
        rest = (uint64_t)(part % divisor);
    }
}
