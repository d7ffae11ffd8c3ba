/*
 * test_attention_decode.c - a step of decoding: few queries, many keys give
 * the bits that the same queries get among many.
 */
#include "locant/attention.h"
#include "testing.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 24, PAGE = 16 }; /* other queries of the long run; keys a page */

struct step {
    const char *spec;
    int64_t H, Hkv, D, T, S;
    bool documents, turned;
    locant_dtype dtype;
    locant_encoding *e;
    locant_tensor q, k, v; /* q: MANY + T rows */
    locant_tensor key_turned;
    int64_t *k_pos, *k_docs, *q_pos, *q_docs;
};

/* Positions as they come, keys of two documents in pages, some of nobody. */
static void place(struct step *s)
{
    int64_t Q = MANY + s->T;

    s->k_pos = malloc((size_t)s->S * sizeof(int64_t));
    s->k_docs = malloc((size_t)s->S * sizeof(int64_t));
    s->q_pos = malloc((size_t)Q * sizeof(int64_t));
    s->q_docs = malloc((size_t)Q * sizeof(int64_t));
    for (int64_t j = 0; j < s->S; j++) {
        s->k_pos[j] = j;
        s->k_docs[j] = j / PAGE % 7 == 3 ? -1 : j / (5 * PAGE) % 2;
    }
    for (int64_t i = 0; i < Q; i++) {
        s->q_pos[i] = s->S - Q + i < 0 ? 0 : s->S - Q + i;
        s->q_docs[i] = i % 5 == 4 ? 7 : i % 2; /* 7: sees no key */
    }
}

/* Of 16 bits: of either sign, from a half to 1, BF16 to 2. */
static locant_tensor numbers(locant_dtype dtype, const int64_t *shape)
{
    locant_tensor t = test_tensor(dtype, 4, shape);
    int64_t n = shape[0] * shape[1] * shape[2] * shape[3];
    unsigned exponent = dtype == LOCANT_F16 ? 0x3800 : 0x3f00;
    unsigned rest = dtype == LOCANT_F16 ? 0x83ff : 0x80ff;

    for (int64_t i = 0; dtype != LOCANT_F32 && i < n; i++) {
        unsigned bits = (unsigned)(int)(test_uniform() * 0x7fffffff) >> 8;

        ((uint16_t *)t.data)[i] = (uint16_t)((bits & rest) | exponent);
    }
    return t;
}

static void step_make(struct step *s)
{
    const int64_t q[4] = { 1, s->H, MANY + s->T, s->D };
    const int64_t k[4] = { 1, s->Hkv, s->S, s->D };

    CHECK_OK(locant_encoding_create(&s->e, s->spec));
    s->q = numbers(s->dtype, q);
    s->k = numbers(s->dtype, k);
    s->v = numbers(s->dtype, k);
    s->key_turned = numbers(s->dtype, k);
    place(s);
}

static void step_free(struct step *s)
{
    test_tensor_free(&s->q);
    test_tensor_free(&s->k);
    test_tensor_free(&s->v);
    test_tensor_free(&s->key_turned);
    free(s->k_pos);
    free(s->k_docs);
    free(s->q_pos);
    free(s->q_docs);
    locant_encoding_free(s->e);
}

static float *filled(size_t n)
{
    float *x = malloc(n * sizeof(*x));

    CHECK(x != NULL);
    for (size_t i = 0; i < n; i++)
        x[i] = 77;
    return x;
}

/* n elements of 16 bits, from the front of the same memory: as numbers. */
static void spread(float *x, size_t n)
{
    const uint16_t *half = (const uint16_t *)x;
    uint16_t *copy = malloc(n * sizeof(*copy) + 1);

    CHECK(copy != NULL);
    memcpy(copy, half, n * sizeof(*copy));
    for (size_t i = 0; i < n; i++)
        x[i] = copy[i];
    free(copy);
}

/*
 * Queries 'from' .. 'from + T - 1' of those of s: out [H, T, D], of 16 bits
 * their bits as a number, then lse [H, T].
 */
