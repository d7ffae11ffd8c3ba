/* gguf_blocks.c - see gguf_blocks.h */
#include "gguf_blocks.h"
#include <string.h>

static uint16_t u16(const unsigned char *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t u32(const unsigned char *p)
{
    return (uint32_t)u16(p) | (uint32_t)u16(p + 2) << 16;
}

static float float_of_bits(uint32_t bits)
{
    float out;

    memcpy(&out, &bits, sizeof out);
    return out;
}

float lct_gguf_half(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    const uint32_t exponent = half >> 10 & 31, fraction = half & 1023;

    if (exponent == 31) /* infinity, NaN */
        return float_of_bits(sign | 0x7f800000 | fraction << 13);
    if (exponent == 0) { /* a multiple of 2^-24 */
        float value = (float)fraction * 0x1p-24f;

        return sign ? -value : value;
    }
    return float_of_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

static float half(const unsigned char *p)
{
    return lct_gguf_half(u16(p));
}

static void read_f32(float *out, const unsigned char *p)
{
    *out = float_of_bits(u32(p));
}

static void read_f16(float *out, const unsigned char *p)
{
    *out = half(p);
}

static void read_bf16(float *out, const unsigned char *p)
{
    *out = float_of_bits((uint32_t)u16(p) << 16);
}

/* 32 numbers of 4 bits: the low halves of 16 bytes, then the high ones. */
static int nibble(const unsigned char *p, int i)
{
    return i < 16 ? p[i] & 15 : p[i - 16] >> 4;
}

static void read_q4_0(float *out, const unsigned char *p)
{
    const float d = half(p);

    for (int i = 0; i < 32; i++)
        out[i] = (float)(nibble(p + 2, i) - 8) * d;
}

static void read_q4_1(float *out, const unsigned char *p)
{
    const float d = half(p), m = half(p + 2);

    for (int i = 0; i < 32; i++)
        out[i] = (float)nibble(p + 4, i) * d + m;
}

/* Bit 4 of number i is bit i of 'high'. */
static int five_bits(const unsigned char *p, uint32_t high, int i)
{
    return nibble(p, i) | (int)(high >> i & 1) << 4;
}

static void read_q5_0(float *out, const unsigned char *p)
{
    const float d = half(p);
    const uint32_t high = u32(p + 2);

    for (int i = 0; i < 32; i++)
        out[i] = (float)(five_bits(p + 6, high, i) - 16) * d;
}

static void read_q5_1(float *out, const unsigned char *p)
{
    const float d = half(p), m = half(p + 2);
    const uint32_t high = u32(p + 4);

    for (int i = 0; i < 32; i++)
        out[i] = (float)five_bits(p + 8, high, i) * d + m;
}

static void read_q8_0(float *out, const unsigned char *p)
{
    const float d = half(p);

    for (int i = 0; i < 32; i++)
        out[i] = (float)(int8_t)p[2 + i] * d;
}

/* The scale and the minimum, 6 bits each, of sub-block j of 8 in 12 bytes. */
static void six_bits(int *scale, int *least, const unsigned char *s, int j)
{
    if (j < 4) {
        *scale = s[j] & 63;
        *least = s[j + 4] & 63;
        return;
    }
    *scale = (s[j + 4] & 15) | (s[j - 4] >> 6) << 4;
    *least = s[j + 4] >> 4 | (s[j] >> 6) << 4;
}

/* 8 sub-blocks of 32 numbers: two share 32 bytes, low halves and high ones. */
static void read_k(float *out, const unsigned char *p,
                   const unsigned char *high, const unsigned char *low)
{
    const float d = half(p), dmin = half(p + 2);

    for (int j = 0; j < 8; j++) {
        const unsigned char *from = low + j / 2 * 32;
        int scale, least;

        six_bits(&scale, &least, p + 4, j);
        for (int i = 0; i < 32; i++) {
            int q = j % 2 ? from[i] >> 4 : from[i] & 15;

            if (high)
                q |= (high[i] >> j & 1) << 4;
            out[32 * j + i] = d * (float)scale * (float)q - dmin * (float)least;
        }
    }
}

static void read_q4_k(float *out, const unsigned char *p)
{
    read_k(out, p, NULL, p + 16);
}

static void read_q5_k(float *out, const unsigned char *p)
{
    read_k(out, p, p + 16, p + 48);
}

/* Two halves of 128 numbers: 4 bits of each in 64 bytes, 2 bits in 32. */
static void read_q6_k(float *out, const unsigned char *p)
{
    const float d = half(p + 208);

    for (int i = 0; i < 256; i++) {
        const int h = i / 128, part = i / 32 % 4, l = i % 32;
        const unsigned char byte = p[64 * h + 32 * (part % 2) + l];
        const int low = part < 2 ? byte & 15 : byte >> 4;
        const int high = p[128 + 32 * h + l] >> 2 * part & 3;
        const int scale = (int8_t)p[192 + 8 * h + 2 * part + l / 16];

        out[i] = d * (float)scale * (float)((low | high << 4) - 32);
    }
}

/* clang-format off */
static const struct lct_gguf_block_type types[] = {
    { "F32",   0,   1,   4, read_f32 },
    { "F16",   1,   1,   2, read_f16 },
    { "Q4_0",  2,  32,  18, read_q4_0 },
    { "Q4_1",  3,  32,  20, read_q4_1 },
    { "Q5_0",  6,  32,  22, read_q5_0 },
    { "Q5_1",  7,  32,  24, read_q5_1 },
    { "Q8_0",  8,  32,  34, read_q8_0 },
    { "Q4_K", 12, 256, 144, read_q4_k },
    { "Q5_K", 13, 256, 176, read_q5_k },
    { "Q6_K", 14, 256, 210, read_q6_k },
    { "BF16", 30,   1,   2, read_bf16 },
};
/* clang-format on */

const struct lct_gguf_block_type *lct_gguf_block_type(uint32_t id)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].id == id)
            return &types[i];
    return NULL;
}

const char *lct_gguf_block_names(void)
{
    return "F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K";
}

void lct_gguf_blocks_read(float *out, const struct lct_gguf_block_type *t,
                          const unsigned char *blocks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        t->read(out + i * (size_t)t->elements, blocks + i * t->bytes);
}
