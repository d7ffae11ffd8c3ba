/*
 * bench_kernels.c - every kernel of struct lct_kernels, on each instruction
 * set, one thread, operands in the cache.
 *
 * tests/test_bench.c fails if a member of the struct has no row here.
 * tests/test_kernels.c judges the base kernels.
 */
#include "bench.h"
#include "kernel/kernels.h"
#include <math.h>
#include <string.h>

#ifdef LCT_HAVE_NEON
#    define BASE lct_kernels_neon
#else
#    define BASE lct_kernels_base
#endif

/* A tile of SIDE keys by SIDE queries has N numbers. */
enum { SIDE = 64, N = SIDE * SIDE };
enum { QUERIES = 4 }; /* in decoding */
/* Bytes of quantised rows; numbers of 8 bits are read from those of int8. */
enum { INT8_ROW = SIDE + 4, Q8_0_ROW = SIDE / 32 * 34 };

enum { DATA, MORE, SIXES, ONES, COSINES, SINES, OUT, ARRAYS };

struct operands {
    float f[ARRAYS][N];
    uint16_t bf16[N], f16[N];
    uint8_t int8[INT8_ROW * SIDE], q8_0[Q8_0_ROW * SIDE];
    uint32_t pairs[N], out_pairs[N];
    double distances[N], doubles[2][N];
    int64_t at[SIDE];
    struct lct_phase phase[SIDE];
};

/* Defines the function of a row by one or two statements. */
/* clang-format off */
#define OPERANDS                         \
    const struct lct_kernels *k = table; \
    struct operands *x = operands
#define CALL(name, statement)                           \
    static void name(const void *table, void *operands) \
    { OPERANDS; statement; }
/* clang-format on */

/* ------------------------------------------------------------------- calls */

static void rope(const struct lct_kernels *k, void *x, enum lct_stored kind,
                 bool interleaved, struct operands *o)
{
    const ptrdiff_t row = 2 * SIDE * (kind == LCT_STORED_F32 ? 4 : 2);
    const struct lct_rope r = {
        .out = x,
        .x = x,
        .out_row = row,
        .x_row = row,
        .cosines = o->f[COSINES],
        .sines = o->f[SINES],
        .table_row = SIDE,
        .rows = N / (2 * SIDE),
        .heads = 1,
        .pairs = SIDE,
        .kind = kind,
        .interleaved = interleaved,
        .sign = 1,
    };

    k->rope(&r);
}

CALL(rope_half, rope(k, x->f[DATA], LCT_STORED_F32, false, x))
CALL(rope_interleaved, rope(k, x->f[DATA], LCT_STORED_F32, true, x))
CALL(rope_half_bf16, rope(k, x->bf16, LCT_STORED_BF16, false, x))
CALL(rope_interleaved_bf16, rope(k, x->bf16, LCT_STORED_BF16, true, x))
CALL(rope_half_f16, rope(k, x->f16, LCT_STORED_F16, false, x))
CALL(rope_interleaved_f16, rope(k, x->f16, LCT_STORED_F16, true, x))

static void add_table(const struct lct_kernels *k, void *x,
                      enum lct_stored kind, struct operands *o)
{
    const ptrdiff_t row = SIDE * (kind == LCT_STORED_F32 ? 4 : 2);
    const float *table[SIDE];
    const struct lct_sum r = {
        .out = x,
        .x = x,
        .out_row = row,
        .x_row = row,
        .table = table,
        .rows = SIDE,
        .heads = 1,
        .n = SIDE,
        .kind = kind,
    };

    for (size_t t = 0; t < SIDE; t++)
        table[t] = o->f[MORE] + t * SIDE;
    k->add_table(&r);
}

CALL(add_table_f32, add_table(k, x->f[DATA], LCT_STORED_F32, x))
CALL(add_table_bf16, add_table(k, x->bf16, LCT_STORED_BF16, x))
CALL(add_table_f16, add_table(k, x->f16, LCT_STORED_F16, x))

static void add_waves(const struct lct_kernels *k, void *x,
                      enum lct_stored kind, struct operands *o)
{
    const ptrdiff_t row = SIDE * (kind == LCT_STORED_F32 ? 4 : 2);

