/*
 * test_attention_refusals.c - attention answers every wrong argument with one
 * sentence and writes nothing; empty sizes are not wrong.
 */
#include "oracle/attend.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* [1,4,3,8] queries over [1,2,5,8] keys of float32. */
struct problem {
    float q[96], k[80], v[80], out[96], lse[12], table[1024];
    int64_t q_pos[3], k_pos[5];
    locant_tensor tq, tk, tv, tout, tlse, tqp, tkp, tp;
    locant_attention a;
    char *workspace;
    size_t bytes;
};

static void make(struct problem *p)
{
    int64_t q[4] = { 1, 4, 3, 8 }, k[4] = { 1, 2, 5, 8 };

    memset(p, 0, sizeof(*p));
    p->tq = locant_dense(p->q, LOCANT_F32, 4, q);
    p->tk = locant_dense(p->k, LOCANT_F32, 4, k);
    p->tv = locant_dense(p->v, LOCANT_F32, 4, k);
    p->tout = locant_dense(p->out, LOCANT_F32, 4, q);
    p->tlse = locant_dense(p->lse, LOCANT_F32, 3, q);
    p->tqp = locant_dense(p->q_pos, LOCANT_I64, 1, q + 2);
    p->tkp = locant_dense(p->k_pos, LOCANT_I64, 1, k + 2);
    p->a = (locant_attention)LOCANT_ATTENTION_INIT;
    p->a.q = &p->tq;
    p->a.k = &p->tk;
    p->a.v = &p->tv;
    p->out[0] = p->lse[0] = 7;
    CHECK_OK(locant_attention_workspace(&p->bytes, &p->a));
    p->bytes += 1 << 20;
    p->workspace = malloc(p->bytes);
    assert_non_null(p->workspace);
}

#define ARGS(p) &p.tout, &p.tlse, &p.a, p.workspace, p.bytes

/* Nothing was written, and the problem as it was made is fine. */
static void drop(struct problem *p)
{
    CHECK(p->out[0] == 7 && p->lse[0] == 7 && p->out[1] == 0);
    free(p->workspace);
}

TEST(refuses_missing_tensors)
{
    FREED_BY(drop) struct problem p;

    make(&p);
    REFUSES(NULL,
            locant_attention_forward(NULL, &p.tlse, &p.a, p.workspace, p.bytes),
            "out is NULL");
    REFUSES(NULL,
            locant_attention_forward(&p.tout, NULL, &p.a, p.workspace, p.bytes),
            "lse is NULL");
    REFUSES(
        NULL,
        locant_attention_forward(&p.tout, &p.tlse, NULL, p.workspace, p.bytes),
        "the problem is NULL");
    p.a.k = NULL;
    REFUSES(NULL, locant_attention_forward(ARGS(p)), "k is NULL");
    p.a.k = &p.tk;
    p.tv.data = NULL;
    REFUSES(NULL, locant_attention_forward(ARGS(p)), "the data of v is NULL");
}

TEST(refuses_shapes_that_do_not_fit)
{
    FREED_BY(drop) struct problem p;

    make(&p);
    p.tk.shape[1] = p.tv.shape[1] = 3;
    REFUSES(SHAPE, locant_attention_forward(ARGS(p)),
            "q has 4 heads, k has 3, expected a divisor of those of q");
    p.tk.shape[1] = p.tv.shape[1] = 2;
    p.tk.shape[3] = 7;
    REFUSES(SHAPE, locant_attention_forward(ARGS(p)),
            "k has size 7 in dimension 3, expected 8");
    p.tk.shape[3] = 8;
    p.tv.shape[2] = 4;
    REFUSES(SHAPE, locant_attention_forward(ARGS(p)),
            "v has size 4 in dimension 2, expected 5");
    p.tv.shape[2] = 5;
    p.tout.shape[2] = 2;
    REFUSES(SHAPE, locant_attention_forward(ARGS(p)),
            "out has size 2 in dimension 2, expected 3");
    p.tout.shape[2] = 3;
    p.tlse.shape[1] = 3;
    REFUSES(SHAPE, locant_attention_forward(ARGS(p)),
            "lse has size 3 in dimension 1, expected 4");
    p.tlse.shape[1] = 4;
    p.tq.rank = 3;
    REFUSES(SHAPE, locant_attention_forward(ARGS(p)),
            "q has rank 3, expected 4");
    p.tq.rank = 4;
    p.a.q_pos = &p.tkp;
    p.a.k_pos = &p.tkp;
    REFUSES(SHAPE, locant_attention_forward(ARGS(p)),
            "q_pos has size 5 in dimension 0, expected 3");
}

