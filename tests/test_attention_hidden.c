/*
 * test_attention_hidden.c - keys that are hidden are not read, whatever they
 * hold; a NaN that is seen is not lost, and stays where it belongs.
 */
#include "oracle/bits.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Put 'poison' into the key and value at index j of every head. */
static void poison_key(struct attend *t, int64_t j, float poison)
{
    for (int64_t b = 0; b < t->B; b++)
        for (int64_t g = 0; g < t->G; g++)
            for (int64_t d = 0; d < t->D; d++) {
                float *k = t->k.data, *v = t->v.data;

                k[b * t->k.stride[0] + g * t->k.stride[1] + j * t->k.stride[2] +
                  d] = poison;
                v[b * t->v.stride[0] + g * t->v.stride[1] + j * t->v.stride[2] +
                  d] = poison;
            }
}

/* Rows of queries at 'before' or earlier, forward and dq, as bytes. */
static struct bytes early_rows(const struct attend *t, int64_t before)
{
    struct bytes all = { NULL, 0 };

    for (int64_t i = 0; i < t->T; i++) {
        locant_tensor out = t->out, dq = t->dq;

        if (t->qp[i] >= before)
            continue;
        out.data = (float *)t->out.data + i * t->out.stride[2];
        dq.data = (float *)t->dq.data + i * t->dq.stride[2];
        out.shape[2] = dq.shape[2] = 1;
        append(&all, &out);
        append(&all, &dq);
    }
    return all;
}

/* Keys in the future of a query do not exist for it, whatever they hold. */
static void future_is_not_read(struct attend *t)
{
    static const float poisons[] = { NAN, INFINITY, -INFINITY, 3e38f };
    int64_t j = test_range(0, t->S - 1), at = t->kp[j];
    struct bytes want, got;

    if (t->a.mask != LOCANT_MASK_CAUSAL || t->kind >= ATTEND_PERMUTED)
        return;
    free(run(t).data);
    want = early_rows(t, at);
    poison_key(t, j, poisons[test_range(0, 3)]);
    free(run(t).data);
    got = early_rows(t, at);
    if (!same(&want, &got))
        FAIL("%s: a hidden key changed rows that do not see it", t->spec);
    free(want.data);
    free(got.data);
}

TEST(hidden_keys_have_no_effect)
{
    for (int i = 0; i < test_cases(4); i++)
        each_encoding(LOCANT_F32, MANY_TOKENS, future_is_not_read);
}

/* The NaN of these bits: quiet, with or without a payload, either sign. */
static float nan_of(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* A query of NaN makes its own row NaN and leaves the others alone. */
static void nan_query(struct attend *t)
{
    static const uint32_t nans[] = { 0x7fc00000, 0xffc00000, 0x7fc00001,
                                     0x7fc000ff, 0xffc00155 };
    int64_t hit = test_range(0, t->T - 1);
    float *q = (float *)t->q.data + hit * t->q.stride[2];
    locant_tensor rest[2];
    struct bytes want = { NULL, 0 }, got = { NULL, 0 };

    attend_forward(t);
    for (int i = 0; i < 2; i++) {
        rest[i] = t->out;
        rest[i].shape[2] = i ? t->T - 1 - hit : hit;
        rest[i].data =
            (float *)t->out.data + (i ? hit + 1 : 0) * t->out.stride[2];
        append(&want, &rest[i]);
    }
    attend_oracle_forward(t);
    q[t->D - 1] = nan_of(nans[test_range(0, 4)]);
    attend_forward(t);
    append(&got, &rest[0]);
    append(&got, &rest[1]);
    CHECK(same(&want, &got));
    free(want.data);
    free(got.data);
    if (!isfinite(t->want_lse[hit]))
        return; /* sees no key */
    for (int64_t d = 0; d < t->D; d++) {
        double x = oracle_get(&t->out, (size_t)(hit * t->D + d));

        if (!isnan(x))
            FAIL("%s, S %d: a query with a NaN gave %g", t->spec, (int)t->S, x);
    }
    CHECK(isnan(oracle_get(&t->lse, (size_t)hit)));
}

TEST(nan_in_a_query_stays_in_its_row)
{
    for (int i = 0; i < test_cases(4); i++)
        each_encoding(LOCANT_F32, 65, nan_query);
}

/* A visible key of NaN makes every row that sees it NaN. */
static void nan_key(struct attend *t)
{
    int64_t hit = test_range(0, t->S - 1);

    t->k.data = (float *)t->k.data + hit * t->k.stride[2];
    *(float *)t->k.data = nan_of(test_rand() % 2 ? 0x7fc00001 : 0xffc00000);
    t->k.data = (float *)t->k.data - hit * t->k.stride[2];
    attend_forward(t);
    /* Batch row 0, query head 0 reads key head 0. */
    for (int64_t i = 0; i < t->T; i++) {
        int sees = t->a.mask != LOCANT_MASK_CAUSAL || t->kp[hit] <= t->qp[i];

        for (int64_t d = 0; d < t->D; d++)
            CHECK(!isnan(oracle_get(&t->out, (size_t)(i * t->D + d))) == !sees);
    }
}

TEST(nan_in_a_key_reaches_who_sees_it)
{
    for (int i = 0; i < test_cases(4); i++)
        each_encoding(LOCANT_F32, 65, nan_key);
}

/* A key nobody sees, with NaN in it: gradients 0 there, finite elsewhere. */
TEST(unseen_key_has_no_gradient)
{
    struct attend t = { .o = oracle_of(locant_encoding_at(0)->name),
                        .dtype = LOCANT_F32,
                        .sharp = 1,
                        .B = 1,
                        .H = 2,
                        .G = 1,
                        .T = 5,
                        .S = 9,
                        .D = 8,
                        .kind = ATTEND_PERMUTED };

    CHECK(attend_choose(&t, 0));
    attend_make(&t, LOCANT_MASK_CAUSAL);
    t.kp[4] = 1000;
    poison_key(&t, 4, NAN);
    free(run(&t).data);
    for (int64_t j = 0; j < t.S; j++)
        for (int64_t d = 0; d < t.D; d++) {
            size_t at = (size_t)(j * t.D + d);

            CHECK(isfinite(oracle_get(&t.dk, at)));
            CHECK(isfinite(oracle_get(&t.dv, at)));
            if (j == 4)
                CHECK(oracle_get(&t.dk, at) == 0 && oracle_get(&t.dv, at) == 0);
        }
    for (size_t i = 0; i < oracle_count(&t.dq); i++)
        CHECK(isfinite(oracle_get(&t.dq, i)) &&
              isfinite(oracle_get(&t.out, i)));
    attend_free(&t);
}
