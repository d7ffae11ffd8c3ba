/*
 * test_attention_bf16_bits.c - attention on bfloat16 by dot products of pairs:
 * threads, batch rows, chunks and cached steps change no bit, nor does what is
 * hidden.
 */
#include "bf16_job.h"

static void copy_result(uint16_t *out, float *lse, const struct job *j)
{
    memcpy(out, j->out.data, mixed_size(&j->out) * sizeof(*out));
    memcpy(lse, j->lse.data, mixed_size(&j->lse) * sizeof(*lse));
}

static void check_result(const struct job *j, const char *what,
                         const uint16_t *out, const float *lse)
{
    if (memcmp(out, j->out.data, mixed_size(&j->out) * sizeof(*out)) != 0 ||
        memcmp(lse, j->lse.data, mixed_size(&j->lse) * sizeof(*lse)) != 0)
        FAIL("%s: %s change a bit", j->m.spec, what);
}

/* Rows b of a tensor, and of those the tokens from .. from + n - 1. */
static locant_tensor part(const locant_tensor *x, int64_t b, int64_t batch,
                          int64_t from, int64_t n)
{
    locant_tensor y = *x;

    y.data = (char *)x->data + (b * x->stride[0] + from * x->stride[2]) *
                                   (int64_t)locant_dtype_size(x->dtype);
    y.shape[0] = batch;
    y.shape[2] = n;
    return y;
}

/* Queries from .. from + n - 1 of some batch rows against all keys up to the
 * last of them, or all there are. */
static void run_part(struct job *j, int64_t b, int64_t batch, int64_t from,
                     int64_t n)
{
    bool causal = j->m.mask == LOCANT_MASK_CAUSAL;
    int64_t seen = causal ? from + n : j->m.S;
    locant_tensor q = part(&j->q, b, batch, from, n);
    locant_tensor k = part(&j->k, b, batch, 0, seen);
    locant_tensor v = part(&j->v, b, batch, 0, seen);
    locant_tensor out = part(&j->out, b, batch, from, n);
    locant_tensor lse = part(&j->lse, b, batch, from, n);
    locant_tensor pos = j->m.q_pos;
    locant_attention a = j->a;

    a.q = &q;
    a.k = &k;
    a.v = &v;
    pos.data = (int64_t *)pos.data + from;
    pos.rank = 1;
    pos.shape[0] = n;
    pos.stride[0] = 1;
    a.q_pos = &pos;
    a.k_pos = NULL; /* 0, 1, .. as mixed.h has them */
    test_forward(&out, &lse, &a);
}

/* Gradients on any number of threads. */
static void threads_change_no_gradient(struct job *j)
{
    locant_tensor *x[] = { &j->dq, &j->dk, &j->dv };
    uint16_t *want[3] = { NULL };

    for (int n = 0; n < 4; n++) {
        CHECK_OK(locant_set_threads((int[]){ 1, 2, 3, 7 }[n]));
        backward(j);
        for (int i = 0; i < 3; i++) {
            size_t bytes = mixed_size(x[i]) * sizeof(*want[i]);

            if (n == 0) {
                want[i] = malloc(bytes);
                assert_non_null(want[i]);
                memcpy(want[i], x[i]->data, bytes);
            } else if (memcmp(want[i], x[i]->data, bytes) != 0) {
                FAIL("%s: threads change gradient %d", j->m.spec, i);
            }
        }
    }
    for (int i = 0; i < 3; i++)
        free(want[i]);
}