    k->add_waves(&(struct lct_wave_sum){
        .out = x,
        .x = x,
        .out_row = row,
        .x_row = row,
        .turn = o->phase,
        .position = 1000000,
        .rows = SIDE,
        .n = SIDE,
        .kind = kind,
    });
}

CALL(add_waves_f32, add_waves(k, x->f[DATA], LCT_STORED_F32, x))
CALL(add_waves_bf16, add_waves(k, x->bf16, LCT_STORED_BF16, x))
CALL(add_waves_f16, add_waves(k, x->f16, LCT_STORED_F16, x))
CALL(interleave, k->interleave(x->f[OUT], x->f[DATA], x->f[MORE], N / 2))
CALL(widen_bf16, k->widen(x->f[OUT], x->bf16, LCT_STORED_BF16, N))
CALL(widen_f16, k->widen(x->f[OUT], x->f16, LCT_STORED_F16, N))
CALL(narrow_bf16, k->narrow(x->bf16, LCT_STORED_BF16, x->f[DATA], N))
CALL(narrow_f16, k->narrow(x->f16, LCT_STORED_F16, x->f[DATA], N))
CALL(angle_rows,
     k->angle_rows(x->f[DATA], x->f[OUT], x->phase, SIDE, 1000000, SIDE, 1))

static void matmul_of(const struct lct_kernels *k, struct operands *x)
{
    const struct lct_product p = {
        .c = x->f[OUT],
        .c_row = SIDE,
        .a = x->f[DATA],
        .a_row = SIDE,
        .a_col = 1,
        .b = x->f[MORE],
        .b_row = SIDE,
        .m = SIDE,
        .n = SIDE,
        .k = SIDE,
    };

    k->matmul(&p);
}

static void bf16_matmul_of(const struct lct_kernels *k, struct operands *x)
{
    const struct lct_bf16_product p = {
        .c = x->f[OUT],
        .c_row = SIDE,
        .a = x->bf16,
        .a_row = 2 * SIDE,
        .a_col = 4,
        .b = x->pairs,
        .b_row = SIDE,
        .m = SIDE,
        .n = SIDE,
        .k = SIDE / 2,
    };

    k->bf16_matmul(&p);
}

CALL(matmul, matmul_of(k, x))
CALL(bf16_matmul, bf16_matmul_of(k, x))
CALL(pair_rows_f32, k->bf16_pair_rows(x->out_pairs, SIDE, x->f[DATA], 4 * SIDE,
                                      LCT_STORED_F32, SIDE, SIDE))
CALL(pair_rows_bf16, k->bf16_pair_rows(x->out_pairs, SIDE, x->bf16, 2 * SIDE,
                                       LCT_STORED_BF16, SIDE, SIDE))
CALL(bf16_round_rows, k->bf16_round_rows(x->out_pairs, SIDE / 2, x->f[DATA],
                                         SIDE, x->f[MORE], SIDE, SIDE))

/* Elements, or bytes of quantised rows, from row to row. */
static size_t row_of(enum lct_stored kind)
{
    return kind == LCT_STORED_Q8_0   ? Q8_0_ROW
           : kind > LCT_STORED_QUANT ? INT8_ROW
                                     : SIDE;
}

/* A bfloat16 pair holds two channels; only scores of pairs are rescaled. */
static void scores_of(const struct lct_kernels *k, struct operands *x,
                      const void *keys, enum lct_stored kind)
{
    const bool pairs = kind == LCT_STORED_BF16_PAIRS;
    const struct lct_product p = {
        .c = x->f[OUT],
        .c_row = SIDE,
        .a = pairs ? (const float *)x->pairs : x->f[MORE],
        .a_col = SIDE,
        .b = keys,
        .b_row = pairs ? SIDE / 2 : row_of(kind),
        .m = QUERIES,
        .n = SIDE,
        .k = pairs ? SIDE / 2 : SIDE,
        .rescale = pairs ? x->f[MORE] : NULL,
        .kind = kind,
        .group = SIDE,
        .ahead = keys,
    };

    k->decode_scores(&p);
}

