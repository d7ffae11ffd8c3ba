/* test_encoding_rope.c - arXiv:2104.09864v5, sections 3.2 - 3.4. */
#include "oracle/near.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * In double only the float32 table errs: 0.55 * 2^-24 on each of cosine and
 * sine, times |a| + |b| <= sqrt(2) |x|.
 */
static double turned(const double *x, size_t n)
{
    return 0.56 * 0x1p-24 * 1.4143 * sqrt(near_dot(x, x, n)) + 1e-10;
}

TEST(has_the_printed_values)
{
    static const double x[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    static const double inter3[4] = { -1.2722325127, -1.8388649851,
                                      2.8786681004, 4.0881866356 };
    static const double half3[4] = { -1.4133525208, 1.8791180667, -2.8288574817,
                                     4.0581911354 };
    static const double inter5[8] = { 2.20151073479,  -0.391599903737,
                                      0.715045531254, 4.94860686337,
                                      4.69387628635,  6.24239740872,
                                      6.95991266685,  8.03489985438 };
    static const double half5[8] = { 5.07828355878,  -1.12138810784,
                                     2.64639659629,  3.95995016677,
                                     0.459386652653, 6.22434644855,
                                     7.14118933058,  8.01989991688 };
    double y[8];

    near_rotate(y, x, "rope(pairing=interleaved)", 3, 4, 0);
    near_all(y, inter3, 4, turned(x, 4));
    near_rotate(y, x, "rope", 3, 4, 0);
    near_all(y, half3, 4, turned(x, 4));
    near_rotate(y, x, "rope(pairing=interleaved)", 5, 8, 0);
    near_all(y, inter5, 8, turned(x, 8));
    near_rotate(y, x, "rope(pairing=half)", 5, 8, 0);
    near_all(y, half5, 8, turned(x, 8));
    /* Partial: four of eight, and the exponent is over those four. */
    near_rotate(y, x, "rope(pairing=interleaved,dim=4)", 3, 8, 0);
    near_all(y, inter3, 4, turned(x, 4));
    near_all(y + 4, x + 4, 4, 0);
    near_rotate(y, x, "rope(dim=4)", 3, 8, 0);
    near_all(y, half3, 4, turned(x, 4));
    near_all(y + 4, x + 4, 4, 0);
}

static double pair_score(const double *q, const double *k, const char *spec,
                         int64_t D, int64_t m, int64_t n)
{
    double rq[64], rk[64];

    near_rotate(rq, q, spec, m, D, 0);
    near_rotate(rk, k, spec, n, D, 0);
    return near_dot(rq, rk, (size_t)D);
}

TEST(scores_are_as_printed)
{
    static const double q[4] = { 1, 2, 3, 4 }, k[4] = { .5, -1, .25, 2 };
    static const int64_t at[][2] = { { 7, 4 }, { 107, 104 }, { 3, 0 } };
    double bound = 1e-7 * sqrt(near_dot(q, q, 4) * near_dot(k, k, 4));

    for (size_t i = 0; i < LEN(at); i++) {
        double s = pair_score(q, k, "rope(pairing=interleaved)", 4, at[i][0],
                              at[i][1]);

        CHECK(fabs(s - 10.0987890251) <= bound);
        s = pair_score(q, k, "rope", 4, at[i][0], at[i][1]);
        CHECK(fabs(s - 4.8233735733) <= bound);
    }
}

/* q = k = ones(64): six printed decimals and 1e-7 |q| |k|. */
TEST(decay_of_ones_is_as_printed)
{
    static const int64_t n[6] = { 0, 1, 2, 10, 100, 1000 };
    static const double tenk[6] = { 64,        61.833663, 56.607724,
                                    42.103258, 35.749338, 17.851933 };
    static const double half_m[6] = { 64,        62.313511, 58.324825,
                                      48.229523, 41.282404, 28.681948 };
    double ones[64], bound = 64e-7 + 0.51e-6;

    for (int i = 0; i < 64; i++)
        ones[i] = 1;
    for (int i = 0; i < 6; i++) {
        CHECK(fabs(pair_score(ones, ones, "rope", 64, n[i], 0) - tenk[i]) <=
              bound);
        CHECK(
            fabs(pair_score(ones, ones, "rope(base=500000)", 64, 5 + n[i], 5) -
                 half_m[i]) <= bound);
    }
}

TEST(gradient_is_as_printed)
{
    static const double want[4] = { -0.8488724885, -1.1311125047, 1.0295455340,
                                    0.9695545335 };
    double dy[4] = { 1, 1, 1, 1 }, dx[4];
    int64_t pos = 3;
    OWNED(locant_encoding) *e = test_create("rope(pairing=interleaved)");
    locant_tensor tdy = DENSE(F64, dy, 1, 4);
    locant_tensor p = DENSE(I64, &pos, 1);

    CHECK_OK(locant_encoding_rotate_backward(VIEW(F64, dx, 1, 4), NULL, &tdy,
                                             NULL, e, &p, NULL, 0));
    near_all(dx, want, 4, turned(dy, 4));
    CHECK_OK(locant_encoding_rotate_backward(&tdy, NULL, &tdy, NULL, e, &p,
                                             NULL, 0));
    CHECK(memcmp(dx, dy, sizeof(dx)) == 0);
}

TEST(registry_row_is_right)
{
    locant_encoding *e =
        test_create("rope(angles=exact,pairing=half,base=10000)");

    CHECK(strcmp(locant_encoding_spec(e), "rope") == 0);
    locant_encoding_free(e);
    e = test_create("rope(angles=hf,dim=64,pairing=interleaved,base=5e5)");
    CHECK(strcmp(locant_encoding_spec(e),
                 "rope(base=500000,pairing=interleaved,dim=64,angles=hf)") ==
          0);
    locant_encoding_free(e);
}

/* cos and sin of one position in float32: (1, 0) turns into them. */
static void table_of(float *cosine, float *sine, const char *spec,
                     locant_tensor *pos, int64_t D)
{
    float x[256];
    locant_tensor t = DENSE(F32, x, 1, D);
    OWNED(locant_encoding) *e = test_create(spec);

    for (int64_t d = 0; d < D; d++)
        x[d] = d < D / 2;
    CHECK_OK(locant_encoding_rotate(&t, &t, e, pos, NULL, 0));
    memcpy(cosine, x, (size_t)D / 2 * sizeof(float));
    memcpy(sine, x + D / 2, (size_t)D / 2 * sizeof(float));
}

/* inv_freq = 1 / base^(2c/D) and its product with the position in float32. */
static float hf_angle(float base, int64_t c, int64_t D, int64_t pos)
{
    float inverse = 1.0f / powf(base, (float)(2 * c) / (float)D);

    return inverse * (float)pos;
}

/* theta = pos, then theta *= base^(-2/D) from pair to pair, in float32. */
static float ggml_angle(float base, int64_t c, int64_t D, int64_t pos)
{
    float step = powf(base, -2.0f / (float)D), theta = (float)pos;

    for (int64_t i = 0; i < c; i++)
        theta *= step;
    return theta;
}

static void compare_recipe(const char *name, int64_t D, int64_t pos,
                           float (*angle)(float, int64_t, int64_t, int64_t))
{
    float cosine[128], sine[128];
    char spec[64];

    snprintf(spec, sizeof(spec), "rope(angles=%s)", name);
    table_of(cosine, sine, spec, VIEW(I64, &pos, 1), D);
    for (int64_t c = 0; c < D / 2; c++) {
        float a = angle(10000.0f, c, D, pos), wc = cosf(a), ws = sinf(a);

        if (cosine[c] != wc || sine[c] != ws)
            FAIL("%s, D %lld, position %lld, pair %lld: got %.9g %.9g, want "
                 "%.9g %.9g",
                 spec, (long long)D, (long long)pos, (long long)c,
                 (double)cosine[c], (double)sine[c], (double)wc, (double)ws);
    }
}

TEST(float_recipes_are_reproduced_bit_for_bit)
{
    static const int64_t D[] = { 2, 16, 64, 96, 128, 256 };
    static const int64_t pos[] = { 0,     1,     2,       255,      4096,
                                   32767, 99999, 1000003, 16777217, -5 };

    for (size_t d = 0; d < LEN(D); d++)
        for (size_t i = 0; i < LEN(pos); i++) {
            compare_recipe("hf", D[d], pos[i], hf_angle);
            compare_recipe("ggml", D[d], pos[i], ggml_angle);
        }
}

/* Positions that are multiples of 1/1024 below 2^20: exact in long double. */
TEST(fractional_positions_are_exact_too)
{
    for (int i = 0; i < 300; i++) {
        double pos = (double)test_range(-(1 << 30), 1 << 30) / 1024;
        float cosine[32], sine[32];

        table_of(cosine, sine, "rope", VIEW(F64, &pos, 1), 64);
        for (int c = 0; c < 32; c++) {
            long double a = (long double)pos * powl(10000.0L, -2.0L * c / 64);

            /* 0.55 units where a unit is largest, and the angle's 2^-40. */
            CHECK(fabsl(cosine[c] - cosl(a)) <= 0.55L * 0x1p-24L + 0x1p-40L);
            CHECK(fabsl(sine[c] - sinl(a)) <= 0.55L * 0x1p-24L + 0x1p-40L);
        }
    }
}

TEST(whole_positions_have_one_table)
{
    for (int i = 0; i < 300; i++) {
        int64_t whole = test_range(INT32_MIN, INT32_MAX);
        double real = (double)whole;
        float c[2][32], s[2][32];

        table_of(c[0], s[0], "rope", VIEW(I64, &whole, 1), 64);
        table_of(c[1], s[1], "rope", VIEW(F64, &real, 1), 64);
        CHECK(memcmp(c[0], c[1], sizeof(c[0])) == 0);
        CHECK(memcmp(s[0], s[1], sizeof(s[0])) == 0);
    }
}

/* Far past 2^31: R(2p) = R(p) R(p), and the ends of int64 keep the norm. */
TEST(positions_reach_the_ends_of_int64)
{
    static const int64_t far[] = { 1LL << 40, 1LL << 61, -(1LL << 61),
                                   123456789012345678 };
    double x[16], y[16], twice[16], whole[16];

    for (int i = 0; i < 16; i++)
        x[i] = test_uniform();
    for (size_t i = 0; i < LEN(far); i++) {
        near_rotate(y, x, "rope", far[i], 16, 0);
        near_rotate(twice, y, "rope", far[i], 16, 0);
        near_rotate(whole, x, "rope", 2 * far[i], 16, 0);
        near_all(twice, whole, 16, 3 * turned(x, 16));
    }
    near_rotate(y, x, "rope", INT64_MIN, 16, 0);
    CHECK(fabs(near_dot(y, y, 16) - near_dot(x, x, 16)) <= 4 * turned(x, 16));
    near_rotate(whole, y, "rope", INT64_MIN, 16, 1);
    near_all(whole, x, 16, 3 * turned(x, 16));
}

TEST(nan_stays_in_its_pair)
{
    int64_t pos = 77;
    float x[12], y[12], clean[12];
    OWNED(locant_encoding) *e = test_create("rope");
    locant_tensor tx = DENSE(F32, x, 1, 12);
    locant_tensor ty = DENSE(F32, y, 1, 12);
    locant_tensor p = DENSE(I64, &pos, 1);

    for (int d = 0; d < 12; d++)
        x[d] = (float)test_uniform();
    CHECK_OK(locant_encoding_rotate(&ty, &tx, e, &p, NULL, 0));
    memcpy(clean, y, sizeof(y));
    x[2] = NAN;
    CHECK_OK(locant_encoding_rotate(&ty, &tx, e, &p, NULL, 0));
    for (int d = 0; d < 12; d++)
        CHECK(d % 6 == 2 ? isnan(y[d]) : y[d] == clean[d]);
}

struct call {
    float x[12], y[12];
    int64_t pos[2];
    locant_tensor tx, ty, p;
    locant_encoding *e;
};

static void make(struct call *c, const char *spec)
{
    memset(c, 0, sizeof(*c));
    c->y[0] = 7;
    c->tx = DENSE(F32, c->x, 2, 6);
    c->ty = DENSE(F32, c->y, 2, 6);
    c->p = DENSE(I64, c->pos, 2);
    c->e = test_create(spec);
}

TEST(refuses_bad_tensors)
{
    struct call c;
    locant_tensor bad;

    make(&c, "rope");
    REFUSES(NULL, locant_encoding_rotate(NULL, &c.tx, c.e, &c.p, NULL, 0),
            "out is NULL");
    REFUSES(NULL, locant_encoding_rotate(&c.ty, &c.tx, c.e, NULL, NULL, 0),
            "positions is NULL");
    bad = c.tx;
    bad.data = NULL;
    REFUSES(NULL, locant_encoding_rotate(&c.ty, &bad, c.e, &c.p, NULL, 0),
            "the data of x is NULL");
    bad = c.tx;
    bad.dtype = LOCANT_F64;
    REFUSES(DTYPE, locant_encoding_rotate(&c.ty, &bad, c.e, &c.p, NULL, 0),
            "out is f32, expected f64");
    bad = c.p;
    bad.dtype = LOCANT_I32;
    REFUSES(DTYPE, locant_encoding_rotate(&c.ty, &c.tx, c.e, &bad, NULL, 0),
            "positions is i32, expected f64 or i64");
    bad = c.p;
    bad.shape[0] = 1;
    REFUSES(SHAPE, locant_encoding_rotate(&c.ty, &c.tx, c.e, &bad, NULL, 0),
            "positions has size 1 in dimension 0, expected 2");
    bad = c.ty;
    bad.stride[1] = 2;
    REFUSES(LAYOUT, locant_encoding_rotate(&bad, &c.tx, c.e, &c.p, NULL, 0),
            "last stride of out is 2, expected 1");
    bad = c.tx;
    bad.data = c.y + 1;
    bad.shape[0] = 1;
    c.ty.shape[0] = c.p.shape[0] = 1;
    REFUSES(ALIAS, locant_encoding_rotate(&c.ty, &bad, c.e, &c.p, NULL, 0),
            "the output overlaps an input but is not the same view");
    CHECK(c.y[0] == 7 && c.y[1] == 0);
    locant_encoding_free(c.e);
}

TEST(refuses_bad_sizes)
{
    double real[2] = { 0, NAN };
    struct call c;

    make(&c, "rope(dim=8)");
    REFUSES(SHAPE, locant_encoding_rotate(&c.ty, &c.tx, c.e, &c.p, NULL, 0),
            "rope rotates 8 channels of each head, found heads of 6");
    locant_encoding_free(c.e);
    make(&c, "rope");
    c.tx.shape[1] = c.ty.shape[1] = 5;
    REFUSES(SHAPE, locant_encoding_rotate(&c.ty, &c.tx, c.e, &c.p, NULL, 0),
            "heads have 5 channels, expected an even number to rotate in "
            "pairs");
    c.tx.shape[1] = c.ty.shape[1] = 6;
    c.p = locant_dense(real, LOCANT_F64, 1, c.p.shape);
    REFUSES(PARAM, locant_encoding_rotate(&c.ty, &c.tx, c.e, &c.p, NULL, 0),
            "coordinate 1 of positions is nan, expected a finite number "
            "below 2^63");
    real[1] = 0x1p63;
    REFUSES(PARAM, locant_encoding_rotate(&c.ty, &c.tx, c.e, &c.p, NULL, 0),
            "coordinate 1 of positions is 9.22337e+18, expected a finite "
            "number below 2^63");
    CHECK(c.y[0] == 7);
    locant_encoding_free(c.e);
}

TEST(refuses_bad_specs)
{
    locant_encoding *e = NULL;

    REFUSES(PARAM, locant_encoding_create(&e, "rope(base=-1)"),
            "key 'base' of 'rope': '-1' at byte 10 should be a number 1 .. "
            "1e30");
    REFUSES(PARAM, locant_encoding_create(&e, "rope(base=nan)"),
            "key 'base' of 'rope': 'nan' at byte 10 should be a number 1 .. "
            "1e30");
    REFUSES(PARAM, locant_encoding_create(&e, "rope(dim=3)"),
            "dim of rope is 3, expected an even number");
    REFUSES(PARAM, locant_encoding_create(&e, "rope(pairing=neox)"),
            "key 'pairing' of 'rope': 'neox' at byte 13 should be half | "
            "interleaved");
    CHECK(e == NULL);
}
