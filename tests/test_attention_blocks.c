/*
 * test_attention_blocks.c - a paged cache found by a block table gives each
 * sequence the bits of a call for its own rows in order, for every encoding,
 * dtype and engine; what no sequence holds is NaN and never shows.
 */
#include "traits_case.h"
#include <stdbool.h>

enum { MOST_B = 3, MOST_T = 12 };

struct pool {
    const struct subject *s;
    locant_dtype dtype;
    int64_t B, T, M, N, P;
    bool by_token; /* the pool is [N, P, Hkv, D] */
    int64_t length[MOST_B];
    int64_t *table; /* [B, M] */
    locant_tensor q, k, v, x, out, lse;
    locant_tensor param[SUBJECT_PARAMS];
    locant_attention a; /* all but the tensors above */
};

static size_t size_of(const struct pool *p)
{
    return locant_dtype_size(p->dtype);
}

/* Tensors of the dtype, between 2^-7 and 4 in magnitude. */
static locant_tensor filled(const struct pool *p, int rank,
                            const int64_t *shape)
{
    locant_tensor t = test_tensor(p->dtype, rank, shape);

    test_fill(&t, (size_t)tensor_count(&t));
    return t;
}

static void *row_of(const locant_tensor *t, int64_t n, int64_t h, int64_t j)
{
    return (char *)t->data +
           (n * t->stride[0] + h * t->stride[1] + j * t->stride[2]) *
               (ptrdiff_t)locant_dtype_size(t->dtype);
}

static locant_tensor pool_of(const struct pool *p)
{
    const int64_t by_head[4] = { p->N, p->s->G, p->P, p->s->D };
    const int64_t by_token[4] = { p->N, p->P, p->s->G, p->s->D };
    locant_tensor t = filled(p, 4, p->by_token ? by_token : by_head);
    int64_t head = t.stride[2];

    if (!p->by_token)
        return t;
    t.stride[2] = t.stride[1];
    t.stride[1] = head;
    t.shape[1] = p->s->G;
    t.shape[2] = p->P;
    return t;
}

/* Give each sequence its own blocks, in random order. */
static void deal_blocks(struct pool *p)
{
    int64_t *order = malloc((size_t)(p->N + 1) * sizeof(*order)), used = 0;

    for (int64_t n = 0; n < p->N; n++) {
        int64_t other = test_range(0, n);

        order[n] = order[other];
        order[other] = n;
    }
    p->table = malloc((size_t)(p->B * p->M + 1) * sizeof(*p->table));
    for (int64_t i = 0; i < p->B * p->M; i++)
        p->table[i] =
            i % p->M * p->P < p->length[i / p->M] ? order[used++] : INT64_MIN;
    free(order);
}

/* All rows of x that no sequence holds become NaN. */
static void poison(const struct pool *p, const locant_tensor *x)
{
    size_t row = (size_t)p->s->D * size_of(p);
    char *kept = calloc((size_t)(p->N * p->P + 1), 1);

    for (int64_t b = 0; b < p->B; b++)
        for (int64_t j = 0; j < p->length[b]; j++)
            kept[p->table[b * p->M + j / p->P] * p->P + j % p->P] = 1;
    for (int64_t n = 0; n < p->N * p->P; n++)
        for (int64_t h = 0; h < p->s->G && !kept[n]; h++)
            memset(row_of(x, n / p->P, h, n % p->P), 0xff, row);
    free(kept);
}

static void cast_params(struct pool *p)
{
    for (int i = 0; i < p->s->params; i++) {
        const locant_tensor *from = &p->s->param[i];

        p->param[i] = *from;
        if (p->dtype == LOCANT_F64)
            continue;
        p->param[i] = test_tensor(LOCANT_F32, from->rank, from->shape);
        for (int64_t n = 0; n < tensor_count(from); n++)
            ((float *)p->param[i].data)[n] = (float)((double *)from->data)[n];
    }
}

