/*
 * bench_nn.c - every function of struct lct_nn_kernels, of which steps of
 * training are made, on each instruction set, one thread, operands in cache.
 *
 * tests/test_bench.c fails while a member of the struct has no row here.  The
 * check compares with the base kernels, which the tests of the model judge.
 */
#include "bench.h"

#ifdef BENCH_LAB
#include "nn/nn_kernels.h"
#include <math.h>
#include <string.h>

#  ifdef LCT_HAVE_NEON
#    define BASE lct_nn_kernels_neon
#  else
#    define BASE lct_nn_kernels_base
#  endif
extern const struct lct_nn_kernels BASE;

/* Matrices of SIDE x SIDE; rows of WIDE channels or logits; N numbers. */
enum { SIDE = 64, WIDE = 256, N = SIDE * SIDE };

enum { DATA, MORE, ONES, OUT, SECOND, ARRAYS };

struct operands {
    real f[ARRAYS][N];
    double sums[N];
};

typedef void (*call)(const struct lct_nn_kernels *k, struct operands *x);

/* ------------------------------------------------------------------- calls */

static struct lct_nn_product product_of(struct operands *x)
{
    return (struct lct_nn_product){ .c = x->f[OUT], .c_row = SIDE,
                                    .a = x->f[DATA], .a_row = SIDE,
                                    .b = x->f[MORE], .b_row = SIDE, .m = SIDE,
                                    .n = SIDE, .k = SIDE };
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
        k->layer_norm_backward(x->f[OUT] + i, x->sums, x->f[MORE] + i,
                               x->f[DATA] + i, x->f[ONES], stat, WIDE);
}

static void rms_norm_backward(const struct lct_nn_kernels *k,
                              struct operands *x)
{
    for (int i = 0; i < N; i += WIDE)
        k->rms_norm_backward(x->f[OUT] + i, x->sums, x->f[MORE] + i,
                             x->f[DATA] + i, x->f[ONES], stat, WIDE);
}

static void gelu(const struct lct_nn_kernels *k, struct operands *x)
{
    k->gelu(x->f[OUT], x->f[DATA], N);
}

/* Copied first: in place numbers would fade from call to call. */
static void gelu_backward(const struct lct_nn_kernels *k, struct operands *x)
{
    memcpy(x->f[OUT], x->f[MORE], sizeof(x->f[OUT]));
    k->gelu_backward(x->f[OUT], x->f[DATA], N);
}

static void cross_entropy(const struct lct_nn_kernels *k, struct operands *x)
{
    for (int i = 0; i < N; i += WIDE)
        x->f[OUT][i] = k->cross_entropy(x->f[SECOND] + i, x->f[DATA] + i, 7,
                                        WIDE);
}

static void cross_entropy_backward(const struct lct_nn_kernels *k,
                                   struct operands *x)
{
    static const real greatest[2] = { 4, 64 }; /* and the sum */

    memcpy(x->f[OUT], x->f[DATA], sizeof(x->f[OUT]));
    for (int i = 0; i < N; i += WIDE)
        k->cross_entropy_backward(x->f[OUT] + i, greatest, 7, 0.5f, WIDE);
}

static void adamw(const struct lct_nn_kernels *k, struct operands *x)
{
    static const struct lct_adamw_factors f = {
        .beta1 = 0.9f, .rest1 = 0.1f, .beta2 = 0.99f, .rest2 = 0.01f,
        .unbias1 = 1, .unbias2 = 1, .rate = 1e-3f, .epsilon = 1e-8f,
        .decay = 1e-4f,
    };

    k->adamw(x->f[ONES], x->f[OUT], x->f[SECOND], x->f[DATA], N, &f);
}

static void sum_squares(const struct lct_nn_kernels *k, struct operands *x)
{
    x->sums[0] = k->sum_squares(x->f[DATA], N);
}

static void add(const struct lct_nn_kernels *k, struct operands *x)
{
    k->add(x->f[OUT], x->f[DATA], 0.5f, N);
}

static void scale(const struct lct_nn_kernels *k, struct operands *x)
{
    k->scale(x->f[DATA], -1, N);
}

static void gather(const struct lct_nn_kernels *k, struct operands *x)
{
    k->gather(x->sums, x->f[DATA], N);
}

static void deposit(const struct lct_nn_kernels *k, struct operands *x)
{
    k->deposit(x->f[OUT], x->sums, N);
}

/* -------------------------------------------------------------------- rows */

static const struct bench_work each, flops;

struct row {
    struct bench_kernel kernel;
    call call;
    double amount;    /* numbers, or flops */
    double tolerance; /* against the base kernel; 0: exact */
};

