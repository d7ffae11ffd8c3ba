/* bench_values.c - random operands that their dtype represents exactly */
#include "bench.h"
#include <string.h>

static uint32_t bits_of(float x)
{
    uint32_t u;

    memcpy(&u, &x, sizeof(u));
    return u;
}

static float float_of(uint32_t u)
{
    float x;

    memcpy(&x, &u, sizeof(x));
    return x;
}

/* Truncates the bits of a float to the dtype; numbers too small for a normal
   float16 become 0. */
static uint32_t cut(uint32_t u, locant_dtype dtype)
{
    if (dtype == LOCANT_BF16)
        return u & 0xffff0000u;
    if (dtype == LOCANT_F16)
        return (u >> 23 & 0xff) < 127 - 14 ? u & 0x80000000u : u & 0xffffe000u;
    return u;
}

/* The 16-bit form of a number that was truncated before. */
static uint16_t narrow(uint32_t u, locant_dtype dtype)
{
    if (dtype == LOCANT_BF16)
        return (uint16_t)(u >> 16);
    if ((u & 0x7fffffffu) == 0)
        return (uint16_t)(u >> 16);
    return (uint16_t)((u >> 16 & 0x8000) |
                      ((u & 0x7fffffffu) - (112u << 23)) >> 13);
}

static float widen(uint16_t h, locant_dtype dtype)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16;
    uint32_t size = h & 0x7fff;

    if (dtype == LOCANT_BF16)
        return float_of((uint32_t)h << 16);
    if (size < 0x0400) /* subnormal */
        return (sign ? -0x1p-24f : 0x1p-24f) * (float)size;
    if (size >= 0x7c00)
        return float_of(sign | 0x7f800000u | (size & 0x3ff) << 13);
    return float_of(sign | ((size << 13) + (112u << 23)));
}

static void put(void *data, locant_dtype dtype, size_t i, float x)
{
    if (data != NULL && dtype == LOCANT_F32)
        ((float *)data)[i] = x;
    else if (data != NULL)
        ((uint16_t *)data)[i] = narrow(bits_of(x), dtype);
}

/* The numbers repeat, because drawing all of them would take longer than timing
   many rows.  The period is odd, so that rows of channels differ. */
void bench_fill(void *data, locant_dtype dtype, float *wide, size_t n,
                uint64_t seed)
{
    enum { PERIOD = 10007 };
    float drawn[PERIOD];
    locant_random random = { .seed = seed };

    for (size_t i = 0; i < PERIOD && i < n; i++)
        drawn[i] =
            float_of(cut(bits_of((float)locant_random_normal(&random)), dtype));
    for (size_t i = 0; i < n; i++) {
        put(data, dtype, i, drawn[i % PERIOD]);
        if (wide != NULL)
            wide[i] = drawn[i % PERIOD];
    }
}

void bench_widen(float *wide, const void *data, locant_dtype dtype, size_t n)
{
    if (dtype == LOCANT_F32)
        memmove(wide, data, n * sizeof(*wide));
    else
        for (size_t i = 0; i < n; i++)
            wide[i] = widen(((const uint16_t *)data)[i], dtype);
}
