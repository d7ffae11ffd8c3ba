/* nn_kernels.c - the kernels of nn, compiled once for each instruction set */
#include "nn_kernels.h"
#ifndef LCT_REAL_F64
#    include "../kernel/halves.h"
#    include "../kernel/kernels.h"
#    include "../kernel/simd.h"
#    include "../kernel/matmul.inc"
#endif
#include <math.h>
#include <stdint.h>
#include <string.h>

#define CONCAT_(a, b) a##b
#define CONCAT(a, b)  CONCAT_(a, b)
#define STRING_(a)    #a
#define STRING(a)     STRING_(a)

#include "math.inc"

#ifndef LCT_REAL_F64
#    include "dots.inc"
#    include "narrow.inc"
#endif
#include "product.inc"
#include "norm.inc"
#include "pointwise.inc"
#include "cross_entropy.inc"

extern const struct lct_nn_kernels CONCAT(lct_nn_kernels_, LCT_ISA);
const struct lct_nn_kernels CONCAT(lct_nn_kernels_, LCT_ISA) = {
    .isa = STRING(LCT_ISA),
    .product = product,
    .panel = panel,
#ifndef LCT_REAL_F64
    .dots = dots,
    .narrow = narrow,
#endif
    .transposed_product = transposed_product,
    .layer_norm = layer_norm,
    .rms_norm = rms_norm,
    .layer_norm_backward = layer_norm_backward,
    .rms_norm_backward = rms_norm_backward,
    .gelu = gelu,
    .gelu_backward = gelu_backward,
    .silu = silu,
    .cross_entropy = cross_entropy,
    .cross_entropy_backward = cross_entropy_backward,
    .adamw = adamw,
    .sum_squares = sum_squares,
    .add = add,
    .scale = scale,
    .accumulate = accumulate,
    .add_sums = add_sums,
};
