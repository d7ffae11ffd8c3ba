/*
 * test_attention_ragged.c - packed sequences give the bits of a call for each
 * of them on memory of its own: outputs, and gradients of everything, for every
 * encoding; wrong cumulative lengths are refused.
 */
#include "traits_case.h"
#include <stdbool.h>

enum { N = 4, TENSORS = 9 };

/* Tensors of tokens: those of queries, then those of keys. */
enum { Q, DOUT, OUT, DQ, K, V, DK, DV, X };

struct packed {
    const struct subject *s;
    locant_dtype dtype;
    int64_t cu_q[N + 1], cu_k[N + 1];
    locant_tensor t[TENSORS], lse, dx;
    locant_tensor param[SUBJECT_PARAMS], dparam[SUBJECT_PARAMS];
    locant_tensor sinks, dsinks;
    locant_attention a;
    locant_attention_gradients g;
};

static int64_t heads_of(const struct packed *p, int i)
{
    return i < K ? p->s->H : p->s->G;
}

static locant_tensor filled(locant_dtype dtype, int rank, const int64_t *shape)
{
    locant_tensor t = test_tensor(dtype, rank, shape);

    test_fill(&t, (size_t)tensor_count(&t));
    return t;
}

static void zero(locant_tensor *t)
{
    memset(t->data, 0, (size_t)tensor_count(t) * locant_dtype_size(t->dtype));
}

/* Tensors for T queries and S keys. */
static void make(struct packed *p, int64_t T, int64_t S)
{
    const struct subject *s = p->s;
    locant_dtype wide = p->dtype == LOCANT_F64 ? LOCANT_F64 : LOCANT_F32;

    for (int i = 0; i < X; i++)
        p->t[i] = filled(p->dtype, 4,
                         TEST_SHAPE(1, heads_of(p, i), i < K ? T : S, s->D));
    p->t[X] = filled(p->dtype, 3, TEST_SHAPE(1, S, s->W));
    p->dx = filled(p->dtype, 3, TEST_SHAPE(1, S, s->W));
    p->lse = test_tensor(wide, 3, TEST_SHAPE(1, s->H, T));
    p->sinks = filled(wide, 1, &s->H);
    p->dsinks = filled(wide, 1, &s->H);
    zero(&p->dsinks);
    for (int i = 0; i < s->params; i++) {
        const locant_tensor *from = &s->param[i];

        p->param[i] = test_tensor(wide, from->rank, from->shape);
        p->dparam[i] = test_tensor(wide, from->rank, from->shape);
        zero(&p->dparam[i]);
        for (int64_t n = 0; n < tensor_count(from); n++)
            if (wide == LOCANT_F64)
                ((double *)p->param[i].data)[n] = ((double *)from->data)[n];
            else
                ((float *)p->param[i].data)[n] =
                    (float)((double *)from->data)[n];
    }
}

static void point(struct packed *p)
{
    p->a = (locant_attention)LOCANT_ATTENTION_INIT;
    p->a.q = &p->t[Q];
    p->a.k = &p->t[K];
    p->a.v = &p->t[V];
    p->a.x = &p->t[X];
    p->a.encoding = p->s->e;
    p->a.params = p->param;
    p->a.mask = LOCANT_MASK_CAUSAL;
    p->a.sinks = &p->sinks;
    p->g = (locant_attention_gradients)LOCANT_ATTENTION_GRADIENTS_INIT;
    p->g.dq = &p->t[DQ];
    p->g.dk = &p->t[DK];
    p->g.dv = &p->t[DV];
    p->g.dx = &p->dx;
    p->g.dparams = p->dparam;
    p->g.dsinks = &p->dsinks;
}

static void drop(struct packed *p)
{
    locant_tensor *const rest[] = { &p->dx, &p->lse, &p->sinks, &p->dsinks };

    for (int i = 0; i < TENSORS; i++)
        test_tensor_free(&p->t[i]);
    for (size_t i = 0; i < LEN(rest); i++)
        test_tensor_free(rest[i]);
    for (int i = 0; i < p->s->params; i++) {
        test_tensor_free(&p->param[i]);
        test_tensor_free(&p->dparam[i]);
    }
}

