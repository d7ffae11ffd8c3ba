/*
 * test_attention_corners.c - calls without a batch row or head, heads wider
 * than the model, rotated keys whose gradient is not wanted, positions at both
 * ends of int64.
 */
#include "locant/attention.h"
#include "oracle/case.h"
#include "testing.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 }; /* parameters of an encoding */

/* One problem, float32, and gradients of all it has. */
struct problem {
    locant_encoding *e;
    locant_tensor q, k, v, x, out, dout, lse, dq, dk, dv;
    locant_tensor param[MOST], dparam[MOST];
    int params;
    locant_attention a;
    locant_attention_gradients g;
};

static locant_tensor tensor(int rank, int64_t n0, int64_t n1, int64_t n2,
                            int64_t n3)
{
    return test_tensor(LOCANT_F32, rank, (int64_t[]){ n0, n1, n2, n3 });
}

static void make_params(struct problem *p, int64_t width)
{
    const int64_t *q = p->q.shape;
    locant_sizes sizes = { .width = width,
                           .heads = q[1],
                           .kv_heads = p->k.shape[1],
                           .head_dim = q[3] };
    locant_param_info info;

    for (; locant_encoding_param(&info, p->e, p->params, &sizes); p->params++) {
        int n = p->params;

        CHECK(n < MOST);
        p->param[n] = test_tensor(LOCANT_F32, info.rank, info.shape);
        p->dparam[n] = test_tensor(LOCANT_F32, info.rank, info.shape);
        CHECK_OK(locant_encoding_param_init(&p->param[n], p->e, n, 1));
    }
}

/* 'width' 0: without x. */
static void make(struct problem *p, const char *spec, const int64_t q[4],
                 int64_t kv_heads, int64_t width)
{
    memset(p, 0, sizeof(*p));
    CHECK_OK(locant_encoding_create(&p->e, spec));
    p->q = tensor(4, q[0], q[1], q[2], q[3]);
    p->out = tensor(4, q[0], q[1], q[2], q[3]);
    p->dout = tensor(4, q[0], q[1], q[2], q[3]);
    p->dq = tensor(4, q[0], q[1], q[2], q[3]);
    p->k = tensor(4, q[0], kv_heads, q[2], q[3]);
    p->v = tensor(4, q[0], kv_heads, q[2], q[3]);
    p->dk = tensor(4, q[0], kv_heads, q[2], q[3]);
    p->dv = tensor(4, q[0], kv_heads, q[2], q[3]);
    p->x = tensor(3, q[0], q[2], width, 0);
    p->lse = tensor(3, q[0], q[1], q[2], 0);
    make_params(p, width > 0 ? width : q[1] * q[3]);
    p->a = (locant_attention)LOCANT_ATTENTION_INIT;
    p->a.q = &p->q;
    p->a.k = &p->k;
    p->a.v = &p->v;
    p->a.x = width > 0 ? &p->x : NULL;
    p->a.encoding = p->e;
    p->a.params = p->params > 0 ? p->param : NULL;
    p->a.mask = LOCANT_MASK_CAUSAL;
    p->g = (locant_attention_gradients)LOCANT_ATTENTION_GRADIENTS_INIT;
    p->g.dq = &p->dq;
    p->g.dk = &p->dk;
    p->g.dv = &p->dv;
    p->g.dparams = p->params > 0 ? p->dparam : NULL;
}

static void free_all(struct problem *p)
{
    locant_tensor *all[] = { &p->q,    &p->k,   &p->v,  &p->x,  &p->out,
                             &p->dout, &p->lse, &p->dq, &p->dk, &p->dv };

    for (size_t i = 0; i < LEN(all); i++)
        test_tensor_free(all[i]);
    for (int n = 0; n < p->params; n++) {
        test_tensor_free(&p->param[n]);
        test_tensor_free(&p->dparam[n]);
    }
    locant_encoding_free(p->e);
}

static void set(const locant_tensor *t, float value)
{
    for (size_t i = 0; i < oracle_count(t); i++)
        ((float *)t->data)[i] = value;
}

/* Gradients of parameters begin at 3; a workspace of NaN, guarded. */
static void run(struct problem *p)
{
    for (int n = 0; n < p->params; n++)
        set(&p->dparam[n], 3);
    test_forward(&p->out, &p->lse, &p->a);
    test_backward(&p->g, &p->dout, &p->out, &p->lse, &p->a);
}

static void check_all(const locant_tensor *t, float value)
{
    for (size_t i = 0; i < oracle_count(t); i++)
        CHECK(((const float *)t->data)[i] == value);
}