static float *run(const struct step *s, int64_t from, int64_t T, bool reference)
{
    const int64_t rows[4] = { 1, s->H, T, s->D };
    size_t n = (size_t)(s->H * T), D = (size_t)s->D, bytes;
    float *result = filled(n * (D + 1));
    locant_tensor q = s->q, out, lse, q_pos, k_pos, q_docs, k_docs, params[8];
    locant_attention a = LOCANT_ATTENTION_INIT;
    locant_param_info info;
    const locant_sizes sizes = { .width = s->H * s->D,
                                 .heads = s->H,
                                 .kv_heads = s->Hkv,
                                 .head_dim = s->D };
    int learned = 0;
    void *workspace;

    q.data =
        (char *)q.data + (size_t)(from * s->D) * locant_dtype_size(s->dtype);
    q.shape[2] = T;
    out = locant_dense(result, s->dtype, 4, rows);
    lse = locant_dense(result + n * D, LOCANT_F32, 3, rows);
    q_pos = DENSE(I64, s->q_pos + from, T);
    k_pos = DENSE(I64, s->k_pos, s->S);
    q_docs = DENSE(I64, s->q_docs + from, T);
    k_docs = DENSE(I64, s->k_docs, s->S);
    a.q = &q;
    a.k = s->turned ? &s->key_turned : &s->k;
    a.v = &s->v;
    a.q_pos = &q_pos;
    a.k_pos = &k_pos;
    a.q_docs = s->documents ? &q_docs : NULL;
    a.k_docs = s->documents ? &k_docs : NULL;
    a.encoding = s->e;
    a.mask = LOCANT_MASK_CAUSAL;
    a.flags = s->turned ? LOCANT_ATTENTION_KEYS_ROTATED : 0;
    for (; locant_encoding_param(&info, s->e, learned, &sizes); learned++) {
        params[learned] = test_tensor(LOCANT_F32, info.rank, info.shape);
        CHECK_OK(
            locant_encoding_param_init(&params[learned], s->e, learned, 1));
    }
    a.params = learned > 0 ? params : NULL;
    if (reference) {
        CHECK_OK(locant_attention_reference(&out, &lse, &a));
    } else {
        CHECK_OK(locant_attention_workspace(&bytes, &a));
        workspace = test_guarded(bytes);
        CHECK_OK(locant_attention_forward(&out, &lse, &a, workspace, bytes));
        test_guarded_free(workspace, bytes);
    }
    while (learned > 0)
        test_tensor_free(&params[--learned]);
    if (s->dtype != LOCANT_F32)
        spread(result, n * D);
    return result;
}

/* Rows of 'few' [H, T, ..] are the last of 'many' [H, MANY + T, ..]. */
static void expect_rows(const struct step *s, const float *few,
                        const float *many, const char *what)
{
    size_t T = (size_t)s->T, Q = MANY + T, D = (size_t)s->D;
    size_t H = (size_t)s->H;

    for (size_t h = 0; h < H; h++) {
        const float *lse = few + H * T * D, *all = many + H * Q * D;

        if (memcmp(few + h * T * D, many + (h * Q + MANY) * D,
                   T * D * sizeof(float)) != 0 ||
            memcmp(lse + h * T, all + h * Q + MANY, T * sizeof(float)) != 0)
            FAIL("%s, %s: H %d/%d D %d T %d S %d: head %zu differs\n", s->spec,
                 what, (int)s->H, (int)s->Hkv, (int)s->D, (int)s->T, (int)s->S,
                 h);
    }
}

/* The bits of a step are those of a run of more queries, by any threads. */
static void judge(struct step s)
{
    static const int threads[] = { 1, 2, 3, 7 };
    int before = locant_threads();
    float *many, *few;

    step_make(&s);
    many = run(&s, 0, MANY + s.T, false);
    for (size_t i = 0; i < LEN(threads); i++) {
        CHECK_OK(locant_set_threads(threads[i]));
        few = run(&s, MANY, s.T, false);
        expect_rows(&s, few, many, "raw keys");
        free(few);
    }
    CHECK_OK(locant_set_threads(before));
    if (strncmp(s.spec, "rope", 4) == 0 && s.dtype == LOCANT_F32) {
        CHECK_OK(locant_encoding_rotate(&s.key_turned, &s.k, s.e,
                                        VIEW(I64, s.k_pos, s.S), NULL,
                                        LOCANT_ROTATE_KEY));
        s.turned = true;
        few = run(&s, MANY, s.T, false);
        expect_rows(&s, few, many, "turned keys");
        free(few);
    }
    free(many);
    step_free(&s);
}

static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_BF16, LOCANT_F16 };
static const char *const specs[] = { "none",      "rope",   "alibi",
                                     "t5",        "kerple", "window(size=100)",
                                     "rope+alibi" };
static const int64_t lengths[] = { 1, 63, 64, 65, 1023, 1024, 1025, 2500 };
static const int64_t groups[][2] = { { 2, 2 }, { 6, 2 }, { 8, 1 } };
static const int64_t widths[] = { 16, 6, 128, 33, 72 };

TEST(a_step_has_the_bits_of_the_whole_run)
{
    int64_t n = 0;

    for (size_t i = 0; i < LEN(specs); i++)
        for (size_t j = 0; j < LEN(lengths); j++, n++) {
            int64_t D = widths[n % 5];

            if (TEST_SANITIZED && lengths[j] > 65 && n % 5 != 0)
                continue;
            if (strncmp(specs[i], "rope", 4) == 0)
                D += D % 2;
            judge((struct step){ .spec = specs[i],
                                 .H = groups[n % 3][0],
                                 .Hkv = groups[n % 3][1],
                                 .D = D,
                                 .T = 1 + (n + (int64_t)i) % 8,
                                 .S = lengths[j],
                                 .documents = n % 4 == 3,
                                 .dtype = dtypes[n / 2 % 3] });
        }
}

