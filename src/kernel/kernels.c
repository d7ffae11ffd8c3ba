/*
 * kernels.c - compiled once per instruction set with -DLCT_ISA=<name> and that
 * set's flags.  Everything is static but the table at the end, so no symbol
 * compiled for a newer CPU can be linked into code meant for older ones.
 */
#include "kernels.h"
#include "simd.h"

#include "angle.inc"
#include "matmul.inc"
#include "rope.inc"
#include "softmax.inc"

#define CONCAT_(a, b) a##b
#define CONCAT(a, b)  CONCAT_(a, b)
#define STRING_(a)    #a
#define STRING(a)     STRING_(a)

const struct lct_kernels CONCAT(lct_kernels_, LCT_ISA) = {
    .isa              = STRING(LCT_ISA),
    .rope_half        = rope_half,
    .rope_interleaved = rope_interleaved,
    .angle_rows       = angle_rows,
    .matmul           = matmul,
    .softmax_step     = softmax_step,
    .softmax_again    = softmax_again,
    .softmax_gradient = softmax_gradient,
};
