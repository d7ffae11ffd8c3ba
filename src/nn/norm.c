/* norm.c - layer norm and RMS norm over rows, with a weight and no bias */
#include "nn.h"
#include <string.h>

/*
 * y [rows, width] = (x - mean) / deviation * w, per row of x [rows, width];
 * w [width], stat [rows, 2].
 *
 * Saved for backward: x, stat.
 */
void lct_norm_forward(real *y, real *stat, const real *x, const real *w,
                      int64_t rows, int64_t width, enum lct_norm kind)
{
    const struct lct_nn_kernels *nn = lct_nn();
    const bool rms = kind == LCT_RMS_NORM;
    const size_t n = (size_t)width;

    for (size_t i = 0; i < (size_t)rows; i++)
        (rms ? nn->rms_norm : nn->layer_norm)(
            y + i * n, stat + 2 * i, stat + 2 * i + 1, x + i * n, w, n);
}

/*
 * dx [rows, width] = residual + the gradient through the norm, from dy [rows,
 * width].  'residual', or NULL, is the gradient of x through the residual
 * stream.  'sum' is in double, since dw sums over all rows.
 *
 * forward: y = (x - mean) / deviation * w
 */
void lct_norm_backward(real *dx, const real *residual, double *sum,
                       const real *dy, const real *w,
                       const struct lct_norm_saved *saved)
{
    const struct lct_nn_kernels *nn = lct_nn();
    const bool rms = saved->kind == LCT_RMS_NORM;
    const size_t n = (size_t)saved->width;

    memset(sum, 0, n * sizeof(*sum));
    for (size_t i = 0; i < (size_t)saved->rows; i++) {
        const real *x = saved->x + i * n, *stat = saved->stat + 2 * i;
        const real *from = residual == NULL ? NULL : residual + i * n;

        (rms ? nn->rms_norm_backward : nn->layer_norm_backward)(
            dx + i * n, from, sum, dy + i * n, x, w, stat, n);
    }
}

void lct_norm_backward_weight(real *dw, double *sums, int64_t blocks,
                              int64_t width)
{
    for (int64_t b = 1; b < blocks; b++)
        for (int64_t i = 0; i < width; i++)
            sums[i] += sums[b * width + i];
    lct_nn()->add_sums(dw, sums, (size_t)width);
}
