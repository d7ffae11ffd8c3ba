/* needs: lab */
/* test_number_types.c - stored numbers: the floats of ggml, exact values */
#include "../src/files/number.h"
#include "testing.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCKS = 64, MOST_BYTES = 210, MOST_ELEMENTS = 256 };

/* Random bytes: Marsaglia 2003, "Xorshift RNGs". */
static void fill(unsigned char *out, size_t n, uint32_t state)
{
    for (size_t i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        out[i] = (unsigned char)(state >> 8);
    }
}

/* FNV-1a */
static uint64_t hash(const void *bytes, size_t n)
{
    uint64_t h = 0xcbf29ce484222325;

    for (size_t i = 0; i < n; i++)
        h = (h ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    return h;
}

/*
 * 64 random blocks as dequantised by ggml 0.20.2 (to_float of its traits).  Its
 * float16 have an exponent below 16, so that no product is infinite.
 */
static const struct {
    uint32_t id;
    int halves;    /* how many float16 a block has */
    int at[2];     /* and where */
    uint64_t hash; /* of the floats */
    float first, next;
} cases[] = {
    { 1,
      1,
      { 0 },
      0xc09202a7f552ce1f,
      -4.696846008300781e-05F,
      0.01171112060546875F },
    { 2, 1, { 0 }, 0x221b924f93d5bf0d, 7.939338684082031e-05F, -0.0F },
    { 3,
      2,
      { 0, 2 },
      0x81939d8db524848a,
      -0.02469635009765625F,
      -0.022785186767578125F },
    { 6, 1, { 0 }, 0x268415cfcda3f41d, 0.0389862060546875F, -0.0445556640625F },
    { 7,
      2,
      { 0, 2 },
      0x8a539e4dd9358422,
      0.11197471618652344F,
      0.38506126403808594F },
    { 8, 1, { 0 }, 0xc2e7a25978cbfdfe, -1.960205078125F, -0.7525787353515625F },
    { 12,
      2,
      { 0, 2 },
      0x915fdf9a970bfb12,
      234.28497314453125F,
      43.78204345703125F },
    { 13,
      2,
      { 0, 2 },
      0x954726a169ffdb27,
      -531.7341918945312F,
      -113.93830871582031F },
    { 14,
      1,
      { 208 },
      0x9f88fedf2313e225,
      0.08320999145507812F,
      -0.12103271484375F },
    { 30,
      1,
      { 0 },
      0x9dd0885d27236892,
      -3.4458935260772705e-07F,
      -2.693292656604025e-34F },
};

TEST(blocks_are_those_of_ggml)
{
    static unsigned char bytes[BLOCKS * MOST_BYTES];
    static float out[BLOCKS * MOST_ELEMENTS];

    for (size_t i = 0; i < LEN(cases); i++) {
        const struct lct_number *t = lct_number_gguf(cases[i].id);

        CHECK(t != NULL && (uint32_t)t->gguf == cases[i].id);
        fill(bytes, BLOCKS * t->bytes, 12345 + cases[i].id);
        for (size_t b = 0; b < BLOCKS; b++)
            for (int h = 0; h < cases[i].halves; h++)
                bytes[b * t->bytes + (size_t)cases[i].at[h] + 1] &= 0xbf;
        lct_number_floats(out, t, bytes, BLOCKS);
        CHECK(out[0] == cases[i].first && out[1] == cases[i].next);
        CHECK(hash(out, BLOCKS * (size_t)t->elements * sizeof *out) ==
              cases[i].hash);
        CHECK(strstr(lct_number_gguf_names(), t->name) != NULL);
    }
}

TEST(float32_is_copied)
{
    const float in[] = { 1.5F, -0.0F, 1e-40F, INFINITY };
    float out[LEN(in)];

    lct_number_floats(out, lct_number_gguf(0), (const unsigned char *)in,
                      LEN(in));
    CHECK(memcmp(in, out, sizeof in) == 0);
}

/* Every float16, against its definition. */
TEST(halves_are_exact)
{
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        const int exponent = (int)(bits >> 10 & 31);
        const double fraction = (double)(bits & 1023);
        const float value = lct_number_half((uint16_t)bits);
        double want = exponent == 0 ? ldexp(fraction, -24)
                                    : ldexp(1024 + fraction, exponent - 25);

        if (exponent == 31) {
            CHECK((bits & 1023) ? isnan(value) : isinf(value));
        } else {
            CHECK(fabs((double)value) == want);
        }
        CHECK(!signbit(value) == !(bits & 0x8000));
    }
}

