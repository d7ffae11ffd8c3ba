/*
 * test_quant.c - quantised rows: every code of 8 bits, the errors that cache.h
 * states, ggml's bytes of q8_0, attention that reads them, and their rotation.
 */
#include "traits_case.h"
#include <stdbool.h>

enum { D = 64 };

static const locant_quant kinds[] = { LOCANT_QUANT_INT8, LOCANT_QUANT_Q8_0,
                                      LOCANT_QUANT_E4M3, LOCANT_QUANT_E5M2 };

/* The value of a code of a float of 8 bits, from the paper's table. */
static double value_of(int code, int fraction, int bias, bool ieee)
{
    int exponent = (code & 0x7f) >> fraction, most = 0x7f >> fraction;
    double f = (code & ((1 << fraction) - 1)) / (double)(1 << fraction);
    double x =
        exponent == 0 ? ldexp(f, 1 - bias) : ldexp(1 + f, exponent - bias);

    if (ieee && exponent == most)
        x = f == 0 ? INFINITY : NAN;
    if (!ieee && (code & 0x7f) == 0x7f)
        x = NAN;
    return code & 0x80 ? -x : x;
}

static void dequantized(float *out, uint8_t *rows, int64_t n, int64_t bytes,
                        locant_quant kind, int64_t group, int64_t d)
{
    CHECK_OK(locant_dequantize(VIEW(F32, out, n, d), VIEW(U8, rows, n, bytes),
                               kind, group));
}

static void quantized(uint8_t *rows, float *x, int64_t n, int64_t bytes,
                      locant_quant kind, int64_t group, int64_t d)
{
    CHECK_OK(locant_quantize(VIEW(U8, rows, n, bytes), VIEW(F32, x, n, d), kind,
                             group));
}

static int64_t bytes_of(locant_quant kind, int64_t group, int64_t d)
{
    int64_t bytes;

    CHECK_OK(locant_quant_row_bytes(&bytes, kind, group, d));
    return bytes;
}

static void every_code(void)
{
    for (int n = 0; n < 2; n++) {
        locant_quant kind = n ? LOCANT_QUANT_E5M2 : LOCANT_QUANT_E4M3;
        uint8_t code[256], back[256];
        float x[256];

        for (int i = 0; i < 256; i++)
            code[i] = (uint8_t)i;
        dequantized(x, code, 1, 256, kind, 0, 256);
        quantized(back, x, 1, 256, kind, 0, 256);
        for (int i = 0; i < 256; i++) {
            double want = value_of(i, n ? 2 : 3, n ? 15 : 7, n);

            if (isnan(want)) {
                CHECK(isnan(x[i]) && (back[i] & 0x7f) == 0x7f);
                continue;
            }
            CHECK((double)x[i] == want && !signbit(x[i]) == (i < 128));
            CHECK(back[i] == (isinf(x[i]) ? (i & 0x80) | 0x7b : i));
        }
    }
}

TEST(every_code_has_its_value)
{
    test_each_isa(every_code);
}

/* No other code is nearer; of two that are as near, the even one. */
TEST(floats_round_to_nearest_even)
{
    for (int i = 0; i < test_cases(3000); i++) {
        bool wide = test_rand() % 2;
        int f = wide ? 2 : 3, bias = wide ? 15 : 7, best = 0;
        float x = (float)ldexp(test_uniform(), (int)test_range(-20, 17));
        uint8_t code;

        if (test_rand() % 3 == 0) { /* between two neighbours */
            int low = (int)test_range(0, wide ? 0x7a : 0x7d);

            x = (float)((value_of(low, f, bias, wide) +
                         value_of(low + 1, f, bias, wide)) /
                        2);
        }
        quantized(&code, &x, 1, 1, wide ? LOCANT_QUANT_E5M2 : LOCANT_QUANT_E4M3,
                  0, 1);
        for (int c = 0; c <= (wide ? 0x7b : 0x7e); c++) {
            double here = fabs(value_of(c, f, bias, wide) - fabs((double)x));
            double there =
                fabs(value_of(best, f, bias, wide) - fabs((double)x));

            if (here < there || (here == there && c % 2 == 0))
                best = c;
        }
        if (code != (best | (signbit(x) ? 0x80 : 0)))
            FAIL("%a: code %d, want %d\n", (double)x, code, best);
    }
}

