/* bench_attention.c - fused attention, forward and backward, and its check */
#include "bench.h"
#include <math.h>
#include <string.h>

enum { CHECKED_TOKENS = 160, SPOTS = 3 };

/* The same case at a size that the reference computes quickly. */
static struct bench_case smaller(const struct bench_case *c)
{
    struct bench_case s = *c;

    if (s.tokens > CHECKED_TOKENS)
        s.tokens = CHECKED_TOKENS;
    if (s.queries > s.tokens)
        s.queries = s.tokens;
    s.pool = 0;
    return s;
}

/* Relative L2 distance of 'got', of any dtype, from 'want' in F64. */
static double distance(const locant_tensor *got, const locant_tensor *want)
{
    int64_t n = got->shape[1] * got->shape[2] * got->shape[3];
    float *x = locant_alloc((size_t)n * sizeof(*x));
    const double *y = want->data;
    double error = 0, size = 0;

    if (x == NULL)
        return INFINITY;
    bench_widen(x, got->data, got->dtype, (size_t)n);
    for (int64_t i = 0; i < n; i++) {
        error += ((double)x[i] - y[i]) * ((double)x[i] - y[i]);
        size += y[i] * y[i];
    }
    locant_release(x);
    return sqrt(error / size);
}

/* Computes the reference results for the operands of 'a', in double. */
static locant_status make_truth(locant_tensor t[BENCH_OPERANDS],
                                const struct bench_attention *a, bool gradients)
{
    locant_attention p = a->problem;
    const locant_attention_gradients g = {
        .struct_size = sizeof(g),
        .dq = &t[BENCH_DQ],
        .dk = &t[BENCH_DK],
        .dv = &t[BENCH_DV],
        .dbias = p.bias != NULL ? &t[BENCH_DBIAS] : NULL,
    };
    locant_tensor values;
    locant_status status;

    for (int i = 0; i < BENCH_OPERANDS; i++) {
        bool quantised = a->t[i].dtype == LOCANT_U8;

        if (a->t[i].data != NULL &&
            !bench_as_double(&t[i], quantised ? &a->wide[i] : &a->t[i]))
            return bench_no_memory();
    }
    p.quant = LOCANT_QUANT_NONE;
    p.state = NULL;
    p.q = &t[BENCH_Q];
    p.k = &t[BENCH_K];
    values = bench_attention_values(&a->c, t);
    p.v = &values;
    p.x = p.x != NULL ? &t[BENCH_X] : NULL;
    p.bias = p.bias != NULL ? &t[BENCH_BIAS] : NULL;
    status = locant_attention_reference(&t[BENCH_OUT], &t[BENCH_LSE], &p);
    if (status != LOCANT_OK || !gradients)
        return status;
    return locant_attention_reference_backward(
        &g, &t[BENCH_DOUT], &t[BENCH_OUT], &t[BENCH_LSE], &p);
}

/* Largest magnitude of a log-sum-exp, as an estimate of the largest score. */
static double largest_score(const locant_tensor *lse)
{
    const double *x = lse->data;
    double most = 0;

    for (int64_t i = 0; i < lse->shape[0] * lse->shape[1] * lse->shape[2]; i++)
        if (isfinite(x[i]))
            most = fmax(most, fabs(x[i]));
    return most;
}

/*
 * These bounds detect a wrong kernel; the tests have sharper ones.
 * attention.h promises 1e-6 for F32 outputs at scores of order 1.  A score of n
 * nats has an error of 2^-24 n, which is larger if n > 17.  Gradients are sums
 * of T terms of both signs, and may err ten times as much.  In 16 bits, outputs
 * and perhaps weights are rounded, each by up to 2^-8 (bfloat16) or 2^-11
 * (float16); gradients may err twice as much as outputs.  A single row may err
 * 4 times more.
 */
static double tolerance(locant_dtype dtype, bool gradient,
                        const locant_tensor *lse)
{
    if (dtype == LOCANT_BF16)
        return gradient ? 0x1p-6 : 0x1p-7;
    if (dtype == LOCANT_F16)
        return gradient ? 0x1p-9 : 0x1p-10;
    return (gradient ? 10 : 1) * fmax(1e-6, 0x1p-24 * largest_score(lse));
}

static const char *compare(const struct bench_attention *a,
                           const locant_tensor truth[BENCH_OPERANDS],
                           bool gradients)
{
    const locant_tensor *lse = &truth[BENCH_LSE];

    if (!(distance(&a->t[BENCH_OUT], &truth[BENCH_OUT]) <
          tolerance(a->c.dtype, false, lse)))
        return "the output differs from the reference";
    for (int i = BENCH_DQ; gradients && i <= BENCH_DBIAS; i++)
        if (truth[i].data != NULL &&
            !(distance(&a->t[i], &truth[i]) < tolerance(a->c.dtype, true, lse)))
            return "a gradient differs from the reference";
    return NULL;
}

