/*
 * number_store.c - numbers as they are stored: see number.h
 *
 * Rounding is to the nearest, ties to even, as in PyTorch and ggml; the blocks
 * of Q8_0 are those of ggml's reference (quantize_row_q8_0_ref).
 */
#include "number.h"
#include <math.h>
#include <string.h>

static void put16(unsigned char *out, uint32_t bits)
{
    out[0] = (unsigned char)bits;
    out[1] = (unsigned char)(bits >> 8);
}

static uint32_t bits_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void store_f32(unsigned char *out, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put16(out + 4 * i, bits_of(x[i]));
        put16(out + 4 * i + 2, bits_of(x[i]) >> 16);
    }
}

static void store_bf16(unsigned char *out, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t bits = bits_of(x[i]);

        /* A NaN stays one: rounding could carry it to infinity. */
        put16(out + 2 * i, isnan(x[i])
                               ? bits >> 16 | 64
                               : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
}

/* The float16 nearest to x. */
static uint32_t half_of(float x)
{
    const uint32_t bits = bits_of(x), sign = bits >> 16 & 0x8000;
    const float size = fabsf(x);
    uint32_t rest;

    if (isnan(x))
        return sign | 0x7e00;
    if (size >= 65520.0f) /* halfway to 65536 */
        return sign | 0x7c00;
    if (size < 0x1p-14f) /* a multiple of 2^-24 */
        return sign | (uint32_t)lrintf(size * 0x1p24f);
    rest = (bits & 0x7fffffff) - (112u << 23);
    return sign | (rest + 0xfff + (rest >> 13 & 1)) >> 13;
}

static void store_f16(unsigned char *out, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put16(out + 2 * i, half_of(x[i]));
}

static void store_q8_0(unsigned char *out, const float *x, size_t n)
{
    for (; n > 0; n--, x += 32, out += 34) {
        float largest = 0, d, inverse;

        for (int i = 0; i < 32; i++)
            largest = fmaxf(largest, fabsf(x[i]));
        d = largest / 127;
        inverse = d > 0 ? 1 / d : 0;
        put16(out, half_of(d));
        for (int i = 0; i < 32; i++)
            out[2 + i] = (unsigned char)(int8_t)roundf(x[i] * inverse);
    }
}

static const struct {
    const char *name;
    void (*store)(unsigned char *out, const float *x, size_t blocks);
} stores[] = {
    { "F32", store_f32 },
    { "F16", store_f16 },
    { "BF16", store_bf16 },
    { "Q8_0", store_q8_0 },
};

bool lct_number_store(unsigned char *out, const struct lct_number *t,
                      const float *x, size_t n)
{
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
        if (strcmp(stores[i].name, t->name) == 0) {
            stores[i].store(out, x, n);
            return true;
        }
    return false;
}
