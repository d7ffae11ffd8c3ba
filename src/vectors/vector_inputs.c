/* vector_inputs.c - the numbers that implementations are given */
#include "vector_inputs.h"
#include <stdio.h>

/* Steele, Lea, Flood 2014, Fast splittable pseudorandom number generators. */
static uint64_t mixed(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

double lct_vector_inputs_at(enum lct_vector_input which, int64_t i)
{
    uint64_t step = 0x9e3779b97f4a7c15u;
    uint64_t z = mixed(((uint64_t)which << 32 | (uint64_t)i) * step + step);

    return ((double)(z >> 32) - (double)0x80000000u) > 0
               ? (double)(z % 128) / 64
               : -(double)(z % 128) / 64;
}

void lct_vector_inputs_name(char *out, size_t size, enum lct_vector_input which,
                            int64_t n)
{
    static const char *const names[LCT_VECTOR_INPUTS] = {
        [LCT_VECTOR_Q] = "q",
        [LCT_VECTOR_K] = "k",
        [LCT_VECTOR_DOUT] = "dout",
        [LCT_VECTOR_BUCKET_TABLE] = "table",
        [LCT_VECTOR_DBIAS] = "dbias"
    };

    snprintf(out, size, "input/%s/%lld", names[which], (long long)n);
}
