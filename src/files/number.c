/* number.c - see number.h */
#include "number.h"
#include <string.h>

static uint16_t u16(const unsigned char *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t u32(const unsigned char *p)
{
    return (uint32_t)u16(p) | (uint32_t)u16(p + 2) << 16;
}

static uint64_t u64(const unsigned char *p)
{
    return (uint64_t)u32(p) | (uint64_t)u32(p + 4) << 32;
}

static float float_of_bits(uint32_t bits)
{
    float out;

    memcpy(&out, &bits, sizeof out);
    return out;
}

static double double_of_bits(uint64_t bits)
{
    double out;

    memcpy(&out, &bits, sizeof out);
    return out;
}

float lct_number_half(uint16_t half)
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
    return lct_number_half(u16(p));
}

/* 1 sign, 4 bits of exponent with bias 7, 3 of fraction; no infinity. */
static float e4m3(unsigned char byte)
{
    const uint32_t sign = (uint32_t)(byte & 0x80) << 24;
    const uint32_t exponent = byte >> 3 & 15, fraction = byte & 7;

    if (exponent == 15 && fraction == 7)
        return float_of_bits(sign | 0x7fc00000);
    if (exponent == 0) { /* a multiple of 2^-9 */
        float value = (float)fraction * 0x1p-9f;

        return sign ? -value : value;
    }
    return float_of_bits(sign | (exponent + 120) << 23 | fraction << 20);
}

/* A power of 2: 8 bits of exponent with bias 127. */
static float e8m0(unsigned char byte)
{
    if (byte == 255)
        return float_of_bits(0x7fc00000);
    return byte == 0 ? 0x1p-127f : float_of_bits((uint32_t)byte << 23);
}

/* ------------------------------------------------------- single numbers */

/* clang-format off */
/* Read n numbers, each the VALUE of the bytes at p, into TYPEs. */
#define LCT_READER(name, type, step, value)                              \
    static void name(type *out, const unsigned char *p, size_t n)        \
    { for (; n > 0; n--, p += (step)) *out++ = (type)(value); }
/* clang-format on */

LCT_READER(f32, float, 4, float_of_bits(u32(p)))
LCT_READER(f16, float, 2, half(p))
LCT_READER(bf16, float, 2, float_of_bits((uint32_t)u16(p) << 16))
LCT_READER(f64, float, 8, double_of_bits(u64(p)))
LCT_READER(f64_doubles, double, 8, double_of_bits(u64(p)))
LCT_READER(f8_e4m3, float, 1, e4m3(*p))
LCT_READER(f8_e5m2, float, 1, lct_number_half((uint16_t)(*p << 8)))
LCT_READER(f8_e8m0, float, 1, e8m0(*p))
LCT_READER(i8, float, 1, (int8_t)*p)
LCT_READER(u8, float, 1, *p)
LCT_READER(i16, float, 2, (int16_t)u16(p))
LCT_READER(unsigned16, float, 2, u16(p))
LCT_READER(i32, float, 4, (int32_t)u32(p))
LCT_READER(i32_doubles, double, 4, (int32_t)u32(p))
LCT_READER(unsigned32, float, 4, u32(p))
LCT_READER(unsigned32_doubles, double, 4, u32(p))
LCT_READER(i64, float, 8, (int64_t)u64(p))
LCT_READER(i64_doubles, double, 8, (int64_t)u64(p))
LCT_READER(unsigned64, float, 8, u64(p))
LCT_READER(unsigned64_doubles, double, 8, u64(p))