TEST(refuses_dtypes_and_layouts)
{
    FREED_BY(drop) struct problem p;

    make(&p);
    p.tq.dtype = LOCANT_I32;
    REFUSES(DTYPE, locant_attention_forward(ARGS(p)),
            "q is i32, expected f32 or f16 or bf16 or f64");
    p.tq.dtype = p.tk.dtype = p.tv.dtype = p.tout.dtype = LOCANT_F16;
    p.tlse.dtype = LOCANT_F16; /* too narrow for it */
    REFUSES(DTYPE, locant_attention_forward(ARGS(p)),
            "lse is f16, expected f32");
    p.tlse.dtype = LOCANT_F32;
    p.tq.dtype = p.tk.dtype = p.tv.dtype = p.tout.dtype = LOCANT_F32;
    p.tk.dtype = LOCANT_F64;
    REFUSES(DTYPE, locant_attention_forward(ARGS(p)), "k is f64, expected f32");
    p.tk.dtype = LOCANT_F32;
    p.tv.stride[3] = 2;
    REFUSES(LAYOUT, locant_attention_forward(ARGS(p)),
            "last stride of v is 2, expected 1");
    p.tv.stride[3] = 1;
    p.tout.stride[1] = 0;
    REFUSES(LAYOUT, locant_attention_forward(ARGS(p)),
            "out has stride 0 in dimension 1: two elements of an output may "
            "not share memory");
    p.tout.stride[1] = 24;
    p.tqp.dtype = LOCANT_I32;
    p.a.q_pos = &p.tqp;
    REFUSES(DTYPE, locant_attention_forward(ARGS(p)),
            "q_pos is i32, expected i64");
    p.a.q_pos = NULL;
    p.tout.data = p.q;
    REFUSES(ALIAS, locant_attention_forward(ARGS(p)),
            "an output overlaps an input");
    p.tlse.data = p.q + 3;
    p.tout.data = p.out;
    REFUSES(ALIAS, locant_attention_forward(ARGS(p)),
            "an output overlaps an input");
    p.tlse.data = p.lse;
}

TEST(refuses_bad_options)
{
    FREED_BY(drop) struct problem p;

    make(&p);
    p.a.scale = NAN;
    REFUSES(PARAM, locant_attention_forward(ARGS(p)),
            "scale is nan, expected a number of at most 3.4e38 in magnitude, "
            "or LOCANT_SCALE_AUTO");
    p.a.scale = -INFINITY;
    REFUSES(PARAM, locant_attention_forward(ARGS(p)),
            "scale is -inf, expected a number of at most 3.4e38 in "
            "magnitude, or LOCANT_SCALE_AUTO");
    p.a.scale = 1e300;
    REFUSES(PARAM, locant_attention_forward(ARGS(p)),
            "scale is 1e+300, expected a number of at most 3.4e38 in "
            "magnitude, or LOCANT_SCALE_AUTO");
    p.a.scale = LOCANT_SCALE_AUTO;
    p.a.mask = (locant_mask)77;
    REFUSES(PARAM, locant_attention_forward(ARGS(p)),
            "mask is 77, expected 0 (none) or 1 (causal)");
    p.a.mask = LOCANT_MASK_NONE;
    p.a.flags = 6;
    REFUSES(PARAM, locant_attention_forward(ARGS(p)),
            "flags are 0x6, expected LOCANT_ATTENTION_* only");
    p.a.flags = 0;
    p.a.struct_size = 0;
    REFUSES(PARAM, locant_attention_forward(ARGS(p)),
            "struct_size is 0, expected 168; start from LOCANT_ATTENTION_INIT");
    p.a.struct_size = sizeof(p.a);
}

