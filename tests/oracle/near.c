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
    OWNED(locant_encoding) *e = test_create(spec);

    CHECK_OK(locant_encoding_table(VIEW(F64, out, 1, D), e, VIEW(I64, &pos, 1),
                                   NULL));
}

void near_rotate(double *out, const double *x, const char *spec, int64_t pos,
                 int64_t D, int inverse)
{
    double copy[256];
    OWNED(locant_encoding) *e = test_create(spec);

    for (int64_t d = 0; d < D; d++)
        copy[d] = x[d];
    CHECK_OK(locant_encoding_rotate(VIEW(F64, out, 1, D), VIEW(F64, copy, 1, D),
                                    e, VIEW(I64, &pos, 1), NULL, inverse));
}

double near_bias(const char *spec, int64_t heads, int64_t h, int64_t q,
                 int64_t k, const locant_tensor *params)
{
    double out[256];
    OWNED(locant_encoding) *e = test_create(spec);

    assert_true(heads <= (int64_t)LEN(out));
    CHECK_OK(locant_encoding_bias(VIEW(F64, out, heads, 1, 1), e,
                                  VIEW(I64, &q, 1), VIEW(I64, &k, 1), params));
    return out[h];
}

double near_dot(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}
