/* resize_case.h - what the tests of resizing share */
#ifndef RESIZE_CASE_H
#define RESIZE_CASE_H
#include "oracle/draw.h"

static inline locant_resize options(int cubic, int corners, int antialias)
{
    locant_resize how = LOCANT_RESIZE_INIT;

    how.kind = cubic ? LOCANT_RESIZE_CUBIC : LOCANT_RESIZE_LINEAR;
    how.align_corners = corners;
    how.antialias = antialias;
    return how;
}

static inline locant_resize form(locant_resize_form f)
{
    locant_resize how = LOCANT_RESIZE_INIT;

    CHECK_OK(locant_resize_set_form(&how, f));
    return how;
}

/* One channel, in double. */
static inline void line(double *out, int64_t n, const double *table, int64_t m,
                        const locant_resize *how)
{
    locant_tensor to = locant_dense(out, LOCANT_F64, 2, (int64_t[]){ n, 1 });
    locant_tensor from = locant_dense((double *)(uintptr_t)table, LOCANT_F64, 2,
                                      (int64_t[]){ m, 1 });

    CHECK_OK(locant_resize_1d(&to, &from, how));
}

static inline void grid(double *out, int64_t h, int64_t w, const double *table,
                        int64_t H, int64_t W, locant_resize how)
{
    locant_tensor to =
        locant_dense(out, LOCANT_F64, 2, (int64_t[]){ h * w, 1 });
    locant_tensor from = locant_dense((double *)(uintptr_t)table, LOCANT_F64, 2,
                                      (int64_t[]){ H * W, 1 });

    how.from_rows = H;
    how.from_columns = W;
    how.rows = h;
    how.columns = w;
    CHECK_OK(locant_resize_2d(&to, &from, &how));
}
#endif