/* |stored - x| as cache.h bounds it; a of int8 and q8_0. */
static double bound_of(locant_quant kind, double x, double a)
{
    /* with the rounding of the product of scale and level */
    switch (kind) {
    case LOCANT_QUANT_INT8: return a * (1 / 254.0 + 0x1p-22);
    case LOCANT_QUANT_Q8_0: return a * (1 / 254.0 + 0x1p-11 + 0x1p-22);
    case LOCANT_QUANT_E4M3: return fmax(0x1p-4 * fabs(x), 0x1p-10);
    default: return fmax(0x1p-3 * fabs(x), 0x1p-17);
    }
}

static void errors_of(locant_quant kind, int64_t group)
{
    int64_t bytes = bytes_of(kind, group, D);
    int64_t each = kind == LOCANT_QUANT_Q8_0 ? 32 : group > 0 ? group : D;
    uint8_t rows[D + 4 * D];
    float x[D], y[D];
    double scale =
        kind >= LOCANT_QUANT_E4M3 ? 100 : ldexp(1, (int)test_range(-5, 20));

    for (int i = 0; i < D; i++)
        x[i] = (float)(scale * test_uniform());
    quantized(rows, x, 1, bytes, kind, group, D);
    dequantized(y, rows, 1, bytes, kind, group, D);
    for (int i = 0; i < D; i++) {
        double a = 0;

        for (int64_t k = i / each * each; k < (i / each + 1) * each; k++)
            a = fmax(a, fabs((double)x[k]));
        if (!(fabs((double)y[i] - (double)x[i]) <=
              bound_of(kind, (double)x[i], a)))
            FAIL("kind %d, group %d: %a became %a\n", (int)kind, (int)group,
                 (double)x[i], (double)y[i]);
    }
}

TEST(errors_are_within_bounds)
{
    for (int i = 0; i < test_cases(200); i++)
        for (size_t k = 0; k < LEN(kinds); k++)
            errors_of(kinds[k],
                      k == 0 ? (int64_t[]){ 0, 1, 16, 32 }[i % 4] : 0);
}

/* The levels of quantize_row_q8_0_ref(), ggml/src/ggml-quants.c. */
TEST(q8_0_has_the_bytes_of_ggml)
{
    for (int n = 0; n < test_cases(200); n++) {
        float x[32], most = 0, d, id;
        int8_t row[34];

        for (int i = 0; i < 32; i++) {
            x[i] = (float)(test_uniform() * 8);
            most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
        }
        d = most / 127;
        id = d != 0 ? 1.0f / d : 0.0f;
        quantized((uint8_t *)row, x, 1, 34, LOCANT_QUANT_Q8_0, 0, 32);
        for (int i = 0; i < 32; i++)
            CHECK(row[2 + i] == (int8_t)roundf(x[i] * id));
    }
}

TEST(no_number_is_too_strange)
{
    static const float strange[] = { NAN,       -NAN,     INFINITY, -INFINITY,
                                     0x1p-149f, 0x1p127f, 0,        -0.0f };

    for (size_t k = 0; k < LEN(kinds); k++)
        for (int n = 0; n < 200; n++) {
            float x[32], y[32];
            uint8_t row[64];

            for (int i = 0; i < 32; i++)
                x[i] = n < 100 || i % 2 ? strange[test_rand() % LEN(strange)]
                                        : (float)test_uniform();
            quantized(row, x, 1, bytes_of(kinds[k], 0, 32), kinds[k], 0, 32);
            dequantized(y, row, 1, bytes_of(kinds[k], 0, 32), kinds[k], 0, 32);
            for (int i = 0; i < 32; i++)
                CHECK(isfinite(y[i]) || (isnan(x[i]) && isnan(y[i])));
        }
}

/* ---------------------------------------------------------------- attention */

/* k and v of an attention call, quantised, and what their rows hold. */
struct cached {
    locant_quant kind;
    int64_t group;
    bool nan;                     /* are some numbers NaN? */
    locant_tensor u8[2], wide[2]; /* wide: in the dtype of the call */
};

