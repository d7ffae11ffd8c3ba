/* quant.c - rows of a quantised cache */
#include "quant.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { Q8_0_CHANNELS = 32, Q8_0_BYTES = 34, LEVELS = 127 };

/* 127 times it is finite. */
static const float MOST_SCALE = 0x1.0204p121f;

_Static_assert((int)LOCANT_QUANT_INT8 + LCT_STORED_QUANT == LCT_STORED_INT8 &&
                   (int)LOCANT_QUANT_Q8_0 + LCT_STORED_QUANT ==
                       LCT_STORED_Q8_0 &&
                   (int)LOCANT_QUANT_E4M3 + LCT_STORED_QUANT ==
                       LCT_STORED_E4M3 &&
                   (int)LOCANT_QUANT_E5M2 + LCT_STORED_QUANT == LCT_STORED_E5M2,
               "kernels.h has the values of cache.h");

/* ------------------------------------------------------------------- checks */

static locant_status check_group(const char *fn, struct lct_quant quant,
                                 int64_t D)
{
    if (quant.kind != LOCANT_QUANT_INT8 && quant.group != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: quant_group is %" PRId64
                           ", expected 0: only int8 has groups",
                           fn, quant.group);
    if (quant.group >= 0 && (quant.group == 0 || D % quant.group == 0))
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: quant_group is %" PRId64
                       ", expected a divisor of %" PRId64
                       " channels, or 0 (one scale per row)",
                       fn, quant.group, D);
}

locant_status lct_quant_check(int64_t *bytes, const char *fn,
                              struct lct_quant quant, int64_t D)
{
    if (quant.kind < LOCANT_QUANT_INT8 || quant.kind > LOCANT_QUANT_E5M2)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: quant is %d, expected 1 (int8), 2 (q8_0), 3 "
                           "(e4m3) or 4 (e5m2)",
                           fn, (int)quant.kind);
    if (D < 1 || D > INT32_MAX)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: rows have %" PRId64
                           " channels, expected 1 to 2147483647",
                           fn, D);
    LCT_TRY(check_group(fn, quant, D));
    if (quant.kind == LOCANT_QUANT_Q8_0 && D % Q8_0_CHANNELS != 0)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: rows have %" PRId64
                           " channels, expected a multiple of 32 for q8_0",
                           fn, D);
    *bytes = D;
    if (quant.kind == LOCANT_QUANT_Q8_0)
        *bytes = D / Q8_0_CHANNELS * Q8_0_BYTES;
    else if (quant.kind == LOCANT_QUANT_INT8)
        *bytes = D + D / (quant.group > 0 ? quant.group : D) *
                         (int64_t)sizeof(float);
    return LOCANT_OK;
}

/* ----------------------------------------------------------------- encoding */

/* The largest magnitude; NaN counts as 0.  Magnitudes are in the order of their
   bits, whose maximum needs no branch. */
static float largest(const float *x, int64_t n)
{
    const uint32_t infinity = 0x7f800000;
    uint32_t most = 0, u;
    float out;

    for (int64_t i = 0; i < n; i++) {
        memcpy(&u, &x[i], sizeof(u));
        u &= 0x7fffffff;
        u = u > infinity ? 0 : u;
        most = u > most ? u : most;
    }
    memcpy(&out, &most, sizeof(out));
    return out;
}

/* q = round(x inverse), ties away from 0, at most 127; NaN gives 0.  What is
   left of y after its whole part is exact. */
static void to_levels(int8_t *q, const float *x, float inverse, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        float y = x[i] * inverse, left;
        int whole;

        y = y > LEVELS ? LEVELS : y < -LEVELS ? -LEVELS : y == y ? y : 0;
        whole = (int)y;
        left = y - (float)whole;
        q[i] = (int8_t)(whole + (left >= 0.5f) - (left <= -0.5f));
    }
}

static float inverse_of(float scale)
{
    float inverse = scale > 0 ? 1 / scale : 0;

    return isfinite(inverse) ? inverse : 0; /* of a denormal scale */
}

static void encode_int8(char *row, const float *x, int64_t group, int64_t D)
{
    for (int64_t g = 0; g < D / group; g++) {
        float scale = largest(x + g * group, group) / LEVELS;

        if (!(scale < MOST_SCALE))
            scale = MOST_SCALE;
        to_levels((int8_t *)row + g * group, x + g * group, inverse_of(scale),
                  group);
        memcpy(row + D + g * (int64_t)sizeof(scale), &scale, sizeof(scale));
    }
}

/* As quantize_row_q8_0_ref() of ggml. */
static void encode_q8_0(char *row, const float *x, int64_t D)
{
    for (; D > 0; D -= Q8_0_CHANNELS, x += Q8_0_CHANNELS, row += Q8_0_BYTES) {
        float scale = largest(x, Q8_0_CHANNELS) / LEVELS;
        float stored = scale < 65504 ? scale : 65504; /* the largest binary16 */

        lct_kernels()->narrow(row, LCT_STORED_F16, &stored, 1);
        to_levels((int8_t *)row + 2, x,
                  inverse_of(stored < scale ? stored : scale), Q8_0_CHANNELS);
    }
}

/*
 * x with 'fraction' bits of fraction, rounded to nearest, ties to even; what
 * rounds to more than 'most' becomes 'most', and NaN is kept.
 */
static uint8_t small_of(float x, int fraction, int bias, uint8_t most)
{
    const int shift = 23 - fraction;
    const uint8_t sign = signbit(x) ? 0x80 : 0;
    const float magnitude = fabsf(x);
    uint32_t u;

    if (isnan(x))
        return sign | 0x7f;
    memcpy(&u, &magnitude, sizeof(u));
    if (u >> 23 <= (uint32_t)(127 - bias)) /* a denormal: count its steps */
        u = (uint32_t)nearbyintf(ldexpf(magnitude, bias - 1 + fraction));
    else
        u = ((u + (1u << (shift - 1)) - 1 + (u >> shift & 1)) >> shift) -
            ((uint32_t)(127 - bias) << fraction);
    return sign | (uint8_t)(u > most ? most : u);
}

static void encode_small(uint8_t *row, const float *x, int64_t D, bool e4m3)
{
    for (int64_t i = 0; i < D; i++)
        row[i] =
            e4m3 ? small_of(x[i], 3, 7, 0x7e) : small_of(x[i], 2, 15, 0x7b);
}

void lct_quant_encode(void *row, const float *x, struct lct_quant quant,
                      int64_t D)
{
    switch (quant.kind) {
    case LOCANT_QUANT_NONE: break;
    case LOCANT_QUANT_INT8:
        encode_int8(row, x, quant.group > 0 ? quant.group : D, D);
        break;
    case LOCANT_QUANT_Q8_0: encode_q8_0(row, x, D); break;
    case LOCANT_QUANT_E4M3: encode_small(row, x, D, true); break;
    case LOCANT_QUANT_E5M2: encode_small(row, x, D, false); break;
    }
}

void lct_quant_decode(float *out, int64_t width, const void *x, ptrdiff_t step,
                      struct lct_quant quant, int64_t rows, int64_t D)
{
    lct_kernels()->dequantize(&(struct lct_quant_rows){
        .x = x,
        .x_row = step,
        .kind = lct_quant_stored(quant),
        .group = (size_t)(quant.group > 0 ? quant.group : D),
        .tile = out,
        .width = (size_t)width,
        .rows = (size_t)rows,
        .n = (size_t)D });
}