/* Lengths of B sequences of at most 'most' keys. */
static void pool_make(struct pool *p, int64_t most)
{
    const struct subject *s = p->s;
    const int64_t q[4] = { p->B, s->H, p->T, s->D };
    int64_t x[3] = { p->B, 0, s->W };

    p->M = 1;
    p->N = 2;
    for (int64_t b = 0; b < p->B; b++) {
        /* The rotation of these depends on the longest row of a call. */
        p->length[b] = b > 0 && (s->traits & LOCANT_TRAIT_LENGTH)
                           ? p->length[0]
                           : test_range(0, most);
        p->M = p->M > p->length[b] / p->P + 1 ? p->M : p->length[b] / p->P + 1;
        p->N += p->length[b] / p->P + 1;
    }
    x[1] = p->M * p->P;
    deal_blocks(p);
    p->q = filled(p, 4, q);
    p->k = pool_of(p);
    p->v = pool_of(p);
    p->x = filled(p, 3, x);
    poison(p, &p->k);
    poison(p, &p->v);
    p->out = filled(p, 4, q);
    p->lse =
        test_tensor(p->dtype == LOCANT_F64 ? LOCANT_F64 : LOCANT_F32, 3, q);
    cast_params(p);
    p->a.encoding = s->e;
    p->a.params = p->param;
    p->a.mask = LOCANT_MASK_CAUSAL;
}

static void pool_free(struct pool *p)
{
    locant_tensor *const all[] = { &p->q, &p->x, &p->out, &p->lse };

    for (size_t i = 0; i < LEN(all); i++)
        test_tensor_free(all[i]);
    for (int i = 0; i < p->s->params; i++)
        if (p->dtype != LOCANT_F64)
            test_tensor_free(&p->param[i]);
    p->k = locant_dense(p->k.data, p->dtype, 4,
                        TEST_SHAPE(p->N, p->P, p->s->G, p->s->D));
    p->v = locant_dense(p->v.data, p->dtype, 4, p->k.shape);
    test_tensor_free(&p->k);
    test_tensor_free(&p->v);
    free(p->table);
}

/* Attention of all sequences; I32: of tables in that type. */
static void attend_paged(struct pool *p, bool i32)
{
    int32_t *narrow = malloc((size_t)(p->B * p->M + 1) * sizeof(*narrow));
    int32_t lengths[MOST_B] = { 0 };
    locant_tensor narrow_table = DENSE(I32, narrow, p->B, p->M);
    locant_tensor narrow_lengths = DENSE(I32, lengths, p->B);
    locant_attention a = p->a;

    for (int64_t i = 0; i < p->B * p->M; i++)
        narrow[i] = (int32_t)p->table[i];
    for (int64_t b = 0; b < p->B; b++)
        lengths[b] = (int32_t)p->length[b];
    a.q = &p->q;
    a.k = &p->k;
    a.v = &p->v;
    a.x = &p->x;
    a.block_table = i32 ? &narrow_table : VIEW(I64, p->table, p->B, p->M);
    a.lengths = i32 ? &narrow_lengths : VIEW(I64, p->length, p->B);
    test_forward(&p->out, &p->lse, &a);
    free(narrow);
}

/* The rows of sequence b of pool x in order, [1, G, length, D]. */
static locant_tensor rows_in_order(const struct pool *p, const locant_tensor *x,
                                   int64_t b)
{
    const int64_t shape[4] = { 1, p->s->G, p->length[b], p->s->D };
    locant_tensor t = test_tensor(p->dtype, 4, shape);

    for (int64_t h = 0; h < p->s->G; h++)
        for (int64_t j = 0; j < p->length[b]; j++)
            memcpy(row_of(&t, 0, h, j),
                   row_of(x, p->table[b * p->M + j / p->P], h, j % p->P),
                   (size_t)p->s->D * size_of(p));
    return t;
}

