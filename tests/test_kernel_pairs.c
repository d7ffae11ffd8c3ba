/*
 * test_kernel_pairs.c - products of pairs of bfloat16 numbers against a model
 * of the instruction, one lane at a time, and the rows they are made from.
 */
#include "core/tensor.h"
#include "kernel/kernels.h"
#include "kernel/row.h"
#include "testing.h"
#include <math.h>
#include <string.h>

/* That of a word's two which stands at the higher address, or the lower. */
static uint16_t half_of(uint32_t word, bool second)
{
    uint16_t halves[2];

    memcpy(halves, &word, sizeof(word));
    return halves[second];
}

static float number(uint32_t word, bool second)
{
    uint32_t half = (uint32_t)half_of(word, second) << 16;
    float x;

    memcpy(&x, &half, sizeof(x));
    return x;
}

/* The instruction, one lane: products are exact, each sum is rounded. */
static float dot2(uint32_t a, uint32_t b, float c)
{
    c = fmaf(number(a, true), number(b, true), c);
    return fmaf(number(a, false), number(b, false), c);
}

/* Pairs of which no sum of products leaves the normal numbers. */
static uint32_t *random_words(size_t n)
{
    uint32_t *x = test_guarded(n * sizeof(*x));

    for (size_t i = 0; i < 2 * n; i++)
        ((uint16_t *)x)[i] = (uint16_t)((test_rand() & 0x80ff) |
                                        (uint64_t)test_range(110, 140) << 7);
    return x;
}

static void check_pair_product(const struct lct_bf16_product *x,
                               const float *start)
{
    for (size_t at = 0; at < x->m * x->n; at++) {
        size_t i = at / x->n, j = at % x->n;
        float want = x->add ? start[at] : 0, got = x->c[i * x->c_row + j];

        want *= x->rescale == NULL ? 1 : x->rescale[i];
        for (size_t p = 0; p < x->k; p++) {
            uint32_t a;

            memcpy(&a,
                   (const char *)x->a + (ptrdiff_t)i * x->a_row +
                       (ptrdiff_t)p * x->a_col,
                   sizeof(a));
            want = dot2(a, x->b[p * x->b_row + j], want);
        }
        want *= x->factor == NULL ? 1 : x->factor[j];
        if (memcmp(&got, &want, sizeof(got)) != 0)
            FAIL("[%zu,%zu,%zu] at %zu,%zu: got %a, want %a", x->m, x->n, x->k,
                 i, j, (double)got, (double)want);
    }
}

TEST(products_are_those_of_the_instruction)
{
    int available;

    for (int round = 0; round < 200; round++) {
        size_t m = (size_t)test_range(1, 20), k = (size_t)test_range(1, 35);
        size_t n = LCT_PAD * (size_t)test_range(1, 9);
        bool across = test_rand() % 2;
        float shrink[20];
        uint32_t *a = random_words(m * k + 1), *b = random_words(k * n);
        int64_t shape[2] = { (int64_t)m, (int64_t)n };
        locant_tensor c = test_tensor(LOCANT_F32, 2, shape);
        OWNED(locant_tensor) start = test_tensor(LOCANT_F32, 2, shape);
        struct lct_bf16_product x = {
            .c = c.data,
            .c_row = n,
            .a = (char *)a + 2 * (test_rand() % 2),
            .a_row = (ptrdiff_t)(4 * (across ? 1 : k)),
            .a_col = (ptrdiff_t)(4 * (across ? m : 1)),
            .b = b,
            .b_row = n,
            .m = m,
            .n = n,
            .k = k,
            .add = test_rand() % 2,
            .rescale = test_rand() % 2 ? shrink : NULL,
            .factor = test_rand() % 2 ? start.data : NULL
        };

        for (size_t i = 0; i < m; i++)
            shrink[i] = (float)test_uniform();
        for (int isa = 0; locant_isa_at(isa, &available) != NULL; isa++) {
            if (!available)
                continue;
            CHECK_OK(locant_set_isa(locant_isa_at(isa, NULL)));
            memcpy(c.data, start.data, m * n * sizeof(float));
            lct_kernels()->bf16_matmul(&x);
            check_pair_product(&x, start.data);
        }
        test_guarded_free(a, (m * k + 1) * sizeof(*a));
        test_guarded_free(b, k * n * sizeof(*b));
        test_tensor_free(&c);
    }
    CHECK_OK(locant_set_isa(NULL));
}

