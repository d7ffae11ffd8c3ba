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

/* Matrices are SIDE x SIDE, rows have WIDE channels or logits; N numbers. */
enum { SIDE = 64, WIDE = 256, N = SIDE * SIDE };

enum { DATA, MORE, ONES, OUT, SECOND, ARRAYS };

struct operands {
    real f[ARRAYS][N];
    double sums[N];
};

typedef void (*call)(const struct lct_nn_kernels *k, struct operands *x);

/* Defines the function of a row; it has one statement. */
/* clang-format off */
#define CALL(name, statement) \
    static void name(const struct lct_nn_kernels *k, struct operands *x) \
    { statement; }
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

static void product(const struct lct_nn_kernels *k, struct operands *x)
{
    const struct lct_nn_product p = product_of(x);

    k->product(&p);
}

static void weights(const struct lct_nn_kernels *k, struct operands *x)
{
    const struct lct_nn_product p = product_of(x);

    k->weights(&p);
}

static void layer_norm(const struct lct_nn_kernels *k, struct operands *x)
{
    for (int i = 0; i < N; i += WIDE)
        k->layer_norm(x->f[OUT] + i, x->f[SECOND] + i, x->f[SECOND] + i + 1,
                      x->f[DATA] + i, x->f[ONES], WIDE);
}

static void rms_norm(const struct lct_nn_kernels *k, struct operands *x)
{
    for (int i = 0; i < N; i += WIDE)
        k->rms_norm(x->f[OUT] + i, x->f[SECOND] + i, x->f[SECOND] + i + 1,
                    x->f[DATA] + i, x->f[ONES], WIDE);
}

static const real stat[2] = { 0.125f, 0.75f }; /* mean, 1 / deviation */

static void layer_norm_backward(const struct lct_nn_kernels *k,
                                struct operands *x)
{
    for (int i = 0; i < N; i += WIDE)
        k->layer_norm_backward(x->f[OUT] + i, x->f[SECOND] + i, x->sums,
                               x->f[MORE] + i, x->f[DATA] + i, x->f[ONES], stat,
                               WIDE);
}

static void rms_norm_backward(const struct lct_nn_kernels *k,
                              struct operands *x)
{
    for (int i = 0; i < N; i += WIDE)
        k->rms_norm_backward(x->f[OUT] + i, x->f[SECOND] + i, x->sums,
                             x->f[MORE] + i, x->f[DATA] + i, x->f[ONES], stat,
                             WIDE);
}

CALL(gelu, k->gelu(x->f[OUT], x->f[DATA], N))

/* Copies first: repeated in place, the numbers would go to 0. */
static void gelu_backward(const struct lct_nn_kernels *k, struct operands *x)
{
    memcpy(x->f[OUT], x->f[MORE], sizeof(x->f[OUT]));
    k->gelu_backward(x->f[OUT], x->f[DATA], N);
}

static void cross_entropy(const struct lct_nn_kernels *k, struct operands *x)
{
    for (int i = 0; i < N; i += WIDE)
        x->f[OUT][i] =
            k->cross_entropy(x->f[SECOND] + i, x->f[DATA] + i, 7, WIDE);
}

static void cross_entropy_backward(const struct lct_nn_kernels *k,
                                   struct operands *x)
{
    static const real greatest[2] = { 4, 64 }; /* row maximum and sum */

    memcpy(x->f[OUT], x->f[DATA], sizeof(x->f[OUT]));
    for (int i = 0; i < N; i += WIDE)
        k->cross_entropy_backward(x->f[OUT] + i, greatest, 7, 0.5f, WIDE);
}

static void adamw(const struct lct_nn_kernels *k, struct operands *x)
{
    static const struct lct_adamw_factors f = {
        .beta1 = 0.9f,
        .rest1 = 0.1f,
        .beta2 = 0.99f,
        .rest2 = 0.01f,
        .unbias1 = 1,
        .unbias2 = 1,
        .rate = 1e-3f,
        .epsilon = 1e-8f,
        .decay = 1e-4f,
    };

    k->adamw(x->f[ONES], x->f[OUT], x->f[SECOND], x->f[DATA], N, &f);
}

CALL(sum_squares, x->sums[0] = k->sum_squares(x->f[DATA], N))
CALL(add, k->add(x->f[OUT], x->f[DATA], 0.5f, N))
CALL(scale, k->scale(x->f[DATA], -1, N))
CALL(gather, k->gather(x->sums, x->f[DATA], N))
CALL(deposit, k->deposit(x->f[OUT], x->sums, N))

/* -------------------------------------------------------------------- rows */

struct row {
    struct bench_kernel kernel;
    call call;
};

#    define AT(member) offsetof(struct lct_nn_kernels, member)

static const struct row rows[] = {
    /* SIDE products and sums, each rounded once or twice */
    { { "nn product", AT(product), &work_flops, 2.0 * N *SIDE, 1e-5 },
      product },
    { { "nn weights", AT(weights), &work_flops, 2.0 * N *SIDE, 1e-5 },
      weights },
    { { "nn layer_norm", AT(layer_norm), &work_each, N, 0 }, layer_norm },
    { { "nn rms_norm", AT(rms_norm), &work_each, N, 0 }, rms_norm },
    { { "nn layer_norm_backward", AT(layer_norm_backward), &work_each, N, 0 },
      layer_norm_backward },
    { { "nn rms_norm_backward", AT(rms_norm_backward), &work_each, N, 0 },
      rms_norm_backward },
    { { "nn gelu", AT(gelu), &work_each, N, 0 }, gelu },
    { { "nn gelu_backward", AT(gelu_backward), &work_each, N, 0 },
      gelu_backward },
    { { "nn cross_entropy", AT(cross_entropy), &work_each, N, 0 },
      cross_entropy },
    { { "nn cross_entropy_backward", AT(cross_entropy_backward), &work_each, N,
        0 },
      cross_entropy_backward },
    { { "nn adamw", AT(adamw), &work_each, N, 0 }, adamw },
    { { "nn sum_squares", AT(sum_squares), &work_each, N, 0 }, sum_squares },
    { { "nn add", AT(add), &work_each, N, 0 }, add },
    { { "nn scale", AT(scale), &work_each, N, 0 }, scale },
    { { "nn gather", AT(gather), &work_each, N, 0 }, gather },
    { { "nn deposit", AT(deposit), &work_each, N, 0 }, deposit },
};

static const struct bench_kernel *row_at(int i)
{
    if (i < 0 || (size_t)i >= sizeof(rows) / sizeof(rows[0]))
        return NULL;
    return &rows[i].kernel;
}

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

static void call_row(int i, bool base, void *operands)
{
    rows[i].call(base ? &BASE : lct_nn(), operands);
}

static const char *isa(void)
{
    return lct_nn()->isa;
}

/* clang-format off */
const struct bench_kernels bench_nn = {
    .name = "lct_nn_kernels", .size = sizeof(struct lct_nn_kernels),
    .at = row_at, .bytes = sizeof(struct operands), .floats = ARRAYS * N,
    .fill = fill, .call = call_row, .isa = isa,
};
/* clang-format on */
#else
static const struct bench_kernel *no_row(int i)
{
    (void)i;
    return NULL;
}

const struct bench_kernels bench_nn = { .name = "none", .at = no_row };
#endif