static void splits_change_nothing(struct job *j)
{
    static const int64_t steps[] = { 1, 50, 64 }; /* 1: the last ones */
    size_t n = mixed_size(&j->out), rows = mixed_size(&j->lse);
    FREED_BY(free_memory) uint16_t *out = malloc(n * sizeof(*out));
    FREED_BY(free_memory) float *lse = malloc(rows * sizeof(*lse));
    int threads = locant_threads();

    test_forward(&j->out, &j->lse, &j->a);
    copy_result(out, lse, j);
    for (int i = 0; i < 4; i++) {
        CHECK_OK(locant_set_threads((int[]){ 1, 2, 3, 7 }[i]));
        memset(j->out.data, 0xff, n * sizeof(*out));
        test_forward(&j->out, &j->lse, &j->a);
        check_result(j, "threads", out, lse);
    }
    threads_change_no_gradient(j);
    CHECK_OK(locant_set_threads(threads));
    memset(j->out.data, 0xff, n * sizeof(*out));
    for (int64_t b = 0; b < j->m.B; b++)
        run_part(j, b, 1, 0, j->m.T);
    check_result(j, "batch rows", out, lse);
    for (size_t i = 0; i < LEN(steps); i++) {
        if (i > 0)
            memset(j->out.data, 0xff, n * sizeof(*out));
        for (int64_t t = i > 0 ? 0 : j->m.T - 9; t < j->m.T; t += steps[i])
            run_part(j, 0, j->m.B, t,
                     j->m.T - t < steps[i] ? j->m.T - t : steps[i]);
        check_result(j, "chunks", out, lse);
    }
}

static void splits(void)
{
    for (size_t e = 0; e < LEN(encodings); e++)
        for (int mask = 0; mask < 2; mask++) {
            struct job j = { .m = { .spec = encodings[e].spec,
                                    .dtype = LOCANT_F32,
                                    .T = 131,
                                    .S = 131,
                                    .D = mask ? 16 : 18,
                                    .mask = (locant_mask)mask } };

            job_make(&j);
            splits_change_nothing(&j);
            job_free(&j);
        }
}

TEST(threads_batch_and_chunks_change_nothing)
{
    lct_arithmetic_bf16 = LCT_BF16_ALWAYS;
    test_each_isa(splits);
}

/* Keys that a cache keeps turned, in bfloat16: rounded once in either case. */
static void turned(void)
{
    struct job j = {
        .m = { .spec = "rope", .dtype = LOCANT_F32, .T = 70, .S = 131, .D = 34 }
    };
    uint16_t *out;
    float *lse;

    job_make(&j);
    out = malloc(mixed_size(&j.out) * sizeof(*out));
    lse = malloc(mixed_size(&j.lse) * sizeof(*lse));
    test_forward(&j.out, &j.lse, &j.a);
    copy_result(out, lse, &j);
    for (int64_t b = 0; b < j.m.B; b++) {
        locant_tensor k = part(&j.k, b, 1, 0, j.m.S);

        k.rank = 3;
        memmove(k.shape, k.shape + 1, 3 * sizeof(int64_t));
        memmove(k.stride, k.stride + 1, 3 * sizeof(int64_t));
        CHECK_OK(
            locant_encoding_rotate(&k, &k, j.m.e,
                                   &(locant_tensor){ .data = j.m.k_pos.data,
                                                     .dtype = LOCANT_I64,
                                                     .rank = 1,
                                                     .shape = { j.m.S },
                                                     .stride = { 1 } },
                                   NULL, LOCANT_ROTATE_KEY));
    }
    j.a.flags = LOCANT_ATTENTION_KEYS_ROTATED;
    test_forward(&j.out, &j.lse, &j.a);
    check_result(&j, "turned keys", out, lse);
    free(out);
    free(lse);
    job_free(&j);
}

TEST(turned_keys_are_the_same)
{
    lct_arithmetic_bf16 = LCT_BF16_ALWAYS;
    test_each_isa(turned);
}

/* ------------------------------------------------------------------ hidden */

/* Values of one key, of every batch row and head. */
static void poison(const locant_tensor *x, int64_t key, uint16_t half)
{
    for (int64_t b = 0; b < x->shape[0]; b++)
        for (int64_t h = 0; h < x->shape[1]; h++)
            for (int64_t d = 0; d < x->shape[3]; d++)
                ((uint16_t *)x->data)[b * x->stride[0] + h * x->stride[1] +
                                      key * x->stride[2] + d] = half;
}