#  define AT(member) offsetof(struct lct_nn_kernels, member)

static const struct row rows[] = {
    /* SIDE products and sums, each rounded once or twice */
    { { "nn product", AT(product), &flops }, product, 2.0 * N * SIDE, 1e-5 },
    { { "nn weights", AT(weights), &flops }, weights, 2.0 * N * SIDE, 1e-5 },
    { { "nn layer_norm", AT(layer_norm), &each }, layer_norm, N, 0 },
    { { "nn rms_norm", AT(rms_norm), &each }, rms_norm, N, 0 },
    { { "nn layer_norm_backward", AT(layer_norm_backward), &each },
      layer_norm_backward, N, 0 },
    { { "nn rms_norm_backward", AT(rms_norm_backward), &each },
      rms_norm_backward, N, 0 },
    { { "nn gelu", AT(gelu), &each }, gelu, N, 0 },
    { { "nn gelu_backward", AT(gelu_backward), &each }, gelu_backward, N, 0 },
    { { "nn cross_entropy", AT(cross_entropy), &each }, cross_entropy, N, 0 },
    { { "nn cross_entropy_backward", AT(cross_entropy_backward), &each },
      cross_entropy_backward, N, 0 },
    { { "nn adamw", AT(adamw), &each }, adamw, N, 0 },
    { { "nn sum_squares", AT(sum_squares), &each }, sum_squares, N, 0 },
    { { "nn add", AT(add), &each }, add, N, 0 },
    { { "nn scale", AT(scale), &each }, scale, N, 0 },
    { { "nn gather", AT(gather), &each }, gather, N, 0 },
    { { "nn deposit", AT(deposit), &each }, deposit, N, 0 },
};

const struct bench_kernel *bench_nn_at(int i)
{
    if (i < 0 || (size_t)i >= sizeof(rows) / sizeof(rows[0]))
        return NULL;
    return &rows[i].kernel;
}

/* ------------------------------------------------------------------- works */

struct nn_state {
    const struct row *row;
    struct operands x, base;
};

static void fill(struct operands *x)
{
    bench_fill(x->f[DATA], LOCANT_F32, NULL, N, 1);
    bench_fill(x->f[MORE], LOCANT_F32, NULL, N, 2);
    for (int i = 0; i < N; i++) {
        x->f[ONES][i] = 1;
        x->f[OUT][i] = x->f[SECOND][i] = 0;
        x->sums[i] = 1e-3 * i;
    }
}

static void *setup(const struct bench_case *c)
{
    struct nn_state *s = locant_alloc(sizeof(*s));

    if (s == NULL) {
        (void)bench_no_memory();
        return NULL;
    }
    s->row = &rows[c->kernel];
    fill(&s->x);
    fill(&s->base);
    return s;
}

static void run(void *state)
{
    struct nn_state *s = state;

    s->row->call(lct_nn(), &s->x);
}

static bool same(const struct nn_state *s)
{
    const real *x = s->x.f[0], *y = s->base.f[0];

    if (s->row->tolerance == 0)
        return memcmp(&s->x, &s->base, sizeof(s->x)) == 0;
    for (int i = 0; i < ARRAYS * N; i++)
        if (!(fabs((double)x[i] - (double)y[i]) <=
              s->row->tolerance * (1 + fabs((double)y[i]))))
            return false;
    return true;
}

/* Of equal operands both make the same. */
static const char *check(void *state)
{
    struct nn_state *s = state;
    bool wrote;

    run(s);
    wrote = memcmp(&s->x, &s->base, sizeof(s->x)) != 0;
    s->row->call(&BASE, &s->base);
    if (!wrote)
        return "the kernel wrote nothing";
    return strcmp(locant_isa(), lct_nn()->isa) == 0 && same(s)
               ? NULL
               : "the result differs from that of the base kernel";
}

static void teardown(void *state)
{
    locant_release(state);
}

static double amount(const struct bench_case *c)
{
    return rows[c->kernel].amount;
}

static const struct bench_work each = {
    .unit = "ns/number", .every_isa = true, .one_thread = true,
    .setup = setup, .check = check, .run = run, .teardown = teardown,
    .amount = amount,
};
static const struct bench_work flops = {
    .unit = "GFLOP/s", .roof = ROOF_FMA, .every_isa = true, .one_thread = true,
    .setup = setup, .check = check, .run = run, .teardown = teardown,
    .amount = amount,
};
#else
const struct bench_kernel *bench_nn_at(int i)
{
    (void)i;
    return NULL;
}
#endif