/* Exactly as much as was asked for is enough; one byte less is not. */
TEST(refuses_a_small_workspace)
{
    FREED_BY(drop) struct problem p;
    size_t bytes;
    char sentence[200];

    make(&p);
    CHECK_OK(locant_attention_workspace(&bytes, &p.a));
    if (bytes > 0) {
        locant_status got = locant_attention_forward(&p.tout, &p.tlse, &p.a,
                                                     p.workspace, bytes - 1);

        snprintf(sentence, sizeof(sentence),
                 "locant_attention_forward: "
                 "workspace has %zu bytes, expected at least %zu",
                 bytes - 1, bytes);
        CHECK_REFUSED(got, LOCANT_ERR_PARAM, sentence);
        CHECK(locant_attention_forward(&p.tout, &p.tlse, &p.a, NULL, bytes) ==
              LOCANT_ERR_NULL);
    }
    CHECK(locant_attention_workspace(NULL, &p.a) == LOCANT_ERR_NULL);
}

TEST(refuses_wrong_parameters)
{
    int64_t size[2] = { 32, 4 };
    OWNED(locant_encoding) *t5 = test_create("t5"), *rope = test_create("rope");
    FREED_BY(drop) struct problem p;

    make(&p);
    p.a.encoding = t5;
    REFUSES(NULL, locant_attention_forward(ARGS(p)),
            "t5 has a learned parameter 'table' [buckets, heads], none was "
            "given");
    size[1] = 3;
    p.tp = locant_dense(p.table, LOCANT_F32, 2, size);
    p.a.params = &p.tp;
    REFUSES(SHAPE, locant_attention_forward(ARGS(p)),
            "table has size 3 in dimension 1, expected 4");
    p.a.params = NULL;
    p.a.encoding = rope;
    p.tq.shape[3] = p.tk.shape[3] = p.tv.shape[3] = p.tout.shape[3] = 7;
    REFUSES(SHAPE, locant_attention_forward(ARGS(p)),
            "heads have 7 channels, expected an even number to rotate in "
            "pairs");
}

TEST(backward_refuses_too)
{
    float grad[96] = { 7 };
    FREED_BY(drop) struct problem p;
    locant_tensor dq;
    locant_attention_gradients g = { .struct_size = sizeof(g), .dq = &dq };

    make(&p);
    dq = p.tq;
    dq.data = grad;
    REFUSES(NULL,
            locant_attention_backward(NULL, &p.tout, &p.tout, &p.tlse, &p.a,
                                      p.workspace, p.bytes),
            "gradients is NULL");
    REFUSES(NULL,
            locant_attention_backward(&g, NULL, &p.tout, &p.tlse, &p.a,
                                      p.workspace, p.bytes),
            "dout is NULL");
    dq.shape[2] = 2;
    REFUSES(SHAPE,
            locant_attention_backward(&g, &p.tout, &p.tout, &p.tlse, &p.a,
                                      p.workspace, p.bytes),
            "dq has size 2 in dimension 2, expected 3");
    dq.shape[2] = 3;
    dq.data = p.q;
    REFUSES(ALIAS,
            locant_attention_backward(&g, &p.tout, &p.tout, &p.tlse, &p.a,
                                      p.workspace, p.bytes),
            "an output overlaps an input");
    CHECK(grad[0] == 7);
}

/*
 * Never an array of T x S: at 32768 tokens that would be 4 GiB.  The largest
 * scratch is the cosines and sines of queries and keys, 8 D bytes a token or 16
 * MiB, and what two threads need; it does not grow faster than the tokens.
 */
TEST(scratch_is_small)
{
    static const char *const specs[] = { "none", "alibi", "t5", "rope",
                                         "kerple" };
    locant_tensor q = TENSOR(F32, 1, 1, 32768, 64);
    float x[32] = { 1 }, y[1] = { 1 };
    size_t bytes;

    CHECK_OK(locant_set_threads(2));
    for (size_t i = 0; i < LEN(specs); i++) {
        OWNED(locant_encoding) *e = test_create(specs[i]);
        locant_attention a = LOCANT_ATTENTION_INIT;
        locant_tensor params[2];

        params[0] = i == 2 ? DENSE(F32, x, 32, 1) : DENSE(F32, x, 1);
        params[1] = DENSE(F32, y, 1);
        a.q = a.k = a.v = &q;
        a.encoding = e;
        a.params = i == 2 || i == 4 ? params : NULL;
        CHECK_OK(locant_attention_workspace(&bytes, &a));
        if (bytes > 16u << 20)
            FAIL("%s: scratch of %zu bytes", specs[i], bytes);
    }
    CHECK_OK(locant_set_threads(0));
    test_tensor_free(&q);
}