/* Copy tokens 'from' .. of 'packed' to all of 'one', or back. */
static void copy(const locant_tensor *packed, const locant_tensor *one,
                 int64_t from, bool back)
{
    int rank = one->rank;
    int64_t heads = rank == 4 ? one->shape[1] : 1, n = one->shape[rank - 2];
    size_t row = (size_t)one->shape[rank - 1] * locant_dtype_size(one->dtype);

    for (int64_t h = 0; h < heads; h++) {
        char *far = (char *)packed->data +
                    (size_t)(h * packed->shape[rank - 2] + from) * row;
        char *near = (char *)one->data + (size_t)(h * n) * row;

        memcpy(back ? far : near, back ? near : far, (size_t)n * row);
    }
}

/* lse [1, H, T] as [1, H, T, 1] */
static locant_tensor column(const locant_tensor *lse)
{
    return locant_dense(lse->data, lse->dtype, 4,
                        TEST_SHAPE(1, lse->shape[1], lse->shape[2], 1));
}

/* stick-breaking has no softmax, in which sinks take part. */
static void drop_sinks(struct packed *p)
{
    if (strstr(p->s->spec, "stick-breaking") != NULL) {
        p->a.sinks = NULL;
        p->g.dsinks = NULL;
    }
}

/* The call of sequence n on memory of its own, its results put into 'all'. */
static void run_alone(struct packed *all, int n)
{
    struct packed one = { .s = all->s, .dtype = all->dtype };
    int64_t q = all->cu_q[n], k = all->cu_k[n];
    locant_tensor far, near;

    make(&one, all->cu_q[n + 1] - q, all->cu_k[n + 1] - k);
    point(&one);
    one.a.params = all->param;
    one.a.sinks = &all->sinks;
    one.g.dparams = all->dparam;
    one.g.dsinks = &all->dsinks;
    drop_sinks(&one);
    for (int i = 0; i < TENSORS; i++)
        copy(&all->t[i], &one.t[i], i < K ? q : k, false);
    test_forward(&one.t[OUT], &one.lse, &one.a);
    test_backward(&one.g, &one.t[DOUT], &one.t[OUT], &one.lse, &one.a);
    for (int i = 0; i < TENSORS; i++)
        copy(&all->t[i], &one.t[i], i < K ? q : k, true);
    copy(&all->dx, &one.dx, k, true);
    far = column(&all->lse);
    near = column(&one.lse);
    copy(&far, &near, q, true);
    drop(&one);
}

static void run_packed(struct packed *p)
{
    locant_tensor cu_q = DENSE(I64, p->cu_q, N + 1), narrow_k;
    locant_tensor cu_k = DENSE(I64, p->cu_k, N + 1);
    locant_ragged lengths = { &cu_q, &cu_k };
    int32_t narrow[N + 1];
    size_t bytes;
    void *work;

    for (int i = 0; i <= N; i++)
        narrow[i] = (int32_t)p->cu_k[i];
    narrow_k = DENSE(I32, narrow, N + 1);
    CHECK_OK(locant_attention_ragged_workspace(&bytes, &p->a, &lengths));
    work = test_guarded(bytes);
    CHECK_OK(locant_attention_ragged_forward(
        &p->t[OUT], &p->lse, &p->a, &(locant_ragged){ &cu_q, &narrow_k }, work,
        bytes));
    CHECK_OK(locant_attention_ragged_backward(
        &p->g, &p->t[DOUT], &p->t[OUT], &p->lse, &p->a, &lengths, work, bytes));
    test_guarded_free(work, bytes);
}

static void same(const struct packed *p, const char *what,
                 const locant_tensor *a, const locant_tensor *b)
{
    if (memcmp(a->data, b->data,
               (size_t)tensor_count(a) * locant_dtype_size(a->dtype)) != 0)
        FAIL("%s, %s: %s differs\n", p->s->spec, locant_dtype_name(p->dtype),
             what);
}

