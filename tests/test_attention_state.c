/*
 * test_attention_state.c - decoding that keeps what it knows, of PaTH, of keys
 * rotated by angles of their tokens or of gates, has the bits of one call for
 * all tokens: whole, in chunks, token by token, and after going back.
 */
#include "testing.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { B = 2, H = 2, D = 20, W = H * D, N = 530, PARAMS = 8 };

struct text {
    locant_encoding *e;
    locant_dtype dtype;
    locant_tensor q, k, v, x, param[PARAMS], out, state;
    locant_attention a;
};

static void make(struct text *t, const char *spec, locant_dtype dtype)
{
    const locant_sizes sizes = { W, H, H, D };
    locant_param_info info;

    memset(t, 0, sizeof(*t));
    t->e = test_create(spec);
    t->dtype = dtype;
    t->q = test_tensor(dtype, 4, TEST_SHAPE(B, H, N, D));
    t->k = test_tensor(dtype, 4, TEST_SHAPE(B, H, N, D));
    t->v = test_tensor(dtype, 4, TEST_SHAPE(B, H, N, D));
    t->x = test_tensor(dtype, 3, TEST_SHAPE(B, N, W));
    t->out = test_tensor(dtype, 4, TEST_SHAPE(B, H, N, D));
    test_fill(&t->q, B * H * N * D);
    test_fill(&t->k, B * H * N * D);
    test_fill(&t->v, B * H * N * D);
    test_fill(&t->x, B * N * W);
    for (int i = 0; locant_encoding_param(&info, t->e, i, &sizes); i++)
        t->param[i] = test_tensor(LOCANT_F32, info.rank, info.shape);
    t->a = (locant_attention)LOCANT_ATTENTION_INIT;
    t->a.q = &t->q;
    t->a.k = &t->k;
    t->a.v = &t->v;
    t->a.x = &t->x;
    t->a.encoding = t->e;
    t->a.params = t->param;
    t->a.mask = LOCANT_MASK_CAUSAL;
}

static void drop(struct text *t)
{
    for (int i = 0; i < PARAMS && t->param[i].data != NULL; i++)
        test_tensor_free(&t->param[i]);
    test_tensor_free(&t->q);
    test_tensor_free(&t->k);
    test_tensor_free(&t->v);
    test_tensor_free(&t->x);
    test_tensor_free(&t->out);
    if (t->state.data != NULL)
        test_tensor_free(&t->state);
    locant_encoding_free(t->e);
}

/* The same with random rows from 'first' on. */
static void change(struct text *t, int64_t first)
{
    locant_tensor *const all[] = { &t->q, &t->k, &t->v, &t->x };

    for (size_t i = 0; i < LEN(all); i++) {
        OWNED(locant_tensor)
        other = test_tensor(t->dtype, all[i]->rank, all[i]->shape);
        int64_t width = all[i]->shape[all[i]->rank - 1];
        int64_t heads = i == 3 ? 1 : H;
        size_t size = locant_dtype_size(t->dtype) * (size_t)width;

        test_fill(&other, (size_t)(B * heads * N * width));
        for (int64_t r = 0; r < B * heads; r++)
            memcpy((char *)all[i]->data + (size_t)(r * N + first) * size,
                   (char *)other.data + (size_t)(r * N + first) * size,
                   (size_t)(N - first) * size);
    }
}

static void begin(struct text *t, int64_t capacity)
{
    size_t bytes;
    int64_t shape;

    CHECK_OK(locant_attention_state_bytes(&bytes, &t->a, capacity));
    CHECK(bytes > 0);
    shape = (int64_t)bytes;
    t->state = test_tensor(LOCANT_U8, 1, &shape);
    memset(t->state.data, 0xff, bytes); /* NaN */
    CHECK_OK(locant_attention_state_begin(&t->state, &t->a, capacity));
    t->a.state = &t->state;
}