static void values_of(const struct lct_kernels *k, struct operands *x,
                      const void *values, enum lct_stored kind)
{
    const bool pairs = kind == LCT_STORED_BF16_PAIRS;
    const struct lct_product p = {
        .c = x->f[OUT],
        .c_row = SIDE,
        .a = pairs ? (const float *)x->pairs : x->f[MORE],
        .a_row = SIDE,
        .a_col = 1,
        .b = values,
        .b_row = row_of(kind),
        .m = QUERIES,
        .n = SIDE,
        .k = SIDE,
        .add = true,
        .kind = kind,
        .group = SIDE,
        .ahead = values,
    };

    memset(x->f[OUT], 0, QUERIES * SIDE * sizeof(float));
    k->decode_values(&p);
}

CALL(scores_f32, scores_of(k, x, x->f[DATA], LCT_STORED_F32))
CALL(scores_bf16, scores_of(k, x, x->bf16, LCT_STORED_BF16))
CALL(scores_f16, scores_of(k, x, x->f16, LCT_STORED_F16))
CALL(scores_pairs, scores_of(k, x, x->bf16, LCT_STORED_BF16_PAIRS))
CALL(scores_int8, scores_of(k, x, x->int8, LCT_STORED_INT8))
CALL(scores_q8_0, scores_of(k, x, x->q8_0, LCT_STORED_Q8_0))
CALL(scores_e4m3, scores_of(k, x, x->int8, LCT_STORED_E4M3))
CALL(scores_e5m2, scores_of(k, x, x->int8, LCT_STORED_E5M2))
CALL(values_f32, values_of(k, x, x->f[DATA], LCT_STORED_F32))
CALL(values_bf16, values_of(k, x, x->bf16, LCT_STORED_BF16))
CALL(values_f16, values_of(k, x, x->f16, LCT_STORED_F16))
CALL(values_pairs, values_of(k, x, x->bf16, LCT_STORED_BF16_PAIRS))
CALL(values_int8, values_of(k, x, x->int8, LCT_STORED_INT8))
CALL(values_q8_0, values_of(k, x, x->q8_0, LCT_STORED_Q8_0))
CALL(values_e4m3, values_of(k, x, x->int8, LCT_STORED_E4M3))
CALL(values_e5m2, values_of(k, x, x->int8, LCT_STORED_E5M2))
CALL(softmax_step, k->softmax_step(x->f[DATA], SIDE, SIDE, SIDE, x->f[SIXES],
                                   x->f[ONES], x->f[OUT]))
CALL(softmax_row,
     k->softmax_row(x->f[DATA], N, x->f[SIXES], x->f[ONES], x->f[OUT]))
CALL(softmax_merge,
     k->softmax_merge(x->f[DATA], x->f[SIXES], x->f[ONES], x->f[MORE], 5, 1, N))
CALL(recompute_probs,
     k->recompute_probs(x->f[DATA], SIDE, SIDE, SIDE, x->f[SIXES]))

/* Also writes the slope, for backward.  Repeated calls shrink the data to 0. */
CALL(softcap, k->softcap(x->f[DATA], x->f[OUT], N, 30))
CALL(softmax_gradient, k->softmax_gradient(x->f[DATA], x->f[COSINES], SIDE,
                                           SIDE, SIDE, x->f[MORE]))
CALL(add_bias_rows, k->add_bias_rows(x->f[DATA], SIDE, SIDE, x->f[MORE], x->at))
CALL(stick_step,
     k->stick_step(x->f[DATA], x->f[OUT], SIDE, SIDE, SIDE, x->f[ONES]))
CALL(stick_gradient, k->stick_gradient(x->f[DATA], x->f[COSINES], x->f[ONES],
                                       SIDE, SIDE, SIDE, x->f[MORE], x->f[OUT]))
CALL(multiply_rows, k->multiply_rows(x->f[DATA], SIDE, SIDE, x->f[ONES], x->at))
CALL(add_linear_bias, k->add_linear_bias(x->f[DATA], x->distances, 0.25, N))
/* Results in double are narrowed, to be compared. */
static void narrow_doubles(const struct lct_kernels *k, struct operands *x,
                           const double *from)
{
    k->double_narrow(x->f[OUT], SIDE, from, SIDE, SIDE);
}

