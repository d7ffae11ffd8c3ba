/* bench_attention.c - fused attention, forward and backward */
#include "bench.h"
#include <math.h>

enum { TENSORS = 9, MOST_PARAMS = 4, CHECKED_TOKENS = 160 };
enum { Q, K, V, OUT, LSE, DOUT, DQ, DK, DV };

struct attention_state {
    struct bench_case c;
    locant_encoding *encoding;
    locant_tensor tensor[TENSORS];
    locant_tensor params[MOST_PARAMS], dparams[MOST_PARAMS];
    locant_attention problem;
    void *workspace;
    size_t workspace_bytes;
    locant_status status;
};

static void teardown(void *data)
{
    struct attention_state *a = data;

    if (a == NULL)
        return;
    for (int i = 0; i < TENSORS; i++)
        locant_release(a->tensor[i].data);
    for (int i = 0; i < MOST_PARAMS; i++) {
        locant_release(a->params[i].data);
        locant_release(a->dparams[i].data);
    }
    locant_encoding_free(a->encoding);
    locant_release(a->workspace);
    locant_release(a);
}

static bool make(locant_tensor *t, locant_dtype dtype, int rank,
                 const int64_t *shape)
{
    size_t n = 1;

    for (int i = 0; i < rank; i++)
        n *= (size_t)shape[i];
    *t = locant_dense(locant_alloc(n * locant_dtype_size(dtype)), dtype, rank,
                      shape);
    return t->data != NULL;
}

static locant_status make_params(struct attention_state *a)
{
    const locant_sizes sizes = { .width = a->c.heads * a->c.dim,
                                 .heads = a->c.heads,
                                 .head_dim = a->c.dim };
    locant_param_info info;

    for (int i = 0; i < MOST_PARAMS &&
                    locant_encoding_param(&info, a->encoding, i, &sizes); i++) {
        locant_status status;

        if (!make(&a->params[i], LOCANT_F32, info.rank, info.shape) ||
            !make(&a->dparams[i], LOCANT_F32, info.rank, info.shape))
            return LOCANT_ERR_NOMEM;
        status = locant_encoding_param_init(&a->params[i], a->encoding, i, 1);
        if (status != LOCANT_OK)
            return status;
        a->problem.params = a->params;
    }
    return LOCANT_OK;
}

static locant_status prepare(struct attention_state *a)
{
    int64_t shape[] = { 1, a->c.heads, a->c.tokens, a->c.dim };
    locant_random random = { .seed = 1 };
    locant_status status = locant_encoding_create(&a->encoding, a->c.spec);

    if (status != LOCANT_OK)
        return status;
    for (int i = 0; i < TENSORS; i++) {
        if (!make(&a->tensor[i], LOCANT_F32, i == LSE ? 3 : 4, shape))
            return LOCANT_ERR_NOMEM;
        for (int64_t k = 0; i != LSE && k < shape[1] * shape[2] * shape[3]; k++)
            ((float *)a->tensor[i].data)[k] =
                (float)locant_random_normal(&random);
    }
    a->problem = (locant_attention)LOCANT_ATTENTION_INIT;
    a->problem.q = &a->tensor[Q];
    a->problem.k = &a->tensor[K];
    a->problem.v = &a->tensor[V];
    a->problem.encoding = a->encoding;
    a->problem.mask = a->c.causal ? LOCANT_MASK_CAUSAL : LOCANT_MASK_NONE;
    status = make_params(a);
    if (status == LOCANT_OK)
        status = locant_attention_workspace(&a->workspace_bytes, &a->problem);
    if (status == LOCANT_OK) {
        a->workspace = locant_alloc(a->workspace_bytes + 1);
        status = a->workspace == NULL ? LOCANT_ERR_NOMEM : LOCANT_OK;
    }
    return status;
}

static void run_forward(void *data)
{
    struct attention_state *a = data;

    a->status = locant_attention_forward(&a->tensor[OUT], &a->tensor[LSE],
                                         &a->problem, a->workspace,
                                         a->workspace_bytes);
}

