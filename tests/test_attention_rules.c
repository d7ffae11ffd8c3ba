/*
 * test_attention_rules.c - what attention promises beyond its values: the same
 * bits for any threads, batch and chunk; doubles are the reference.
 */
#include "oracle/bits.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void threads_agree(struct attend *t)
{
    threads_agree_on(t, run);
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    for (int i = 0; i < test_cases(3); i++)
        each_encoding(LOCANT_F32, MANY_TOKENS, threads_agree);
    each_encoding(LOCANT_F64, 33, threads_agree);
}

/* Batch row b of a rank 4 or 3 tensor, or of positions, as a batch of one. */
static locant_tensor batch_row(const locant_tensor *t, int64_t b)
{
    locant_tensor out = *t;

    if (t->data == NULL || (t->dtype == LOCANT_I64 && t->rank == 1))
        return out;
    out.data = (char *)t->data +
               b * t->stride[0] * (int64_t)locant_dtype_size(t->dtype);
    out.shape[0] = 1;
    return out;
}

/* The problem of batch row b, sharing memory; outputs of its own rows. */
static struct attend single(const struct attend *t, int64_t b)
{
    struct attend s = *t;

    s.q = batch_row(&t->q, b);
    s.k = batch_row(&t->k, b);
    s.v = batch_row(&t->v, b);
    s.dout = batch_row(&t->dout, b);
    s.out = batch_row(&t->out, b);
    s.lse = batch_row(&t->lse, b);
    s.dq = batch_row(&t->dq, b);
    s.dk = batch_row(&t->dk, b);
    s.dv = batch_row(&t->dv, b);
    s.q_pos = batch_row(&t->q_pos, b);
    s.k_pos = batch_row(&t->k_pos, b);
    return s;
}

static void aim(struct attend *s)
{
    s->a.q = &s->q;
    s->a.k = &s->k;
    s->a.v = &s->v;
    if (s->a.q_pos != NULL)
        s->a.q_pos = &s->q_pos;
    if (s->a.k_pos != NULL)
        s->a.k_pos = &s->k_pos;
    s->g.dq = &s->dq;
    s->g.dk = &s->dk;
    s->g.dv = &s->dv;
}

static void append_values(struct bytes *all, const struct attend *t)
{
    append(all, &t->out);
    append(all, &t->lse);
    append(all, &t->dq);
    append(all, &t->dk);
    append(all, &t->dv);
}

/* Gradients of parameters sum over the batch and may round differently. */
static void batch_agrees(struct attend *t)
{
    struct bytes whole = run(t), parts = { NULL, 0 };

    whole.size = 0;
    append_values(&whole, t);
    forget_all(t);
    for (int64_t b = 0; b < t->B; b++) {
        struct attend s = single(t, b);

        aim(&s);
        attend_forward(&s);
        attend_backward(&s);
    }
    append_values(&parts, t);
    if (!same(&whole, &parts))
        FAIL("%s: a batch of %d differs from its rows", t->spec, (int)t->B);
    free(whole.data);
    free(parts.data);
}

TEST(batch_is_its_rows_bit_for_bit)
{
    for (int i = 0; i < test_cases(2); i++)
        each_encoding(LOCANT_F32, 100, batch_agrees);
}

/* Queries [from, to) of every head alone, at their positions. */
static void attend_chunk(struct attend *t, int64_t from, int64_t to)
{
    struct attend s = *t;
    int64_t shape[2] = { t->B, t->T };

    s.q_pos = locant_dense(t->qp, LOCANT_I64, 2, shape);
    shape[1] = t->S;
    s.k_pos = locant_dense(t->kp, LOCANT_I64, 2, shape);
    s.q_pos.data = t->qp + from;
    s.q_pos.shape[1] = to - from;
    s.q.data = (float *)t->q.data + from * t->q.stride[2];
    s.out.data = (float *)t->out.data + from * t->out.stride[2];
    s.lse.data = (float *)t->lse.data + from;
    s.q.shape[2] = s.out.shape[2] = s.lse.shape[2] = to - from;
    s.a.q_pos = &s.q_pos;
    aim(&s);
    attend_forward(&s);
}