static void double_row(const struct lct_kernels *k, struct operands *x,
                       enum lct_double_op op)
{
    const double *in[3] = { x->distances, x->distances, NULL };

    k->double_row(x->doubles[0], op, in, N);
    narrow_doubles(k, x, x->doubles[0]);
}

static void double_slope(const struct lct_kernels *k, struct operands *x)
{
    const double *in[3] = { x->distances, x->distances, NULL };

    k->double_slope(x->doubles[0], LCT_DOUBLE_MUL, 0, x->doubles[1], in,
                    x->distances, N);
    narrow_doubles(k, x, x->doubles[0]);
}

static void double_widen(const struct lct_kernels *k, struct operands *x)
{
    k->double_widen(x->doubles[0], x->f[DATA], SIDE, SIDE, SIDE);
    narrow_doubles(k, x, x->doubles[0]);
}

static void double_sum_rows(const struct lct_kernels *k, struct operands *x)
{
    double sum[SIDE] = { 0 };

    k->double_sum_rows(sum, x->distances, SIDE, SIDE);
    for (int i = 0; i < SIDE; i++)
        x->f[OUT][i] = (float)sum[i];
}

static struct lct_gated gated(const struct operands *x)
{
    return (struct lct_gated){ .q = x->distances,
                               .q_gate = x->doubles[1],
                               .k = x->distances + 1,
                               .k_gate = x->doubles[1],
                               .width = SIDE,
                               .rows = SIDE };
}

static void subtract_gated(const struct lct_kernels *k, struct operands *x)
{
    const struct lct_gated g = gated(x);

    k->subtract_gated(x->f[DATA], SIDE, &g);
}

static void sum_gated_gradient(const struct lct_kernels *k, struct operands *x)
{
    const struct lct_gated g = gated(x);
    double sum[2][SIDE] = { 0 };

    k->sum_gated_gradient(sum[0], sum[1], x->f[DATA], SIDE, &g);
    for (int i = 0; i < SIDE; i++) {
        x->f[OUT][i] = (float)sum[0][i];
        x->f[OUT][SIDE + i] = (float)sum[1][i];
    }
}

CALL(double_row_mul, double_row(k, x, LCT_DOUBLE_MUL))
CALL(double_row_tanh, double_row(k, x, LCT_DOUBLE_TANH))
CALL(double_slope_mul, double_slope(k, x))
CALL(double_widen_rows, double_widen(k, x))
CALL(double_narrow_rows, narrow_doubles(k, x, x->distances))
CALL(double_sum, double_sum_rows(k, x))
CALL(gated_distances, subtract_gated(k, x))
CALL(gated_gradient, sum_gated_gradient(k, x))
CALL(add_dense_columns,
     k->add_dense_columns(x->f[DATA], x->f[MORE], SIDE, SIDE, SIDE))
CALL(add_dense_keys, k->add_dense_keys(x->f[DATA], x->f[MORE], SIDE, SIDE))
CALL(add_dense_rows,
     k->add_dense_rows(x->f[DATA], x->f[MORE], SIDE, SIDE, SIDE))
CALL(sum_diagonals, k->sum_diagonals(x->f[OUT], x->f[DATA], SIDE, SIDE))

static struct lct_pwl_bias pwl_of(const struct operands *x)
{
    static const float start[] = { 0, -1, 0, 1 }, slope[] = { 0, 1, -1, 2 };
    static const float value[] = { 1, 2, 3, 4 };

    return (struct lct_pwl_bias){ .u = x->f[MORE],
                                  .du = x->f[SINES],
                                  .at = x->at,
                                  .inverse = x->f[ONES],
                                  .start = start,
                                  .slope = slope,
                                  .value = value,
                                  .pieces = 4 };
}

CALL(add_pwl_bias, const struct lct_pwl_bias b = pwl_of(x);
     k->add_pwl_bias(x->f[DATA], SIDE, SIDE, &b))
CALL(sum_pwl_gradient, const struct lct_pwl_bias b = pwl_of(x);
     k->sum_pwl_gradient(x->f[OUT], x->f[DATA], SIDE, SIDE, &b, -1, 1))