/* -------------------------------------------------------- blocks of ggml */

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
#define LCT_BLOCKS(name, elements, step)                                 \
    static void name(float *out, const unsigned char *p, size_t n)       \
    { for (; n > 0; n--, p += (step), out += (elements)) read_##name(out, p); }

LCT_BLOCKS(q4_0, 32, 18)
LCT_BLOCKS(q4_1, 32, 20)
LCT_BLOCKS(q5_0, 32, 22)
LCT_BLOCKS(q5_1, 32, 24)
LCT_BLOCKS(q8_0, 32, 34)
LCT_BLOCKS(q4_k, 256, 144)
LCT_BLOCKS(q5_k, 256, 176)
LCT_BLOCKS(q6_k, 256, 210)

/* ---------------------------------------------------------------- table */

static const struct lct_number types[] = {
    { "F32",      0, 1,   1,   4, f32,        NULL },
    { "F64",     28, 1,   1,   8, f64,        f64_doubles },
    { "F16",      1, 1,   1,   2, f16,        NULL },
    { "BF16",    30, 1,   1,   2, bf16,       NULL },
    { "F8_E4M3", -1, 1,   1,   1, f8_e4m3,    NULL },
    { "F8_E5M2", -1, 1,   1,   1, f8_e5m2,    NULL },
    { "F8_E8M0", -1, 1,   1,   1, f8_e8m0,    NULL },
    { "I64",     27, 1,   1,   8, i64,        i64_doubles },
    { "I32",     26, 1,   1,   4, i32,        i32_doubles },
    { "I16",     25, 1,   1,   2, i16,        NULL },
    { "I8",      24, 1,   1,   1, i8,         NULL },
    { "U64",     -1, 1,   1,   8, unsigned64, unsigned64_doubles },
    { "U32",     -1, 1,   1,   4, unsigned32, unsigned32_doubles },
    { "U16",     -1, 1,   1,   2, unsigned16, NULL },
    { "U8",      -1, 1,   1,   1, u8,         NULL },
    { "BOOL",    -1, 1,   1,   1, u8,         NULL },
    { "Q4_0",     2, 0,  32,  18, q4_0,       NULL },
    { "Q4_1",     3, 0,  32,  20, q4_1,       NULL },
    { "Q5_0",     6, 0,  32,  22, q5_0,       NULL },
    { "Q5_1",     7, 0,  32,  24, q5_1,       NULL },
    { "Q8_0",     8, 0,  32,  34, q8_0,       NULL },
    { "Q4_K",    12, 0, 256, 144, q4_k,       NULL },
    { "Q5_K",    13, 0, 256, 176, q5_k,       NULL },
    { "Q6_K",    14, 0, 256, 210, q6_k,       NULL },
};
/* clang-format on */
enum { TYPES = sizeof types / sizeof *types };

const struct lct_number *lct_number_gguf(uint32_t id)
{
    for (size_t i = 0; i < TYPES; i++)
        if (types[i].gguf >= 0 && (uint32_t)types[i].gguf == id)
            return &types[i];
    return NULL;
}

const struct lct_number *lct_number_named(const char *name)
{
    for (size_t i = 0; i < TYPES; i++)
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    return NULL;
}

const struct lct_number *lct_number_safetensors(const char *name)
{
    const struct lct_number *t = lct_number_named(name);

    return t && t->safetensors ? t : NULL;
}

const char *lct_number_gguf_names(void)
{
    return "F32, F16, BF16, F64, I8, I16, I32, I64, Q4_0, Q4_1, Q5_0, Q5_1, "
           "Q8_0, Q4_K, Q5_K, Q6_K";
}

const char *lct_number_safetensors_names(void)
{
    return "F32 F64 F16 BF16 F8_E4M3 F8_E5M2 F8_E8M0 I64 I32 I16 I8 U64 U32 "
           "U16 U8 BOOL";
}

void lct_number_floats(float *out, const struct lct_number *t,
                       const unsigned char *blocks, size_t n)
{
    t->floats(out, blocks, n);
}

void lct_number_doubles(double *out, const struct lct_number *t,
                        const unsigned char *blocks, size_t n)
{
    enum { PART = 256 };
    const size_t each = (size_t)t->elements;
    float part[PART];

    if (t->doubles != NULL) {
        t->doubles(out, blocks, n);
        return;
    }
    while (n > 0) {
        const size_t now = n < PART / each ? n : PART / each;

        t->floats(part, blocks, now);
        for (size_t i = 0; i < now * each; i++)
            out[i] = (double)part[i];
        out += now * each;
        blocks += now * t->bytes;
        n -= now;
    }
}