TEST(refuses_sizes_that_overflow)
{
    struct problem p;

    make(&p);
    p.tq.shape[0] = p.tk.shape[0] = p.tv.shape[0] = INT64_MAX / 2;
    p.tout.shape[0] = p.tlse.shape[0] = INT64_MAX / 2;
    REFUSES(SHAPE, locant_attention_forward(ARGS(p)),
            "the size of q does not fit in memory");
    drop(&p);
    make(&p);
    p.tq.shape[2] = -3;
    REFUSES(SHAPE, locant_attention_forward(ARGS(p)),
            "q has size -3 in dimension 2, expected at least 0");
    drop(&p);
}

/* Outputs may not share memory with each other either. */
TEST(refuses_outputs_that_overlap)
{
    float grad[96] = { 7 };
    FREED_BY(drop) struct problem p;
    locant_tensor dk, dv;
    locant_attention_gradients g = { .struct_size = sizeof(g),
                                     .dk = &dk,
                                     .dv = &dv };

    make(&p);
    p.tlse.data = p.out + 4;
    CHECK(locant_attention_forward(ARGS(p)) == LOCANT_ERR_ALIAS);
    p.tlse.data = p.lse;
    dk = dv = p.tk;
    dk.data = grad;
    dv.data = grad + 8;
    CHECK(locant_attention_backward(&g, &p.tout, &p.tout, &p.tlse, &p.a,
                                    p.workspace, p.bytes) == LOCANT_ERR_ALIAS);
    CHECK(grad[0] == 7);
}

/* Positions with a stride: every second entry counts, or the call refuses. */
TEST(position_strides_are_not_ignored)
{
    int64_t wide[6] = { 4, -9, 4, -9, 4, -9 };
    struct problem p;

    make(&p);
    for (int i = 0; i < 80; i++)
        p.v[i] = 1;
    p.tqp = DENSE(I64, wide, 3);
    p.tqp.stride[0] = 2;
    p.a.q_pos = &p.tqp;
    p.a.mask = LOCANT_MASK_CAUSAL;
    if (locant_attention_forward(ARGS(p)) == LOCANT_OK) {
        /* Queries at 4 see keys 0 .. 4; at -9 they would see none. */
        for (int i = 0; i < 96; i++)
            CHECK(fabs((double)p.out[i] - 1) <= 8 * 0x1p-24);
        free(p.workspace);
        return;
    }
    CHECK(strstr(locant_last_error(), "stride of q_pos is 2") != NULL);
    drop(&p);
}

/* No query, no batch row: nothing to do.  No key: nothing to see. */
TEST(empty_sizes_are_fine)
{
    struct problem p;

    make(&p);
    p.tq.shape[2] = p.tout.shape[2] = p.tlse.shape[2] = 0;
    CHECK_OK(locant_attention_forward(ARGS(p)));
    p.tq.shape[2] = p.tout.shape[2] = p.tlse.shape[2] = 3;
    p.tq.shape[0] = p.tk.shape[0] = p.tv.shape[0] = 0;
    p.tout.shape[0] = p.tlse.shape[0] = 0;
    CHECK_OK(locant_attention_forward(ARGS(p)));
    drop(&p);
    make(&p);
    p.tk.shape[2] = p.tv.shape[2] = 0;
    p.out[95] = 7;
    CHECK_OK(locant_attention_forward(ARGS(p)));
    for (int i = 0; i < 96; i++)
        CHECK(p.out[i] == 0);
    for (int i = 0; i < 12; i++)
        CHECK(p.lse[i] == -INFINITY);
    free(p.workspace);
}

/* The scale is a number like another: 0 averages the values. */
TEST(zero_scale_is_the_mean)
{
    struct problem p;

    make(&p);
    p.a.scale = 0;
    for (int i = 0; i < 80; i++) {
        p.k[i] = (float)test_normal();
        p.v[i] = (float)(i / 8 % 5);
    }
    CHECK_OK(locant_attention_forward(ARGS(p)));
    /* 0 .. 4 summed with weights 1/5: a few roundings of 2. */
    for (int i = 0; i < 96; i++)
        CHECK(fabs((double)p.out[i] - 2) <= 8 * 0x1p-24 * 2);
    for (int i = 0; i < 12; i++)
        CHECK(fabs((double)p.lse[i] - log(5)) <= 4 * 0x1p-24 * 2);
    free(p.workspace);
}
