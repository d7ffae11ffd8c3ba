/*
 * linear.c - y = x W and its two gradients, by BLAS.
 *
 * Each product uses one thread: parallelism is above it (whole models side by
 * side), and the bits of a product then do not depend on the machine's load.
 */
#include "nn.h"
#include <cblas.h>

#ifdef LCT_REAL_F64
#define GEMM cblas_dgemm
#else
#define GEMM cblas_sgemm
#endif

void lct_linear_setup(void)
{
    openblas_set_num_threads(1);
}

/*
 * y [rows, out] = x [rows, in] W [in, out], or y += x W.
 *
 * Saved for backward: x.
 */
void lct_linear_forward(real *y, const real *x, const real *w,
                        const struct lct_linear *s, enum lct_store store)
{
    const int rows = (int)s->rows, in = (int)s->in, out = (int)s->out;

    GEMM(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, out, in, 1, x, in, w,
         out, store == LCT_ADD, y, out);
}

/* forward: y = x W;  dx [rows, in] = dy [rows, out] W^T, or dx += dy W^T */
void lct_linear_backward_input(real *dx, const real *dy, const real *w,
                               const struct lct_linear *s,
                               enum lct_store store)
{
    const int rows = (int)s->rows, in = (int)s->in, out = (int)s->out;

    GEMM(CblasRowMajor, CblasNoTrans, CblasTrans, rows, in, out, 1, dy, out, w,
         out, store == LCT_ADD, dx, in);
}

/* forward: y = x W;  dW [in, out] += x^T [in, rows] dy [rows, out] */
void lct_linear_backward_weight(real *dw, const real *dy, const real *x,
                                const struct lct_linear *s)
{
    const int rows = (int)s->rows, in = (int)s->in, out = (int)s->out;

    GEMM(CblasRowMajor, CblasTrans, CblasNoTrans, in, out, rows, 1, x, in, dy,
         out, 1, dw, out);
}
