/*
 * test_check_values.c - the numbers printed in the specification of tables,
 * rows and biases, to their last digit.
 */
#include "check_case.h"
#include "locant/positions.h"
#include <string.h>

/* ------------------------------------------------------------- sinusoidal */

static void row_is(const char *spec, int64_t pos, int64_t D, const double *want)
{
    double got[16];

    near_row(got, spec, pos, D);
    near_all(got, want, (size_t)D, TEN);
}

TEST(sinusoids_of_tensor2tensor)
{
    static const char inclusive[] = "sinusoidal(form=split,spacing=inclusive)";

    row_is(inclusive, 1, 8,
           (double[]){ 0.8414709848, 0.0463992235, 0.0021544330, 0.0001000000,
                       0.5403023059, 0.9989229760, 0.9999976792,
                       0.9999999950 });
    row_is(inclusive, 2, 8,
           (double[]){ 0.9092974268, 0.0926985008, 0.0043088560, 0.0002000000,
                       -0.4161468365, 0.9956942241, 0.9999907168,
                       0.9999999800 });
    row_is(inclusive, 1, 5,
           (double[]){ 0.8414709848, 0.0001, 0.5403023059, 0.999999995, 0 });
    /* fairseq's first token sits at 2. */
    row_is("sinusoidal(form=split,spacing=inclusive,start=2)", 0, 8,
           (double[]){ 0.9092974268, 0.0926985008, 0.0043088560, 0.0002000000,
                       -0.4161468365, 0.9956942241, 0.9999907168,
                       0.9999999800 });
}

/* ----------------------------------------------------------------- indices */

static void rows_are(const int64_t *values, int64_t first, int64_t pad,
                     int tokens, const int64_t want[5])
{
    int64_t got[5], in[5];
    locant_tensor out = DENSE(I64, got, 1, 5);
    locant_tensor from = DENSE(I64, in, 1, 5);

    memcpy(in, values, sizeof(in));
    if (tokens)
        CHECK_OK(locant_positions_from_tokens(&out, &from, 1, first, pad));
    else
        CHECK_OK(locant_positions_from_mask(&out, &from, first, pad));
    CHECK(memcmp(got, want, sizeof(got)) == 0);
}

TEST(learned_rows_follow_the_mask)
{
    static const int64_t mask[5] = { 0, 0, 1, 1, 1 };
    static const int64_t ids[5] = { 0, 5, 6, 2, 1 };

    rows_are(mask, 2, 1, 0, (int64_t[]){ 1, 1, 2, 3, 4 });
    rows_are(ids, 2, 1, 1, (int64_t[]){ 2, 3, 4, 5, 1 });
    rows_are(mask, 0, 1, 0, (int64_t[]){ 1, 1, 0, 1, 2 });
    rows_are(mask, 0, 0, 0, (int64_t[]){ 0, 0, 0, 1, 2 });
}

/* ---------------------------------------------------------------- ALiBi */

TEST(slopes_with_another_maximum)
{
    for (int h = 0; h < 8; h++) {
        CHECK(near_bias("alibi(max=16)", 8, h, 1, 0, NULL) ==
              -ldexp(1, -2 * (h + 1)));
        CHECK(near_bias("alibi(max=16)", 12, h, 1, 0, NULL) ==
              -ldexp(1, -2 * (h + 1)));
    }
    for (int h = 0; h < 4; h++)
        CHECK(near_bias("alibi(max=16)", 12, 8 + h, 1, 0, NULL) ==
              -ldexp(1, -2 * h - 1));
}

TEST(keys_alone_as_in_bloom_and_mpt)
{
    CHECK(near_bias("alibi(dialect=bloom)", 8, 0, 2, 1, NULL) == 0.5);
    CHECK(near_bias("alibi(dialect=bloom)", 8, 0, 2, 2, NULL) == 1);
    CHECK(near_bias("alibi(dialect=mpt)", 8, 0, 7, 3, NULL) == 0);
}

