/* check_case.h - what the tests against published values share */
#ifndef CHECK_CASE_H
#define CHECK_CASE_H

#include "oracle/near.h"
#include <math.h>

/* The error of a value published to ten decimals, with some slack. */
#define TEN 0.51e-10

/* A dense tensor of doubles, [a, b], or [a] if b is 0. */
static inline locant_tensor check_dense(double *data, int64_t a, int64_t b)
{
    int64_t shape[2] = { a, b };

    return locant_dense(data, LOCANT_F64, b > 0 ? 2 : 1, shape);
}

/* out = x [D] rotated by 'pos', in a call whose last position is 'last'. */
static inline void check_rotate(double *out, const double *x, const char *spec,
                                int64_t D, int64_t pos, int64_t last)
{
    int64_t at[2] = { pos, last };
    double in[1024] = { 0 }, y[1024];
    OWNED(locant_encoding) *e = test_create(spec);

    assert_true(2 * D <= (int64_t)LEN(in));
    for (int64_t d = 0; d < D; d++)
        in[d] = x[d];
    CHECK_OK(locant_encoding_rotate(VIEW(F64, y, 2, D), VIEW(F64, in, 2, D), e,
                                    VIEW(I64, at, 2), NULL, 0));
    for (int64_t d = 0; d < D; d++)
        out[d] = y[d];
}
#endif