/* What comes after a query may hold anything; what it sees is not forgiven. */
static void one_poison(int64_t key, uint16_t half, bool keys, int64_t T)
{
    struct job j = { .m = { .spec = "none",
                            .dtype = LOCANT_F32,
                            .T = T,
                            .S = 67,
                            .D = 20,
                            .mask = LOCANT_MASK_CAUSAL } };
    size_t row;
    uint16_t *out;
    float *lse;

    job_make(&j);
    out = malloc(mixed_size(&j.out) * sizeof(*out));
    lse = malloc(mixed_size(&j.lse) * sizeof(*lse));
    test_forward(&j.out, &j.lse, &j.a);
    copy_result(out, lse, &j);
    poison(keys ? &j.k : &j.v, key, half);
    test_forward(&j.out, &j.lse, &j.a);
    for (row = 0; row < mixed_size(&j.lse); row++) {
        int64_t query = 67 - T + (int64_t)row % T;
        size_t at = row * 20;

        if (query < key &&
            memcmp(out + at, (uint16_t *)j.out.data + at, 40) != 0)
            FAIL("key %d: query %d changes", (int)key, (int)query);
        if (query >= key)
            CHECK(!isfinite(bf16_at(&j.out, at)));
    }
    free(out);
    free(lse);
    job_free(&j);
}

/* Are rows from .. to - 1 of every head of x those of 'before'? */
static void check_rows(const char *what, const locant_tensor *x,
                       const double *before, int64_t from, int64_t to)
{
    FREED_BY(free_memory) double *now = numbers_of(x);
    size_t T = (size_t)x->shape[2], D = (size_t)x->shape[3];

    for (size_t row = 0; row < mixed_size(x) / D; row++)
        if ((int64_t)(row % T) >= from && (int64_t)(row % T) < to &&
            memcmp(now + row * D, before + row * D, D * sizeof(*now)) != 0)
            FAIL("%s: row %d changes", what, (int)(row % T));
}

/*
 * A key that is not a number leaves dq of the queries before it, and a query
 * of such a gradient dk and dv of the keys after it.
 */
static void backward_poison(int64_t at, bool key)
{
    struct job j = { .m = { .spec = "none",
                            .dtype = LOCANT_F32,
                            .T = 67,
                            .S = 67,
                            .D = 18,
                            .mask = LOCANT_MASK_CAUSAL } };
    double *dq, *dk, *dv;

    job_make(&j);
    test_forward(&j.out, &j.lse, &j.a);
    backward(&j);
    dq = numbers_of(&j.dq);
    dk = numbers_of(&j.dk);
    dv = numbers_of(&j.dv);
    poison(key ? &j.k : &j.dout, at, 0x7fc1);
    if (key)
        test_forward(&j.out, &j.lse, &j.a);
    backward(&j);
    if (key) {
        check_rows("dq", &j.dq, dq, 0, at);
    } else {
        check_rows("dk", &j.dk, dk, at + 1, 67);
        check_rows("dv", &j.dv, dv, at + 1, 67);
    }
    free(dq);
    free(dk);
    free(dv);
    job_free(&j);
}

/* A key after all queries leaves every gradient as it is; its own are 0. */
static void backward_hidden(int64_t T)
{
    struct job j = { .m = { .spec = "none",
                            .dtype = LOCANT_F32,
                            .T = T,
                            .S = T + 1,
                            .D = 18,
                            .mask = LOCANT_MASK_CAUSAL } };
    locant_tensor q_pos = TENSOR(I64, T);
    double *dq, *dk, *dv;

    for (int64_t i = 0; i < T; i++)
        ((int64_t *)q_pos.data)[i] = i;
    job_make(&j);
    j.a.q_pos = &q_pos;
    test_forward(&j.out, &j.lse, &j.a);
    backward(&j);
    dq = numbers_of(&j.dq);
    dk = numbers_of(&j.dk);
    dv = numbers_of(&j.dv);
    poison(&j.k, T, 0x7fc1);
    poison(&j.v, T, 0x7fc1);
    backward(&j);
    check_rows("dq", &j.dq, dq, 0, T);
    check_rows("dk", &j.dk, dk, 0, T + 1);
    check_rows("dv", &j.dv, dv, 0, T + 1);
    free(dq);
    free(dk);
    free(dv);
    test_tensor_free(&q_pos);
    job_free(&j);
}

