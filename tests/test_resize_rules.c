/*
 * test_resize_rules.c - what holds of every resize, and what is refused.
 */
#include "resize_case.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------- properties */

static const double oddities[6] = { NAN, -0.0, INFINITY, 0x1p-1074, -3, 1e308 };

/* Equal sizes: the same bits, whatever the options, NaN and -0 included. */
TEST(equal_sizes_are_copied)
{
    for (int f = 0; locant_resize_form_name((locant_resize_form)f); f++) {
        locant_resize how = form((locant_resize_form)f);
        double got[6] = { 0 };

        line(got, 6, oddities, 6, &how);
        CHECK(memcmp(got, oddities, sizeof(got)) == 0);
        grid(got, 2, 3, oddities, 2, 3, how);
        CHECK(memcmp(got, oddities, sizeof(got)) == 0);
    }
}

/* Prefix rows keep their bits; a row of weight 0 spreads no NaN. */
TEST(prefix_and_far_rows_are_left_alone)
{
    static const double table[6] = { NAN, -0.0, 1, 2, 3, NAN };
    locant_resize how = options(0, 1, 0);
    double got[9];

    how.prefix = 2;
    line(got, 9, table, 6, &how); /* at 0, 1/2, 1, 3/2, 2, 5/2, 3 */
    CHECK(memcmp(got, table, 2 * sizeof(*got)) == 0);
    CHECK(got[2] == 1 && got[6] == 3);
    CHECK(isnan(got[7]) && isnan(got[8]));
}

/* A table of 2^20 rows halved and doubled: still right at its far end. */
TEST(long_tables_keep_their_far_end)
{
    enum { M = 1 << 20 };
    OWNED(locant_tensor) t = TENSOR(F64, M, 1);
    OWNED(locant_tensor) u = TENSOR(F64, M / 2, 1);
    locant_resize how = options(0, 0, 0);
    double *x = t.data, *y = u.data;

    for (int i = 0; i < M; i++)
        x[i] = i;
    CHECK_OK(locant_resize_1d(&u, &t, &how));
    for (int i = 0; i < M / 2; i++)
        CHECK(y[i] == 2 * i + 0.5);
    CHECK_OK(locant_resize_1d(&t, &u, &how));
    for (int i = 1; i < M - 1; i++)
        CHECK(x[i] == i);
}

TEST(same_bits_for_any_threads_and_strides)
{
    enum { M = 37, N = 53, D = 300, STEP = 311 };
    static float table[M * STEP], one[N * D], many[N * STEP];
    locant_resize how = form(LOCANT_RESIZE_TIMM);
    locant_tensor t = DENSE(F32, table, M, D);
    locant_tensor b = DENSE(F32, many, N, D);

    t.stride[0] = b.stride[0] = STEP;
    for (size_t i = 0; i < LEN(table); i++)
        table[i] = (float)test_uniform();
    CHECK_OK(locant_set_threads(1));
    CHECK_OK(locant_resize_1d(VIEW(F32, one, N, D), &t, &how));
    CHECK_OK(locant_set_threads(5));
    CHECK_OK(locant_resize_1d(&b, &t, &how));
    CHECK_OK(locant_set_threads(0));
    for (int i = 0; i < N; i++)
        CHECK(memcmp(one + i * D, many + i * STEP, D * sizeof(float)) == 0);
    for (int i = 0; i < N - 1; i++)
        for (int d = D; d < STEP; d++)
            CHECK(many[i * STEP + d] == 0);
}

TEST(empty_is_nothing)
{
    double data[4] = { 1, 2, 3, 4 };
    locant_tensor two = DENSE(F64, data, 2, 2);
    locant_tensor none = DENSE(F64, NULL, 0, 2);
    locant_resize how = options(1, 0, 1);

    CHECK_OK(locant_resize_1d(&none, &two, &how));
    CHECK_OK(locant_resize_1d(&none, &none, &how));
    CHECK_OK(locant_resize_1d_backward(&two, &none, &how));
    CHECK(data[0] == 1 && data[3] == 4);
    REFUSES(SHAPE, locant_resize_1d(&two, &none, &how),
            "table has no rows to interpolate");
}

/* ---------------------------------------------------------------- refusals */

static double untouched[12];
static locant_tensor four, six;

static locant_tensor rows(int64_t n)
{
    static double data[12];

    return DENSE(F64, data, n, 2);
}

static void refuse(locant_resize how, locant_status status,
                   const char *sentence)
{
    CHECK_REFUSED(locant_resize_1d(&four, &six, &how), status, sentence);
}

