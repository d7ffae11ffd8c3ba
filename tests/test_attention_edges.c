/*
 * test_attention_edges.c - attention where integers end, NaN begins, memory is
 * shared and threads come and go; judged by the public reference.
 */
#include "testing.h"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { B = 2, H = 2, T = 3, S = 5, D = 16 };

/* One problem with everything it writes, fast and by reference. */
struct edge {
    locant_tensor q, k, v, dout;
    locant_tensor out[2], lse[2], dq[2], dk[2], dv[2], dparams[2][2];
    locant_tensor params[2];
    int n_params;
    locant_attention a;
    void *workspace;
    size_t bytes;
};

static void make(struct edge *e, const char *spec)
{
    locant_encoding *encoding;
    locant_param_info info;

    memset(e, 0, sizeof(*e));
    e->q = TENSOR(F32, B, H, T, D);
    e->dout = TENSOR(F32, B, H, T, D);
    e->k = TENSOR(F32, B, H, S, D);
    e->v = TENSOR(F32, B, H, S, D);
    for (int i = 0; i < 2; i++) {
        e->out[i] = TENSOR(F32, B, H, T, D);
        e->lse[i] = TENSOR(F32, B, H, T);
        e->dq[i] = TENSOR(F32, B, H, T, D);
        e->dk[i] = TENSOR(F32, B, H, S, D);
        e->dv[i] = TENSOR(F32, B, H, S, D);
    }
    encoding = test_create(spec);
    while (locant_encoding_param(&info, encoding, e->n_params,
                                 &(locant_sizes){ .heads = H })) {
        int n = e->n_params++;

        e->params[n] = test_tensor(LOCANT_F32, info.rank, info.shape);
        CHECK_OK(locant_encoding_param_init(&e->params[n], encoding, n, 1));
        for (int i = 0; i < 2; i++)
            e->dparams[i][n] = test_tensor(LOCANT_F32, info.rank, info.shape);
    }
    e->a = (locant_attention)LOCANT_ATTENTION_INIT;
    e->a.q = &e->q;
    e->a.k = &e->k;
    e->a.v = &e->v;
    e->a.encoding = encoding;
    e->a.params = e->n_params > 0 ? e->params : NULL;
}

static void drop(struct edge *e)
{
    locant_encoding_free((locant_encoding *)e->a.encoding);
    test_tensor_free(&e->q);
    test_tensor_free(&e->k);
    test_tensor_free(&e->v);
    test_tensor_free(&e->dout);
    for (int i = 0; i < 2; i++) {
        test_tensor_free(&e->out[i]);
        test_tensor_free(&e->lse[i]);
        test_tensor_free(&e->dq[i]);
        test_tensor_free(&e->dk[i]);
        test_tensor_free(&e->dv[i]);
        for (int n = 0; n < e->n_params; n++)
            test_tensor_free(&e->dparams[i][n]);
    }
    for (int n = 0; n < e->n_params; n++)
        test_tensor_free(&e->params[n]);
    free(e->workspace);
}

static locant_attention_gradients gradients(struct edge *e, int i)
{
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;

    g.dq = &e->dq[i];
    g.dk = &e->dk[i];
    g.dv = &e->dv[i];
    g.dparams = e->n_params > 0 ? e->dparams[i] : NULL;
    return g;
}

static void attend(struct edge *e)
{
    locant_attention_gradients g = gradients(e, 0), r = gradients(e, 1);

    for (int i = 0; i < 2; i++)
        for (int n = 0; n < e->n_params; n++)
            memset(e->dparams[i][n].data, 0,
                   (size_t)(e->params[n].shape[0] *
                            (e->params[n].rank > 1 ? H : 1)) *
                       sizeof(float));
    CHECK_OK(locant_attention_workspace(&e->bytes, &e->a));
    e->workspace = malloc(e->bytes);
    assert_non_null(e->workspace);
    CHECK_OK(locant_attention_forward(&e->out[0], &e->lse[0], &e->a,
                                      e->workspace, e->bytes));
    CHECK_OK(locant_attention_backward(&g, &e->dout, &e->out[0], &e->lse[0],
                                       &e->a, e->workspace, e->bytes));
    CHECK_OK(locant_attention_reference(&e->out[1], &e->lse[1], &e->a));
    CHECK_OK(locant_attention_reference_backward(&r, &e->dout, &e->out[1],
                                                 &e->lse[1], &e->a));
}

/*
 * NaN and infinity in the same places, else within 2^-20 (4 + |lse|) of the
 * largest value: sums of at most 16 products of values below 1, and weights
 * exp(s - lse) whose lse is rounded to 2^-24 |lse|.
 */