static locant_attention_gradients gradients(struct attention_state *a)
{
    return (locant_attention_gradients){
        .struct_size = sizeof(locant_attention_gradients),
        .dq = &a->tensor[DQ], .dk = &a->tensor[DK], .dv = &a->tensor[DV],
        .dparams = a->problem.params != NULL ? a->dparams : NULL,
    };
}

static void run_backward(void *data)
{
    struct attention_state *a = data;
    locant_attention_gradients g = gradients(a);

    a->status = locant_attention_backward(&g, &a->tensor[DOUT], &a->tensor[OUT],
                                          &a->tensor[LSE], &a->problem,
                                          a->workspace, a->workspace_bytes);
}

static struct attention_state *of_tokens(const struct bench_case *c,
                                         int64_t tokens)
{
    struct attention_state *a = locant_alloc(sizeof(*a));

    if (a == NULL)
        return NULL;
    a->c = *c;
    a->c.tokens = tokens;
    if (prepare(a) != LOCANT_OK) {
        teardown(a);
        return NULL;
    }
    return a;
}

/* Backward is timed alone, on what one forward left. */
static void *setup(const struct bench_case *c)
{
    struct attention_state *a = of_tokens(c, c->tokens);

    if (a != NULL)
        run_forward(a);
    return a;
}

static double distance(const locant_tensor *got, const locant_tensor *want)
{
    const float *x = got->data, *y = want->data;
    int64_t n = got->shape[1] * got->shape[2] * got->shape[3];
    double error = 0, size = 0;

    for (int64_t i = 0; i < n; i++) {
        error += ((double)x[i] - y[i]) * ((double)x[i] - y[i]);
        size += (double)y[i] * y[i];
    }
    return sqrt(error / size);
}

/*
 * A smaller problem against the double reference.  attention.h promises 1e-6
 * for the output; the gradients, sums of T terms of both signs, get 1e-5: here
 * a wrong kernel is to be found, the tests bound the error.
 */
static const char *check(void *data)
{
    const struct bench_case *c = &((struct attention_state *)data)->c;
    struct attention_state *a = of_tokens(c, CHECKED_TOKENS);
    struct attention_state *b = of_tokens(c, CHECKED_TOKENS);
    const char *wrong = NULL;
    locant_attention_gradients g;

    if (a == NULL || b == NULL) {
        wrong = "no memory for the check";
        goto out;
    }
    run_forward(a);
    if (a->status == LOCANT_OK)
        run_backward(a);
    g = gradients(b);
    if (a->status != LOCANT_OK ||
        locant_attention_reference(&b->tensor[OUT], &b->tensor[LSE],
                                   &b->problem) ||
        locant_attention_reference_backward(&g, &b->tensor[DOUT],
                                            &b->tensor[OUT], &b->tensor[LSE],
                                            &b->problem))
        wrong = locant_last_error();
    else if (!(distance(&a->tensor[OUT], &b->tensor[OUT]) < 1e-6))
        wrong = "the output differs from the reference";
    else
        for (int i = DQ; i <= DV; i++)
            if (!(distance(&a->tensor[i], &b->tensor[i]) < 1e-5))
                wrong = "a gradient differs from the reference";
out:
    teardown(a);
    teardown(b);
    return wrong;
}

/* A product is 2 flops a term; a causal mask needs half of them. */
static double products(const struct bench_case *c, int count)
{
    double pairs = (double)c->tokens * (double)c->tokens;

    return (c->causal ? 0.5 : 1) * 2.0 * count * (double)(c->heads * c->dim) *
           pairs;
}

/* q k^T and p v */
static double forward_flops(const struct bench_case *c)
{
    return products(c, 2);
}

/* q k^T again, do v^T, ds k, ds^T q, p^T do */
static double backward_flops(const struct bench_case *c)
{
    return products(c, 5);
}

const struct bench_work work_forward = {
    .unit = "GFLOP/s", .roof = ROOF_FMA, .every_isa = true, .setup = setup,
    .check = check, .run = run_forward, .teardown = teardown,
    .amount = forward_flops,
};
const struct bench_work work_backward = {
    .unit = "GFLOP/s", .roof = ROOF_FMA, .every_isa = true, .setup = setup,
    .check = check, .run = run_backward, .teardown = teardown,
    .amount = backward_flops,
};