/* Tokens first .. end - 1 of the text, with all keys up to there; rows of out.
 * x is NaN where it may not be read. */
static void attend(struct text *t, int64_t first, int64_t end)
{
    size_t size = locant_dtype_size(t->dtype);
    OWNED(locant_tensor)
    x = test_tensor(t->dtype, 3, TEST_SHAPE(B, end, W));
    OWNED(locant_tensor)
    lse = test_tensor(LOCANT_F32, 3, TEST_SHAPE(B, H, end - first));
    locant_tensor q = t->q, k = t->k, v = t->v, out = t->out;
    locant_attention a = t->a;

    for (int64_t r = 0; r < B * end; r++) {
        int64_t i = r % end;

        if (t->a.state != NULL && i < first - 128)
            memset((char *)x.data + (size_t)(r * W) * size, 0xff, W * size);
        else
            memcpy((char *)x.data + (size_t)(r * W) * size,
                   (char *)t->x.data + (size_t)((r / end * N + i) * W) * size,
                   W * size);
    }
    q.shape[2] = out.shape[2] = end - first;
    k.shape[2] = v.shape[2] = end;
    q.data = (char *)q.data + (size_t)(first * D) * size;
    out.data = (char *)out.data + (size_t)(first * D) * size;
    a.q = &q;
    a.k = &k;
    a.v = &v;
    a.x = &x;
    test_forward(&out, &lse, &a);
}

/* What t->out is in one call for all tokens; free it. */
static char *whole(struct text *t)
{
    size_t bytes = B * H * N * D * locant_dtype_size(t->dtype);
    locant_tensor *state = t->a.state;
    char *out = malloc(bytes);

    assert_non_null(out);
    t->a.state = NULL;
    attend(t, 0, N);
    memcpy(out, t->out.data, bytes);
    t->a.state = state;
    memset(t->out.data, 0, bytes);
    return out;
}

static void check_rows(const struct text *t, const char *want, int64_t first)
{
    size_t row = D * locant_dtype_size(t->dtype);

    for (int64_t r = 0; r < B * H; r++)
        assert_memory_equal((char *)t->out.data + (size_t)(r * N + first) * row,
                            want + (size_t)(r * N + first) * row,
                            (size_t)(N - first) * row);
}

static const char *const specs[] = { "path(rank=5)",
                                     "rope+path(kernel=1)",
                                     "path(rank=3,kernel=5)+alibi",
                                     "window(size=300)+path",
                                     "repo(hidden=3)",
                                     "rope+fox",
                                     "formula(bias=c.q-c.k-m*n,m=param(heads),"
                                     "c=scan(heads,map=linear,law=logsigmoid))",
                                     "rope+formula(bias=-n*softplus(g.k)/9,"
                                     "g=token(heads))",
                                     "window(size=300)+carope",
                                     "selective-rope(rank=3,gate=head)+alibi" };

/* Around the ends of tiles and groups token by token. */
TEST(steps_have_the_bits_of_the_whole)
{
    static const int64_t ends[] = { 250, 251, 252, 254, 255, 256, 257, 258, 320,
                                    321, 500, 511, 512, 513, 514, 529, N };

    for (size_t n = 0; n < LEN(specs); n++)
        for (int half = 0; half < 2; half++) {
            FREED_BY(drop) struct text t;
            FREED_BY(free_memory) char *want = NULL;
            int64_t first = 0;

            make(&t, specs[n], half ? LOCANT_BF16 : LOCANT_F32);
            want = whole(&t);
            begin(&t, N + 70);
            for (size_t i = 0; i < LEN(ends); first = ends[i++])
                attend(&t, first, ends[i]);
            check_rows(&t, want, 0);
        }
}

/* Every token alone, from the first on. */
static void check_steps(const char *spec)
{
    FREED_BY(drop) struct text t;
    FREED_BY(free_memory) char *want = NULL;

    make(&t, spec, LOCANT_F32);
    want = whole(&t);
    begin(&t, N);
    for (int64_t i = 0; i < N; i++)
        attend(&t, i, i + 1);
    check_rows(&t, want, 0);
}