/* Checks all outputs of a smaller problem of the same kind. */
static const char *check_small(const struct bench_case *c, bool gradients)
{
    struct bench_case small = smaller(c);
    struct bench_attention *a = bench_attention_open(&small, gradients);
    locant_tensor truth[BENCH_OPERANDS] = { 0 };
    const char *wrong = NULL;
    locant_status status;

    if (a == NULL)
        return locant_last_error();
    bench_attention_forward(a);
    if (a->status == LOCANT_OK && gradients)
        bench_attention_backward(a);
    status = a->status;
    if (status == LOCANT_OK)
        status = make_truth(truth, a, gradients);
    wrong = status == LOCANT_OK ? compare(a, truth, gradients)
                                : locant_last_error();
    bench_release(truth, BENCH_OPERANDS);
    bench_attention_close(a);
    return wrong;
}

/* Row i of every head of the output, dense. */
static bool copy_row(locant_tensor *out, const struct bench_attention *a,
                     int64_t i)
{
    const struct bench_case *c = &a->c;
    int64_t shape[] = { 1, c->heads, 1, bench_values(c) };
    size_t row = (size_t)bench_values(c) * locant_dtype_size(c->dtype);

    if (!bench_tensor(out, c->dtype, 4, shape))
        return false;
    for (int64_t h = 0; h < c->heads; h++)
        memcpy((char *)out->data + (size_t)h * row,
               (char *)a->t[BENCH_OUT].data +
                   (size_t)(h * c->queries + i) * row,
               row);
    return true;
}

/* Computes the reference for query i. */
static locant_status one_query(locant_tensor *out, locant_tensor *lse,
                               const struct bench_attention *a, int64_t i)
{
    const struct bench_case *c = &a->c;
    int64_t at = c->tokens - c->queries + i;
    locant_attention p = a->problem;
    locant_tensor q = a->wide[BENCH_Q], docs = a->docs, position, bias;
    locant_tensor values = bench_attention_values(c, a->wide);
    locant_status status;

    if (!bench_count(&position, at, 1))
        return LOCANT_ERR_NOMEM;
    q.data = (float *)q.data + i * c->dim;
    q.shape[2] = 1;
    p.q = &q;
    p.k = &a->wide[BENCH_K];
    p.v = &values;
    p.q_pos = &position;
    p.state = NULL;
    p.quant = LOCANT_QUANT_NONE;
    if (p.q_docs != NULL) {
        docs.data = (int64_t *)docs.data + i;
        docs.shape[0] = 1;
        p.q_docs = &docs;
    }
    if (p.bias != NULL) {
        bias = *p.bias;
        bias.data = (float *)bias.data + i * bias.stride[2];
        bias.shape[2] = 1;
        p.bias = &bias;
    }
    status = locant_attention_reference(out, lse, &p);
    locant_release(position.data);
    return status;
}

/* Checks one row of the problem at its full size. */
static const char *check_row(const struct bench_attention *a, int64_t i)
{
    int64_t shape[] = { 1, a->c.heads, 1, bench_values(&a->c) };
    locant_tensor got = { 0 }, want = { 0 }, lse = { 0 };
    const char *wrong = NULL;

    if (!copy_row(&got, a, i) || !bench_tensor(&want, LOCANT_F64, 4, shape) ||
        !bench_tensor(&lse, LOCANT_F64, 3, shape) ||
        one_query(&want, &lse, a, i) != LOCANT_OK)
        wrong = locant_last_error();
    else if (!(distance(&got, &want) < 4 * tolerance(a->c.dtype, false, &lse)))
        wrong = "a row of the whole output differs from the reference";
    locant_release(got.data);
    locant_release(want.data);
    locant_release(lse.data);
    return wrong;
}

/* ------------------------------------------------------------------- works */

/* Whether only backward is timed, on the outputs of one forward pass. */
static bool is_backward(const struct bench_case *c)
{
    return c->work->run == bench_attention_backward;
}

static void *setup(const struct bench_case *c)
{
    struct bench_attention *a = bench_attention_open(c, is_backward(c));

    if (a == NULL)
        return NULL;
    bench_attention_forward(a); /* detects unsupported problems */
    if (a->status == LOCANT_OK && is_backward(c))
        bench_attention_backward(a);
    if (a->status != LOCANT_OK) {
        bench_attention_close(a);
        return NULL;
    }
    return a;
}

/* NULL, or how the result differs from the double reference.  If the encoding
   reads the input of its layer, a single row cannot be checked. */