/* Sequence b, its last 'n' queries. */
static void check_alone(const struct pool *p, int64_t b, int64_t n)
{
    const int64_t shape[4] = { 1, p->s->H, n, p->s->D };
    OWNED(locant_tensor) k = rows_in_order(p, &p->k, b);
    OWNED(locant_tensor) v = rows_in_order(p, &p->v, b);
    OWNED(locant_tensor) out = test_tensor(p->dtype, 4, shape);
    OWNED(locant_tensor) lse = test_tensor(p->lse.dtype, 3, shape);
    locant_tensor q = p->q, x = p->x;
    locant_attention a = p->a;
    int64_t from = p->T - n;
    size_t row = (size_t)p->s->D * size_of(p);

    q.data = row_of(&p->q, b, 0, from);
    q.shape[0] = 1;
    q.shape[2] = n;
    x.data = row_of(&p->x, b, 0, 0);
    x.shape[0] = 1;
    x.shape[1] = p->length[b];
    a.q = &q;
    a.k = &k;
    a.v = &v;
    a.x = &x;
    test_forward(&out, &lse, &a);
    for (int64_t h = 0; h < p->s->H; h++)
        for (int64_t i = 0; i < n; i++)
            if (memcmp(row_of(&out, 0, h, i), row_of(&p->out, b, h, from + i),
                       row) != 0 ||
                memcmp(row_of(&lse, 0, 0, h * n + i),
                       (char *)p->lse.data +
                           (ptrdiff_t)(((b * p->s->H + h) * p->T + from + i) *
                                       (int64_t)locant_dtype_size(lse.dtype)),
                       locant_dtype_size(lse.dtype)) != 0)
                FAIL("%s, %s, B %lld, T %lld, P %lld: sequence %lld of %lld "
                     "keys, head %lld of %lld, query %lld differs\n",
                     p->s->spec, locant_dtype_name(p->dtype), (long long)p->B,
                     (long long)p->T, (long long)p->P, (long long)b,
                     (long long)p->length[b], (long long)h, (long long)p->s->H,
                     (long long)(from + i));
}

/* Queries before the first position of a sequence are padding. */
static void check_padding(const struct pool *p, int64_t b, int64_t n)
{
    for (int64_t h = 0; h < p->s->H; h++)
        for (int64_t i = 0; i < n; i++) {
            const char *row = row_of(&p->out, b, h, i);

            for (size_t d = 0; d < (size_t)p->s->D * size_of(p); d++)
                CHECK(row[d] == 0);
        }
}

static void check_pool(struct pool *p)
{
    attend_paged(p, test_rand() % 2);
    for (int64_t b = 0; b < p->B; b++) {
        int64_t n = p->length[b] < p->T ? p->length[b] : p->T;

        check_padding(p, b, p->T - n);
        if (n > 0)
            check_alone(p, b, n);
    }
}

static locant_dtype any_dtype(void)
{
    static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_F16, LOCANT_BF16,
                                           LOCANT_F64 };

    return dtypes[test_rand() % LEN(dtypes)];
}

static int64_t any_block(void)
{
    static const int64_t rows[] = { 1, 3, 8, 16, 32, 48, 64, 128 };

    return rows[test_rand() % LEN(rows)];
}

static struct pool any_pool(const struct subject *s)
{
    return (struct pool){ .s = s,
                          .dtype = any_dtype(),
                          .B = test_range(1, MOST_B),
                          .T = test_range(1, MOST_T),
                          .P = any_block(),
                          .by_token = test_rand() % 2,
                          .a = LOCANT_ATTENTION_INIT };
}

static void rows_in_order_give_the_same_bits(const struct subject *s)
{
    struct pool p = any_pool(s);

    pool_make(&p, s->length_limit < 100 ? s->length_limit : 100);
    check_pool(&p);
    pool_free(&p);
}

TEST(every_encoding_reads_blocks)
{
    traits_each(4, any, rows_in_order_give_the_same_bits);
}

/* Windows, caps, sinks and given positions, over several splits of keys. */
TEST(long_sequences_with_options)
{
    static const char *const specs[] = { "none", "rope", "alibi", "t5",
                                         "rope(pairing=interleaved)+alibi" };

    for (int n = 0; n < test_cases(40); n++) {
        struct subject s;
        struct pool p;
        float sinks[SUBJECT_HEADS] = { 0.5f, -INFINITY, 3, 0 };

        CHECK(subject_open(&s, specs[test_rand() % LEN(specs)]));
        subject_drop_params(&s);
        s.H = 4;
        s.G = test_rand() % 2 ? 2 : 4;
        s.D = test_rand() % 2 ? 64 : 24;
        CHECK(subject_make_params(&s));
        p = any_pool(&s);
        p.dtype = p.dtype == LOCANT_F64 ? LOCANT_F32 : p.dtype;
        pool_make(&p, 1400);
        p.a.window = test_rand() % 2 ? 200 : 0;
        p.a.softcap = test_rand() % 2 ? 20 : 0;
        p.a.flags = test_rand() % 2 ? LOCANT_ATTENTION_KEYS_ROTATED : 0;
        p.a.sinks = test_rand() % 2 ? VIEW(F32, sinks, s.H) : NULL;
        check_pool(&p);
        pool_free(&p);
        subject_close(&s);
    }
}