/* Moves 40 of the 64 columns, so that the second 32 lanes are not full. */
static void move_rows(void (*move)(const struct lct_rows *rows), void *x,
                      enum lct_stored kind, float *tile)
{
    const ptrdiff_t size = kind == LCT_STORED_F32 ? 4 : 2;

    move(&(struct lct_rows){ x, SIDE * size, kind, tile, SIDE, SIDE, 40 });
}

CALL(load_rows, move_rows(k->load_rows, x->f[DATA], LCT_STORED_F32, x->f[OUT]))
CALL(load_rows_bf16,
     move_rows(k->load_rows, x->bf16, LCT_STORED_BF16, x->f[OUT]))
CALL(store_rows,
     move_rows(k->store_rows, x->f[OUT], LCT_STORED_F32, x->f[DATA]))
CALL(store_rows_bf16,
     move_rows(k->store_rows, x->bf16, LCT_STORED_BF16, x->f[DATA]))

/* Any bits are a quantised row; scales of int8 and q8_0 are finite. */
static void dequantize(const struct lct_kernels *k, struct operands *x,
                       enum lct_stored kind, ptrdiff_t row)
{
    k->dequantize(&(struct lct_quant_rows){ x->bf16, row, kind, SIDE, x->f[OUT],
                                            SIDE, SIDE, SIDE });
}

CALL(dequantize_int8, dequantize(k, x, LCT_STORED_INT8, SIDE + 4))
CALL(dequantize_q8_0, dequantize(k, x, LCT_STORED_Q8_0, SIDE / 32 * 34))
CALL(dequantize_e4m3, dequantize(k, x, LCT_STORED_E4M3, SIDE))
CALL(dequantize_e5m2, dequantize(k, x, LCT_STORED_E5M2, SIDE))

CALL(has_e4m3_nan,
     x->f[OUT][0] = k->has_e4m3_nan(x->int8, INT8_ROW, SIDE, SIDE) ? 2 : 1)
CALL(transpose, k->transpose(x->f[OUT], SIDE, x->f[DATA], SIDE, SIDE, SIDE))
CALL(all_finite,
     x->f[OUT][0] = k->all_finite(x->f[DATA], SIDE, SIDE, SIDE) ? 1 : 0)

/* -------------------------------------------------------------------- rows */

/* Flops of the scores, or of the values, in decoding. */
#define DECODED (2.0 * QUERIES * N)

/* clang-format off */
#define ROW(name, member, work, amount, tolerance, call)        \
    { name, offsetof(struct lct_kernels, member), &work_##work, \
      amount, tolerance, call },
