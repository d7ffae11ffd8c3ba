/* near.c - see near.h */
#include "near.h"
#include <math.h>
#include <stdlib.h>

void near_all(const double *got, const double *want, size_t n, double tolerance)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(got[i] - want[i]) <= tolerance))
            FAIL("value %zu: got %.15g, want %.15g within %.3g", i, got[i],
                 want[i], tolerance);
}

void near_row(double *out, const char *spec, int64_t pos, int64_t D)
{
    int64_t one = 1, shape[2] = { 1, D };
    locant_tensor t = locant_dense(out, LOCANT_F64, 2, shape);
    locant_tensor p = locant_dense(&pos, LOCANT_I64, 1, &one);
    locant_encoding *e = test_create(spec);

    CHECK_OK(locant_encoding_table(&t, e, &p, NULL));
    locant_encoding_free(e);
}

void near_rotate(double *out, const double *x, const char *spec, int64_t pos,
                 int64_t D, int inverse)
{
    int64_t one = 1, shape[2] = { 1, D };
    double copy[256];
    locant_tensor ty = locant_dense(out, LOCANT_F64, 2, shape);
    locant_tensor tx = locant_dense(copy, LOCANT_F64, 2, shape);
    locant_tensor p = locant_dense(&pos, LOCANT_I64, 1, &one);
    locant_encoding *e = test_create(spec);

    for (int64_t d = 0; d < D; d++)
        copy[d] = x[d];
    CHECK_OK(locant_encoding_rotate(&ty, &tx, e, &p, NULL, inverse));
    locant_encoding_free(e);
}

double near_bias(const char *spec, int64_t heads, int64_t h, int64_t q,
                 int64_t k, const locant_tensor *params)
{
    int64_t one = 1, shape[3] = { heads, 1, 1 };
    double out[256];
    locant_tensor t = locant_dense(out, LOCANT_F64, 3, shape);
    locant_tensor tq = locant_dense(&q, LOCANT_I64, 1, &one);
    locant_tensor tk = locant_dense(&k, LOCANT_I64, 1, &one);
    locant_encoding *e = test_create(spec);

    assert_true(heads <= (int64_t)LEN(out));
    CHECK_OK(locant_encoding_bias(&t, e, &tq, &tk, params));
    locant_encoding_free(e);
    return out[h];
}

double near_dot(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}