TEST(refuses_bad_options)
{
    locant_resize how = options(2, 0, 0), bad = how;

    four = DENSE(F64, untouched, 4, 2);
    six = rows(6);
    REFUSES(NULL, locant_resize_1d(&four, &six, NULL), "how is NULL");
    bad.struct_size = 8;
    refuse(bad, LOCANT_ERR_PARAM,
           "locant_resize_1d: struct_size is 8, "
           "expected 72: start from LOCANT_RESIZE_INIT");
    bad = how;
    bad.kind = (locant_resize_kind)7;
    refuse(bad, LOCANT_ERR_PARAM,
           "locant_resize_1d: kind is 7, expected 0 "
           "(linear) or 1 (cubic)");
    bad = options(1, 2, 0);
    refuse(bad, LOCANT_ERR_PARAM,
           "locant_resize_1d: align_corners is 2, expected 0 or 1");
    bad = options(1, 0, -1);
    refuse(bad, LOCANT_ERR_PARAM,
           "locant_resize_1d: antialias is -1, expected 0 or 1");
    bad = options(1, 1, 1);
    refuse(bad, LOCANT_ERR_PARAM,
           "locant_resize_1d: align_corners and "
           "antialias exclude each other");
    bad = options(1, 0, 0);
    bad.offset = NAN;
    refuse(bad, LOCANT_ERR_PARAM,
           "locant_resize_1d: offset is nan, expected 0 to 1");
    bad = options(1, 1, 0);
    bad.offset = 0.1;
    refuse(bad, LOCANT_ERR_PARAM,
           "locant_resize_1d: offset is 0.1, but "
           "align_corners has none");
    bad = how;
    bad.prefix = -1;
    refuse(bad, LOCANT_ERR_PARAM,
           "locant_resize_1d: prefix is -1, expected at least 0");
    REFUSES(PARAM, locant_resize_set_form(&how, (locant_resize_form)6),
            "form is 6, expected 0 to 5");
    CHECK(locant_resize_form_name((locant_resize_form)6) == NULL);
    for (size_t i = 0; i < LEN(untouched); i++)
        CHECK(untouched[i] == 0);
}

TEST(refuses_bad_tensors)
{
    locant_resize how = options(1, 0, 0);
    locant_tensor out = DENSE(F64, untouched, 4, 2);
    locant_tensor table = rows(6), bad = table;

    REFUSES(NULL, locant_resize_1d(&out, NULL, &how), "table is NULL");
    bad.shape[1] = 1;
    REFUSES(SHAPE, locant_resize_1d(&out, &bad, &how),
            "out has size 2 in dimension 1, expected 1");
    bad = table;
    bad.dtype = LOCANT_BF16;
    REFUSES(DTYPE, locant_resize_1d_backward(&bad, &out, &how),
            "dtable is bf16, expected f32 or f64");
    REFUSES(ALIAS, locant_resize_1d(&out, &out, &how),
            "an output overlaps an input");
    how.prefix = 5;
    REFUSES(SHAPE, locant_resize_1d(&out, &table, &how),
            "out has 4 rows, less than the prefix of 5");
    how.prefix = 0;
    REFUSES(SHAPE, locant_resize_2d(&out, &table, &how),
            "table has 6 rows after the prefix, which is no square; give its "
            "grid");
    how.from_rows = 2;
    how.from_columns = 4;
    REFUSES(SHAPE, locant_resize_2d(&out, &table, &how),
            "table has 6 rows after the prefix, but its grid is 2 x 4");
    how.from_columns = 3;
    how.rows = INT64_C(1) << 33;
    how.columns = (INT64_C(1) << 31) + 1;
    REFUSES(SHAPE, locant_resize_2d(&out, &table, &how),
            "out has 4 rows after the prefix, but its grid is 8589934592 x "
            "2147483649");
    for (size_t i = 0; i < LEN(untouched); i++)
        CHECK(untouched[i] == 0);
}

/* The k-th allocation fails, k = 1, 2, ..: nothing written, nothing lost. */
TEST(no_memory_is_an_error)
{
    locant_resize how = form(LOCANT_RESIZE_HF);
    locant_tensor table = rows(1);
    locant_status s = LOCANT_ERR_NOMEM;

    CHECK_OK(locant_set_threads(1));
    for (int k = 1; k <= 10 && s != LOCANT_OK; k++) {
        test_memory_fail_from(k);
        s = locant_resize_2d(VIEW(F64, untouched, 4, 2), &table, &how);
        CHECK(s == LOCANT_OK || s == LOCANT_ERR_NOMEM);
        CHECK(k > 1 || s == LOCANT_ERR_NOMEM);
        CHECK(test_memory_held() == 0);
    }
    test_memory_end();
    CHECK_OK(locant_set_threads(0));
    CHECK_OK(s);
}
