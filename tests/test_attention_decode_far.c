/*
 * test_attention_decode_far.c - a step of decoding, biases formed for its
 * one query: distances are differences of integers, so it does not matter how
 * far from 0 positions lie.
 */
#include "locant/attention.h"
#include "testing.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { H = 6, HKV = 2, D = 16, S = 130 }; /* the last tile has two keys */

struct step {
    locant_encoding *e;
    locant_tensor q, k, v;
    int64_t q_pos, k_pos[S];
};

static void step_make(struct step *s, const char *spec)
{
    const int64_t q[4] = { 1, H, 1, D }, k[4] = { 1, HKV, S, D };

    CHECK_OK(locant_encoding_create(&s->e, spec));
    s->q = test_tensor(LOCANT_F32, 4, q);
    s->k = test_tensor(LOCANT_F32, 4, k);
    s->v = test_tensor(LOCANT_F32, 4, k);
}

static void step_free(struct step *s)
{
    test_tensor_free(&s->q);
    test_tensor_free(&s->k);
    test_tensor_free(&s->v);
    locant_encoding_free(s->e);
}

/* Keys one after another, the query at the last but one. */
static void place(struct step *s, int64_t start)
{
    for (int64_t j = 0; j < S; j++)
        s->k_pos[j] = start + j;
    s->q_pos = start + S - 2;
}

/* out [H, D], then lse [H] */
static void run(float *result, const struct step *s, bool reference)
{
    const int64_t shape[4] = { 1, H, 1, D };
    const locant_sizes sizes = {
        .width = H * D, .heads = H, .kv_heads = HKV, .head_dim = D
    };
    locant_tensor out = locant_dense(result, LOCANT_F32, 4, shape), params[2];
    locant_tensor lse = DENSE(F32, result + H * D, 1, H, 1);
    locant_attention a = LOCANT_ATTENTION_INIT;
    locant_param_info info;
    void *workspace;
    size_t bytes;
    int learned = 0;

    a.q = &s->q;
    a.k = &s->k;
    a.v = &s->v;
    a.q_pos = VIEW(I64, (void *)&s->q_pos, 1);
    a.k_pos = VIEW(I64, (void *)s->k_pos, S);
    a.encoding = s->e;
    a.mask = LOCANT_MASK_CAUSAL;
    for (; locant_encoding_param(&info, s->e, learned, &sizes); learned++) {
        CHECK(learned < 2);
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
}

static const char *const specs[] = {
    "alibi", "alibi(symmetric=yes)", "alibi(learned=yes)", "kerple",
    "t5",    "alibi(max=16)"
};
static const int64_t starts[] = { (1LL << 53) - 65, (1LL << 53) + 1, 1LL << 62,
                                  -(1LL << 62) - 1, INT64_MAX - S };

static void expect_same_anywhere(void)
{
    for (size_t i = 0; i < LEN(specs); i++) {
        struct step s;
        float near[H * (D + 1)], far[H * (D + 1)];

        step_make(&s, specs[i]);
        place(&s, 0);
        run(near, &s, false);
        for (size_t n = 0; n < LEN(starts); n++) {
            place(&s, starts[n]);
            run(far, &s, false);
            if (memcmp(far, near, sizeof(near)) != 0)
                FAIL("%s: differs from position %lld on\n", specs[i],
                     (long long)starts[n]);
        }
        step_free(&s);
    }
}

TEST(a_step_far_away_has_the_bits_of_one_near)
{
    test_each_isa(expect_same_anywhere);
}

/*
 * ALiBi by its formula, distances in integers: of keys near 2^53, where a
 * double no longer tells odd positions, and of others 2^62 before them, which
 * have no weight left.
 */
TEST(distances_are_those_of_integers)
{
    float got[H * (D + 1)], want[H * (D + 1)];
    double wide[H * D];
    struct step s;

    step_make(&s, "alibi");
    place(&s, (1LL << 53) + 1);
    for (int64_t j = 0; j < S; j += 3)
        s.k_pos[j] -= 1LL << 62;
    run(got, &s, false);
    run(want, &s, true);
    for (int64_t h = 0; h < H; h++) {
        const float *q = (const float *)s.q.data + h * D;
        /* H = 6: those of 4 heads, then the first and the third of 8. */
        double slope =
            exp2(h < 4 ? -2.0 * (double)(h + 1) : -1.0 - 2.0 * (double)(h - 4));
        double sum = 0, out[D] = { 0 };

        for (int64_t j = 0; j < S - 1; j++) {
            int64_t at = (h / (H / HKV) * S + j) * D;
            double score = 0, weight;

            for (int64_t d = 0; d < D; d++)
                score += (double)q[d] * (double)((float *)s.k.data)[at + d];
            weight =
                exp(score / sqrt(D) - slope * (double)(s.q_pos - s.k_pos[j]));
            sum += weight;
            for (int64_t d = 0; d < D; d++)
                out[d] += weight * (double)((float *)s.v.data)[at + d];
        }
        for (int64_t d = 0; d < D; d++) {
            wide[h * D + d] = out[d] / sum;
            CHECK(fabs((double)want[h * D + d] - out[d] / sum) < 1e-6);
        }
    }
    CHECK(test_relative_l2(got, wide, H * D) < 1e-6);
    step_free(&s);
}