static void agree(const char *name, const locant_tensor *got,
                  const locant_tensor *want, double lse)
{
    const float *x = got->data, *y = want->data;
    size_t n = 1;
    double largest = 1;

    for (int i = 0; i < got->rank; i++)
        n *= (size_t)got->shape[i];
    for (size_t i = 0; i < n; i++)
        if (isfinite(y[i]) && fabs((double)y[i]) > largest)
            largest = fabs((double)y[i]);
    for (size_t i = 0; i < n; i++) {
        bool same = isnan(y[i])   ? isnan(x[i])
                    : isinf(y[i]) ? x[i] == y[i]
                                  : fabs((double)x[i] - (double)y[i]) <=
                                        0x1p-20 * (4 + lse) * largest;

        if (!same)
            FAIL("%s[%zu]: got %g, the reference %g", name, i, (double)x[i],
                 (double)y[i]);
    }
}

static void check(struct edge *e)
{
    double lse = 0;

    attend(e);
    for (int i = 0; i < B * H * T; i++) {
        double x = fabs((double)((float *)e->lse[1].data)[i]);

        lse = isfinite(x) && x > lse ? x : lse;
    }
    agree("out", &e->out[0], &e->out[1], lse);
    agree("lse", &e->lse[0], &e->lse[1], lse);
    agree("dq", &e->dq[0], &e->dq[1], lse);
    agree("dk", &e->dk[0], &e->dk[1], lse);
    agree("dv", &e->dv[0], &e->dv[1], lse);
    for (int n = 0; n < e->n_params; n++)
        agree("dparams", &e->dparams[0][n], &e->dparams[1][n], lse);
}

/* Distances that do not fit 64 bits, rows of different ranges, both ends. */
TEST(positions_may_lie_at_the_ends_of_int64)
{
    static const char *const specs[] = { "t5", "t5(bidirectional=yes)", "none",
                                         "kerple", "rope" };
    static int64_t q[][B][T] = {
        { { INT64_MIN, 0, INT64_MAX }, { 3, 2, 1 } },
        { { INT64_MIN, INT64_MIN, INT64_MIN }, { 0, 1, 2 } },
        { { INT64_MAX, INT64_MAX, INT64_MAX }, { 900, 0, 5 } },
    };
    static int64_t k[][B][S] = {
        { { 0, 1, 2, 3, 4 }, { 0, 1, 2, 3, 4 } },
        { { 0, -1, -2, -3, -4 }, { 0, -1, -2, -3, -4 } },
        { { 0, 0, 0, 0, 0 }, { 0, 1, 2, 3, 900 } },
    };

    for (size_t s = 0; s < LEN(specs); s++)
        for (size_t i = 0; i < LEN(q); i++)
            for (int mask = 0; mask < 2; mask++) {
                FREED_BY(drop) struct edge e;

                make(&e, specs[s]);
                e.a.q_pos = VIEW(I64, q[i], B, T);
                e.a.k_pos = VIEW(I64, k[i], B, S);
                e.a.mask = (locant_mask)mask;
                check(&e);
            }
}

/* NaN in a query or key reaches those who see it, forward and backward. */
TEST(nan_reaches_only_who_sees_it)
{
    for (int at = 0; at < T; at++) {
        struct edge e;

        make(&e, "alibi");
        e.a.mask = LOCANT_MASK_CAUSAL;
        ((float *)e.q.data)[at * D + 1] = NAN;
        check(&e);
        drop(&e);
        make(&e, "rope");
        e.a.mask = LOCANT_MASK_CAUSAL;
        ((float *)e.k.data)[(at + 2) * D] = NAN;
        ((float *)e.v.data)[(at + 2) * D + 3] = INFINITY;
        check(&e);
        drop(&e);
    }
}

/* Keys and values from last to first, by negative strides. */
TEST(strides_of_keys_may_be_negative)
{
    FREED_BY(drop) struct edge e;

    make(&e, "none");
    e.k.data = (float *)e.k.data + (S - 1) * D;
    e.v.data = (float *)e.v.data + (S - 1) * D;
    e.k.stride[2] = e.v.stride[2] = -D;
    check(&e);
    e.k.data = (float *)e.k.data - (S - 1) * D;
    e.v.data = (float *)e.v.data - (S - 1) * D;
}

