/*
 * bench_nn.c - every function of struct lct_nn_kernels, on each instruction
 * set, one thread, operands in the cache.
 *
 * tests/test_bench.c fails if a member of the struct has no row here.  The
 * tests of the model judge the base kernels.
 */
#include "bench.h"

#ifdef BENCH_LAB
#    include "nn/nn_kernels.h"
#    include <string.h>

#    ifdef LCT_HAVE_NEON
#        define BASE lct_nn_kernels_neon
#    else
#        define BASE lct_nn_kernels_base
#    endif
extern const struct lct_nn_kernels BASE;

/* Matrices are SIDE x SIDE; rows have WIDE channels or logits; an operand has N
   numbers. */
enum { SIDE = 64, WIDE = 256, N = SIDE * SIDE };

enum { DATA, MORE, ONES, OUT, SECOND, ARRAYS };

struct operands {
    real f[ARRAYS][N];
    double sums[N];
};

/* Defines the function of a row by one or two statements. */
/* clang-format off */
#define OPERANDS                         \
    const struct lct_nn_kernels *k = table; \
    struct operands *x = operands
#define CALL(name, statement)                           \
    static void name(const void *table, void *operands) \
    { OPERANDS; statement; }
/* clang-format on */

/* ------------------------------------------------------------------- calls */

static struct lct_nn_product product_of(struct operands *x)
{
    return (struct lct_nn_product){ .c = x->f[OUT],
                                    .c_row = SIDE,
                                    .a = x->f[DATA],
                                    .a_row = SIDE,
                                    .b = x->f[MORE],
                                    .b_row = SIDE,
                                    .m = SIDE,
                                    .n = SIDE,
                                    .k = SIDE };
}

CALL(product, const struct lct_nn_product p = product_of(x); k->product(&p))
CALL(transposed_product, struct lct_nn_product p = product_of(x); p.add = true;
     k->transposed_product(&p))

static struct lct_nn_dots dots_of(struct operands *x)
{
    return (struct lct_nn_dots){ .c = x->f[OUT],
                                 .c_row = SIDE,
                                 .a = x->f[DATA],
                                 .a_row = SIDE,
                                 .b = x->f[MORE],
                                 .b_row = SIDE,
                                 .m = SIDE,
                                 .n = SIDE,
                                 .k = SIDE };
}

CALL(dots, const struct lct_nn_dots d = dots_of(x); k->dots(&d))

CALL(narrow, k->narrow((uint16_t *)x->f[OUT], x->f[DATA], N))

/* Runs a statement for each row of channels, which begins at i. */
#    define EACH_ROW(statement)                                                \
        for (int i = 0; i < N; i += WIDE)                                      \
        statement

CALL(layer_norm, EACH_ROW(k->layer_norm(x->f[OUT] + i, x->f[SECOND] + i,
                                        x->f[SECOND] + i + 1, x->f[DATA] + i,
                                        x->f[ONES], WIDE)))
CALL(rms_norm,
     EACH_ROW(k->rms_norm(x->f[OUT] + i, x->f[SECOND] + i, x->f[SECOND] + i + 1,
                          x->f[DATA] + i, x->f[ONES], WIDE)))

static const real stat[2] = { 0.125f, 0.75f }; /* mean, 1 / deviation */

CALL(layer_norm_backward,
     EACH_ROW(k->layer_norm_backward(x->f[OUT] + i, x->f[SECOND] + i, x->sums,
                                     x->f[MORE] + i, x->f[DATA] + i, x->f[ONES],
                                     stat, WIDE)))
CALL(rms_norm_backward,
     EACH_ROW(k->rms_norm_backward(x->f[OUT] + i, x->f[SECOND] + i, x->sums,
                                   x->f[MORE] + i, x->f[DATA] + i, x->f[ONES],
                                   stat, WIDE)))
CALL(gelu, k->gelu(x->f[OUT], x->f[DATA], N))

/* Copies first, because numbers would go to 0 by repeated calls in place. */
CALL(gelu_backward, memcpy(x->f[OUT], x->f[MORE], sizeof(x->f[OUT]));
     k->gelu_backward(x->f[OUT], x->f[DATA], N))