static void equals_single_calls(const struct subject *s)
{
    static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_F16, LOCANT_BF16,
                                           LOCANT_F64 };
    static const char *const names[] = { "q", "dout", "out", "dq", "k",
                                         "v", "dk",   "dv",  "x" };
    /* Sequences of more than one tile of 64 are rare, since they are slow. */
    int64_t size = test_rand() % (TEST_SANITIZED ? 12 : 4) == 0 ? 80 : 20;
    int64_t most = s->length_limit < size ? s->length_limit : size;
    struct packed a = { .s = s, .dtype = dtypes[test_rand() % LEN(dtypes)] };
    struct packed b;

    for (int n = 0; n < N; n++) {
        int64_t keys = test_range(0, most);

        a.cu_k[n + 1] = a.cu_k[n] + keys;
        a.cu_q[n + 1] = a.cu_q[n] + test_range(0, keys);
    }
    b = a;
    make(&a, a.cu_q[N], a.cu_k[N]);
    make(&b, a.cu_q[N], a.cu_k[N]);
    point(&a);
    point(&b);
    drop_sinks(&a);
    for (int i = 0; i < TENSORS; i++)
        memcpy(b.t[i].data, a.t[i].data,
               (size_t)tensor_count(&a.t[i]) * locant_dtype_size(a.dtype));
    memcpy(b.sinks.data, a.sinks.data,
           (size_t)s->H * locant_dtype_size(a.sinks.dtype));
    memcpy(b.dx.data, a.dx.data,
           (size_t)tensor_count(&a.dx) * locant_dtype_size(a.dtype));
    run_packed(&a);
    for (int n = 0; n < N; n++)
        run_alone(&b, n);
    for (int i = 0; i < TENSORS; i++)
        same(&a, names[i], &a.t[i], &b.t[i]);
    same(&a, "lse", &a.lse, &b.lse);
    same(&a, "dx", &a.dx, &b.dx);
    same(&a, "dsinks", &a.dsinks, &b.dsinks);
    for (int i = 0; i < s->params; i++)
        same(&a, "a parameter's gradient", &a.dparam[i], &b.dparam[i]);
    drop(&a);
    drop(&b);
}

TEST(packed_sequences_give_the_bits_of_single_calls)
{
    traits_each(1, any, equals_single_calls);
}

/* ---------------------------------------------------------------- refusals */

struct small {
    float q[3 * 4], k[5 * 4], out[3 * 4], lse[3];
    int64_t cu_q[3], cu_k[3], table[2 * 2], length[2], at[5];
    locant_tensor tq, tk, to, tl;
    locant_attention a;
    char work[1 << 18];
};

static void small_make(struct small *p)
{
    memset(p, 0, sizeof(*p));
    p->tq = DENSE(F32, p->q, 1, 1, 3, 4);
    p->tk = DENSE(F32, p->k, 1, 1, 5, 4);
    p->to = DENSE(F32, p->out, 1, 1, 3, 4);
    p->tl = DENSE(F32, p->lse, 1, 1, 3);
    p->a = (locant_attention)LOCANT_ATTENTION_INIT;
    p->a.q = &p->tq;
    p->a.k = p->a.v = &p->tk;
    memcpy(p->cu_q, (int64_t[3]){ 0, 1, 3 }, sizeof(p->cu_q));
    memcpy(p->cu_k, (int64_t[3]){ 0, 3, 5 }, sizeof(p->cu_k));
    p->length[0] = 2;
    p->out[0] = 5;
}

static locant_status call(struct small *p)
{
    const locant_ragged lengths = { VIEW(I64, p->cu_q, 3),
                                    p->a.block_table ? NULL
                                                     : VIEW(I64, p->cu_k, 3) };

    return locant_attention_ragged_forward(&p->to, &p->tl, &p->a, &lengths,
                                           p->work, sizeof(p->work));
}

/* The call fails, writes nothing, and *p is as it was at first. */
static void refuses(struct small *p, locant_status status, const char *rest)
{
    char message[200];

    snprintf(message, sizeof(message), "locant_attention_ragged_forward: %s",
             rest);
    CHECK_REFUSED(call(p), status, message);
    CHECK(p->out[0] == 5);
    small_make(p);
}

