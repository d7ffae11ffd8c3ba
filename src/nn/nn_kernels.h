/*
 * nn_kernels.h - kernels of nn, one table for each instruction set.
 *
 * Sums run over a fixed number of lanes, reduced in a fixed order.  'product'
 * and 'transposed_product' use fused multiply-add and have the same bits on all
 * sets that have it; the others have the same bits on every set.  No kernel
 * fails, allocates or starts threads; arrays must not overlap.
 */
#ifndef LCT_NN_KERNELS_H
#define LCT_NN_KERNELS_H
#include "real.h"
#include <stdbool.h>
#include <stdint.h>

/* Factors of one AdamW step. */
struct lct_adamw_factors {
    real beta1, one_minus_beta1;
    real beta2, one_minus_beta2;
    real bias_correction1, bias_correction2; /* 1 / (1 - beta^step) */
    real rate, epsilon, decay;
};

/*
 * c [m, n] = a [m, k] b [k, n], or c += a b if 'add'.  Each element is summed
 * in the order of k, from c or 0.  Rows of a, b, c are a_row, b_row, c_row
 * elements apart.
 */
struct lct_nn_product {
    real *c;
    size_t c_row;
    const real *a;
    size_t a_row;
    const real *b;
    size_t b_row;
    size_t m, n, k;
    bool add;
};

/*
 * How numbers of rows are stored: those of a and b are real; b is bfloat16 that
 * is widened; both are pairs of bfloat16 in words of 4 bytes, aligned to these,
 * whose products are summed two at a time: then k, a_row and b_row count words.
 */
enum lct_nn_dots_kind { LCT_DOTS_PLAIN, LCT_DOTS_WIDEN, LCT_DOTS_PAIRS };

/*
 * c [m, n] = a [m, k] b^T, b [n, k]: rows with rows (dots.inc).  Rows of a, b,
 * c are a_row, b_row, c_row elements apart.  k >= 1.
 */
struct lct_nn_dots {
    real *c;
    size_t c_row;
    const real *a;
    size_t a_row;
    const void *b;
    size_t b_row;
    enum lct_nn_dots_kind kind;
    bool add; /* to c, as if these were further numbers of the rows: they must
                 then begin at a multiple of LCT_NN_PIECE */
    size_t m, n, k;
};

enum { LCT_NN_PIECE = 1024 };

struct lct_nn_kernels {
    const char *isa;

    void (*product)(const struct lct_nn_product *x);
    /* Columns of b, of which 'left' are left, that product() takes at a time.
     * Panels packed by this stay with its instruction set. */
    size_t (*panel)(size_t left);
    /* Each element has the same bits for any m, n and instruction set that has
       fused multiply-add.  This and narrow(): of float alone. */
    void (*dots)(const struct lct_nn_dots *x);
    /* y = x rounded to bfloat16, ties to even */
    void (*narrow)(uint16_t *y, const real *x, size_t n);
    /* c [m, n] += a^T b with a [k, m], in the order of k; ignores 'add' */
    void (*transposed_product)(const struct lct_nn_product *x);

    /*
     * y = (x - mean) * rstd * w over n channels; RMS norm has mean = 0.
     * Writes y, *mean, *rstd.
     */
    void (*layer_norm)(real *y, real *mean, real *rstd, const real *x,
                       const real *w, size_t n);
    void (*rms_norm)(real *y, real *mean, real *rstd, const real *x,
                     const real *w, size_t n);

    /* dx = residual (or 0 if NULL) + the gradient of x;  dw += the gradient of
       w;  stat = { mean, rstd } */
    void (*layer_norm_backward)(real *dx, const real *residual, double *dw,
                                const real *dy, const real *x, const real *w,
                                const real stat[2], size_t n);
    void (*rms_norm_backward)(real *dx, const real *residual, double *dw,
                              const real *dy, const real *x, const real *w,
                              const real stat[2], size_t n);

    /* y = gelu(x); gelu_backward replaces dy by dx. */
    void (*gelu)(real *y, const real *x, size_t n);
    void (*gelu_backward)(real *dy, const real *x, size_t n);
    /* x = x / (1 + e^-x), in place */
    void (*silu)(real *x, size_t n);

    /*
     * Returns -ln softmax(x)[target] of n logits and writes
     * stat = { max x, sum exp(x - max) }.  Backward replaces x by its gradient
     * times 'factor'.
     */
    real (*cross_entropy)(real stat[2], const real *x, size_t target, size_t n);
    void (*cross_entropy_backward)(real *x, const real stat[2], size_t target,
                                   real factor, size_t n);

    void (*adamw)(real *p, real *m, real *v, const real *grad, size_t n,
                  const struct lct_adamw_factors *f);
    double (*sum_squares)(const real *x, size_t n);

    void (*add)(real *y, const real *x, real factor, size_t n); /* y += f x */
    void (*scale)(real *x, real factor, size_t n);              /* x *= f */
    void (*accumulate)(double *sum, const real *x, size_t n);   /* sum += x */
    void (*add_sums)(real *y, const double *sum, size_t n);     /* y += sum */
};

/* The table for locant_isa(); get it once per call. */
const struct lct_nn_kernels *lct_nn(void);
#endif
