/*
 * row.c - see row.h.
 *
 * F16 and BF16 to and from float32 go through the kernels (half.inc); the
 * functions here convert one number in the same way.
 */
#include "row.h"
#include "kernels.h"
#include <string.h>

static uint32_t bits32(float x)
{
    uint32_t u;

    memcpy(&u, &x, sizeof(u));
    return u;
}

static float float32(uint32_t u)
{
    float x;

    memcpy(&x, &u, sizeof(x));
    return x;
}

static float from_bf16(uint16_t h)
{
    return float32((uint32_t)h << 16);
}

/* IEEE binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits. */
static float from_f16(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16;
    uint32_t exponent = h >> 10 & 31, fraction = h & 1023;

    if (exponent == 31) /* NaN becomes quiet */
        return float32(sign | 0x7f800000 | (fraction ? 0x400000 : 0) |
                       fraction << 13);
    if (exponent == 0) /* zero and denormals: fraction * 2^-24 */
        return float32(sign | bits32((float)fraction * 0x1p-24f));
    return float32(sign | (exponent + 112) << 23 | fraction << 13);
}

/*
 * Round a double to a 16-bit binary format with 'fraction' fraction bits, whose
 * normal numbers have exponents from 'low' to 'high'.
 */
static uint16_t round16(double x, int fraction, int low, int high)
{
    uint64_t u;
    uint16_t sign;
    uint64_t significand, rest, half;
    int exponent, drop;
    uint64_t result;

    memcpy(&u, &x, sizeof(u));
    sign = (uint16_t)(u >> 48 & 0x8000);
    exponent = (int)(u >> 52 & 2047);
    significand = u & 0xfffffffffffff;
    if (exponent == 2047) { /* inf; NaN keeps its top bits, quiet */
        result = (uint64_t)(high - low + 2) << fraction;
        if (significand != 0)
            result |= 1ull << (fraction - 1) | significand >> (52 - fraction);
        return (uint16_t)(sign | result);
    }
    if (exponent == 0) /* too small for a denormal of either format */
        return sign;
    exponent -= 1023;
    significand |= 1ull << 52;
    drop = 52 - fraction + (exponent < low ? low - exponent : 0);
    if (drop > 54)
        return sign;
    rest = significand & ((1ull << drop) - 1);
    half = 1ull << (drop - 1);
    significand >>= drop;
    significand += rest > half || (rest == half && (significand & 1));
    if (exponent < low) /* denormal; a carry makes the smallest normal */
        return (uint16_t)(sign | significand);
    result = ((uint64_t)(exponent - low) << fraction) + significand;
    if (result >= (uint64_t)(high - low + 2) << fraction)
        result = (uint64_t)(high - low + 2) << fraction;
    return (uint16_t)(sign | result);
}

/* One half-width value, of either format. */
static float widen(uint16_t h, locant_dtype dtype)
{
    return dtype == LOCANT_F16 ? from_f16(h) : from_bf16(h);
}

static uint16_t narrow(double x, locant_dtype dtype)
{
    return dtype == LOCANT_F16 ? round16(x, 10, -14, 15)
                               : round16(x, 7, -126, 127);
}

void lct_row_to_f32(float *out, const void *row, locant_dtype dtype, size_t n)
{
    if (dtype == LOCANT_F32)
        memcpy(out, row, n * sizeof(*out));
    else if (dtype == LOCANT_F64)
        for (size_t i = 0; i < n; i++)
            out[i] = (float)((const double *)row)[i];
    else
        lct_kernels()->widen(out, row, (enum lct_stored)dtype, n);
}

void lct_row_to_f64(double *out, const void *row, locant_dtype dtype, size_t n)
{
    if (dtype == LOCANT_F64)
        memcpy(out, row, n * sizeof(*out));
    else if (dtype == LOCANT_F32)
        for (size_t i = 0; i < n; i++)
            out[i] = ((const float *)row)[i];
    else
        for (size_t i = 0; i < n; i++)
            out[i] = widen(((const uint16_t *)row)[i], dtype);
}

void lct_row_from_f32(void *row, locant_dtype dtype, const float *in, size_t n)
{
    if (dtype == LOCANT_F32)
        memcpy(row, in, n * sizeof(*in));
    else if (dtype == LOCANT_F64)
        for (size_t i = 0; i < n; i++)
            ((double *)row)[i] = in[i];
    else
        lct_kernels()->narrow(row, (enum lct_stored)dtype, in, n);
}

void lct_row_from_f64(void *row, locant_dtype dtype, const double *in, size_t n)
{
    if (dtype == LOCANT_F64)
        memcpy(row, in, n * sizeof(*in));
    else if (dtype == LOCANT_F32)
        for (size_t i = 0; i < n; i++)
            ((float *)row)[i] = (float)in[i];
    else
        for (size_t i = 0; i < n; i++)
            ((uint16_t *)row)[i] = narrow(in[i], dtype);
}