TEST(lengths_are_checked)
{
    static struct small p;

    small_make(&p);
    p.cu_q[0] = 1;
    refuses(&p, LOCANT_ERR_PARAM, "entry 0 of cu_q is 1, expected 0");
    p.cu_q[1] = -1;
    refuses(&p, LOCANT_ERR_PARAM,
            "entry 1 of cu_q is -1, expected 0 to 3, none below the one "
            "before it");
    p.cu_k[1] = INT64_MAX;
    refuses(&p, LOCANT_ERR_PARAM,
            "entry 1 of cu_k is 9223372036854775807, expected 0 to 5, none "
            "below the one before it");
    p.cu_k[2] = 2;
    refuses(&p, LOCANT_ERR_PARAM,
            "entry 2 of cu_k is 2, expected 3 to 5, none below the one before "
            "it");
    p.cu_k[2] = 4;
    refuses(&p, LOCANT_ERR_PARAM,
            "the last entry of cu_k is 4, expected the number of tokens, 5");
    p.a.k_pos = VIEW(I64, p.at, 4);
    refuses(&p, LOCANT_ERR_SHAPE,
            "k_pos has size 4 in dimension 0, expected 5");
    p.to = DENSE(F32, p.out, 1, 1, 2, 4);
    refuses(&p, LOCANT_ERR_SHAPE, "out has size 2 in dimension 2, expected 3");
    /* the output of one sequence is the query of another */
    p.to.data = p.q + 4;
    p.to.stride[2] = -4;
    p.to.data = p.q + 8;
    refuses(&p, LOCANT_ERR_ALIAS, "an output overlaps an input");
    CHECK_OK(call(&p));
}

/* A bias of all tokens was refused, or each sequence saw its first rows, and
 * the gradient was that of the last sequence. */
TEST(dense_biases_and_masks_are_cut_by_sequence)
{
    static const int64_t sizes[][2] = { { 3, 5 }, { 1, 5 }, { 3, 1 } };
    static struct small p;

    for (size_t n = 0; n < LEN(sizes); n++) {
        const int64_t T = sizes[n][0], S = sizes[n][1];
        float b[15], db[15] = { 0 }, one[15] = { 0 }, dout[12], out[12], lse[3];
        unsigned char see[15];
        locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;

        small_make(&p);
        for (int i = 0; i < 20; i++) {
            p.k[i] = (float)test_normal();
            if (i < 12)
                p.q[i] = dout[i] = (float)test_normal();
            if (i < 15)
                b[i] = (float)test_normal(), see[i] = i % 4 != 1;
        }
        p.a.bias = VIEW(F32, b, 1, 1, T, S);
        p.a.visible = VIEW(U8, see, 1, 1, T, S);
        g.dbias = VIEW(F32, db, 1, 1, T, S);
        CHECK_OK(call(&p));
        CHECK_OK(locant_attention_ragged_backward(
            &g, VIEW(F32, dout, 1, 1, 3, 4), &p.to, &p.tl, &p.a,
            &(locant_ragged){ VIEW(I64, p.cu_q, 3), VIEW(I64, p.cu_k, 3) },
            p.work, sizeof p.work));
        for (int s = 0; s < 2; s++) {
            const int64_t q = p.cu_q[s], k = p.cu_k[s];
            const int64_t t = p.cu_q[s + 1] - q, m = p.cu_k[s + 1] - k;
            const int64_t at = (T > 1 ? q * S : 0) + (S > 1 ? k : 0);
            locant_tensor cut =
                DENSE(F32, b + at, 1, 1, T > 1 ? t : 1, S > 1 ? m : 1);
            locant_tensor sees = cut, to = cut;
            locant_attention a = p.a;

            cut.stride[2] = sees.stride[2] = to.stride[2] = S;
            sees.data = see + at;
            sees.dtype = LOCANT_U8;
            to.data = one + at;
            a.q = VIEW(F32, p.q + 4 * q, 1, 1, t, 4);
            a.k = a.v = VIEW(F32, p.k + 4 * k, 1, 1, m, 4);
            a.bias = &cut;
            a.visible = &sees;
            g.dbias = &to;
            CHECK_OK(locant_attention_forward(VIEW(F32, out, 1, 1, t, 4),
                                              VIEW(F32, lse, 1, 1, t), &a,
                                              p.work, sizeof p.work));
            CHECK(memcmp(out, p.out + 4 * q, (size_t)t * 16) == 0);
            CHECK_OK(locant_attention_backward(
                &g, VIEW(F32, dout + 4 * q, 1, 1, t, 4),
                VIEW(F32, out, 1, 1, t, 4), VIEW(F32, lse, 1, 1, t), &a, p.work,
                sizeof p.work));
        }
        CHECK(memcmp(db, one, (size_t)(T * S) * 4) == 0);
    }
}