/* Rows of any bits in the storage type, NaN and infinity among them. */
static void check_pairs_of_rows(locant_dtype dtype)
{
    size_t rows = (size_t)test_range(1, 9), n = (size_t)test_range(1, 50);
    size_t padded = (n + LCT_PAD - 1) / LCT_PAD * LCT_PAD;
    size_t item = locant_dtype_size(dtype), pairs = (rows + 1) / 2;
    uint16_t *x = test_guarded(rows * n * item);
    uint32_t *out = test_guarded(pairs * padded * sizeof(*out));

    for (size_t i = 0; i < rows * n * item / 2; i++)
        x[i] = test_rand() % 4 ? (uint16_t)test_rand() : 0x7f80;
    lct_kernels()->bf16_pair_rows(out, padded, x, (ptrdiff_t)(n * item),
                                  (enum lct_stored)dtype, rows, n);
    for (size_t at = 0; at < 2 * pairs * padded; at++) {
        size_t r = at / padded, c = at % padded;
        uint16_t got = half_of(out[r / 2 * padded + c], r % 2 == 1);
        uint16_t want = 0;

        if (r < rows && c < n && dtype == LOCANT_F32)
            lct_row_from_f32(&want, LOCANT_BF16, (float *)x + r * n + c, 1);
        else if (r < rows && c < n)
            want = x[r * n + c];
        if ((got & 0x7fff) == 0 && (want & 0x7f80) == 0)
            continue; /* denormals may become 0 */
        if (got != want)
            FAIL("%s [%zu,%zu] at %zu,%zu: got %x, want %x",
                 locant_dtype_name(dtype), rows, n, r, c, got, want);
    }
    test_guarded_free(x, rows * n * item);
    test_guarded_free(out, pairs * padded * sizeof(*out));
}

/* Neighbours of rows, times the factor of their column, in place or not. */
static void check_rounded_rows(void)
{
    size_t rows = (size_t)test_range(1, 9), row, size;
    size_t n = LCT_PAD * (size_t)test_range(1, 5);
    bool in_place = test_rand() % 2;
    float factor[5 * LCT_PAD], *x;
    uint16_t *want;
    uint32_t *out;

    row = n + (size_t)test_range(0, 3);
    size = rows * row * sizeof(*x);
    x = test_guarded(size);
    want = test_guarded(rows * n * sizeof(*want));
    out = in_place ? (uint32_t *)x : test_guarded(size);
    for (size_t c = 0; c < n; c++)
        factor[c] = (float)test_uniform();
    for (size_t i = 0; i < rows * row; i++)
        x[i] = test_rand() % 8 ? (float)test_uniform() : INFINITY;
    for (size_t i = 0; i < rows * n; i++) {
        float product = x[i / n * row + i % n] * factor[i % n];

        lct_row_from_f32(want + i, LOCANT_BF16, &product, 1);
    }
    lct_kernels()->bf16_round_rows(out, row, x, row, factor, rows, n);
    for (size_t r = 0; r < rows; r++)
        if (memcmp(out + r * row, want + r * n, n * sizeof(*want)) != 0)
            FAIL("[%zu,%zu] row %zu", rows, n, r);
    if (!in_place)
        test_guarded_free(out, size);
    test_guarded_free(want, rows * n * sizeof(*want));
    test_guarded_free(x, size);
}

static void pairs_of_rows(void)
{
    for (int round = 0; round < 100; round++) {
        check_rounded_rows();
        check_pairs_of_rows(LOCANT_F32);
        check_pairs_of_rows(LOCANT_BF16);
    }
}

TEST(rows_are_paired_and_rounded)
{
    test_each_isa(pairs_of_rows);
}