static const struct bench_kernel rows[] = {
    ROW("rope, half", rope, moves, 8 * N, 0, rope_half)
    ROW("rope, interleaved", rope, moves, 8 * N, 0, rope_interleaved)
    ROW("rope, half, bf16", rope, moves, 4 * N, 0, rope_half_bf16)
    ROW("rope, interleaved, bf16", rope, moves, 4 * N, 0, rope_interleaved_bf16)
    ROW("rope, half, f16", rope, moves, 4 * N, 0, rope_half_f16)
    ROW("rope, interleaved, f16", rope, moves, 4 * N, 0, rope_interleaved_f16)
    ROW("add_table, f32", add_table, moves, 8 * N, 0, add_table_f32)
    ROW("add_table, bf16", add_table, moves, 4 * N, 0, add_table_bf16)
    ROW("add_table, f16", add_table, moves, 4 * N, 0, add_table_f16)
    ROW("add_waves, f32", add_waves, each, N, 0, add_waves_f32)
    ROW("add_waves, bf16", add_waves, each, N, 0, add_waves_bf16)
    ROW("add_waves, f16", add_waves, each, N, 0, add_waves_f16)
    ROW("interleave", interleave, each, N, 0, interleave)
    ROW("widen, bf16", widen, each, N, 0, widen_bf16)
    ROW("widen, f16", widen, each, N, 0, widen_f16)
    ROW("narrow, bf16", narrow, each, N, 0, narrow_bf16)
    ROW("narrow, f16", narrow, each, N, 0, narrow_f16)
    ROW("angle_rows", angle_rows, each, N, 0, angle_rows)
    /* SIDE products and sums, each rounded once or twice */
    ROW("matmul", matmul, flops, 2.0 * N * SIDE, 1e-5, matmul)
    ROW("bf16_matmul", bf16_matmul, dots, 2.0 * N * SIDE, 0, bf16_matmul)
    ROW("bf16_pair_rows, f32", bf16_pair_rows, each, N, 0, pair_rows_f32)
    ROW("bf16_pair_rows, bf16", bf16_pair_rows, each, N, 0, pair_rows_bf16)
    ROW("bf16_round_rows", bf16_round_rows, each, N, 0, bf16_round_rows)
    ROW("decode_scores", decode_scores, flops, DECODED, 1e-5, scores_f32)
    ROW("decode_scores, bf16", decode_scores, flops, DECODED, 1e-5, scores_bf16)
    ROW("decode_scores, f16", decode_scores, flops, DECODED, 1e-5, scores_f16)
    ROW("decode_scores, pairs", decode_scores, dots, DECODED, 0, scores_pairs)
    ROW("decode_scores, int8", decode_scores, flops, DECODED, 1e-5, scores_int8)
    ROW("decode_scores, q8_0", decode_scores, flops, DECODED, 1e-5, scores_q8_0)
    ROW("decode_scores, e4m3", decode_scores, flops, DECODED, 1e-5, scores_e4m3)
    ROW("decode_scores, e5m2", decode_scores, flops, DECODED, 1e-5, scores_e5m2)
    ROW("decode_values", decode_values, flops, DECODED, 1e-5, values_f32)
    ROW("decode_values, bf16", decode_values, flops, DECODED, 1e-5, values_bf16)
    ROW("decode_values, f16", decode_values, flops, DECODED, 1e-5, values_f16)
    ROW("decode_values, pairs", decode_values, dots, DECODED, 0, values_pairs)
    ROW("decode_values, int8", decode_values, flops, DECODED, 1e-5, values_int8)
    ROW("decode_values, q8_0", decode_values, flops, DECODED, 1e-5, values_q8_0)
    ROW("decode_values, e4m3", decode_values, flops, DECODED, 1e-5, values_e4m3)
    ROW("decode_values, e5m2", decode_values, flops, DECODED, 1e-5, values_e5m2)
    /* an exponential within a few roundings; sums of up to N of them */
    ROW("softmax_step", softmax_step, each, N, 1e-5, softmax_step)
    ROW("softmax_row", softmax_row, each, N, 1e-4, softmax_row)
    ROW("softmax_merge", softmax_merge, each, N, 1e-5, softmax_merge)
    ROW("recompute_probs", recompute_probs, each, N, 1e-5, recompute_probs)
    ROW("softcap", softcap, each, N, 1e-5, softcap)
    ROW("softmax_gradient", softmax_gradient, each, N, 0, softmax_gradient)
    ROW("add_bias_rows", add_bias_rows, each, N, 0, add_bias_rows)
    ROW("stick_step", stick_step, each, N, 1e-5, stick_step)
    ROW("stick_gradient", stick_gradient, each, N, 1e-5, stick_gradient)
    ROW("multiply_rows", multiply_rows, each, N, 0, multiply_rows)
    ROW("add_linear_bias", add_linear_bias, each, N, 0, add_linear_bias)
    ROW("double_row, product", double_row, each, N, 0, double_row_mul)
    ROW("double_row, tanh", double_row, each, N, 0, double_row_tanh)
    ROW("double_slope", double_slope, each, N, 0, double_slope_mul)
    ROW("double_widen", double_widen, each, N, 0, double_widen_rows)
    ROW("double_narrow", double_narrow, each, N, 0, double_narrow_rows)
    ROW("double_sum_rows", double_sum_rows, each, N, 0, double_sum)
    ROW("subtract_gated", subtract_gated, each, N, 0, gated_distances)
    ROW("sum_gated_gradient", sum_gated_gradient, each, N, 0, gated_gradient)
    ROW("add_dense_columns", add_dense_columns, each, N, 0, add_dense_columns)
    ROW("add_dense_keys", add_dense_keys, each, N, 0, add_dense_keys)
    ROW("add_dense_rows", add_dense_rows, each, N, 0, add_dense_rows)
    ROW("sum_diagonals", sum_diagonals, each, N, 0, sum_diagonals)
    ROW("add_pwl_bias", add_pwl_bias, each, N, 1e-5, add_pwl_bias)
    ROW("sum_pwl_gradient", sum_pwl_gradient, each, N, 1e-5, sum_pwl_gradient)
    ROW("load_rows", load_rows, each, N, 0, load_rows)
    ROW("load_rows, bf16", load_rows, each, N, 0, load_rows_bf16)
    ROW("store_rows", store_rows, each, N, 0, store_rows)
    ROW("store_rows, bf16", store_rows, each, N, 0, store_rows_bf16)
    ROW("dequantize, int8", dequantize, each, N, 0, dequantize_int8)
    ROW("dequantize, q8_0", dequantize, each, N, 0, dequantize_q8_0)
    ROW("dequantize, e4m3", dequantize, each, N, 0, dequantize_e4m3)
    ROW("dequantize, e5m2", dequantize, each, N, 0, dequantize_e5m2)
    ROW("has_e4m3_nan", has_e4m3_nan, each, N, 0, has_e4m3_nan)
    ROW("transpose", transpose, each, N, 0, transpose)
    ROW("all_finite", all_finite, each, N, 0, all_finite)
    { 0 },
};
/* clang-format on */