static void cached_make(struct cached *c, const struct subject *s,
                        locant_dtype dtype, int64_t S)
{
    int64_t bytes;

    c->kind = kinds[test_rand() % LEN(kinds)];
    if (c->kind == LOCANT_QUANT_Q8_0 && s->D % 32 != 0)
        c->kind = LOCANT_QUANT_INT8;
    c->group = c->kind == LOCANT_QUANT_INT8 && test_rand() % 2
                   ? s->D % 16 == 0 ? 16 : s->D / 2
                   : 0;
    c->nan = test_rand() % 8 == 0;
    bytes = bytes_of(c->kind, c->group, s->D);
    for (int i = 0; i < 2; i++) {
        OWNED(locant_tensor) x = TENSOR(F32, 1, s->G, S, s->D);

        c->u8[i] = TENSOR(U8, 1, s->G, S, bytes);
        c->wide[i] = test_tensor(dtype, 4, x.shape);
        for (int64_t n = 0; c->nan && n < tensor_count(&x); n += 97)
            ((float *)x.data)[n] = NAN;
        CHECK_OK(locant_quantize(&c->u8[i], &x, c->kind, c->group));
        CHECK_OK(locant_dequantize(&x, &c->u8[i], c->kind, c->group));
        for (int64_t n = 0; n < tensor_count(&x); n++)
            if (dtype == LOCANT_F64)
                ((double *)c->wide[i].data)[n] = (double)((float *)x.data)[n];
            else
                ((float *)c->wide[i].data)[n] = ((float *)x.data)[n];
    }
}

static void cached_free(struct cached *c)
{
    for (int i = 0; i < 2; i++) {
        test_tensor_free(&c->u8[i]);
        test_tensor_free(&c->wide[i]);
    }
}

/* The parameters in float32. */
static void narrow_params(locant_tensor *param, const struct subject *s)
{
    for (int i = 0; i < s->params; i++) {
        param[i] = test_tensor(LOCANT_F32, s->param[i].rank, s->param[i].shape);
        for (int64_t n = 0; n < tensor_count(&param[i]); n++)
            ((float *)param[i].data)[n] =
                (float)((double *)s->param[i].data)[n];
    }
}

/* The same bits; a NaN may have another payload. */
static bool same(const locant_tensor *x, const locant_tensor *y)
{
    size_t size = locant_dtype_size(x->dtype);

    for (int64_t n = 0; n < tensor_count(x); n++) {
        const char *a = (const char *)x->data + (size_t)n * size;
        const char *b = (const char *)y->data + (size_t)n * size;
        bool nan = size == 4 ? isnan(*(const float *)(const void *)a) &&
                                   isnan(*(const float *)(const void *)b)
                             : isnan(*(const double *)(const void *)a) &&
                                   isnan(*(const double *)(const void *)b);

        if (!nan && memcmp(a, b, size) != 0)
            return false;
    }
    return true;
}

/* Attention on rows equals that on what they hold, to the bit. */
static void reads_rows(const struct subject *s)
{
    locant_dtype dtype = test_rand() % 2 ? LOCANT_F32 : LOCANT_F64;
    int64_t most = s->length_limit < 90 ? s->length_limit : 90;
    int64_t S = test_range(1, most), T = test_range(1, S < 12 ? S : 12);
    OWNED(locant_tensor)
    q = test_tensor(dtype, 4, TEST_SHAPE(1, s->H, T, s->D));
    OWNED(locant_tensor) x = test_tensor(dtype, 3, TEST_SHAPE(1, S, s->W));
    OWNED(locant_tensor) want = test_tensor(dtype, 4, q.shape);
    OWNED(locant_tensor) got = test_tensor(dtype, 4, q.shape);
    OWNED(locant_tensor) lse = test_tensor(dtype, 3, q.shape);
    FREED_BY(cached_free) struct cached c;
    locant_tensor param[SUBJECT_PARAMS];
    locant_attention a = LOCANT_ATTENTION_INIT;

    cached_make(&c, s, dtype, S);
    narrow_params(param, s);
    a.q = &q;
    a.x = &x;
    a.encoding = s->e;
    a.params = dtype == LOCANT_F64 ? s->param : param;
    a.mask = LOCANT_MASK_CAUSAL;
    a.k = &c.wide[0];
    a.v = &c.wide[1];
    test_forward(&want, &lse, &a);
    a.k = &c.u8[0];
    a.v = &c.u8[1];
    a.quant = c.kind;
    a.quant_group = c.group;
    test_forward(&got, &lse, &a);
    if (!same(&want, &got))
        FAIL("%s, %s, kind %d, T %d, S %d: results differ\n", s->spec,
             locant_dtype_name(dtype), (int)c.kind, (int)T, (int)S);
    for (int i = 0; i < s->params; i++)
        test_tensor_free(&param[i]);
}

