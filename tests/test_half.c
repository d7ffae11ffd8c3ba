/*
 * test_half.c - the vector conversions of 16-bit floats, on every instruction
 * set, against the one that takes a number at a time; tiles of rows against
 * single ones.
 */
#include "core/tensor.h"
#include "kernel/kernels.h"
#include "kernel/row.h"
#include "testing.h"
#include <math.h>
#include <string.h>

static const locant_dtype kinds[] = { LOCANT_F16, LOCANT_BF16 };

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

/*
 * Widening by the definition of the formats: sign, exponent, fraction.  NaN:
 * sign and payload stay, and binary16 becomes quiet.
 */
static uint32_t wide_bits(uint16_t h, locant_dtype kind)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16;
    int exponent = h >> 10 & 31, fraction = h & 1023;

    if (kind == LOCANT_BF16)
        return (uint32_t)h << 16;
    if (exponent == 31 && fraction != 0)
        return sign | 0x7fc00000 | (uint32_t)fraction << 13;
    if (exponent == 31)
        return sign | 0x7f800000;
    return sign | bits_of((float)ldexp(exponent ? 1024 + fraction : fraction,
                                       (exponent ? exponent : 1) - 25));
}

static void widens_all_of_them(void)
{
    static uint16_t half[65536];
    static float wide[65536];

    for (uint32_t u = 0; u < 65536; u++)
        half[u] = (uint16_t)u;
    for (size_t k = 0; k < LEN(kinds); k++) {
        lct_row_to_f32(wide, half, kinds[k], 65536);
        for (uint32_t u = 0; u < 65536; u++)
            if (bits_of(wide[u]) != wide_bits((uint16_t)u, kinds[k]))
                FAIL("%s %04x became %08x, expected %08x",
                     locant_dtype_name(kinds[k]), u, bits_of(wide[u]),
                     wide_bits((uint16_t)u, kinds[k]));
    }
}

/* A float near something: a half, the middle of two, a limit; or anything. */
static float ugly(void)
{
    locant_dtype kind = kinds[test_range(0, 1)];
    uint32_t u = (uint32_t)test_rand();
    float a = float_of(wide_bits((uint16_t)u, kind));
    float b = float_of(wide_bits((uint16_t)(u + 1), kind));

    switch (test_range(0, 5)) {
    case 0: return a;
    case 1: return a + (b - a) * 0.5f;
    case 2:
        return nextafterf(a + (b - a) * 0.5f, test_range(0, 1) ? 0 : INFINITY);
    case 3: /* between the largest half and what is infinite */
        return float_of(0x477fe000 + (u & 0x3fff));
    case 4: /* NaN, signalling ones too */ return float_of(0x7f800000 | u);
    default: return float_of(u);
    }
}

/* float to double is exact, so narrowing from double is the same rounding;
 * but a signalling NaN becomes quiet on the way, as it does in the kernel. */
static void narrows_as_one_by_one(void)
{
    enum { MOST = 70 };
    int rounds = TEST_SANITIZED ? 200 : 4000;

    for (int round = 0; round < rounds; round++) {
        size_t n = (size_t)test_range(0, MOST);
        locant_dtype kind = kinds[round % 2];
        float *in = test_guarded(n * sizeof(*in));
        uint16_t *out = test_guarded(n * sizeof(*out));

        for (size_t i = 0; i < n; i++)
            in[i] = ugly();
        lct_row_from_f32(out, kind, in, n);
        for (size_t i = 0; i < n; i++) {
            double wide = in[i];
            uint16_t want;

            lct_row_from_f64(&want, kind, &wide, 1);
            if (out[i] != want)
                FAIL("%s: %08x (%g) became %04x, expected %04x",
                     locant_dtype_name(kind), bits_of(in[i]), (double)in[i],
                     out[i], want);
        }
        test_guarded_free(in, n * sizeof(*in));
        test_guarded_free(out, n * sizeof(*out));
    }
}

/*
 * A tile of rows in and out again is what one row after the other is; past the
 * last channel the tile has zeros, and the rows in between keep what they had.
 */
static void rows_as_one_by_one(void)
{
    enum { ROWS = 3 };
    int rounds = TEST_SANITIZED ? 100 : 1000;

    for (int round = 0; round < rounds; round++) {
        const locant_dtype kind = (locant_dtype)(round % 3);
        const size_t n = (size_t)test_range(1, 70);
        const size_t width = (n + LCT_PAD - 1) / LCT_PAD * LCT_PAD;
        const size_t size = locant_dtype_size(kind), apart = 2 * n;
        const size_t bytes = (ROWS * apart - n) * size;
        char *x = test_guarded(bytes), *back = test_guarded(bytes);
        float *tile = test_guarded(ROWS * width * sizeof(*tile));
        float row[70];
        struct lct_rows r = { x,
                              (ptrdiff_t)(apart * size),
                              (enum lct_stored)kind,
                              tile,
                              width,
                              ROWS,
                              n };

        for (size_t i = 0; i < bytes; i++)
            x[i] = (char)test_rand();
        memset(back, 7, bytes);
        lct_kernels()->load_rows(&r);
        r.x = back;
        lct_kernels()->store_rows(&r);
        for (size_t i = 0; i < ROWS; i++) {
            const char *from = x + i * apart * size;
            char *to = back + i * apart * size, one[70 * sizeof(float)];

            lct_row_to_f32(row, from, kind, n);
            CHECK(memcmp(tile + i * width, row, n * sizeof(*row)) == 0);
            for (size_t c = n; c < width; c++)
                CHECK(bits_of(tile[i * width + c]) == 0);
            lct_row_from_f32(one, kind, row, n);
            CHECK(memcmp(to, one, n * size) == 0);
            for (size_t c = n * size; i + 1 < ROWS && c < apart * size; c++)
                CHECK(to[c] == 7);
        }
        test_guarded_free(x, bytes);
        test_guarded_free(back, bytes);
        test_guarded_free(tile, ROWS * width * sizeof(*tile));
    }
}

TEST(widens_on_every_isa)
{
    test_each_isa(widens_all_of_them);
}

TEST(narrows_on_every_isa)
{
    test_each_isa(narrows_as_one_by_one);
}

TEST(moves_rows_on_every_isa)
{
    test_each_isa(rows_as_one_by_one);
}