/* Levels, which are finite as numbers of 8 bits, too, and scales of 2^-6. */
static void fill_rows(struct operands *x)
{
    const float scale = 0x1p-6f;

    for (int i = 0; i < INT8_ROW * SIDE; i++)
        x->int8[i] = (uint8_t)(i * 37 % 251) & 0xbf;
    for (int i = 0; i < Q8_0_ROW * SIDE; i++)
        x->q8_0[i] = (uint8_t)(i * 41 % 251);
    for (int i = 0; i < SIDE; i++)
        memcpy(x->int8 + i * INT8_ROW + SIDE, &scale, sizeof(scale));
    for (int i = 0; i < SIDE * Q8_0_ROW; i += 34)
        BASE.narrow(x->q8_0 + i, LCT_STORED_F16, &scale, 1);
}

static void fill(void *operands)
{
    struct operands *x = operands;

    bench_fill(x->f[DATA], LOCANT_F32, NULL, N, 1);
    bench_fill(x->f[MORE], LOCANT_F32, NULL, N, 2);
    bench_fill(x->bf16, LOCANT_BF16, NULL, N, 3);
    bench_fill(x->f16, LOCANT_F16, NULL, N, 4);
    fill_rows(x);
    for (int i = 0; i < N; i++) {
        x->f[SIXES][i] = 6; /* above every score */
        x->f[ONES][i] = 1;
        x->f[COSINES][i] = 0.6f; /* 0.6, 0.8 rotate: numbers do not grow */
        x->f[SINES][i] = 0.8f;
        x->f[OUT][i] = 0;
        x->pairs[i] = x->bf16[i] | (uint32_t)x->bf16[N - 1 - i] << 16;
        x->out_pairs[i] = 0;
        x->distances[i] = i % SIDE - SIDE / 2;
        x->doubles[0][i] = 0;
        x->doubles[1][i] = 0.25;
    }
    for (int i = 0; i < SIDE; i++) {
        x->at[i] = SIDE - 1 - i; /* as if keys followed one another */
        x->phase[i].hi = (uint64_t)(pow(1e4, -i / (double)SIDE) * 0x1p61);
    }
}

static const void *table(void)
{
    return lct_kernels();
}

/* clang-format off */
const struct bench_kernels bench_kernels = {
    .name = "lct_kernels", .size = sizeof(struct lct_kernels),
    .untimed = { offsetof(struct lct_kernels, copies_crowded),
                 offsetof(struct lct_kernels, has_bf16_dot) },
    .rows = rows,
    .bytes = sizeof(struct operands), .floats = ARRAYS * N, .fill = fill,
    .base = &BASE, .table = table,
};
/* clang-format on */
