/*
 * kernels.c - compiled once per instruction set with -DLCT_ISA=<name> and that
 * set's flags.  Everything is static but the table at the end, so no symbol
 * compiled for a newer CPU can be linked into code meant for older ones.
 */
#include "kernels.h"
#include "bytes.h"
#include "deinterleave.h"
#include "halves.h"
#include "simd.h"
#include "stream.h"

#include "angle_vector.inc"
#include "angle.inc" /* after angle_vector.inc */
#include "half.inc"
#include "bias.inc"
#include "bf16_matmul.inc"
#include "matmul.inc"
#include "rope.inc"
#include "add.inc"
#include "wave.inc" /* after angle.inc, rope.inc, add.inc */
#include "softmax.inc"
#include "stick.inc"
#include "cap.inc" /* after softmax.inc */
#include "tile.inc"
#include "dense.inc" /* after tile.inc */

#include "double_math.inc"
#include "double_rows.inc" /* after double_math.inc */

#include "quant.inc"
#include "decode_prefetch.inc" /* after quant.inc */
#include "decode.inc"          /* after tile.inc */
#include "decode_values.inc"

#define CONCAT_(a, b) a##b
#define CONCAT(a, b)  CONCAT_(a, b)
#define STRING_(a)    #a
#define STRING(a)     STRING_(a)

const struct lct_kernels CONCAT(lct_kernels_, LCT_ISA) = {
    .isa = STRING(LCT_ISA),
    .rope = rope,
    .add_table = add_table,
    .add_waves = add_waves,
    .interleave = interleave,
    .widen = widen,
    .narrow = narrow,
    .load_rows = load_rows,
    .store_rows = store_rows,
    .dequantize = dequantize,
    .has_e4m3_nan = has_e4m3_nan,
    .angle_rows = angle_rows,
    .matmul = matmul,
    .copies_crowded = VL == 8,
    .bf16_matmul = bf16_matmul,
    .has_bf16_dot = LCT_DOT_INSTRUCTION,
    .bf16_pair_rows = bf16_pair_rows,
    .bf16_round_rows = bf16_round_rows,
    .decode_scores = decode_scores,
    .decode_values = decode_values,
    .softmax_step = softmax_step,
    .softmax_row = softmax_row,
    .softmax_merge = softmax_merge,
    .recompute_probs = recompute_probs,
    .stick_step = stick_step,
    .stick_gradient = stick_gradient,
    .softcap = softcap,
    .softmax_gradient = softmax_gradient,
    .add_bias_rows = add_bias_rows,
    .multiply_rows = multiply_rows,
    .add_linear_bias = add_linear_bias,
    .add_dense_columns = add_dense_columns,
    .add_dense_keys = add_dense_keys,
    .add_dense_rows = add_dense_rows,
    .sum_diagonals = sum_diagonals,
    .add_pwl_bias = add_pwl_bias,
    .sum_pwl_gradient = sum_pwl_gradient,
    .double_row = double_row,
    .double_slope = double_slope,
    .double_widen = double_widen,
    .double_narrow = double_narrow,
    .double_sum_rows = double_sum_rows,
    .transpose = transpose,
    .all_finite = all_finite,
};
