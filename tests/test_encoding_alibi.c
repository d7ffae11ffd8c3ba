/* test_encoding_alibi.c - arXiv:2108.12409v2, section 3. */
#include "oracle/near.h"
#include <math.h>
#include <string.h>

static double slope(int64_t h, int64_t heads)
{
    return -near_bias("alibi", heads, h, 1, 0, NULL);
}

TEST(slopes_of_powers_of_two_are_exact)
{
    for (int h = 0; h < 8; h++)
        CHECK(slope(h, 8) == ldexp(1, -h - 1));
    CHECK(slope(0, 1) == 0x1p-8);
    CHECK(slope(0, 2) == 0x1p-4 && slope(1, 2) == 0x1p-8);
    for (int h = 0; h < 4; h++)
        CHECK(slope(h, 4) == ldexp(1, -2 * (h + 1)));
    for (int h = 1; h < 16; h += 2)
        CHECK(slope(h, 16) == ldexp(1, -(h + 1) / 2));
}

/* Ten printed decimals. */
TEST(slopes_are_as_printed)
{
    static const double twelve[4] = { 0.7071067812, 0.3535533906, 0.1767766953,
                                      0.0883883476 };
    double got[4];

    for (int h = 0; h < 8; h++)
        CHECK(slope(h, 12) == ldexp(1, -h - 1));
    for (int h = 0; h < 4; h++)
        got[h] = slope(8 + h, 12);
    near_all(got, twelve, 4, 0.51e-10);
    got[0] = slope(0, 16);
    got[1] = slope(2, 16);
    near_all(got, twelve, 2, 0.51e-10);
    got[0] = slope(0, 112);
    got[1] = slope(63, 112);
    got[2] = slope(64, 112);
    got[3] = slope(111, 112);
    near_all(got,
             (double[]){ 0.9170040432, 0.00390625, 0.9576032807, 0.0163167779 },
             4, 0.51e-10);
}

/* The code forms of BLOOM and ggml agree with the paper's for every count. */
TEST(slopes_hold_for_every_head_count)
{
    for (int64_t n = 1; n <= 128; n++)
        for (int64_t h = 0; h < n; h++) {
            double c = exp2(floor(log2((double)n)));
            double ggml = (double)h < c
                              ? pow(exp2(-8 / c), (double)(h + 1))
                              : pow(exp2(-4 / c), 2 * ((double)h - c) + 1);

            /* A rounded base raised to a power below 256. */
            CHECK(fabs(slope(h, n) - ggml) <= 256 * 0x1p-52 * ggml);
        }
}

TEST(row_of_bias_is_as_printed)
{
    static const double want[4] = { -1.5, -1, -.5, 0 };

    for (int j = 0; j < 4; j++) {
        CHECK(near_bias("alibi", 8, 0, 3, j, NULL) == want[j]);
        CHECK(near_bias("alibi(symmetric=yes)", 8, 0, j, 3, NULL) == want[j]);
        CHECK(near_bias("alibi", 8, 0, j, 3, NULL) == -want[j]);
    }
}

TEST(registry_row_is_right)
{
    OWNED(locant_encoding) *e = test_create("alibi(symmetric=no)");

    CHECK(strcmp(locant_encoding_spec(e), "alibi") == 0);
}

/* In bfloat16 throughout: every bit is transformers'. */
TEST(falcon_is_as_transformers_builds_it)
{
    static const struct {
        int heads, head, key;
        double bias;
    } row[] = {
#include "golden/falcon_alibi.inc"
    };

    for (size_t i = 0; i < LEN(row); i++) {
        double got = near_bias("alibi(dialect=falcon)", row[i].heads,
                               row[i].head, 5000, row[i].key, NULL);

        if (got != row[i].bias)
            FAIL("%d heads, head %d, key %d: got %a, want %a", row[i].heads,
                 row[i].head, row[i].key, got, row[i].bias);
    }
}

/* Positions at both ends of int64: finite, right sign. */
TEST(extremes_are_finite)
{
    double far = near_bias("alibi", 8, 0, INT64_MAX, INT64_MIN, NULL);

    CHECK(isfinite(far) && far <= -0x1p61);
    far = near_bias("alibi", 8, 0, INT64_MIN, INT64_MAX, NULL);
    CHECK(isfinite(far) && far >= 0x1p61);
    far = near_bias("alibi(symmetric=yes)", 8, 0, INT64_MIN, INT64_MAX, NULL);
    CHECK(isfinite(far) && far <= -0x1p61);
}

TEST(refuses_bad_arguments)
{
    int64_t pos[4] = { 0 };
    float data[24] = { 7 };
    locant_encoding *e = test_create("alibi"), *none = NULL;
    locant_tensor out = DENSE(F32, data, 2, 3, 4), bad;
    locant_tensor q = DENSE(I64, pos, 3);
    locant_tensor k = DENSE(I64, pos, 4);

    REFUSES(NULL, locant_encoding_bias(NULL, e, &q, &k, NULL), "out is NULL");
    REFUSES(NULL, locant_encoding_bias(&out, e, NULL, &k, NULL),
            "q_pos is NULL");
    REFUSES(SHAPE, locant_encoding_bias(&out, e, &k, &k, NULL),
            "out has size 3 in dimension 1, expected 4");
    REFUSES(SHAPE, locant_encoding_bias(&out, e, &q, &q, NULL),
            "out has size 4 in dimension 2, expected 3");
    bad = out;
    bad.dtype = LOCANT_BF16;
    REFUSES(DTYPE, locant_encoding_bias(&bad, e, &q, &k, NULL),
            "out is bf16, expected f32 or f64");
    bad = out;
    bad.stride[2] = -1;
    REFUSES(LAYOUT, locant_encoding_bias(&bad, e, &q, &k, NULL),
            "last stride of out is -1, expected 1");
    REFUSES(PARAM, locant_encoding_create(&none, "alibi(symmetric=maybe)"),
            "key 'symmetric' of 'alibi': 'maybe' at byte 16 should be yes | "
            "no");
    CHECK(locant_encoding_create(&none, "alibo") == LOCANT_ERR_PARAM);
    /* The list of what is known grows with the registry. */
    CHECK(strstr(locant_last_error(),
                 "locant_encoding_create: unknown encoding 'alibo' at byte 0; "
                 "did you mean 'alibi'? known: alibi, ") != NULL);
    CHECK(data[0] == 7 && none == NULL);
    locant_encoding_free(e);
}
