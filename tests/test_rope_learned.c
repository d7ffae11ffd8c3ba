/*
 * test_rope_learned.c - rotations by head, fope, grape-m and rope-imaginary:
 * printed values, rope as their special case, heads that share parameters,
 * refusals.  The gradients are judged by the oracles.
 */
#include "locant/positions.h"
#include "oracle/near.h"
#include <math.h>
#include <stdio.h>

/* Rotate x [heads, 1, D] to position p. */
static void rotate(double *y, const double *x, locant_encoding *e,
                   int64_t heads, int64_t D, int64_t p,
                   const locant_tensor *params, int flags)
{
    locant_tensor tx = DENSE(F64, (double *)(uintptr_t)x, heads, 1, D);
    locant_tensor ty = DENSE(F64, y, heads, 1, D);
    locant_tensor tp = DENSE(I64, &p, 1);

    CHECK_OK(locant_encoding_rotate(&ty, &tx, e, &tp, params, flags));
}

static double product(const double *x, const double *y, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Values are printed to 10 digits after the point; sums of few terms in double
 * add far less. */
static void near_printed(const double *got, const double *want, int n)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(got[i] - want[i]) <= 0.51e-10))
            FAIL("entry %d: got %.12f, want %.10f", i, got[i], want[i]);
}

/* -------------------------------------------------------------------- fope */

/* Heads of 8, base 1e4: two frequencies turn within 128 positions. */
static void fope_matrices(double mix_cos[4], double mix_sin[4])
{
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 2; c++) {
            mix_cos[2 * i + c] = (i == c) + 0.1 * sin(i + 2 * c);
            mix_sin[2 * i + c] = (i == c) + 0.1 * cos(2 * i - c);
        }
}

