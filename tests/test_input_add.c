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

/* ------------------------------------------------- sinusoids used only once */

enum { LONG = 75, WIDE = 600 };

/*
 * Rows in place and to another place, a part of them apart in memory, are those
 * of a batch of two, which has a table.  Numbers of x are so small that a wrong
 * bit of a sine is seen in float32.
 */
static void check_waves(const char *spec, locant_dtype dtype, int64_t width,
                        const int64_t *pos)
{
    static double x[LONG * WIDE], got[LONG * WIDE];
    static double pair[2 * LONG * WIDE], want[2 * LONG * WIDE];
    OWNED(locant_encoding) *e = test_create(spec);
    const size_t size = locant_dtype_size(dtype), row = (size_t)width * size;
    const int64_t apart = width + test_range(0, WIDE - (int)width);
    int64_t one[] = { 1, LONG, width }, two[] = { 2, LONG, width };
    locant_tensor from = locant_dense(x, dtype, 3, one);
    locant_tensor to = locant_dense(got, dtype, 3, one);
    locant_tensor both = locant_dense(pair, dtype, 3, two);
    locant_tensor out = locant_dense(want, dtype, 3, two);
    const locant_tensor *at = VIEW(I64, (int64_t *)pos, LONG);

    from.stride[1] = to.stride[1] = apart;
    memset(pair, 0, sizeof(pair));
    if (dtype != LOCANT_F32)
        fill(pair, dtype, (size_t)(LONG * width), 100);
    for (size_t t = 0; t < LONG; t++)
        memcpy((char *)x + t * (size_t)apart * size, (char *)pair + t * row,
               row);
    memset(got, 0x5a, sizeof(got));
    CHECK_OK(locant_encoding_add(&out, &both, e, at, NULL));
    CHECK_OK(locant_encoding_add(&to, &from, e, at, NULL));
    CHECK_OK(locant_encoding_add(&from, &from, e, at, NULL));
    for (size_t t = 0; t < LONG; t++) {
        size_t there = t * (size_t)apart * size;

        if (memcmp((char *)want + t * row, (char *)got + there, row) != 0 ||
            memcmp((char *)want + t * row, (char *)x + there, row) != 0)
            FAIL("%s, %s, width %d: position %lld differs", spec,
                 locant_dtype_name(dtype), (int)width, (long long)pos[t]);
        if (apart > width && ((char *)got)[there + row] != 0x5a)
            FAIL("width %d: row %d is too long", (int)width, (int)t);
    }
}

static void check_all_waves(void)
{
    static const int64_t first[] = { 0, 1, -3, 1000003, INT64_MAX - 70 };
    static const int64_t wide[] = { 1, 16, 55, 57, 64, 73, 78, 257, 321, WIDE };
    int64_t pos[LONG];

    for (size_t i = 0; i < LEN(first); i++)
        for (size_t w = 0; w < LEN(wide); w++) {
            for (int t = 0; t < LONG; t++)
                pos[t] = (int64_t)((uint64_t)first[i] + (uint64_t)t);
            if (test_range(0, 1)) /* three runs, the second a short one */
                pos[70] = pos[66] = test_range(-9, 9);
            check_waves(test_range(0, 3) ? "sinusoidal"
                                         : "sinusoidal(base=1000000000)",
                        dtypes[test_range(0, 2)], wide[w], pos);
        }
}

TEST(sinusoids_used_once_are_those_of_a_table)
{
    test_each_isa(check_all_waves);
}

/* Results that no cache can hold, some rows not on a boundary of vectors. */
static void check_large(void)
{
    enum { COLUMNS = 1024, MANY = 8200 };
    const int64_t shape[] = { MANY, COLUMNS };
    OWNED(locant_encoding) *e = test_create("sinusoidal");
    float *x = calloc(MANY * (size_t)COLUMNS, sizeof(*x));
    float *y = calloc(MANY * (size_t)COLUMNS + 1, sizeof(*y));
    int64_t *pos = calloc(MANY, sizeof(*pos));

    assert_true(x != NULL && y != NULL && pos != NULL);
    for (int t = 0; t < MANY; t++)
        pos[t] = t;
    for (int skip = 0; skip < 2; skip++) {
        for (int kind = LOCANT_F32; kind <= LOCANT_BF16; kind++) {
            locant_dtype dtype = (locant_dtype)kind;
            size_t size = locant_dtype_size(dtype);
            locant_tensor from = locant_dense(x, dtype, 2, shape);
            locant_tensor to =
                locant_dense((char *)y + (size_t)skip * size, dtype, 2, shape);
            const locant_tensor *at = VIEW(I64, pos, MANY);

            memset(x, 0, MANY * (size_t)COLUMNS * sizeof(*x));
            CHECK_OK(locant_encoding_add(&to, &from, e, at, NULL));
            CHECK_OK(locant_encoding_add(&from, &from, e, at, NULL));
            assert_memory_equal(x, to.data, MANY * COLUMNS * size);
        }
    }
    free(x);
    free(y);
    free(pos);
}

TEST(large_results_are_those_in_place)
{
    test_each_isa(check_large);
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
