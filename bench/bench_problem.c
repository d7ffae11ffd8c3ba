/* bench_problem.c - the attention problem of a case, forward and backward */
#include "bench.h"
#include <string.h>

void bench_attention_close(struct bench_attention *a)
{
    if (a == NULL)
        return;
    for (int i = 0; i < BENCH_INPUTS; i++)
        if (a->wide[i].data != a->t[i].data)
            locant_release(a->wide[i].data);
    bench_release(a->t, BENCH_OPERANDS);
    locant_release(a->docs.data);
    locant_release(a->cuts.data);
    locant_release(a->blocks.data);
    locant_release(a->length.data);
    locant_release(a->state.data);
    locant_release(a->workspace);
    bench_encoding_close(&a->encoding);
    locant_release(a);
}

/* Makes an operand in the dtype of the case, and in F32 for the reference. */
static bool make_input(struct bench_attention *a, int i, const int64_t *shape)
{
    locant_tensor *t = &a->t[i], *wide = &a->wide[i];

    if (!bench_tensor(t, a->c.dtype, 4, shape))
        return false;
    if (a->c.dtype == LOCANT_F32)
        *wide = *t;
    else if (!bench_tensor(wide, LOCANT_F32, 4, shape))
        return false;
    bench_fill(t->data, a->c.dtype, wide->data, (size_t)bench_elements(t),
               (uint64_t)i + 1);
    return true;
}

/* Blocks of the pool: 'pool' tokens, or as many as the case has. */
static int64_t blocks_of(const struct bench_case *c)
{
    int64_t tokens = c->pool > c->tokens ? c->pool : c->tokens;

    return (tokens + c->block - 1) / c->block;
}

locant_tensor bench_attention_values(const struct bench_case *c,
                                     const locant_tensor t[BENCH_INPUTS])
{
    locant_tensor view = t[BENCH_K];

    view.shape[3] = bench_values(c);
    return c->family->of_keys ? view : t[BENCH_V];
}

/* Replaces operand i by its quantised rows, and 'wide' by what they hold. */
static bool quantise(struct bench_attention *a, int i)
{
    locant_tensor rows = a->t[i];
    int64_t shape[4];

    for (int n = 0; n < 3; n++)
        shape[n] = rows.shape[n];
    if (locant_quant_row_bytes(&shape[3], a->c.quant, 0, a->c.dim) !=
            LOCANT_OK ||
        !bench_tensor(&rows, LOCANT_U8, 4, shape))
        return false;
    if (a->wide[i].data != a->t[i].data)
        locant_release(a->t[i].data);
    a->t[i] = rows;
    return locant_quantize(&rows, &a->wide[i], a->c.quant, 0) == LOCANT_OK &&
           locant_dequantize(&a->wide[i], &rows, a->c.quant, 0) == LOCANT_OK;
}

static bool make_tensors(struct bench_attention *a, bool gradients)
{
    const struct bench_case *c = &a->c;
    int64_t q[] = { 1, c->heads, c->queries, c->dim };
    int64_t k[] = { 1, c->kv_heads, c->tokens, c->dim };
    int64_t v[] = { 1, c->kv_heads, c->tokens, bench_values(c) };
    int64_t out[] = { 1, c->heads, c->queries, bench_values(c) };

    if (c->block > 0) {
        k[0] = v[0] = blocks_of(c);
        k[2] = v[2] = c->block;
    }
    if (!make_input(a, BENCH_Q, q) || !make_input(a, BENCH_K, k) ||
        (!c->family->of_keys && !make_input(a, BENCH_V, v)) ||
        !bench_tensor(&a->t[BENCH_OUT], c->dtype, 4, out) ||
        !bench_tensor(&a->t[BENCH_LSE], LOCANT_F32, 3, q))
        return false;
    if (c->quant != LOCANT_QUANT_NONE &&
        (!quantise(a, BENCH_K) || !quantise(a, BENCH_V)))
        return false;
    return !gradients || (make_input(a, BENCH_DOUT, out) &&
                          bench_tensor(&a->t[BENCH_DQ], c->dtype, 4, q) &&
                          bench_tensor(&a->t[BENCH_DK], c->dtype, 4, k) &&
                          bench_tensor(&a->t[BENCH_DV], c->dtype, 4, v));
}