/* Weights of head 0 of 8, m = 1/2: the query at i, keys 0 .. 3. */
static void weights(double *out, const char *spec, const double *logits,
                    int64_t i, locant_mask mask)
{
    double q[32] = { 0 }, k[16] = { 0 }, v[16] = { 0 }, all[32], lse[8];
    locant_attention a = LOCANT_ATTENTION_INIT;
    locant_tensor tk = DENSE(F64, k, 1, 1, 4, 4), tv = tk;
    OWNED(locant_encoding) *e = test_create(spec);

    for (int j = 0; j < 4; j++) {
        q[4 * j] = 1; /* of head j */
        k[4 * j] = logits[j];
        v[5 * j] = 1;
    }
    tv.data = v;
    a.q = VIEW(F64, q, 1, 8, 1, 4);
    a.k = &tk;
    a.v = &tv;
    a.q_pos = VIEW(I64, &i, 1);
    a.encoding = e;
    a.scale = 1;
    a.mask = mask;
    CHECK_OK(locant_attention_reference(VIEW(F64, all, 1, 8, 1, 4),
                                        VIEW(F64, lse, 1, 8, 1), &a));
    memcpy(out, all, 4 * sizeof(*out));
}

TEST(weights_of_alibi)
{
    static const double logits[4] = { .3, -.2, .5, .1 }, zero[4] = { 0 };
    static const double want[4] = { 0.1112419614, 0.1112419614, 0.3693363187,
                                    0.4081797584 };
    static const double symmetric[4] = { 0.2350037122, 0.3874556190,
                                         0.2350037122, 0.1425369566 };
    double got[4];

    weights(got, "alibi", logits, 3, LOCANT_MASK_CAUSAL);
    near_all(got, want, 4, TEN);
    weights(got, "alibi(dialect=bloom)", logits, 3, LOCANT_MASK_CAUSAL);
    near_all(got, want, 4, TEN);
    weights(got, "alibi(dialect=mpt)", logits, 3, LOCANT_MASK_CAUSAL);
    near_all(got, want, 4, TEN);
    weights(got, "alibi(symmetric=yes)", zero, 1, LOCANT_MASK_NONE);
    near_all(got, symmetric, 4, TEN);
}

/* ------------------------------------------------- sandwich, fire */

/* The eighth of eight heads divides by 8; 64 is the sum at distance 0. */
TEST(sandwich_values)
{
    static const int at[] = { 0, 1, 2, 10, 100 };
    static const double want[] = { 64, 62.0936838058, 57.3818605528,
                                   42.8200228985, 30.5434547015 };
    double got[5], step;

    for (int i = 0; i < 5; i++)
        got[i] = 8 * near_bias("sandwich", 8, 7, at[i], 0, NULL) + 64;
    near_all(got, want, 5, TEN);
    step = near_bias("sandwich", 8, 7, 1, 0, NULL) -
           near_bias("sandwich", 8, 7, 0, 0, NULL);
    near_all(&step, (double[]){ -0.2382895243 }, 1, TEN);
}

/* One hidden unit that passes its input on. */
static double fire(int64_t i, int64_t j)
{
    double c = .1, l = 1, one = 1, zero = 0;
    locant_tensor params[6] = {
        check_dense(&c, 1, 0),   check_dense(&l, 1, 0),
        check_dense(&one, 1, 0), check_dense(&zero, 1, 0),
        check_dense(&one, 1, 1), check_dense(&zero, 1, 0),
    };

    return near_bias("fire(hidden=1)", 1, 0, i, j, params);
}

TEST(fire_values)
{
    double got[5] = { fire(10, 9), fire(10, 0), fire(512, 0), fire(1024, 0),
                      fire(1024, 512) };
    double row[4] = { fire(3, 0), fire(3, 1), fire(3, 2), fire(3, 3) };

    near_all(got,
             (double[]){ 0.0240981461, 0.1752547529, 0.9999997472, 0.9999997844,
                         0.8526446366 },
             5, TEN);
    near_all(row, (double[]){ 0.0663359610, 0.0460980298, 0.0240981461, 0 }, 4,
             TEN);
}