static void chunks_agree(struct attend *t)
{
    struct bytes whole = { NULL, 0 }, parts = { NULL, 0 };

    attend_forward(t);
    append(&whole, &t->out);
    append(&whole, &t->lse);
    memset(t->lse.data, 0, oracle_count(&t->lse) * sizeof(float));
    for (int64_t from = 0, n; from < t->T; from += n) {
        n = test_range(1, 40);
        if (n > t->T - from)
            n = t->T - from;
        attend_chunk(t, from, from + n);
    }
    append(&parts, &t->out);
    append(&parts, &t->lse);
    if (!same(&whole, &parts))
        FAIL("%s: chunks of queries differ from the whole", t->spec);
    free(whole.data);
    free(parts.data);
}

TEST(chunked_is_whole_bit_for_bit)
{
    for (int i = 0; i < test_cases(2); i++)
        each_encoding(LOCANT_F32, MANY_TOKENS, chunks_agree);
}

/* Encodings without the rotate or score door attend like none, to the bit. */
TEST(other_doors_do_nothing)
{
    for (int i = 0; attend_oracle(i) != NULL; i++) {
        struct attend t = { .o = attend_oracle(i),
                            .dtype = LOCANT_F32,
                            .sharp = 1 };
        struct bytes with, without;

        if (t.o->rotated != NULL || t.o->bias != NULL)
            continue;
        attend_sizes(&t, 65);
        CHECK(attend_choose(&t, 0));
        attend_make(&t, LOCANT_MASK_CAUSAL);
        t.p.n = 0;
        with = run(&t);
        t.p.n = t.drawn.params;
        t.a.encoding = NULL;
        t.a.params = NULL;
        t.g.dparams = NULL;
        t.p.n = 0;
        without = run(&t);
        t.p.n = t.drawn.params;
        CHECK(same(&with, &without));
        free(with.data);
        free(without.data);
        attend_free(&t);
    }
}

/* Leaving gradients out changes no bit of the others. */
static void some_gradients_agree(struct attend *t)
{
    struct bytes want = run(t), all, part = { NULL, 0 }, alone = { NULL, 0 };

    free(want.data);
    append(&part, &t->dq);
    forget(&t->dq);
    t->g = (locant_attention_gradients){ .struct_size = sizeof(t->g),
                                         .dq = &t->dq };
    attend_backward(t);
    append(&alone, &t->dq);
    CHECK(same(&part, &alone));
    free(part.data);
    free(alone.data);
    all = (struct bytes){ NULL, 0 };
    append(&all, &t->dk);
    append(&all, &t->dv);
    forget(&t->dk);
    forget(&t->dv);
    t->g = (locant_attention_gradients){ .struct_size = sizeof(t->g),
                                         .dk = &t->dk,
                                         .dv = &t->dv };
    attend_backward(t);
    alone = (struct bytes){ NULL, 0 };
    append(&alone, &t->dk);
    append(&alone, &t->dv);
    CHECK(same(&all, &alone));
    free(all.data);
    free(alone.data);
}

TEST(gradients_can_be_left_out)
{
    each_encoding(LOCANT_F32, 65, some_gradients_agree);
}

/* Parameters' gradients are added to what is there: 2 runs give twice one, */
static void params_accumulate(struct attend *t)
{
    if (t->p.n == 0 || t->o->bias == NULL)
        return;
    free(run(t).data);
    for (int k = 0; k < t->p.n; k++)
        for (size_t i = 0; i < t->p.size[k]; i++)
            t->p.dx[k][i] = oracle_get(&t->p.grad[k], i);
    attend_backward(t);
    for (int k = 0; k < t->p.n; k++)
        for (size_t i = 0; i < t->p.size[k]; i++) {
            /* exact in binary, since each is added in one rounding */
            CHECK(oracle_get(&t->p.grad[k], i) == 2 * t->p.dx[k][i]);
        }
}

TEST(parameter_gradients_are_added)
{
    each_encoding(LOCANT_F32, 65, params_accumulate);
}

/* ------------------------------------------------------- double, reference */

/* F64 is the reference itself. */
static void double_is_reference(struct attend *t)
{
    struct bytes fast = { NULL, 0 }, plain = { NULL, 0 };

    attend_forward(t);
    append(&fast, &t->out);
    append(&fast, &t->lse);
    CHECK_OK(locant_attention_reference(&t->out, &t->lse, &t->a));
    append(&plain, &t->out);
    append(&plain, &t->lse);
    CHECK(same(&fast, &plain));
    free(fast.data);
    free(plain.data);
}

