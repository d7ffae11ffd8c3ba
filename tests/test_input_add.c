/*
 * test_input_add.c - a batch that shares its rows of positions against every
 * row by itself, with the numbers that are not: on every instruction set, for
 * every type, widths on both sides of what a kernel takes at a time.
 */
#include "core/tensor.h"
#include "kernel/row.h"
#include "testing.h"
#include <math.h>
#include <string.h>

enum { BATCH = 9, TOKENS = 5, ROWS = 7, MOST = 1100 };

static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_F16, LOCANT_BF16,
                                       LOCANT_F64 };
static const int64_t widths[] = { 1, 15, 16, 33, 64, 1024, 1057, MOST };

/* A table of normal numbers with, here and there, one of these. */
static const uint32_t odd[] = { 0x7fffffff, 0xffffffff, 0x7fc00000,
                                0xff812345, 0x7f800000, 0xff800000,
                                0x00000001, 0x80000000, 0x7f7fffff };

static void fill(void *data, locant_dtype dtype, size_t n, unsigned every)
{
    for (size_t i = 0; i < n; i++) {
        double x = 4 * test_uniform() - 2;
        float strange;

        memcpy(&strange, &odd[test_range(0, LEN(odd) - 1)], sizeof(strange));
        if (every > 0 && test_range(0, (int)every) == 0)
            x = strange;
        lct_row_from_f64((char *)data + i * locant_dtype_size(dtype), dtype, &x,
                         1);
        if (every > 0 && dtype == LOCANT_F32 && isnan(x))
            memcpy((char *)data + 4 * i, &strange, sizeof(strange));
    }
}

/*
 * One call for the batch, and one for every row of it, give the same bits.  Of
 * two NaN that meet it is open whose payload stays; here they do not.
 */
static void check_batch(const locant_encoding *e, locant_dtype dtype,
                        int64_t width, const locant_tensor *params,
                        unsigned every)
{
    static double x[BATCH * TOKENS * MOST], got[BATCH * TOKENS * MOST];
    static double want[MOST];
    int64_t pos[TOKENS] = { 0, 1, 2, 6, 4 };
    int64_t shape[] = { BATCH, TOKENS, width };
    locant_tensor from = locant_dense(x, dtype, 3, shape);
    locant_tensor to = locant_dense(got, dtype, 3, shape);
    locant_tensor at = locant_dense(pos, LOCANT_I64, 1, shape + 1);
    size_t row = (size_t)width * locant_dtype_size(dtype);

    fill(x, dtype, (size_t)(BATCH * TOKENS * width), every);
    CHECK_OK(locant_encoding_add(&to, &from, e, &at, params));
    for (size_t i = 0; i < BATCH * TOKENS; i++) {
        int64_t one[] = { 1, width };
        locant_tensor a = locant_dense((char *)x + i * row, dtype, 2, one);
        locant_tensor b = locant_dense(want, dtype, 2, one);
        locant_tensor p = locant_dense(&pos[i % TOKENS], LOCANT_I64, 1, one);

        CHECK_OK(locant_encoding_add(&b, &a, e, &p, params));
        if (memcmp(want, (char *)got + i * row, row) != 0)
            FAIL("%s, %s, width %d: row %d differs", locant_encoding_spec(e),
                 locant_dtype_name(dtype), (int)width, (int)i);
    }
    CHECK_OK(locant_encoding_add(&from, &from, e, &at, params));
    assert_memory_equal(x, got, BATCH * TOKENS * row);
}

static void check_tables(void)
{
    static double table[(ROWS + 1) * MOST];
    OWNED(locant_encoding) *e = test_create("learned(offset=1)");

    for (size_t d = 0; d < LEN(dtypes); d++)
        for (size_t w = 0; w < LEN(widths); w++)
            for (int wide = 0; wide < 2; wide++) {
                int64_t shape[] = { ROWS + 1, widths[w] };
                locant_tensor t = locant_dense(
                    table, wide ? LOCANT_F64 : LOCANT_F32, 2, shape);
                unsigned every = test_range(0, 1) ? 0 : 300;

                fill(table, t.dtype, (size_t)(shape[0] * shape[1]), every);
                check_batch(e, dtypes[d], widths[w], &t, every ? 0 : 300);
            }
}

static void check_sinusoids(void)
{
    static const char *const specs[] = {
        "sinusoidal", "sinusoidal(form=split)",
        "sinusoidal(form=split,spacing=inclusive,start=2)"
    };

    for (size_t k = 0; k < LEN(specs); k++)
        for (size_t d = 0; d < LEN(dtypes); d++) {
            OWNED(locant_encoding) *e = test_create(specs[k]);

            check_batch(e, dtypes[d], widths[test_range(0, LEN(widths) - 1)],
                        NULL, 100);
        }
}

TEST(a_batch_of_table_rows_is_its_rows)
{
    test_each_isa(check_tables);
}

TEST(a_batch_of_sinusoids_is_its_rows)
{
    test_each_isa(check_sinusoids);
}

/* A NaN of any payload, in the table alone, is a NaN of every sum. */
static void numbers_that_are_not_stay_so(void)
{
    static float table[64];
    static uint16_t x[BATCH * 64];
    int64_t zero = 0;
    locant_tensor to = DENSE(BF16, x, BATCH, 1, 64);
    locant_encoding *e;

    memset(x, 0, sizeof(x));
    memcpy(&table[37], &odd[0], sizeof(table[0]));
    e = test_create("learned");
    CHECK_OK(locant_encoding_add(&to, &to, e, VIEW(I64, &zero, 1),
                                 VIEW(F32, table, 1, 64)));
    for (size_t i = 0; i < LEN(x); i++)
        if (x[i] != (i % 64 == 37 ? 0x7fff : 0))
            FAIL("element %d is %#x", (int)i, x[i]);
    locant_encoding_free(e);
}

TEST(a_nan_of_the_table_stays)
{
    test_each_isa(numbers_that_are_not_stay_so);
}