static void poisons(void)
{
    enum { NOT_A_NUMBER = 0x7fc1, MINUS_INFINITY = 0xff80 };

    for (int64_t key = 30; key < 34; key++) {
        one_poison(key, NOT_A_NUMBER, false, 67);
        one_poison(key, NOT_A_NUMBER, true, 67);
        one_poison(key, MINUS_INFINITY, false, 67);
    }
    for (int64_t at = 30; at < 34; at++) {
        backward_poison(at, true);
        backward_poison(at, false);
    }
    for (int64_t T = 1; T <= 67; T += T < 4 ? 1 : 21) /* odd and even rows */
        backward_hidden(T);
    for (int64_t T = 67; T >= 3; T -= 64) { /* decode.c takes the 3 */
        one_poison(65, NOT_A_NUMBER, false, T);
        one_poison(66, MINUS_INFINITY, false, T);
    }
}

TEST(hidden_keys_may_hold_anything)
{
    lct_arithmetic_bf16 = LCT_BF16_ALWAYS;
    test_each_isa(poisons);
}

/* ------------------------------------------------------------------ leaves */

static locant_tensor bfloats(int64_t H, int64_t T, int64_t D)
{
    locant_tensor t = TENSOR(BF16, 1, H, T, D);

    for (int64_t i = 0; i < H * T * D; i++) {
        const float x = (float)test_uniform();
        uint32_t bits;

        memcpy(&bits, &x, sizeof(bits));
        ((uint16_t *)t.data)[i] = (uint16_t)(bits >> 16);
    }
    return t;
}

/* Where dout is 0 outside of a leaf the tree adds zeros to it: the sums are
   those of one chain, and are rounded to bfloat16 once, as those. */
TEST(sums_over_leaves_are_rounded_once)
{
    enum { H = 2, T = 193, D = 8, N = H * T * D };
    OWNED(locant_encoding) *e = test_create("rope+alibi");
    locant_tensor q = bfloats(H, T, D), k = bfloats(H, T, D);
    locant_tensor v = bfloats(H, T, D), dout = bfloats(H, T, D);
    locant_tensor out = TENSOR(BF16, 1, H, T, D), lse = TENSOR(F32, 1, H, T);
    locant_tensor *all[] = { &q, &k, &v, &dout, &out, &lse };
    uint16_t sums[2][3 * N], given[N];
    locant_attention a = { sizeof a,
                           &q,
                           &k,
                           &v,
                           .encoding = e,
                           .mask = LOCANT_MASK_CAUSAL,
                           .scale = LOCANT_SCALE_AUTO };

    memcpy(given, dout.data, sizeof(given));
    test_forward(&out, &lse, &a);
    for (int64_t l = 0; l < 4; l++) { /* a leaf of each of the four tiles */
        for (int64_t i = 0; i < N; i++)
            ((uint16_t *)dout.data)[i] = i / D % T / 64 == l ? given[i] : 0;
        for (int tree = 0; tree < 2; tree++) {
            locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;

            g.dq = VIEW(BF16, sums[tree], 1, H, T, D);
            g.dk = VIEW(BF16, sums[tree] + N, 1, H, T, D);
            g.dv = VIEW(BF16, sums[tree] + 2 * N, 1, H, T, D);
            a.leaves = tree ? 4 : 0;
            test_backward(&g, &dout, &out, &lse, &a);
        }
        for (int i = 0; i < 3 * N; i++)
            if (sums[0][i] % 0x8000 != 0 || sums[1][i] % 0x8000 != 0)
                assert_int_equal(sums[1][i], sums[0][i]);
    }
    for (size_t i = 0; i < LEN(all); i++)
        test_tensor_free(all[i]);
}