TEST(fope_has_the_printed_values)
{
    static const double x[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    double mix_cos[4], mix_sin[4], got[8], q[8], k[8], a[8], b[8], score[2];
    const locant_tensor params[] = { DENSE(F64, mix_cos, 2, 2),
                                     DENSE(F64, mix_sin, 2, 2) };
    OWNED(locant_encoding) *copied =
        test_create("fope(length=128,heads=shared)");
    OWNED(locant_encoding) *padded =
        test_create("fope(length=128,heads=shared,pad=1)");

    fope_matrices(mix_cos, mix_sin);
    rotate(got, x, copied, 1, 8, 3, params, 0);
    near_printed(got,
                 (double[]){ -1.6242738477, -0.1570749980, 3, 4, -4.4050844859,
                             5.9110145690, 7, 8 },
                 8);
    rotate(got, x, padded, 1, 8, 3, params, 0);
    near_printed(got,
                 (double[]){ -1.6242738477, -0.1570749980, -4, -4,
                             -4.4050844859, 5.9110145690, 10, 12 },
                 8);
    for (int d = 0; d < 8; d++) {
        q[d] = sin(0.3 * d);
        k[d] = cos(0.4 * d);
    }
    for (int shift = 0; shift <= 3; shift += 3) {
        rotate(a, q, copied, 1, 8, 5 + shift, params, 0);
        rotate(b, k, copied, 1, 8, 2 + shift, params, LOCANT_ROTATE_KEY);
        score[shift / 3] = product(a, b, 8);
    }
    near_printed(score, (double[]){ -1.1725969737, -1.6760346924 }, 2);
}

/* With the identity, and all frequencies within the length. */
TEST(fope_without_mixing_is_rope)
{
    OWNED(locant_encoding) *fope =
        test_create("fope(base=100,length=4096,heads=shared)");
    OWNED(locant_encoding) *rope = test_create("rope(base=100)");
    double eye[16] = { 0 }, x[8], got[8], want[8];
    const locant_tensor params[] = { DENSE(F64, eye, 4, 4),
                                     DENSE(F64, eye, 4, 4) };

    for (int i = 0; i < 4; i++)
        eye[5 * i] = 1;
    for (int d = 0; d < 8; d++)
        x[d] = sin(1.3 * d + 0.2);
    for (int64_t p = -3; p <= 1000000; p = 7 * p + 29) {
        rotate(got, x, fope, 1, 8, p, params, 0);
        rotate(want, x, rope, 1, 8, p, NULL, 0);
        for (int d = 0; d < 8; d++)
            CHECK(fabs(got[d] - want[d]) <= 0x1p-51);
    }
}

/* Frozen matrices start as the identity and some noise, and a gain of 0 leaves
 * the identity, or every second row of it. */
TEST(fope_starts_near_the_identity)
{
    static const char *const specs[] = {
        "fope(base=100,length=4096,gain=0)",
        "fope(base=100,length=4096,gain=0,mixed=quarter)"
    };
    const locant_sizes sizes = { .heads = 2, .kv_heads = 2, .head_dim = 8 };

    for (int i = 0; i < 2; i++) {
        OWNED(locant_encoding) *e = test_create(specs[i]);
        locant_param_info info;
        double x[32];
        locant_tensor t;

        CHECK(locant_encoding_param(&info, e, 0, &sizes) == 1);
        CHECK(info.rank == 3 && info.shape[0] == 2 && info.shape[1] == 4 &&
              info.shape[2] == (i == 0 ? 4 : 2));
        CHECK(info.rate == 0);
        t = locant_dense(x, LOCANT_F64, info.rank, info.shape);
        CHECK_OK(locant_encoding_param_init(&t, e, 0, 1));
        for (int64_t h = 0; h < 2; h++)
            for (int64_t r = 0; r < 4; r++)
                for (int64_t c = 0; c < info.shape[2]; c++)
                    CHECK(x[(h * 4 + r) * info.shape[2] + c] ==
                          (r == c * (i + 1)));
    }
}

/* ----------------------------------------------------------------- grape-m */

TEST(grape_m_has_the_printed_values)
{
    double a[4] = { 1, 0.5, 0, -0.3 }, b[4] = { 0.2, 1, 0.4, 0.1 };
    double q[4], k[4], got[4], x[4], y[4], score[2];
    const locant_tensor params[] = { DENSE(F64, a, 4), DENSE(F64, b, 4) };
    OWNED(locant_encoding) *e = test_create("grape-m(planes=rank2,omega=0.3)");

    for (int d = 0; d < 4; d++)
        q[d] = sin(0.3 * d);
    rotate(got, q, e, 1, 4, 3, params, 0);
    near_printed(
        got,
        (double[]){ 0.5968572816, 0.3638193038, 0.4623626762, 0.5633578063 },
        4);
    for (int d = 0; d < 4; d++) {
        q[d] = sin(0.4 + 0.3 * d);
        k[d] = cos(0.2 - 0.4 * d);
    }
    for (int i = 0; i < 2; i++) {
        rotate(x, q, e, 1, 4, i == 0 ? 7 : 3, params, 0);
        rotate(y, k, e, 1, 4, i == 0 ? 4 : 0, params, LOCANT_ROTATE_KEY);
        score[i] = product(x, y, 4);
    }
    near_printed(score, (double[]){ 2.2695530684, 2.2695530684 }, 2);
}

/* lambda is rounded, so a frequency is within 2^-52 ln(base) of rope's: angles
 * below 1000 within 1e-12. */
TEST(grape_m_starts_as_rope_at_negated_positions)
{
    OWNED(locant_encoding) *e = test_create("grape-m(base=500,learn=no)");
    OWNED(locant_encoding) *rope = test_create("rope(base=500)");
    const locant_sizes sizes = { .head_dim = 8 };
    double lambda[4], x[8], got[8], want[8];
    const locant_tensor params = DENSE(F64, lambda, 4);
    locant_tensor t = params;
    locant_param_info info;

    CHECK(locant_encoding_param(&info, e, 0, &sizes) == 1 && info.rate == 0);
    CHECK_OK(locant_encoding_param_init(&t, e, 0, 1));
    for (int d = 0; d < 8; d++)
        x[d] = sin(1.3 * d + 0.2);
    for (int64_t p = -7; p <= 1000; p += 53) {
        rotate(got, x, e, 1, 8, p, &params, 0);
        rotate(want, x, rope, 1, 8, -p, NULL, 0);
        for (int d = 0; d < 8; d++)
            CHECK(fabs(got[d] - want[d]) <= 1e-12);
        rotate(want, got, e, 1, 8, p, &params, LOCANT_ROTATE_INVERSE);
        for (int d = 0; d < 8; d++)
            CHECK(fabs(want[d] - x[d]) <= 1e-15);
    }
}

/* A list of every head, given by a tensor: with negative entries rope's own
 * rotation, and copies where it is 0. */
TEST(lists_of_frequencies_may_differ_by_head)
{
    OWNED(locant_encoding) *e =
        test_create("grape-m(heads=each,theta=plain,learn=no)");
    OWNED(locant_encoding) *rope =
        test_create("rope(freqs=list(values=1:0.25:0:0.03125))");
    double theta[8] = { -1, -0.25, 0, -0.03125, 0, 0, 0, 0 };
    double x[16], got[16], want[16];
    const locant_tensor params = DENSE(F64, theta, 2, 4);

    for (int n = 0; n < 16; n++)
        x[n] = want[n] = sin(1.3 * n + 0.2);
    for (int64_t p = -7; p <= 1000; p += 53) {
        rotate(got, x, e, 2, 8, p, &params, LOCANT_ROTATE_KEY);
        rotate(want, x, rope, 1, 8, p, NULL, 0);
        for (int n = 0; n < 16; n++) /* the second head has no positions */
            CHECK(n % 8 % 4 == 2 || n >= 8 ? got[n] == x[n]
                                           : fabs(got[n] - want[n]) <= 0x1p-51);
    }
}

/* a and b of nearly the same direction: t is small, and the series are used. */
TEST(a_plane_may_be_thin)
{
    OWNED(locant_encoding) *e = test_create("grape-m(planes=rank2)");
    double a[4] = { 1, 0.5, 0, -0.3 }, b[4], x[4] = { 1, -2, 0.5, 3 }, y[4];
    double dx[4], dy[4] = { 0.3, 0.1, -0.7, 0.4 }, da[4], db[4], z[4];
    int64_t p = 3;
    const locant_tensor params[] = { DENSE(F64, a, 4), DENSE(F64, b, 4) };
    locant_tensor dparams[] = { DENSE(F64, da, 4), DENSE(F64, db, 4) };
    locant_tensor tx = DENSE(F64, x, 1, 1, 4), tdx = DENSE(F64, dx, 1, 1, 4);
    locant_tensor tdy = DENSE(F64, dy, 1, 1, 4), tp = DENSE(I64, &p, 1);

    for (double thin = 0; thin < 0.2; thin = thin * 4 + 1e-4) {
        for (int d = 0; d < 4; d++) {
            b[d] = a[d] + thin * cos(d);
            da[d] = db[d] = 0;
        }
        rotate(y, x, e, 1, 4, p, params, 0);
        /* dots of norms above 10, rounded a few times */
        CHECK(fabs(product(y, y, 4) - product(x, x, 4)) <= 1e-12);
        CHECK_OK(locant_encoding_rotate_backward(&tdx, dparams, &tdy, &tx, e,
                                                 &tp, params, 0));
        for (int d = 0; d < 8; d++) {
            double *entry = d < 4 ? &a[d] : &b[d - 4], was = *entry, slope;
            const double h = 1e-4;

            *entry = was + h;
            rotate(y, x, e, 1, 4, p, params, 0);
            *entry = was - h;
            rotate(z, x, e, 1, 4, p, params, 0);
            *entry = was;
            slope = (product(y, dy, 4) - product(z, dy, 4)) / (2 * h);
            /* third derivatives below 100 times h^2 / 6, rounding 1e-15/h */
            CHECK(fabs(slope - (d < 4 ? da[d] : db[d - 4])) <= 1e-6);
        }
    }
}

/* ---------------------------------------------------------- rope-imaginary */

enum { HEADS = 2, TOKENS = 5, DIM = 4 };

/* The inputs of the printed values, every query head twice. */
static void fill_inputs(double q[2 * HEADS][TOKENS][DIM],
                        double k[HEADS][TOKENS][DIM],
                        double v[HEADS][TOKENS][DIM])
{
    for (int h = 0; h < HEADS; h++)
        for (int i = 0; i < TOKENS; i++)
            for (int d = 0; d < DIM; d++) {
                q[2 * h][i][d] = sin(0.1 * i + 0.3 * d + 0.7 * h);
                q[2 * h + 1][i][d] = q[2 * h][i][d];
                k[h][i][d] = cos(0.2 * i - 0.4 * d + 0.5 * h);
                v[h][i][d] = sin(0.5 * i + 0.7 * d + 0.2 * h);
            }
}

TEST(imaginary_heads_have_the_printed_values)
{
    static const double real[] = { 0.2035834380, -0.1060414581, 0.1683266774,
                                   0.8671524285, 1.2968205000 };
    static const double imaginary[] = { -0.0708077066, 0.2818447576,
                                        0.8117229040, 0.8432282228,
                                        0.2454861076 };
    double q[2 * HEADS][TOKENS][DIM], k[HEADS][TOKENS][DIM];
    double v[HEADS][TOKENS][DIM], o[2 * HEADS][TOKENS][DIM], x[4 * DIM];
    double score[2][TOKENS], lse[2 * HEADS * TOKENS];
    OWNED(locant_encoding) *e = test_create("rope-imaginary(base=100)");
    locant_tensor tq = DENSE(F64, **q, 1, 2 * HEADS, TOKENS, DIM);
    locant_tensor tk = DENSE(F64, **k, 1, HEADS, TOKENS, DIM);
    locant_tensor tv = DENSE(F64, **v, 1, HEADS, TOKENS, DIM);
    locant_tensor to = DENSE(F64, **o, 1, 2 * HEADS, TOKENS, DIM);
    locant_attention a = LOCANT_ATTENTION_INIT;

    fill_inputs(q, k, v);
    for (int j = 0; j < TOKENS; j++) {
        double heads[4 * DIM], key[DIM];

        for (int h = 0; h < 4; h++)
            for (int d = 0; d < DIM; d++)
                heads[h * DIM + d] = q[h][4][d];
        rotate(x, heads, e, 4, DIM, 4, NULL, 0);
        rotate(key, k[0][j], e, 1, DIM, j, NULL, LOCANT_ROTATE_KEY);
        score[0][j] = product(x, key, DIM) / 2;
        score[1][j] = product(x + DIM, key, DIM) / 2;
    }
    near_printed(score[0], real, TOKENS);
    near_printed(score[1], imaginary, TOKENS);
    a.encoding = e;
    a.mask = LOCANT_MASK_CAUSAL;
    a.q = &tq;
    a.k = &tk;
    a.v = &tv;
    CHECK_OK(locant_attention_reference(
        &to, VIEW(F64, lse, 1, 2 * HEADS, TOKENS), &a));
    near_printed(
        o[1][4],
        (double[]){ 0.7410418575, 0.8006075119, 0.4836349437, -0.0607986955 },
        DIM);
    near_printed(
        o[2][4],
        (double[]){ 0.8139065574, 0.6204755619, 0.1352252144, -0.4136236644 },
        DIM);
}

/* Real heads and keys are rope's; its keys move with rope. */
TEST(imaginary_heads_take_the_keys_of_rope)
{
    static const char *const pairings[] = { "half", "interleaved" };
    char spec[80], plain[80];

    for (int i = 0; i < 2; i++) {
        double x[16], y[16], want[16];

        snprintf(spec, sizeof spec, "rope-imaginary(pairing=%s)", pairings[i]);
        snprintf(plain, sizeof plain, "rope(pairing=%s)", pairings[i]);
        OWNED(locant_encoding) *e = test_create(spec);
        OWNED(locant_encoding) *rope = test_create(plain);

        for (int n = 0; n < 16; n++)
            x[n] = cos(0.9 * n);
        rotate(y, x, e, 2, 8, 77, NULL, LOCANT_ROTATE_KEY);
        rotate(want, x, rope, 2, 8, 77, NULL, 0);
        for (int n = 0; n < 16; n++)
            CHECK(fabs(y[n] - want[n]) <= 0x1p-51);
        rotate(y, x, e, 2, 8, 77, NULL, 0);
        for (int n = 0; n < 8; n++)
            CHECK(fabs(y[n] - want[n]) <= 0x1p-51);
        CHECK(fabs(product(y + 8, want + 8, 8)) <= 1e-14);
    }
}

/* ------------------------------------------------------------------- heads */

/* Four query heads share the parameters of two key heads. */
TEST(query_heads_share_parameters_of_key_heads)
{
    static const char *const specs[] = { "grape-m(heads=each)",
                                         "grape-m(planes=rank2,heads=each)",
                                         "fope(length=128)" };
    const locant_sizes sizes = { .heads = 4, .kv_heads = 2, .head_dim = 8 };

    for (int i = 0; i < 3; i++) {
        OWNED(locant_encoding) *e = test_create(specs[i]);
        double values[2][32], x[32], y[32], keys[16], want[16];
        locant_tensor params[2];
        locant_param_info info;

        for (int k = 0; locant_encoding_param(&info, e, k, &sizes); k++) {
            CHECK(info.shape[0] == 2);
            params[k] =
                locant_dense(values[k], LOCANT_F64, info.rank, info.shape);
            CHECK_OK(locant_encoding_param_init(&params[k], e, k, 5));
        }
        for (int n = 0; n < 32; n++)
            x[n] = sin(0.7 * n);
        rotate(y, x, e, 4, 8, 11, params, 0);
        for (int member = 0; member < 2; member++) {
            for (int n = 0; n < 16; n++)
                keys[n] = x[(n / 8 * 2 + member) * 8 + n % 8];
            rotate(want, keys, e, 2, 8, 11, params, LOCANT_ROTATE_KEY);
            for (int n = 0; n < 16; n++)
                CHECK(want[n] == y[(n / 8 * 2 + member) * 8 + n % 8]);
        }
    }
}

/* ---------------------------------------------------------------- refusals */

TEST(what_cannot_be_is_refused)
{
    OWNED(locant_encoding) *bare = test_create("fope");
    OWNED(locant_encoding) *fope = test_create("fope(length=128,heads=shared)");
    OWNED(locant_encoding) *grape = test_create("grape-m");
    OWNED(locant_encoding) *twice = test_create("rope-imaginary");
    double x[8] = { 1 }, y[8], mix[4] = { 1, 0, 0, 1 };
    const locant_tensor params[] = { DENSE(F64, mix, 2, 2),
                                     DENSE(F64, mix, 2, 2) };
    const locant_tensor wrong[] = { DENSE(F64, mix, 1, 4),
                                    DENSE(F64, mix, 2, 2) };
    locant_tensor tx = DENSE(F64, x, 1, 1, 8), ty = DENSE(F64, y, 1, 1, 8);
    int64_t p = 3;
    locant_tensor tp = DENSE(I64, &p, 1);

    CHECK_REFUSED(locant_encoding_rotate(&ty, &tx, fope, &tp, params,
                                         LOCANT_ROTATE_INVERSE),
                  LOCANT_ERR_UNSUPPORTED,
                  "locant_encoding_rotate: fope has no inverse");
    CHECK_REFUSED(locant_encoding_rerotate(&ty, &tx, fope, &tp, fope, &tp),
                  LOCANT_ERR_UNSUPPORTED,
                  "locant_encoding_rerotate: fope is no plain rotation");
    CHECK_REFUSED(locant_encoding_rerotate(&ty, &tx, grape, &tp, grape, &tp),
                  LOCANT_ERR_UNSUPPORTED,
                  "locant_encoding_rerotate: grape-m is no plain rotation");
    CHECK_REFUSED(locant_encoding_rerotate(&ty, &tx, twice, &tp, twice, &tp),
                  LOCANT_ERR_UNSUPPORTED,
                  "locant_encoding_rerotate: rope-imaginary is no plain "
                  "rotation");
    CHECK_REFUSED(locant_encoding_rotate(&ty, &tx, fope, &tp, wrong, 0),
                  LOCANT_ERR_SHAPE,
                  "locant_encoding_rotate: cos has size 1 in dimension 0, "
                  "expected 2");
    {
        const locant_tensor each[] = { DENSE(F64, mix, 1, 2, 2),
                                       DENSE(F64, mix, 1, 2, 2) };

        CHECK_REFUSED(locant_encoding_rotate(&ty, &tx, bare, &tp, each, 0),
                      LOCANT_ERR_PARAM,
                      "locant_encoding_rotate: fope has no length, expected "
                      "one in its spec, or a resolved encoding");
    }
}