/* Makes documents of equal length; the last one takes the remainder. */
static bool make_documents(struct bench_attention *a)
{
    int64_t each = a->c.tokens / a->c.documents;
    int64_t *id;

    if (!bench_count(&a->docs, 0, a->c.tokens))
        return false;
    id = a->docs.data;
    for (int64_t t = 0; t < a->c.tokens; t++)
        id[t] = each > 0 && t / each < a->c.documents ? t / each
                                                      : a->c.documents - 1;
    a->problem.q_docs = &a->docs;
    a->problem.k_docs = &a->docs;
    if (!bench_count(&a->cuts, 0, a->c.documents + 1))
        return false;
    for (int64_t d = 0; d <= a->c.documents; d++)
        ((int64_t *)a->cuts.data)[d] =
            d == a->c.documents ? a->c.tokens : d * each;
    return true;
}

/* Makes a block table in random order. */
static bool make_blocks(struct bench_attention *a)
{
    locant_random random = { .seed = 5 };
    int64_t n = blocks_of(&a->c), *block;

    if (!bench_count(&a->blocks, 0, n) ||
        !bench_count(&a->length, a->c.tokens, 1))
        return false;
    block = a->blocks.data;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t other = (int64_t)locant_random_below(&random, (uint64_t)i + 1);
        int64_t kept = block[i];

        block[i] = block[other];
        block[other] = kept;
    }
    a->blocks = locant_dense(block, LOCANT_I64, 2, (int64_t[]){ 1, n });
    a->problem.block_table = &a->blocks;
    a->problem.lengths = &a->length;
    return true;
}

/* Random biases, and room for their gradient. */
static bool make_bias(struct bench_attention *a, bool gradients)
{
    const struct bench_case *c = &a->c;
    int64_t shape[] = { 1, c->dense == DENSE_SHARED ? 1 : c->heads, c->queries,
                        c->tokens };

    if (!bench_tensor(&a->t[BENCH_BIAS], LOCANT_F32, 4, shape))
        return false;
    bench_fill(a->t[BENCH_BIAS].data, LOCANT_F32, NULL,
               (size_t)bench_elements(&a->t[BENCH_BIAS]), 10);
    a->problem.bias = &a->t[BENCH_BIAS];
    return !gradients || bench_tensor(&a->t[BENCH_DBIAS], LOCANT_F32, 4, shape);
}

static locant_status make_problem(struct bench_attention *a)
{
    const struct bench_case *c = &a->c;
    const locant_sizes sizes = { .width = c->heads * c->dim,
                                 .heads = c->heads,
                                 .kv_heads = c->kv_heads,
                                 .head_dim = c->dim };
    int64_t x[] = { 1, c->tokens, c->heads * c->dim };
    locant_status status =
        bench_encoding_open(&a->encoding, c->spec, c->tokens, &sizes);

    if (status != LOCANT_OK)
        return status;
    a->problem = (locant_attention)LOCANT_ATTENTION_INIT;
    a->problem.q = &a->t[BENCH_Q];
    a->problem.k = &a->t[BENCH_K];
    a->values = bench_attention_values(c, a->t);
    a->problem.v = &a->values;
    a->problem.encoding = a->encoding.e;
    a->problem.params = a->encoding.params;
    a->problem.mask = c->causal ? LOCANT_MASK_CAUSAL : LOCANT_MASK_NONE;
    a->problem.quant = c->quant;
    if (c->family->keys_rotated)
        a->problem.flags |= LOCANT_ATTENTION_KEYS_ROTATED;
    if (c->family->of_keys)
        a->problem.flags |= LOCANT_ATTENTION_VALUES_OF_KEYS;
    if (c->documents > 0 && !make_documents(a))
        return LOCANT_ERR_NOMEM;
    if (c->block > 0 && !make_blocks(a))
        return LOCANT_ERR_NOMEM;
    if (locant_encoding_traits(a->encoding.e) & LOCANT_TRAIT_READS_X) {
        if (!bench_tensor(&a->t[BENCH_X], c->dtype, 3, x))
            return LOCANT_ERR_NOMEM;
        bench_fill(a->t[BENCH_X].data, c->dtype, NULL,
                   (size_t)bench_elements(&a->t[BENCH_X]), 9);
        a->problem.x = &a->t[BENCH_X];
    }
    return LOCANT_OK;
}