/* Every byte of 8 bits, against the definition of its type. */
TEST(eight_bits_are_exact)
{
    const struct lct_number *e4m3 = lct_number_safetensors("F8_E4M3"),
                            *e5m2 = lct_number_safetensors("F8_E5M2"),
                            *e8m0 = lct_number_safetensors("F8_E8M0");

    for (int b = 0; b < 256; b++) {
        const unsigned char byte = (unsigned char)b;
        const int e = b >> 3 & 15, f = b & 7;
        const double want = (b & 128 ? -1.0 : 1.0) *
                            (e == 0 ? ldexp(f, -9) : ldexp(8 + f, e - 10));
        float value;

        lct_number_floats(&value, e4m3, &byte, 1);
        CHECK((b & 127) == 127 ? isnan(value) : (double)value == want);
        lct_number_floats(&value, e5m2, &byte, 1);
        CHECK((b >> 2 & 31) == 31
                  ? !isfinite(value)
                  : value == lct_number_half((uint16_t)(b << 8)));
        lct_number_floats(&value, e8m0, &byte, 1);
        CHECK(b == 255 ? isnan(value) : (double)value == ldexp(1, b - 127));
    }
}

/* A double keeps what a float would round. */
TEST(doubles_are_exact)
{
    static const struct {
        const char *name;
        unsigned char bytes[8];
        double want;
    } rows[] = {
        { "F64", { 1, 0, 0, 0, 0, 0, 0xf0, 0x3f }, 1 + 0x1p-52 },
        { "I64", { 1, 0, 0, 0, 0, 0, 1, 0 }, 0x1p48 + 1 },
        { "I64", { 255, 255, 255, 255, 255, 255, 255, 255 }, -1 },
        { "U64", { 1, 0, 0, 0, 0, 0, 1, 0 }, 0x1p48 + 1 },
        { "I32", { 1, 0, 0, 0x80 }, -0x1p31 + 1 },
        { "U32", { 1, 0, 0, 0x80 }, 0x1p31 + 1 },
        { "I16", { 254, 255 }, -2 },
        { "U16", { 254, 255 }, 65534 },
        { "I8", { 128 }, -128 },
        { "U8", { 128 }, 128 },
        { "BOOL", { 1 }, 1 },
        { "F32", { 0, 0, 0xc0, 0x3f }, 1.5 },
        { "BF16", { 0xc0, 0xbf }, -1.5 },
    };

    for (size_t i = 0; i < LEN(rows); i++) {
        const struct lct_number *t = lct_number_safetensors(rows[i].name);
        double value;
        float rounded;

        CHECK(t != NULL &&
              strstr(lct_number_safetensors_names(), t->name) != NULL);
        lct_number_doubles(&value, t, rows[i].bytes, 1);
        lct_number_floats(&rounded, t, rows[i].bytes, 1);
        CHECK(value == rows[i].want && rounded == (float)value);
    }
}

/* More blocks than one pass holds. */
TEST(doubles_of_blocks_are_the_floats)
{
    static unsigned char bytes[BLOCKS * MOST_BYTES];
    static double out[BLOCKS * MOST_ELEMENTS];
    static float want[BLOCKS * MOST_ELEMENTS];
    const struct lct_number *t = lct_number_gguf(8);

    memset(bytes, 7, sizeof bytes);
    lct_number_doubles(out, t, bytes, BLOCKS);
    lct_number_floats(want, t, bytes, BLOCKS);
    for (size_t i = 0; i < 32 * BLOCKS; i++)
        CHECK(out[i] == (double)want[i]);
}

TEST(other_types_are_unknown)
{
    CHECK(lct_number_gguf(4) == NULL && lct_number_gguf(31) == NULL &&
          lct_number_gguf(UINT32_MAX) == NULL);
    CHECK(lct_number_safetensors("Q4_0") == NULL &&
          lct_number_safetensors("f32") == NULL);
}

/* How many types a list for messages names, each of which is known. */
static size_t listed(const char *names, bool gguf)
{
    size_t n = 0, length;

    for (; *names != 0; names += length + strspn(names + length, ", "), n++) {
        const struct lct_number *t;
        char name[16];

        length = strcspn(names, ", ");
        CHECK(length < sizeof name);
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        t = gguf ? lct_number_named(name) : lct_number_safetensors(name);
        CHECK(t != NULL && (!gguf || t->gguf >= 0));
    }
    return n;
}

TEST(messages_list_known_types)
{
    size_t n = 0;

    for (uint32_t id = 0; id < 1000; id++)
        n += lct_number_gguf(id) != NULL;
    CHECK(listed(lct_number_gguf_names(), true) == n);
    CHECK(listed(lct_number_safetensors_names(), false) > 0);
}
