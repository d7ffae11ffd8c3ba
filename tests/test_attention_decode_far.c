/*
 * test_attention_decode_far.c - a step of decoding, biases formed for its
 * one query: distances are differences of integers, so it does not matter how
 * far from 0 positions lie.
 */
#include "decode_case.h"

enum { H = 6, HKV = 2, D = 16, S = 130 }; /* the last tile has two keys */

static struct step step_of(const char *spec)
{
    struct step s = {
        .spec = spec, .H = H, .Hkv = HKV, .D = D, .T = 1, .S = S
    };

    step_make(&s);
    return s;
}

/* Keys one after another, the query at the last but one. */
static void start_at(struct step *s, int64_t start)
{
    for (int64_t j = 0; j < S; j++)
        s->k_pos[j] = start + j;
    s->q_pos[MANY] = start + S - 2;
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
        FREED_BY(step_free) struct step s = step_of(specs[i]);
        float *near, *far;

        start_at(&s, 0);
        near = run(&s, MANY, 1, false);
        for (size_t n = 0; n < LEN(starts); n++) {
            start_at(&s, starts[n]);
            far = run(&s, MANY, 1, false);
            if (memcmp(far, near, H * (D + 1) * sizeof(*near)) != 0)
                FAIL("%s: differs from position %lld on\n", specs[i],
                     (long long)starts[n]);
            free(far);
        }
        free(near);
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
    double wide[H * D];
    FREED_BY(step_free) struct step s = step_of("alibi");
    float *got, *want;

    start_at(&s, (1LL << 53) + 1);
    for (int64_t j = 0; j < S; j += 3)
        s.k_pos[j] -= 1LL << 62;
    got = run(&s, MANY, 1, false);
    want = run(&s, MANY, 1, true);
    for (int64_t h = 0; h < H; h++) {
        const float *q = (float *)s.q.data + (h * (MANY + 1) + MANY) * D;
        /* H = 6: those of 4 heads, then the first and the third of 8. */
        double slope =
            exp2(h < 4 ? -2.0 * (double)(h + 1) : -1.0 - 2.0 * (double)(h - 4));
        double sum = 0, out[D] = { 0 };

        for (int64_t j = 0; j < S - 1; j++) {
            int64_t at = (h / (H / HKV) * S + j) * D;
            double score = 0, weight;

            for (int64_t d = 0; d < D; d++)
                score += (double)q[d] * (double)((float *)s.k.data)[at + d];
            weight = exp(score / sqrt(D) -
                         slope * (double)(s.q_pos[MANY] - s.k_pos[j]));
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
    free(got);
    free(want);
}