/* Makes a state; the first call fills it. */
static locant_status make_state(struct bench_attention *a)
{
    size_t bytes;
    locant_status status =
        locant_attention_state_bytes(&bytes, &a->problem, a->c.tokens);

    if (status != LOCANT_OK)
        return status;
    if (!bench_tensor(&a->state, LOCANT_U8, 1, (int64_t[]){ (int64_t)bytes }))
        return LOCANT_ERR_NOMEM;
    a->problem.state = &a->state;
    return locant_attention_state_begin(&a->state, &a->problem, a->c.tokens);
}

/* ------------------------------------------------------------ keys in parts */

enum { PART = 1024 };

/* Keys first, first + 1, .. of a tensor. */
static locant_tensor keys_from(const locant_tensor *t, int64_t first)
{
    locant_tensor part = *t;

    part.data = (char *)t->data +
                first * t->stride[2] * (int64_t)locant_dtype_size(t->dtype);
    part.shape[2] -= first;
    if (part.shape[2] > PART)
        part.shape[2] = PART;
    return part;
}

/* The part of a problem that begins with key 'first'. */
struct part {
    locant_attention problem;
    locant_attention_part keys;
    locant_tensor k, v, dk, dv;
};

static void set_part(struct part *x, struct bench_attention *a, int64_t first)
{
    x->k = keys_from(&a->t[BENCH_K], first);
    x->v = keys_from(&a->values, first);
    x->problem = a->problem;
    x->problem.k = &x->k;
    x->problem.v = &x->v;
    x->keys = (locant_attention_part)LOCANT_ATTENTION_PART_INIT;
    x->keys.first = first;
    x->keys.keys = a->c.tokens;
    x->keys.last = first + x->k.shape[2] == a->c.tokens;
    x->keys.state = &a->state;
}

/* Makes the state and the workspace, which every part can use. */
static locant_status make_parts(struct bench_attention *a, bool gradients)
{
    int64_t shape[] = { 1, a->c.heads, a->c.queries, bench_values(&a->c) + 2 };
    int64_t width = 0;

    for (int64_t first = 0; first < a->c.tokens; first += PART) {
        struct part x;
        size_t bytes;
        locant_status status;

        set_part(&x, a, first);
        status = locant_attention_part_workspace(&bytes, &width, &x.problem,
                                                 &x.keys);
        if (status != LOCANT_OK)
            return status;
        if (bytes > a->workspace_bytes)
            a->workspace_bytes = bytes;
    }
    if (gradients && width > shape[3])
        shape[3] = width;
    return bench_tensor(&a->state, LOCANT_F32, 4, shape) ? LOCANT_OK
                                                         : LOCANT_ERR_NOMEM;
}

/* Begin to carry 'width' numbers of each query, at the start of the state. */
static void clear_state(struct bench_attention *a, int64_t width)
{
    int64_t shape[] = { 1, a->c.heads, a->c.queries, width };

    a->state = locant_dense(a->state.data, LOCANT_F32, 4, shape);
    memset(a->state.data, 0, (size_t)bench_elements(&a->state) * sizeof(float));
}

static void forward_parts(struct bench_attention *a)
{
    clear_state(a, bench_values(&a->c) + 2);
    a->status = LOCANT_OK;
    for (int64_t first = 0; first < a->c.tokens && a->status == LOCANT_OK;
         first += PART) {
        struct part x;

        set_part(&x, a, first);
        a->status = locant_attention_forward_part(
            x.keys.last ? &a->t[BENCH_OUT] : NULL,
            x.keys.last ? &a->t[BENCH_LSE] : NULL, &x.problem, &x.keys,
            a->workspace, a->workspace_bytes);
    }
}

