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
    CHECK_OK(locant_resize_1d(VIEW(F64, out, n, 1),
                              VIEW(F64, (double *)(uintptr_t)table, m, 1),
                              how));
}

static inline void grid(double *out, int64_t h, int64_t w, const double *table,
                        int64_t H, int64_t W, locant_resize how)
{
    how.from_rows = H;
    how.from_columns = W;
    how.rows = h;
    how.columns = w;
    CHECK_OK(locant_resize_2d(VIEW(F64, out, h * w, 1),
                              VIEW(F64, (double *)(uintptr_t)table, H * W, 1),
                              &how));
}
#endif