/* dq, dk, dv side by side in one buffer, as a fused projection wants them. */
TEST(gradients_may_be_packed)
{
    enum { N = T }; /* as many keys as queries */
    static float packed[B][N][3][H][D];
    const int64_t shape[4] = { B, H, N, D };
    locant_tensor packs[3];
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;
    FREED_BY(drop) struct edge e;

    make(&e, "none");
    e.k.shape[2] = e.v.shape[2] = N;
    for (int i = 0; i < 2; i++)
        e.dk[i].shape[2] = e.dv[i].shape[2] = N;
    attend(&e);
    for (int i = 0; i < 3; i++) {
        packs[i] = locant_dense(&packed[0][0][i], LOCANT_F32, 4, shape);
        packs[i].stride[0] = N * 3 * H * D;
        packs[i].stride[1] = D;
        packs[i].stride[2] = 3 * H * D;
    }
    g.dq = &packs[0];
    g.dk = &packs[1];
    g.dv = &packs[2];
    CHECK_OK(locant_attention_backward(&g, &e.dout, &e.out[0], &e.lse[0], &e.a,
                                       e.workspace, e.bytes));
    for (int h = 0; h < H; h++)
        for (int t = 0; t < N; t++)
            for (int i = 0; i < 3; i++) {
                const locant_tensor *d = i == 0   ? &e.dq[0]
                                         : i == 1 ? &e.dk[0]
                                                  : &e.dv[0];

                assert_memory_equal(packed[1][t][i][h],
                                    (float *)d->data + d->stride[0] +
                                        h * d->stride[1] + t * D,
                                    D * sizeof(float));
            }
    for (int i = 0; i < 2; i++)
        e.dk[i].shape[2] = e.dv[i].shape[2] = S;
    e.k.shape[2] = e.v.shape[2] = S;
}

TEST(shared_memory_is_refused)
{
    locant_attention_gradients g;
    locant_tensor keep;
    FREED_BY(drop) struct edge e;

    make(&e, "kerple");
    check(&e);
    CHECK(locant_attention_forward(&e.out[0], &e.lse[0], &e.a, e.out[0].data,
                                   e.bytes) == LOCANT_ERR_ALIAS);
    CHECK(locant_attention_forward(&e.out[0], &e.lse[0], &e.a, e.k.data,
                                   e.bytes) == LOCANT_ERR_ALIAS);
    g = gradients(&e, 0);
    keep = e.dparams[0][1];
    e.dparams[0][1] = e.dparams[0][0];
    CHECK(locant_attention_backward(&g, &e.dout, &e.out[0], &e.lse[0], &e.a,
                                    e.workspace, e.bytes) == LOCANT_ERR_ALIAS);
    e.dparams[0][1].data = e.dq[0].data;
    CHECK(locant_attention_backward(&g, &e.dout, &e.out[0], &e.lse[0], &e.a,
                                    e.workspace, e.bytes) == LOCANT_ERR_ALIAS);
    e.dparams[0][1] = keep;
    keep = e.params[0];
    e.params[0].data = e.out[0].data;
    CHECK(locant_attention_forward(&e.out[0], &e.lse[0], &e.a, e.workspace,
                                   e.bytes) == LOCANT_ERR_ALIAS);
    e.params[0] = keep;
}

TEST(refuses_what_no_memory_holds)
{
    FREED_BY(drop) struct edge e;
    size_t bytes = 7;

    make(&e, "alibi");
    e.q.shape[1] = (int64_t)1 << 40;
    e.k.shape[2] = e.v.shape[2] = (int64_t)1 << 24;
    for (int i = 0; i < 3; i++)
        e.q.stride[i] = e.k.stride[i] = e.v.stride[i] = 0;
    REFUSES(SHAPE, locant_attention_workspace(&bytes, &e.a),
            "the problem does not fit in memory");
    CHECK(bytes == 7);
    e.q.shape[1] = H;
    e.k.shape[2] = e.v.shape[2] = S;
}

static _Atomic int stop;

static void *change_threads(void *unused)
{
    (void)unused;
    for (int i = 0; !atomic_load(&stop); i++)
        if (locant_set_threads(i % 2 ? 1 : 64) != LOCANT_OK)
            break;
    return NULL;
}

/* A call keeps to the scratch it has while another thread changes its mind. */
TEST(threads_may_change_during_a_call)
{
    pthread_t thread;
    FREED_BY(drop) struct edge e;

    make(&e, "t5");
    CHECK_OK(locant_set_threads(64));
    attend(&e);
    atomic_store(&stop, 0);
    assert_int_equal(pthread_create(&thread, NULL, change_threads, NULL), 0);
    for (int i = 0; i < 2000; i++) {
        locant_attention_gradients g = gradients(&e, 0);

        CHECK_OK(locant_attention_forward(&e.out[0], &e.lse[0], &e.a,
                                          e.workspace, e.bytes));
        CHECK_OK(locant_attention_backward(&g, &e.dout, &e.out[0], &e.lse[0],
                                           &e.a, e.workspace, e.bytes));
        CHECK_OK(locant_attention_reference(&e.out[1], &e.lse[1], &e.a));
    }
    atomic_store(&stop, 1);
    assert_int_equal(pthread_join(thread, NULL), 0);
    agree("out", &e.out[0], &e.out[1], 8);
    CHECK_OK(locant_set_threads(0));
}