/* A ring of blocks: the caller's positions are those of the slots. */
TEST(positions_may_be_given)
{
    for (int n = 0; n < 20; n++) {
        struct subject s;
        struct pool p;
        int64_t *k_pos, q_pos[MOST_T];

        CHECK(subject_open(&s, n % 2 ? "rope" : "alibi"));
        p = any_pool(&s);
        p.B = 1;
        pool_make(&p, 200);
        k_pos = malloc((size_t)(p.M * p.P) * sizeof(*k_pos));
        for (int64_t j = 0; j < p.M * p.P; j++)
            k_pos[j] = 800 + (j + 77) % 200;
        for (int64_t i = 0; i < p.T; i++)
            q_pos[i] = 1000 + i;
        p.a.k_pos = VIEW(I64, k_pos, p.M * p.P);
        p.a.q_pos = VIEW(I64, q_pos, p.T);
        attend_paged(&p, false);
        p.a.k_pos = VIEW(I64, k_pos, p.length[0]);
        if (p.length[0] > 0)
            check_alone(&p, 0, p.T);
        free(k_pos);
        pool_free(&p);
        subject_close(&s);
    }
}

/* Blocks of quantised rows hold what one piece of them holds. */
TEST(quantised_blocks_are_read)
{
    enum { S = 150, P = 16, M = 10, H = 2, D = 64 };
    OWNED(locant_encoding) *e = test_create("rope");
    int64_t table[M], length = S;
    uint8_t *rows = malloc(H * M * P * D), *blocks = malloc(H * M * P * D);

    for (int i = 0; i < M; i++)
        table[i] = (7 * i + 3) % M;
    for (int i = 0; i < H * M * P * D; i++)
        rows[i] = (uint8_t)(test_rand() % 0x7e); /* no NaN */
    for (int h = 0; h < H; h++)
        for (int j = 0; j < M * P; j++)
            memcpy(blocks + ((table[j / P] * H + h) * P + j % P) * D,
                   rows + (h * M * P + j) * D, D);
    for (int64_t T = 1; T < 12; T += 5) {
        OWNED(locant_tensor) q = TENSOR(F32, 1, 2 * H, T, D);
        OWNED(locant_tensor) want = TENSOR(F32, 1, 2 * H, T, D);
        OWNED(locant_tensor) got = TENSOR(F32, 1, 2 * H, T, D);
        OWNED(locant_tensor) lse = TENSOR(F32, 1, 2 * H, T);
        locant_attention a = LOCANT_ATTENTION_INIT;
        locant_tensor k = DENSE(U8, rows, 1, H, S, D);

        k.stride[1] = M * P * D;
        a.q = &q;
        a.k = a.v = &k;
        a.encoding = e;
        a.mask = LOCANT_MASK_CAUSAL;
        a.quant = LOCANT_QUANT_E4M3;
        test_forward(&want, &lse, &a);
        a.k = a.v = VIEW(U8, blocks, M, H, P, D);
        a.block_table = VIEW(I64, table, 1, M);
        a.lengths = VIEW(I64, &length, 1);
        test_forward(&got, &lse, &a);
        CHECK(memcmp(want.data, got.data,
                     (size_t)(2 * H * T * D) * sizeof(float)) == 0);
    }
    free(rows);
    free(blocks);
}

/* ---------------------------------------------------------------- refusals */

struct small {
    float q[2 * 4], k[3 * 2 * 4], out[2 * 4], lse[2];
    int64_t table[2 * 2], length[2];
    locant_tensor tq, tk, to, tl;
    locant_attention a;
    char work[1 << 18];
};

static void small_make(struct small *p)
{
    memset(p, 0, sizeof(*p));
    p->tq = DENSE(F32, p->q, 2, 1, 1, 4);
    p->tk = DENSE(F32, p->k, 3, 1, 2, 4);
    p->to = DENSE(F32, p->out, 2, 1, 1, 4);
    p->tl = DENSE(F32, p->lse, 2, 1, 1);
    p->a = (locant_attention)LOCANT_ATTENTION_INIT;
    p->a.q = &p->tq;
    p->a.k = p->a.v = &p->tk;
    memcpy(p->table, (int64_t[4]){ 2, 0, 1, INT64_MAX }, sizeof(p->table));
    p->length[0] = 3;
    p->length[1] = 2;
    p->out[0] = 5;
}

