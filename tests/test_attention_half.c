/*
 * test_attention_half.c - attention on bfloat16 and half: storage only.
 *
 * Widening is exact, so a problem in half types is one in float32 whose
 * outputs are rounded: not one bit may differ.  Dot products of bfloat16, where
 * the CPU has them, are switched off: test_attention_bf16.c judges those.
 */
#include "attention/arithmetic.h"
#include "core/tensor.h"
#include "kernel/row.h"
#include "oracle/bits.h"
#include <stdlib.h>
#include <string.h>

static struct {
    locant_dtype dtype;
    int64_t leaves;
} job;

/* Round every element of x to the type; leave it as float32. */
static void round_all(const locant_tensor *x, locant_dtype dtype)
{
    size_t n = oracle_count(x);

    for (size_t i = 0; i < n; i++) {
        int64_t at[LOCANT_MAX_RANK];
        size_t left = i;
        uint16_t h;
        float *element;

        for (int k = x->rank - 1; k >= 0; k--) {
            at[k] = (int64_t)(left % (size_t)x->shape[k]);
            left /= (size_t)x->shape[k];
        }
        element = lct_at(x, at, x->rank);
        lct_row_from_f32(&h, dtype, element, 1);
        lct_row_to_f32(element, &h, dtype, 1);
    }
}

/* A dense copy of x in the type. */
static locant_tensor narrow(const locant_tensor *x, locant_dtype dtype)
{
    size_t n = oracle_count(x), bytes;
    FREED_BY(free_memory) float *from = attend_bytes(x, &bytes);
    uint16_t *to = calloc(n + 1, sizeof(*to));

    assert_non_null(to);
    lct_row_from_f32(to, dtype, from, n);
    return locant_dense(to, dtype, x->rank, x->shape);
}

/* Does x, rounded to the type of 'half', have its bits? */
static void check_rounded(const struct attend *t, const char *name,
                          const locant_tensor *half, const locant_tensor *x)
{
    locant_tensor want = narrow(x, half->dtype);

    if (memcmp(half->data, want.data, oracle_count(x) * sizeof(uint16_t)) != 0)
        FAIL("%s: %s in %s is not the rounded one of float32", t->spec, name,
             locant_dtype_name(half->dtype));
    free(want.data);
}

/* The twin of t in the half type, sharing positions and parameters. */
struct twin {
    locant_tensor q, k, v, dout, out, dq, dk, dv;
    locant_attention a;
    locant_attention_gradients g;
    void *workspace;
    size_t bytes;
};

static void make_twin(struct twin *w, struct attend *t)
{
    w->q = narrow(&t->q, job.dtype);
    w->k = narrow(&t->k, job.dtype);
    w->v = narrow(&t->v, job.dtype);
    w->dout = narrow(&t->dout, job.dtype);
    w->out = narrow(&t->q, job.dtype);
    w->dq = narrow(&t->q, job.dtype);
    w->dk = narrow(&t->k, job.dtype);
    w->dv = narrow(&t->v, job.dtype);
    w->a = t->a;
    w->a.q = &w->q;
    w->a.k = &w->k;
    w->a.v = &w->v;
    w->g = t->g;
    w->g.dq = &w->dq;
    w->g.dk = &w->dk;
    w->g.dv = &w->dv;
    CHECK_OK(locant_attention_workspace(&w->bytes, &w->a));
    w->workspace = malloc(w->bytes + 1);
    assert_non_null(w->workspace);
    memset(w->workspace, 0xff, w->bytes);
}

static void drop_twin(struct twin *w)
{
    locant_tensor *all[] = { &w->q,   &w->k,  &w->v,  &w->dout,
                             &w->out, &w->dq, &w->dk, &w->dv };

    for (size_t i = 0; i < LEN(all); i++)
        free(all[i]->data);
    free(w->workspace);
}

static void clear_grads(struct attend *t)
{
    for (int k = 0; k < t->p.n; k++)
        memset(t->p.grad[k].data, 0,
               t->p.size[k] * locant_dtype_size(t->dtype));
}