TEST(doubles_are_the_reference)
{
    each_encoding(LOCANT_F64, 40, double_is_reference);
}

/* q, k, v in float32, out and gradients in double: 1e-12 of the oracle's. */
static void reference_case(struct attend *t)
{
    int64_t sizes[2][4] = { { t->B, t->H, t->T, t->D },
                            { t->B, t->G, t->S, t->D } };
    locant_tensor out = test_tensor(LOCANT_F64, 4, sizes[0]), dq, dk, dv;
    locant_tensor lse = test_tensor(LOCANT_F64, 3, sizes[0]);
    locant_attention_gradients g = {
        .struct_size = sizeof(g), .dq = &dq, .dk = &dk, .dv = &dv
    };
    double error = 0, size = 0;

    if (t->o->rotated != NULL) {
        test_tensor_free(&out);
        test_tensor_free(&lse);
        return;
    }
    dq = test_tensor(LOCANT_F64, 4, sizes[0]);
    dk = test_tensor(LOCANT_F64, 4, sizes[1]);
    dv = test_tensor(LOCANT_F64, 4, sizes[1]);
    CHECK_OK(locant_attention_reference(&out, &lse, &t->a));
    attend_oracle_forward(t);
    for (size_t i = 0; i < oracle_count(&out); i++) {
        error += pow(oracle_get(&out, i) - t->want_out[i], 2);
        size += pow(t->want_out[i], 2);
    }
    CHECK(sqrt(error) <= 1e-12 * (1 + t->top) * (sqrt(size) + 1e-300));
    CHECK_OK(
        locant_attention_reference_backward(&g, &t->dout, &out, &lse, &t->a));
    attend_oracle_backward(t, 0);
    error = size = 0;
    for (size_t i = 0; i < oracle_count(&dv); i++) {
        error += pow(oracle_get(&dk, i) - t->want_dk[i], 2) +
                 pow(oracle_get(&dv, i) - t->want_dv[i], 2);
        size += pow(t->want_dk[i], 2) + pow(t->want_dv[i], 2);
    }
    CHECK(sqrt(error) <= 1e-12 * (1 + t->top) * (sqrt(size) + 1e-300));
    test_tensor_free(&out);
    test_tensor_free(&lse);
    test_tensor_free(&dq);
    test_tensor_free(&dk);
    test_tensor_free(&dv);
}

TEST(reference_matches_oracle)
{
    each_encoding(LOCANT_F32, 65, reference_case);
}

/* Without an encoding, shuffled tokens give the shuffled answer. */
TEST(without_encoding_order_is_unseen)
{
    struct attend t = { .o = oracle_of("none"),
                        .dtype = LOCANT_F64,
                        .sharp = 1,
                        .B = 1,
                        .H = 1,
                        .G = 1,
                        .T = 20,
                        .S = 20,
                        .D = 8 };
    double *first;

    CHECK(attend_choose(&t, 0));
    attend_make(&t, LOCANT_MASK_NONE);
    attend_forward(&t);
    first = malloc(160 * sizeof(double));
    assert_non_null(first);
    memcpy(first, t.out.data, 160 * sizeof(double));
    /* Reverse the tokens of q, k and v: dense here, since H = 1. */
    for (int64_t i = 0; i < 10; i++)
        for (int64_t d = 0; d < 8; d++) {
            double *x[3] = { t.q.data, t.k.data, t.v.data };

            for (int n = 0; n < 3; n++) {
                double keep = x[n][i * 8 + d];

                x[n][i * 8 + d] = x[n][(19 - i) * 8 + d];
                x[n][(19 - i) * 8 + d] = keep;
            }
        }
    attend_forward(&t);
    /* Twenty weights and products summed in another order. */
    for (int64_t i = 0; i < 20; i++)
        for (int64_t d = 0; d < 8; d++)
            CHECK(fabs(((double *)t.out.data)[(19 - i) * 8 + d] -
                       first[i * 8 + d]) <= 200 * 0x1p-53);
    free(first);
    attend_free(&t);
}
