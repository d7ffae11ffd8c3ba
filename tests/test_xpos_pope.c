/*
 * test_xpos_pope.c - xpos and pope against the numbers of docs/encodings.md,
 * 10.1 and 10.10.
 */
#include "oracle/near.h"
#include <math.h>

/* -------------------------------------------------------------------- xpos */

/* (1, 0, 1, 0, ..) has length zeta^e in every pair. */
TEST(xpos_has_the_printed_factors)
{
    static const double two_back[4] = { 1.0049055986, 1.0030015862,
                                        1.0017273994, 1.0007686949 };
    static const double one_on[4] = { 0.9975561883, 0.9985025770, 0.9991374176,
                                      0.9996158740 };
    static const double x[8] = { 1, 0, 1, 0, 1, 0, 1, 0 };
    double y[8], got[4];

    near_rotate(y, x, "xpos", -2, 8, 0);
    for (int c = 0; c < 4; c++)
        got[c] = hypot(y[2 * c], y[2 * c + 1]);
    near_all(got, two_back, 4, 1e-10);
    near_rotate(y, x, "xpos(center=7)", 8, 8, 0);
    for (int c = 0; c < 4; c++)
        got[c] = hypot(y[2 * c], y[2 * c + 1]);
    near_all(got, one_on, 4, 1e-10);
    near_rotate(y, x, "xpos(center=7)", 8, 8, LOCANT_ROTATE_KEY);
    for (int c = 0; c < 4; c++)
        got[c] = hypot(y[2 * c], y[2 * c + 1]) * one_on[c];
    near_all(got, (double[]){ 1, 1, 1, 1 }, 4, 2e-10);
}

/* Scores fall as zeta^(n / scale), wherever the pair sits. */
TEST(xpos_scores_are_relative)
{
    for (int n = 0; n < 100; n++) {
        int64_t p = test_range(-9000, 9000), j = p - test_range(0, 500);
        int64_t shift = test_range(-9000, 9000);
        double q[16], k[16], rq[16], rk[16], s[2];

        for (int d = 0; d < 16; d++) {
            q[d] = test_normal();
            k[d] = test_normal();
        }
        for (int m = 0; m < 2; m++) {
            near_rotate(rq, q, "xpos", p + m * shift, 16, 0);
            near_rotate(rk, k, "xpos", j + m * shift, 16, LOCANT_ROTATE_KEY);
            s[m] = near_dot(rq, rk, 16);
        }
        /* cosines to 2^-43.6, and factors that cancel to about 100 2^-53 */
        CHECK(fabs(s[0] - s[1]) <=
              1e-11 * sqrt(near_dot(q, q, 16) * near_dot(k, k, 16)));
    }
}

TEST(xpos_refuses_positions_that_overflow)
{
    int64_t pos = 32938;
    float x[8] = { 1 }, y[8] = { 7 };
    double real = -32938.5;
    OWNED(locant_encoding) *e = test_create("xpos");
    locant_tensor tx = DENSE(F32, x, 1, 8);
    locant_tensor ty = DENSE(F32, y, 1, 8);
    locant_tensor p = DENSE(I64, &pos, 1);

    REFUSES(PARAM, locant_encoding_rotate(&ty, &tx, e, &p, NULL, 0),
            "position 32938 (index 0), expected at most 32937 from the "
            "center of xpos, 0: its factors overflow");
    CHECK(y[0] == 7);
    pos = 32937;
    CHECK_OK(locant_encoding_rotate(&ty, &tx, e, &p, NULL, LOCANT_ROTATE_KEY));
    CHECK(isfinite(y[0]));
    p = DENSE(F64, &real, 1);
    CHECK(locant_encoding_rotate(&ty, &tx, e, &p, NULL, 0) == LOCANT_ERR_PARAM);
}

/* -------------------------------------------------------------------- pope */

static double pope_score(int64_t m, int64_t n, double phase)
{
    double q[2] = { 1, -1 }, k[2] = { .5, 2 }, rq[4], rk[4];
    double delta[2] = { phase, phase };
    OWNED(locant_encoding) *e = test_create("pope");
    locant_tensor out = DENSE(F64, rq, 1, 4);
    locant_tensor param = DENSE(F64, delta, 1, 2);
    locant_tensor p = DENSE(I64, &m, 1);

    CHECK_OK(
        locant_encoding_rotate(&out, VIEW(F64, q, 1, 2), e, &p, &param, 0));
    p.data = &n;
    out.data = rk;
    CHECK_OK(locant_encoding_rotate(&out, VIEW(F64, k, 1, 2), e, &p, &param,
                                    LOCANT_ROTATE_KEY));
    return near_dot(rq, rk, 4);
}

TEST(pope_has_the_printed_scores)
{
    double a = log1p(exp(1.)) * log1p(exp(.5)),
           b = log1p(exp(-1.)) * log1p(exp(2.));

    CHECK(fabs(pope_score(5, 5, 0) - 1.9455030420) <= 1e-10);
    CHECK(fabs(pope_score(8, 5, 0) - -0.6004309535) <= 1e-10);
    CHECK(fabs(pope_score(100008, 100005, 0) - -0.6004309535) <= 1e-10);
    /* frequencies 1 and 10000^(-1/2); delta of the key is taken off */
    CHECK(fabs(pope_score(8, 5, -.5) - a * cos(3.5) - b * cos(.53)) <= 1e-11);
}

TEST(phases_stay_in_one_turn)
{
    double delta[4] = { -7, -1, 0, .1 };
    OWNED(locant_encoding) *e = test_create("pope");

    CHECK_OK(locant_encoding_param_project(VIEW(F64, delta, 1, 4), e, 0));
    near_all(delta, (double[]){ -6.283185307179586, -1, 0, 0 }, 4, 0);
}