/* The call fails, writes nothing, and *p is as it was at first. */
static void refuses(struct small *p, locant_status status, const char *rest)
{
    char message[200];

    snprintf(message, sizeof(message), "locant_attention_forward: %s", rest);
    p->a.block_table = VIEW(I64, p->table, 2, 2);
    p->a.lengths = VIEW(I64, p->length, 2);
    CHECK_REFUSED(locant_attention_forward(&p->to, &p->tl, &p->a, p->work,
                                           sizeof(p->work)),
                  status, message);
    CHECK(p->out[0] == 5);
    small_make(p);
}

TEST(tables_and_lengths_are_checked)
{
    static struct small p;
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;

    small_make(&p);
    p.table[1] = 3;
    refuses(&p, LOCANT_ERR_PARAM,
            "block 1 of sequence 0 is 3, expected 0 to 2");
    p.table[2] = -1;
    refuses(&p, LOCANT_ERR_PARAM,
            "block 0 of sequence 1 is -1, expected 0 to 2");
    p.table[0] = INT64_MIN;
    refuses(&p, LOCANT_ERR_PARAM,
            "block 0 of sequence 0 is -9223372036854775808, expected "
            "0 to 2");
    p.length[1] = -1;
    refuses(&p, LOCANT_ERR_PARAM,
            "the length of sequence 1 is -1, expected 0 to 4: 2 "
            "blocks of 2 rows");
    p.length[0] = 5;
    refuses(&p, LOCANT_ERR_PARAM,
            "the length of sequence 0 is 5, expected 0 to 4: 2 blocks "
            "of 2 rows");
    p.tk.shape[0] = 0;
    refuses(&p, LOCANT_ERR_PARAM,
            "block 0 of sequence 0 is 2, expected 0 to -1");
    p.a.block_table = VIEW(I64, p.table, 2, 2);
    CHECK_REFUSED(
        locant_attention_forward(&p.to, &p.tl, &p.a, p.work, sizeof(p.work)),
        LOCANT_ERR_NULL,
        "locant_attention_forward: lengths is NULL while block_table is given, "
        "expected both or neither");
    p.a.lengths = VIEW(I64, p.length, 2);
    p.a.block_table = VIEW(I64, p.table, 1, 4);
    CHECK_REFUSED(
        locant_attention_forward(&p.to, &p.tl, &p.a, p.work, sizeof(p.work)),
        LOCANT_ERR_SHAPE,
        "locant_attention_forward: block_table has size 1 in dimension 0, "
        "expected 2");
    p.a.block_table = VIEW(F32, p.q, 2, 2);
    CHECK_REFUSED(
        locant_attention_forward(&p.to, &p.tl, &p.a, p.work, sizeof(p.work)),
        LOCANT_ERR_DTYPE,
        "locant_attention_forward: block_table is f32, expected i32 or i64");
    p.a.block_table = VIEW(I64, p.table, 2, 2);
    CHECK_REFUSED(
        locant_attention_backward(&g, &p.to, &p.to, &p.tl, &p.a, p.work,
                                  sizeof(p.work)),
        LOCANT_ERR_UNSUPPORTED,
        "locant_attention_backward: the cache is paged, expected keys and "
        "values without a block table: backward has no pool to write gradients "
        "to");
    CHECK_OK(
        locant_attention_forward(&p.to, &p.tl, &p.a, p.work, sizeof(p.work)));
}

/* 2^40 blocks of 2^40 rows, of which the lengths ask for none. */
TEST(sizes_do_not_overflow)
{
    static struct small p;

    small_make(&p);
    p.a.block_table = VIEW(I64, p.table, 2, 2);
    p.a.lengths = VIEW(I64, p.length, 2);
    p.tk = DENSE(F32, p.k, 3, 1, INT64_C(1) << 50, 4);
    p.tk.stride[0] = p.tk.stride[1] = p.tk.stride[2] = 0;
    p.length[0] = p.length[1] = 0;
    CHECK_OK(
        locant_attention_forward(&p.to, &p.tl, &p.a, p.work, sizeof(p.work)));
    CHECK(p.out[0] == 0);
    p.length[0] = INT64_C(1) << 50;
    p.table[0] = 0;
    CHECK_REFUSED(
        locant_attention_forward(&p.to, &p.tl, &p.a, p.work, sizeof(p.work)),
        LOCANT_ERR_SHAPE,
        "locant_attention_forward: the problem does not fit in memory");
}