static const char *check(void *state)
{
    const struct bench_attention *a = state;
    const char *wrong = check_small(&a->c, is_backward(&a->c));

    for (int i = 0; wrong == NULL && i < SPOTS; i++)
        if (a->problem.x == NULL)
            wrong = check_row(a, (a->c.queries - 1) * i / (SPOTS - 1));
    return wrong;
}

static void teardown(void *state)
{
    bench_attention_close(state);
}

/* Pairs of a query and a key that it sees, about; the diagonal counts half. */
static double pairs(const struct bench_case *c)
{
    double t = (double)c->queries, s = (double)c->tokens;
    double documents = c->documents > 0 ? (double)c->documents : 1;
    double window = (double)c->window;

    if (c->window > 0 && window < s) /* the first queries see fewer keys */
        return t * window - window * window / 2;
    return (c->causal ? 0.5 : 1) * t * s / documents;
}

/* q k^T and p v, 2 flops for each product */
static double forward_flops(const struct bench_case *c)
{
    return 2.0 * (double)(c->heads * (c->dim + bench_values(c))) * pairs(c);
}

/* q k^T again, do v^T, ds k, ds^T q, p^T do */
static double backward_flops(const struct bench_case *c)
{
    return 2.0 * (double)(c->heads * (3 * c->dim + 2 * bench_values(c))) *
           pairs(c);
}

/* Each key and value counts once, even if several query heads read it. */
static double cache_bytes(const struct bench_case *c)
{
    return 2.0 * (double)(c->kv_heads * c->tokens * c->dim) *
           (double)locant_dtype_size(c->dtype);
}

/* The case to compare with: values as wide as keys, with as many products in
   forward; or F32 for a 16-bit type; or no encoding. */
static bool baseline(struct bench_case *other, const struct bench_case *c)
{
    *other = *c;
    if (c->values > 0) {
        other->dim = (c->dim + c->values) / 2;
        other->values = 0;
    } else if (c->dtype != LOCANT_F32)
        other->dtype = LOCANT_F32;
    else
        snprintf(other->spec, sizeof(other->spec), "none");
    other->dense = DENSE_NONE;
    return bench_titles[c->family->subject].baseline != NULL &&
           (c->dtype != other->dtype || c->dim != other->dim ||
            c->dense != other->dense || strcmp(c->spec, other->spec) != 0);
}

/* The same cache without a block table, not quantised, or with no state; the
   same sequences as documents; all keys in one call. */
static bool one_piece(struct bench_case *other, const struct bench_case *c)
{
    *other = *c;
    other->block = 0;
    other->keeps = false;
    other->packed = false;
    other->parts = false;
    other->quant = LOCANT_QUANT_NONE;
    return true;
}

enum { DOORS = LOCANT_DOOR_ROTATE | LOCANT_DOOR_SCORE | LOCANT_DOOR_CONTENT };

/* clang-format off */
/* Bytes of the cache before it was quantised: the ratio to it is of tokens. */
const struct bench_work work_quant = {
    .unit = "GB/s", .peak = PEAK_NONE, .doors = DOORS,
    .setup = setup, .check = check,
    .run = bench_attention_forward, .teardown = teardown,
    .amount = cache_bytes, .baseline = one_piece,
};
const struct bench_work work_pieces = {
    .unit = "GFLOP/s", .peak = PEAK_FMA, .doors = DOORS,
    .setup = setup, .check = check,
    .run = bench_attention_forward, .teardown = teardown,
    .amount = forward_flops, .baseline = one_piece,
};
const struct bench_work work_forward = {
    .unit = "GFLOP/s", .peak = PEAK_FMA, .doors = DOORS,
    .setup = setup, .check = check,
    .run = bench_attention_forward, .teardown = teardown,
    .amount = forward_flops, .baseline = baseline,
};
const struct bench_work work_backward = {
    .unit = "GFLOP/s", .peak = PEAK_FMA, .doors = DOORS,
    .setup = setup, .check = check,
    .run = bench_attention_backward, .teardown = teardown,
    .amount = backward_flops, .baseline = baseline,
};
const struct bench_work work_pieces_backward = {
    .unit = "GFLOP/s", .peak = PEAK_FMA, .doors = DOORS,
    .setup = setup, .check = check,
    .run = bench_attention_backward, .teardown = teardown,
    .amount = backward_flops, .baseline = one_piece,
};
const struct bench_work work_paged = {
    .unit = "GB/s", .peak = PEAK_READ, .doors = DOORS,
    .setup = setup, .check = check,
    .run = bench_attention_forward, .teardown = teardown,
    .amount = cache_bytes, .baseline = one_piece,
};
const struct bench_work work_decode = {
    .unit = "GB/s", .peak = PEAK_READ, .doors = DOORS,
    .setup = setup, .check = check,
    .run = bench_attention_forward, .teardown = teardown,
    .amount = cache_bytes,
};
/* clang-format on */