CALL(silu, memcpy(x->f[OUT], x->f[DATA], sizeof(x->f[OUT]));
     k->silu(x->f[OUT], N))
CALL(cross_entropy,
     EACH_ROW(x->f[OUT][i] = k->cross_entropy(x->f[SECOND] + i, x->f[DATA] + i,
                                              7, WIDE)))

static const real greatest[2] = { 4, 64 }; /* row maximum and sum */

CALL(cross_entropy_backward, memcpy(x->f[OUT], x->f[DATA], sizeof(x->f[OUT]));
     EACH_ROW(k->cross_entropy_backward(x->f[OUT] + i, greatest, 7, 0.5f,
                                        WIDE)))

static const struct lct_adamw_factors adamw_factors = {
    .beta1 = 0.9f,
    .one_minus_beta1 = 0.1f,
    .beta2 = 0.99f,
    .one_minus_beta2 = 0.01f,
    .bias_correction1 = 1,
    .bias_correction2 = 1,
    .rate = 1e-3f,
    .epsilon = 1e-8f,
    .decay = 1e-4f,
};

CALL(adamw, k->adamw(x->f[ONES], x->f[OUT], x->f[SECOND], x->f[DATA], N,
                     &adamw_factors))
CALL(sum_squares, x->sums[0] = k->sum_squares(x->f[DATA], N))
CALL(add, k->add(x->f[OUT], x->f[DATA], 0.5f, N))
CALL(scale, k->scale(x->f[DATA], -1, N))
CALL(accumulate, k->accumulate(x->sums, x->f[DATA], N))
CALL(add_sums, k->add_sums(x->f[OUT], x->sums, N))

/* -------------------------------------------------------------------- rows */

/* clang-format off */
#define ROW(member, work, amount, tolerance)           \
    { "nn " #member, offsetof(struct lct_nn_kernels, member), \
      &work_##work, amount, tolerance, member },
static const struct bench_kernel rows[] = {
    /* SIDE products and sums, each rounded once or twice */
    ROW(product, flops, 2.0 * N * SIDE, 1e-5)
    ROW(transposed_product, flops, 2.0 * N * SIDE, 1e-5)
    ROW(dots, flops, 2.0 * N * SIDE, 1e-5)
    ROW(narrow, each, N, 0)
    ROW(layer_norm, each, N, 0)
    ROW(rms_norm, each, N, 0)
    ROW(layer_norm_backward, each, N, 0)
    ROW(rms_norm_backward, each, N, 0)
    ROW(gelu, each, N, 0)
    ROW(gelu_backward, each, N, 0)
    ROW(silu, each, N, 0)
    ROW(cross_entropy, each, N, 0)
    ROW(cross_entropy_backward, each, N, 0)
    ROW(adamw, each, N, 0)
    ROW(sum_squares, each, N, 0)
    ROW(add, each, N, 0)
    ROW(scale, each, N, 0)
    ROW(accumulate, each, N, 0)
    ROW(add_sums, each, N, 0)
    { 0 },
};
/* clang-format on */

static void fill(void *operands)
{
    struct operands *x = operands;

    bench_fill(x->f[DATA], LOCANT_F32, NULL, N, 1);
    bench_fill(x->f[MORE], LOCANT_F32, NULL, N, 2);
    for (int i = 0; i < N; i++) {
        x->f[ONES][i] = 1;
        x->f[OUT][i] = x->f[SECOND][i] = 0;
        x->sums[i] = 1e-3 * i;
    }
}

static const void *table(void)
{
    return lct_nn();
}

/* clang-format off */
const struct bench_kernels bench_nn = {
    .name = "lct_nn_kernels", .size = sizeof(struct lct_nn_kernels),
    .untimed = { offsetof(struct lct_nn_kernels, panel) },
    .rows = rows, .bytes = sizeof(struct operands), .floats = ARRAYS * N,
    .fill = fill, .base = &BASE, .table = table,
};
/* clang-format on */
#else
static const struct bench_kernel no_row = { 0 };

const struct bench_kernels bench_nn = { .name = "none", .rows = &no_row };
#endif