static void groups_and_widths(void)
{
    for (size_t g = 0; g < LEN(groups); g++)
        for (size_t d = 0; d < LEN(widths); d++)
            judge((struct step){ .spec = "none",
                                 .H = groups[g][0],
                                 .Hkv = groups[g][1],
                                 .D = widths[d],
                                 .T = 1,
                                 .S = 130,
                                 .documents = d % 2 == 1,
                                 .dtype = dtypes[(g + d) % 3] });
}

/* Last tiles of every size, read where they lie, and turned. */
static void short_tiles(void)
{
    for (int64_t S = 1; S < 72; S += TEST_SANITIZED ? 9 : 1)
        judge((struct step){ .spec = S % 2 == 0 ? "none" : "rope",
                             .H = 4,
                             .Hkv = S % 5 == 0 ? 4 : 1,
                             .D = 32,
                             .T = 1 + S % 3,
                             .S = S,
                             .dtype = dtypes[S / 2 % 3] });
}

TEST(the_last_tile_may_be_short)
{
    test_each_isa(short_tiles);
}

/* Tasks of several heads that share angles, some of which are left over. */
TEST(heads_share_angles)
{
    static const int64_t heads[][2] = { { 24, 6 }, { 7, 7 }, { 40, 10 } };

    for (size_t n = 0; n < LEN(heads); n++)
        judge((struct step){ .spec = "rope(dim=16)",
                             .H = heads[n][0],
                             .Hkv = heads[n][1],
                             .D = 32,
                             .T = 2,
                             .S = 1100 + 1024 * (int64_t)n,
                             .documents = n == 1,
                             .dtype = dtypes[n] });
}

TEST(one_query_of_each_group_and_width)
{
    test_each_isa(groups_and_widths);
}

/* More heads share keys than one tile has rows. */
TEST(many_heads_of_one)
{
    judge((struct step){
        .spec = "alibi", .H = 64, .Hkv = 1, .D = 16, .T = 3, .S = 200 });
}

/* Keys that a query does not see may hold anything. */
TEST(hidden_keys_leak_nothing)
{
    static const float bad[] = { NAN, INFINITY, -INFINITY };
    struct step s = { .spec = "rope",
                      .H = 4,
                      .Hkv = 2,
                      .D = 16,
                      .T = 1,
                      .S = 300,
                      .documents = true };
    size_t n;
    float *clean, *foul;

    step_make(&s);
    n = (size_t)(s.H * (s.D + 1));
    s.q_pos[MANY] = 250;
    s.q_docs[MANY] = 1;
    clean = run(&s, MANY, 1, false);
    for (int64_t j = 0; j < s.Hkv * s.S; j++)
        for (int64_t d = 0; d < s.D; d++)
            if (j % s.S > 250 || s.k_docs[j % s.S] != 1) {
                ((float *)s.k.data)[j * s.D + d] = bad[(j + d) % 3];
                ((float *)s.v.data)[j * s.D + d] = bad[(j + d) % 3];
            }
    foul = run(&s, MANY, 1, false);
    assert_memory_equal(foul, clean, n * sizeof(float));
    for (size_t i = 0; i < n; i++)
        CHECK(isfinite(clean[i]));
    free(clean);
    free(foul);
    step_free(&s);
}

/* No document of the keys is the query's. */
TEST(a_row_that_sees_nothing_gives_zeros)
{
    struct step s = { .spec = "none",
                      .H = 3,
                      .Hkv = 1,
                      .D = 20,
                      .T = 2,
                      .S = 1100,
                      .documents = true };
    float *got;

    step_make(&s);
    s.q_docs[MANY] = 7;
    s.q_docs[MANY + 1] = -1;
    got = run(&s, MANY, 2, false);
    for (int64_t i = 0; i < s.H * s.T * s.D; i++)
        CHECK(got[i] == 0);
    for (int64_t i = 0; i < s.H * s.T; i++)
        CHECK(got[s.H * s.T * s.D + i] == -INFINITY);
    free(got);
    step_free(&s);
}

/*
 * A ring buffer: the newest key stands anywhere.  Sums run in the order of
 * memory, so the bits are not those of the whole run; the bound is that of
 * attention.h.
 */
TEST(a_ring_agrees_with_the_reference)
{
    for (size_t i = 0; i < LEN(specs); i++) {
        struct step s = { .spec = specs[i],
                          .H = 4,
                          .Hkv = 2,
                          .D = 32,
                          .T = 2,
                          .S = 1100,
                          .documents = i % 2 == 1 };
        size_t n = (size_t)(s.H * s.T * s.D);
        float *got, *want;
        double *wide = malloc(n * sizeof(*wide));

        step_make(&s);
        for (int64_t j = 0; j < s.S; j++)
            s.k_pos[j] = j < 437 ? s.S + j : j;
        s.q_pos[MANY] = s.S + 435;
        s.q_pos[MANY + 1] = s.S + 436;
        got = run(&s, MANY, s.T, false);
        want = run(&s, MANY, s.T, true);
        for (size_t j = 0; j < n; j++)
            wide[j] = want[j];
        CHECK(test_relative_l2(got, wide, n) < 1e-6);
        free(got);
        free(want);
        free(wide);
        step_free(&s);
    }
}