/* Forward of both; then out of both rounded, and backward of both. */
static void halves_are_rounded(struct attend *t)
{
    struct bytes want = { NULL, 0 }, got = { NULL, 0 };
    struct twin w;

    t->a.leaves = job.leaves;
    round_all(&t->q, job.dtype);
    round_all(&t->k, job.dtype);
    round_all(&t->v, job.dtype);
    round_all(&t->dout, job.dtype);
    make_twin(&w, t);
    attend_forward(t);
    append(&want, &t->lse);
    CHECK_OK(
        locant_attention_forward(&w.out, &t->lse, &w.a, w.workspace, w.bytes));
    append(&got, &t->lse);
    check_rounded(t, "out", &w.out, &t->out);

    round_all(&t->out, job.dtype);
    clear_grads(t);
    attend_backward(t);
    for (int k = 0; k < t->p.n; k++)
        append(&want, &t->p.grad[k]);
    clear_grads(t);
    memset(w.workspace, 0xff, w.bytes);
    CHECK_OK(locant_attention_backward(&w.g, &w.dout, &w.out, &t->lse, &w.a,
                                       w.workspace, w.bytes));
    for (int k = 0; k < t->p.n; k++)
        append(&got, &t->p.grad[k]);
    check_rounded(t, "dq", &w.dq, &t->dq);
    check_rounded(t, "dk", &w.dk, &t->dk);
    check_rounded(t, "dv", &w.dv, &t->dv);
    if (!same(&got, &want))
        FAIL("%s: lse or a gradient of parameters differs in %s", t->spec,
             locant_dtype_name(job.dtype));
    free(want.data);
    free(got.data);
    drop_twin(&w);
}

TEST(halves_are_float32_rounded)
{
    static const locant_dtype dtypes[] = { LOCANT_BF16, LOCANT_F16 };

    lct_arithmetic_bf16 = LCT_BF16_NEVER;
    for (size_t i = 0; i < LEN(dtypes); i++) {
        job.dtype = dtypes[i];
        for (int n = 0; n < test_cases(2); n++)
            each_encoding(LOCANT_F32, MANY_TOKENS, halves_are_rounded);
    }
}

/* Leaves of queries are added in float32, and their sum is rounded. */
TEST(sums_of_leaves_are_float32_rounded)
{
    lct_arithmetic_bf16 = LCT_BF16_NEVER;
    job.dtype = LOCANT_BF16;
    job.leaves = 2;
    each_encoding(LOCANT_F32, MANY_TOKENS, halves_are_rounded);
    job.leaves = 0;
}

/*
 * Encodings of content and the reference widen, too.  In double: out is the
 * reference rounded once, but for half an ulp of the sums' own errors.
 */
static void the_reference_reads_halves(struct attend *t)
{
    locant_tensor out = t->out, lse = t->lse;
    struct twin w;

    round_all(&t->q, job.dtype);
    round_all(&t->k, job.dtype);
    round_all(&t->v, job.dtype);
    make_twin(&w, t);
    CHECK_OK(locant_attention_reference(&out, &lse, &t->a));
    CHECK_OK(locant_attention_reference(&w.out, &lse, &t->a) == LOCANT_ERR_DTYPE
                 ? LOCANT_OK
                 : LOCANT_ERR_PARAM);
    {
        struct bytes a = { NULL, 0 }, b = { NULL, 0 };

        append(&a, &out);
        CHECK_OK(locant_attention_reference(&out, &lse, &w.a));
        append(&b, &out);
        if (!same(&a, &b))
            FAIL("%s: the reference reads %s differently", t->spec,
                 locant_dtype_name(job.dtype));
        free(a.data);
        free(b.data);
    }
    drop_twin(&w);
}

TEST(reference_of_halves)
{
    job.dtype = LOCANT_BF16;
    each_encoding(LOCANT_F32, 33, the_reference_reads_halves);
    job.dtype = LOCANT_F16;
    each_encoding(LOCANT_F32, 33, the_reference_reads_halves);
}