/* One of products, one of a table of biases, one piecewise linear. */
static const char *const learned[] = {
    "shaw(distance=5)", "deberta(span=4)",   "t5", "fire",
    "transformer-xl",   "alibi(learned=yes)"
};

/* Nothing is added to gradients, whatever the workspace held. */
TEST(without_batch_rows_nothing_is_learned)
{
    for (size_t n = 0; n < LEN(learned); n++) {
        FREED_BY(free_all) struct problem p;

        make(&p, learned[n], (int64_t[]){ 0, 64, 300, 6 }, 2, 0);
        run(&p);
        for (int i = 0; i < p.params; i++)
            check_all(&p.dparam[i], 3);
    }
}

/* [B, T] positions of no rows are as good. */
TEST(positions_of_no_rows_are_taken)
{
    int64_t none[1] = { 0 };
    struct problem p;

    for (size_t n = 0; n < LEN(learned); n++) {
        make(&p, learned[n], (int64_t[]){ 0, 4, 7, 6 }, 2, 0);
        p.a.q_pos = p.a.k_pos = VIEW(I64, none, 0, 7);
        run(&p);
        free_all(&p);
    }
}

TEST(without_heads_of_queries_keys_get_zeros)
{
    struct problem p;

    for (size_t n = 0; n < LEN(learned); n++) {
        make(&p, learned[n], (int64_t[]){ 2, 0, 5, 6 }, 2, 4);
        set(&p.dk, 7);
        set(&p.dv, 7);
        run(&p);
        check_all(&p.dk, 0);
        check_all(&p.dv, 0);
        free_all(&p);
    }
}

/* Against the engine in double: float32 and sums of a few tokens, 1e-5. */
static void check_reference(struct problem *p)
{
    OWNED(locant_tensor) out = test_tensor(LOCANT_F64, 4, p->q.shape);
    OWNED(locant_tensor) lse = test_tensor(LOCANT_F64, 3, p->q.shape);

    CHECK_OK(locant_attention_reference(&out, &lse, &p->a));
    CHECK(test_relative_l2(p->out.data, out.data, oracle_count(&out)) < 1e-5);
}

/* The width of x is the caller's; a row of a head may be longer. */
TEST(heads_may_be_wider_than_the_model)
{
    static const char *const specs[] = { "transformer-xl", "deberta(span=4)" };
    struct problem p;

    for (size_t n = 0; n < LEN(specs); n++) {
        make(&p, specs[n], (int64_t[]){ 1, 2, 9, 2000 }, 1, 6);
        run(&p);
        check_reference(&p);
        free_all(&p);
    }
}

/* dparams are those of a call that wants dk besides. */
TEST(turned_keys_need_no_gradient)
{
    static const int64_t dims[] = { 16, 6 }; /* summed in place, or not */

    for (size_t n = 0; n < LEN(dims); n++) {
        struct problem p, q;

        make(&p, "rope-mixed(width=3)", (int64_t[]){ 2, 2, 9, dims[n] }, 2, 0);
        p.a.flags = LOCANT_ATTENTION_KEYS_ROTATED;
        q = p;
        q.g.dk = NULL;
        run(&p);
        for (int i = 0; i < p.params; i++)
            q.dparam[i] =
                test_tensor(LOCANT_F32, p.dparam[i].rank, p.dparam[i].shape);
        q.a.params = q.param;
        q.g.dparams = q.dparam;
        run(&q);
        for (int i = 0; i < p.params; i++) {
            CHECK(memcmp(p.dparam[i].data, q.dparam[i].data,
                         oracle_count(&p.dparam[i]) * sizeof(float)) == 0);
            test_tensor_free(&q.dparam[i]);
        }
        free_all(&p);
    }
}

/* Under UBSan: differences that int64 does not hold. */
TEST(positions_may_lie_at_both_ends)
{
    static const char *const specs[] = { "shaw(distance=5)", "relative",
                                         "transformer-xl(clamp=20)" };
    int64_t q_pos[9], k_pos[9];
    locant_tensor first = DENSE(I64, q_pos, 9);
    locant_tensor second = DENSE(I64, k_pos, 9);

    for (int64_t i = 0; i < 9; i++) {
        q_pos[i] = INT64_MAX - 8 + i;
        k_pos[i] = INT64_MIN + i;
    }
    for (size_t n = 0; n < LEN(specs); n++) {
        FREED_BY(free_all) struct problem p;

        make(&p, specs[n], (int64_t[]){ 1, 2, 9, 8 }, 1, 0);
        p.a.q_pos = &first;
        p.a.k_pos = &second;
        run(&p);
        check_reference(&p);
    }
}