/* The families of parts have rotations and biases, whose dq is as wide as q. */
static void backward_parts(struct bench_attention *a,
                           const locant_attention_gradients *whole)
{
    clear_state(a, a->c.dim);
    a->status = LOCANT_OK;
    for (int64_t first = 0; first < a->c.tokens && a->status == LOCANT_OK;
         first += PART) {
        locant_attention_gradients g = *whole;
        struct part x;

        set_part(&x, a, first);
        x.dk = keys_from(g.dk, first);
        x.dv = keys_from(g.dv, first);
        g.dk = &x.dk;
        g.dv = &x.dv;
        g.dq = x.keys.last ? g.dq : NULL;
        a->status = locant_attention_backward_part(
            &g, &a->t[BENCH_DOUT], &a->t[BENCH_OUT], &a->t[BENCH_LSE],
            &x.problem, &x.keys, a->workspace, a->workspace_bytes);
    }
}

/* ----------------------------------------------------------------- problems */

static locant_status prepare(struct bench_attention *a, bool gradients)
{
    locant_status status;

    if (!make_tensors(a, gradients))
        return LOCANT_ERR_NOMEM;
    status = make_problem(a);
    if (status == LOCANT_OK && a->c.dense != DENSE_NONE &&
        !make_bias(a, gradients))
        status = LOCANT_ERR_NOMEM;
    if (status == LOCANT_OK && a->c.keeps)
        status = make_state(a);
    if (status == LOCANT_OK)
        status = locant_attention_workspace(&a->workspace_bytes, &a->problem);
    if (status == LOCANT_OK && a->c.parts)
        status = make_parts(a, gradients);
    if (status != LOCANT_OK)
        return status;
    a->workspace = bench_alloc(a->workspace_bytes + 1);
    return a->workspace == NULL ? LOCANT_ERR_NOMEM : LOCANT_OK;
}

struct bench_attention *bench_attention_open(const struct bench_case *c,
                                             bool gradients)
{
    struct bench_attention *a = bench_alloc(sizeof(*a));

    if (a == NULL)
        return NULL;
    a->c = *c;
    if (prepare(a, gradients) != LOCANT_OK) {
        bench_attention_close(a);
        return NULL;
    }
    return a;
}

void bench_attention_forward(void *attention)
{
    struct bench_attention *a = attention;
    const locant_ragged lengths = { &a->cuts, &a->cuts };
    locant_attention packed = a->problem;

    if (a->c.parts) {
        forward_parts(a);
        return;
    }
    packed.q_docs = packed.k_docs = NULL;
    if (a->c.packed)
        a->status = locant_attention_ragged_forward(
            &a->t[BENCH_OUT], &a->t[BENCH_LSE], &packed, &lengths, a->workspace,
            a->workspace_bytes);
    else
        a->status = locant_attention_forward(&a->t[BENCH_OUT], &a->t[BENCH_LSE],
                                             &a->problem, a->workspace,
                                             a->workspace_bytes);
}

void bench_attention_backward(void *attention)
{
    struct bench_attention *a = attention;
    const locant_attention_gradients g = {
        .struct_size = sizeof(g),
        .dq = &a->t[BENCH_DQ],
        .dk = &a->t[BENCH_DK],
        .dv = &a->t[BENCH_DV],
        .dbias = a->problem.bias != NULL ? &a->t[BENCH_DBIAS] : NULL,
        .dparams = a->encoding.dparams,
    };

    if (a->c.parts) {
        backward_parts(a, &g);
        return;
    }
    a->status = locant_attention_backward(
        &g, &a->t[BENCH_DOUT], &a->t[BENCH_OUT], &a->t[BENCH_LSE], &a->problem,
        a->workspace, a->workspace_bytes);
}