TEST(dense_biases_are_checked)
{
    static struct small p;
    float b[15] = { 0 };
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;

    small_make(&p);
    p.a.bias = VIEW(F32, b, 1, 1, 3, 3);
    refuses(&p, LOCANT_ERR_SHAPE, "bias has size 3 in dimension 3, expected 5");
    p.a.bias = VIEW(F32, b, 1, 1, 2, 5);
    refuses(&p, LOCANT_ERR_SHAPE, "bias has size 2 in dimension 2, expected 3");
    p.a.visible = VIEW(U8, b, 3, 5);
    refuses(&p, LOCANT_ERR_SHAPE, "visible has rank 2, expected 4");
    p.a.bias = VIEW(F32, b, 1, 1, 1, 1);
    g.dbias = VIEW(F32, b + 1, 1, 1, 1, 1);
    CHECK_OK(call(&p));
    CHECK_REFUSED(
        locant_attention_ragged_backward(
            &g, &p.to, &p.to, &p.tl, &p.a,
            &(locant_ragged){ VIEW(I64, p.cu_q, 3), VIEW(I64, p.cu_k, 3) },
            p.work, sizeof p.work),
        LOCANT_ERR_UNSUPPORTED,
        "locant_attention_ragged_backward: a bias that all queries and keys "
        "share has no gradient summed over sequences, expected dbias to be "
        "NULL");
}

/* What a state knows of one sequence was taken for the next one's: outputs of
 * 'path' were wrong from the second sequence on. */
TEST(states_are_refused)
{
    static struct small p;
    char state[64];

    small_make(&p);
    p.a.state = VIEW(U8, state, 64);
    refuses(&p, LOCANT_ERR_UNSUPPORTED,
            "state is of one text, expected NULL with packed sequences");
    CHECK_OK(call(&p));
}

TEST(block_tables_have_a_row_for_each_sequence)
{
    static struct small p;

    small_make(&p);
    p.tk = DENSE(F32, p.k, 2, 1, 2, 4);
    p.a.block_table = VIEW(I64, p.table, 2, 2);
    p.a.lengths = VIEW(I64, p.length, 1);
    refuses(&p, LOCANT_ERR_SHAPE,
            "lengths has size 1 in dimension 0, expected 2");
    p.tk = DENSE(F32, p.k, 2, 1, 2, 4);
    p.a.block_table = VIEW(I64, p.table, 2, 2);
    p.a.lengths = VIEW(I64, p.length, 2);
    p.a.k_pos = VIEW(I64, p.at, 3, 4);
    refuses(&p, LOCANT_ERR_SHAPE,
            "k_pos has 3 rows, expected 1 or one for each of 2 sequences");
    p.tk = DENSE(F32, p.k, 2, 1, 2, 4);
    p.a.block_table = VIEW(I64, p.table, 2, 2);
    p.a.lengths = VIEW(I64, p.length, 2);
    p.table[0] = 2;
    refuses(&p, LOCANT_ERR_PARAM,
            "block 0 of sequence 0 is 2, expected 0 to 1");
    p.tk = DENSE(F32, p.k, 2, 1, 2, 4);
    p.a.block_table = VIEW(I64, p.table, 2, 2);
    p.a.lengths = VIEW(I64, p.length, 2);
    CHECK_OK(call(&p));
}