TEST(every_encoding_reads_quantised_rows)
{
    traits_each(4, any, reads_rows);
}

/* ----------------------------------------------------------------- rotation */

TEST(rotation_is_that_of_the_floats)
{
    enum { T = 9, HEADS = 3 };
    OWNED(locant_encoding) *from = test_create("rope");
    OWNED(locant_encoding) *to = test_create("rope(base=500000)");
    int64_t before[T], after[T];

    for (int i = 0; i < T; i++) {
        before[i] = 100 + i;
        after[i] = 7 + 3 * i;
    }
    for (size_t k = 0; k < LEN(kinds); k++) {
        int64_t bytes = bytes_of(kinds[k], 0, D);
        OWNED(locant_tensor) x = TENSOR(F32, HEADS, T, D);
        OWNED(locant_tensor) rows = TENSOR(U8, HEADS, T, bytes);
        OWNED(locant_tensor) want = TENSOR(U8, HEADS, T, bytes);

        CHECK_OK(locant_quantize(&rows, &x, kinds[k], 0));
        CHECK_OK(locant_dequantize(&x, &rows, kinds[k], 0));
        CHECK_OK(locant_encoding_rerotate(&x, &x, from, VIEW(I64, before, T),
                                          to, VIEW(I64, after, T)));
        CHECK_OK(locant_quantize(&want, &x, kinds[k], 0));
        CHECK_OK(locant_quant_rerotate(&rows, kinds[k], 0, D, from,
                                       VIEW(I64, before, T), to,
                                       VIEW(I64, after, T)));
        CHECK(memcmp(want.data, rows.data, (size_t)(HEADS * T * bytes)) == 0);
    }
}

/* ----------------------------------------------------------------- refusals */

TEST(wrong_kinds_and_sizes_are_refused)
{
    uint8_t rows[256] = { 0 };
    float x[64] = { 0 };
    int64_t bytes;

    REFUSES(PARAM, locant_quant_row_bytes(&bytes, 0, 0, 64),
            "quant is 0, expected 1 (int8), 2 (q8_0), 3 (e4m3) or 4 (e5m2)");
    REFUSES(PARAM, locant_quant_row_bytes(&bytes, 1, 24, 64),
            "quant_group is 24, expected a divisor of 64 channels, or 0 (one "
            "scale per row)");
    REFUSES(PARAM, locant_quant_row_bytes(&bytes, 1, -64, 64),
            "quant_group is -64, expected a divisor of 64 channels, or 0 (one "
            "scale per row)");
    REFUSES(PARAM, locant_quant_row_bytes(&bytes, 2, 32, 64),
            "quant_group is 32, expected 0: only int8 has groups");
    REFUSES(SHAPE, locant_quant_row_bytes(&bytes, 2, 0, 48),
            "rows have 48 channels, expected a multiple of 32 for q8_0");
    REFUSES(SHAPE, locant_quant_row_bytes(&bytes, 3, 0, INT64_MAX),
            "rows have 9223372036854775807 channels, expected 1 to 2147483647");
    REFUSES(SHAPE,
            locant_quantize(VIEW(U8, rows, 1, 64), VIEW(F32, x, 1, 64), 1, 0),
            "rows has size 64 in dimension 1, expected 68");
    REFUSES(DTYPE,
            locant_quantize(VIEW(F32, x, 1, 64), VIEW(F32, x, 1, 64), 3, 0),
            "rows is f32, expected u8");
    REFUSES(ALIAS,
            locant_quantize(VIEW(U8, x, 1, 64), VIEW(F32, x, 1, 64), 3, 0),
            "an output overlaps an input");
}