TEST(tokens_have_the_bits_of_the_whole)
{
    check_steps("path(rank=2,kernel=2)");
    check_steps("selective-rope(rank=2,bias=yes)");
}

/* Tokens that were wrong are replaced: the queries are the newest tokens. */
static void go_back(const char *spec)
{
    static const int64_t back[] = { 520, 512, 300, 256, 255, 70, 1, 0 };
    FREED_BY(drop) struct text t;

    make(&t, spec, LOCANT_F32);
    begin(&t, N);
    for (size_t n = 0; n < LEN(back); n++) {
        FREED_BY(free_memory) char *want = NULL;
        int64_t middle = (back[n] + N) / 2;

        attend(&t, n == 0 ? 0 : back[n - 1], N);
        change(&t, back[n]);
        want = whole(&t);
        attend(&t, back[n], middle);
        attend(&t, middle, N);
        check_rows(&t, want, back[n]);
    }
}

TEST(going_back_forgets)
{
    go_back("rope+path(rank=5)");
    go_back("carope");
    go_back("fox");
}

/* ---------------------------------------------------------------- refusals */

#define REFUSED(error, rest)                                                   \
    CHECK_REFUSED(locant_attention_workspace(&bytes, &t.a),                    \
                  LOCANT_ERR_##error, "locant_attention_workspace: " rest)

TEST(other_calls_are_refused)
{
    FREED_BY(drop) struct text t;
    struct text kept;
    int64_t pos[N] = { 0 };
    size_t bytes;

    make(&t, "path", LOCANT_F32);
    begin(&t, N - 1);
    kept = t;
    REFUSED(SHAPE, "k has 530 keys, state has room for 529");
    t.k.shape[2] = t.v.shape[2] = t.x.shape[1] = t.q.shape[2] = 9;
    CHECK_OK(locant_attention_workspace(&bytes, &t.a));
    t.a.q_pos = t.a.k_pos = VIEW(I64, pos, 9);
    REFUSED(UNSUPPORTED,
            "state is for keys at 0, 1, .. and the newest queries, expected no "
            "positions, documents or block table");
    t.a.q_pos = t.a.k_pos = NULL;
    t.q.shape[0] = t.k.shape[0] = t.v.shape[0] = t.x.shape[0] = 1;
    REFUSED(PARAM, "state is of 2 rows of 2 heads with 20 channels and another "
                   "encoding or other sizes than this call");
    t.q.shape[0] = t.k.shape[0] = t.v.shape[0] = t.x.shape[0] = 2;
    t.state.shape[0] -= 1;
    CHECK(locant_attention_workspace(&bytes, &t.a) == LOCANT_ERR_SHAPE);
    t.state.shape[0] += 1;
    t.state.dtype = LOCANT_I32;
    CHECK(locant_attention_workspace(&bytes, &t.a) == LOCANT_ERR_DTYPE);
    t.state.dtype = LOCANT_U8;
    memset(t.state.data, 0, (size_t)t.state.shape[0]);
    REFUSED(PARAM, "state is not one, expected memory that "
                   "locant_attention_state_begin() prepared");
    t = kept;
}

/* The number of angles of a token tells repo from carope; of maps, their rank
 * and kernel. */
TEST(states_of_other_encodings_are_refused)
{
    static const char *const pairs[][2] = { { "repo", "carope" },
                                            { "carope", "selective-rope" },
                                            { "path", "repo" },
                                            { "repo", "fox" },
                                            { "fox", "formula(bias=-n*g.k,"
                                                     "g=token(heads))" } };

    for (size_t n = 0; n < LEN(pairs); n++) {
        FREED_BY(drop) struct text t;
        FREED_BY(drop) struct text other;
        size_t bytes;

        make(&t, pairs[n][0], LOCANT_F32);
        begin(&t, N);
        make(&other, pairs[n][1], LOCANT_F32);
        other.a.state = &t.state;
        CHECK_REFUSED(
            locant_attention_workspace(&bytes, &other.a), LOCANT_ERR_PARAM,
            "locant_attention_workspace: state is of 2 rows of 2 heads "
            "with 20 channels and another encoding or other sizes than "
            "this call");
    }
}

/* Of inputs, outputs and parameters. */
TEST(states_stand_apart)
{
    FREED_BY(drop) struct text t;
    OWNED(locant_tensor) lse = test_tensor(LOCANT_F32, 3, TEST_SHAPE(B, H, N));
    FREED_BY(free_memory) void *workspace = NULL;
    size_t bytes;

    make(&t, "path", LOCANT_F32);
    begin(&t, N);
    CHECK_OK(locant_attention_workspace(&bytes, &t.a));
    workspace = malloc(bytes);
    assert_non_null(workspace);
    for (int n = 0; n < 4; n++) {
        locant_tensor *const all[] = { &t.q, &t.x, &t.out, &t.param[1] };
        void *own = all[n]->data;

        all[n]->data = t.state.data;
        CHECK_REFUSED(
            locant_attention_forward(&t.out, &lse, &t.a, workspace, bytes),
            LOCANT_ERR_ALIAS,
            "locant_attention_forward: an output overlaps an input");
        all[n]->data = own;
    }
    CHECK_OK(locant_attention_forward(&t.out, &lse, &t.a, workspace, bytes));
}

TEST(states_are_checked)
{
    FREED_BY(drop) struct text t;
    FREED_BY(drop) struct text gates;
    size_t bytes = 1;
    char few[64];

    make(&t, "path", LOCANT_F32);
    REFUSES(PARAM, locant_attention_state_bytes(&bytes, &t.a, -1),
            "capacity is -1, expected 0 .. 2^40");
    CHECK(locant_attention_state_begin(VIEW(U8, few, 64), &t.a, 9) ==
          LOCANT_ERR_SHAPE);
    t.a.encoding = NULL;
    CHECK_OK(locant_attention_state_bytes(&bytes, &t.a, 9));
    CHECK(bytes == 0);
    REFUSES(UNSUPPORTED,
            locant_attention_state_begin(VIEW(U8, few, 64), &t.a, 9),
            "attention with none keeps nothing, expected path without forget, "
            "repo, carope, selective-rope, fox or a formula of tokens, in "
            "order and not in F64");
    make(&gates, "path(forget=yes)", LOCANT_F32);
    bytes = 1;
    CHECK_OK(locant_attention_state_bytes(&bytes, &gates.a, 9));
    CHECK(bytes == 0);
}

TEST(backward_and_reference_have_none)
{
    FREED_BY(drop) struct text t;
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;
    FREED_BY(free_memory) float *lse = malloc(B * H * N * sizeof(float));
    FREED_BY(free_memory) void *workspace = NULL;
    size_t bytes;

    assert_non_null(lse);
    make(&t, "path", LOCANT_F32);
    begin(&t, N);
    CHECK_OK(locant_attention_workspace(&bytes, &t.a));
    workspace = malloc(bytes);
    assert_non_null(workspace);
    CHECK_REFUSED(
        locant_attention_backward(&g, &t.out, &t.out, VIEW(F32, lse, B, H, N),
                                  &t.a, workspace, bytes),
        LOCANT_ERR_UNSUPPORTED,
        "locant_attention_backward: state is for decoding, expected NULL in "
        "backward");
    CHECK_REFUSED(
        locant_attention_reference(&t.out, VIEW(F32, lse, B, H, N), &t.a),
        LOCANT_ERR_UNSUPPORTED,
        "locant_attention_reference: attention with path keeps nothing, "
        "expected state to be NULL");
}
