/*
 * test_check_grids.c - the numbers printed in the specification of images,
 * video, graphs, and of scores that read content.
 */
#include "check_case.h"
#include <string.h>

/* ------------------------------------------------------------- input door */

static void row_is(const char *spec, int64_t pos, const double want[8])
{
    double got[8];

    near_row(got, spec, pos, 8);
    near_all(got, want, 8, TEN);
}

TEST(sincos2d_of_mae)
{
    static const char spec[] = "sincos2d(form=mae,width=2,height=2)";

    row_is(spec, 0, (double[]){ 0, 0, 1, 1, 0, 0, 1, 1 });
    row_is(spec, 1,
           (double[]){ 0.8414709848, 0.0099998333, 0.5403023059, 0.9999500004,
                       0, 0, 1, 1 });
    row_is(spec, 2,
           (double[]){ 0, 0, 1, 1, 0.8414709848, 0.0099998333, 0.5403023059,
                       0.9999500004 });
    row_is(spec, 3,
           (double[]){ 0.8414709848, 0.0099998333, 0.5403023059, 0.9999500004,
                       0.8414709848, 0.0099998333, 0.5403023059,
                       0.9999500004 });
}

/* transformers 5 builds rows first and then swaps the halves: columns first.
 * Its numbers are rounded to float32. */
TEST(sincos2d_is_the_table_of_vit_mae)
{
    static const double want[][8] = {
#include "golden/vit_mae.inc"
    };

    for (size_t p = 0; p < LEN(want); p++) {
        double got[8];

        near_row(got, "sincos2d(width=3)", (int64_t)p, 8);
        near_all(got, want[p], 8, 0x1p-24);
    }
}

/* timm: rows first, sines together; or sine beside cosine. */
TEST(sincos2d_of_timm)
{
    row_is("sincos2d(form=timm,width=2)", 2,
           (double[]){ 0.8414709848, 0.0099998333, 0, 0, 0.5403023059,
                       0.9999500004, 1, 1 });
    row_is("sincos2d(form=interleaved,width=2)", 2,
           (double[]){ 0.8414709848, 0.0099998333, 0.5403023059, 0.9999500004,
                       0, 0, 1, 1 });
}

/* In evaluation CAPE centres the ids. */
TEST(cape_centres_its_ids)
{
    double ids[5];
    OWNED(locant_encoding) *e = test_create("cape");

    CHECK_OK(locant_encoding_ids(VIEW(F64, ids, 1, 5), e, 1, 0));
    near_all(ids, (double[]){ -2, -1, 0, 1, 2 }, 5, 0);
}

static void initial(double *out, const char *spec, int64_t rows,
                    int64_t columns)
{
    locant_tensor t = check_dense(out, rows, columns);
    OWNED(locant_encoding) *e = test_create(spec);

    CHECK_OK(locant_encoding_param_init(&t, e, 0, 1));
}

/* The path of four nodes; eigenvectors up to their sign. */
TEST(graphs_of_four_nodes)
{
    static const double want[4] = { 0.5773502692, 0.4082482905, -0.4082482905,
                                    -0.5773502692 };
    static const double walks[16] = { 0, .5,  0, .375,  0, .75, 0, .6875,
                                      0, .75, 0, .6875, 0, .5,  0, .375 };
    double got[16], sign;

    initial(got, "laplacian(length=4,vectors=1)", 4, 1);
    sign = got[0] < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++)
        got[i] *= sign;
    near_all(got, want, 4, TEN);
    initial(got, "random-walk(length=4,steps=4)", 4, 4);
    near_all(got, walks, 16, 1e-15);
    initial(got, "graph(length=3)", 3, 3);
    near_all(got, (double[]){ 0, 1, 2, 1, 0, 1, 2, 1, 0 }, 9, 0);
}

/* ------------------------------------------------------------- score door */

TEST(rows_of_swin)
{
    static const double want[4][4] = {
        { 4, 3, 1, 0 }, { 5, 4, 2, 1 }, { 7, 6, 4, 3 }, { 8, 7, 5, 4 }
    };
    double rows[9];
    locant_tensor table = check_dense(rows, 9, 1);

    for (int i = 0; i < 9; i++)
        rows[i] = i;
    for (int i = 0; i < 16; i++)
        CHECK(near_bias("swin(height=2,width=2)", 1, 0, i / 4, i % 4, &table) ==
              want[i / 4][i % 4]);
}

/* The scaled offset of a column, through a network that passes it on. */
static double swinv2(const char *spec, int64_t dx)
{
    double w1[2] = { 0, 1 }, zero = 0, one = 1, sigmoid;
    locant_tensor params[3] = { check_dense(w1, 2, 1), check_dense(&zero, 1, 0),
                                check_dense(&one, 1, 1) };

    sigmoid = near_bias(spec, 1, 0, dx, 0, params) / 16;
    return log(sigmoid / (1 - sigmoid));
}

TEST(offsets_of_swinv2)
{
    double got[5];

    got[0] = swinv2("swinv2(hidden=1)", 0);
    got[1] = swinv2("swinv2(hidden=1)", 1);
    got[2] = swinv2("swinv2(hidden=1)", 2);
    got[3] = swinv2("swinv2(hidden=1)", 7);
    got[4] = swinv2("swinv2(height=16,width=16,hidden=1,pretrained=8)", 15);
    near_all(
        got,
        (double[]){ 0, 0.3665118912, 0.5720690113, 1.0566416671, 1.3937765882 },
        5, 1.1 * TEN);
}

/* ------------------------------------------------------------ rotate door */

/*
 * Angles of the pairs of a grid, as printed, within half a turn; interleaved
 * or half.  atan2 of two table entries is within 2^-24 of the angle, twice.
 */
static void angles_are(const char *spec, int64_t D, int64_t pos, int half,
                       const double *want)
{
    for (int64_t c = 0; c < D / 2; c++) {
        int64_t first = half ? c : 2 * c;
        int64_t second = half ? c + D / 2 : 2 * c + 1;
        double x[64] = { 0 }, y[64], angle;

        x[first] = 1;
        check_rotate(y, x, spec, D, pos, pos);
        angle = atan2(y[second], y[first]);
        near_all(&angle, &want[c], 1, 4 * 0x1p-24);
    }
}

TEST(angles_of_images)
{
    const double pi = acos(-1);

    /* (row, column) = (1, 2), then (1, 2) again; x = 2, y = 1. */
    angles_are("rope2d(form=pixtral,width=8)", 16, 10, 1,
               (double[]){ 1, .1, .01, .001, .632455532, .0632455532,
                           .0063245553, .0006324555 });
    angles_are("rope2d(form=qwen,width=8)", 16, 10, 1,
               (double[]){ 1, .1, .01, .001, 2, .2, .02, .002 });
    angles_are("rope2d(form=axial,width=8)", 16, 10, 0,
               (double[]){ 2, .632455532, .2, .0632455532, 1, .316227766, .1,
                           .0316227766 });
    /* Patch (0, 2) of 3 x 3: coordinates -2/3 and 2/3, times 2 pi. */
    angles_are(
        "rope2d(form=dinov3,width=3,height=3)", 8, 2, 1,
        (double[]){ 2 * pi / 3, -2 * pi / 15, -2 * pi / 3, 2 * pi / 15 });
    /* EVA-02 at side 24: 0, .6666666667, 1.3333333333. */
    angles_are("rope2d(form=eva02,width=24,height=24)", 4, 26, 0,
               (double[]){ .6666666667, 1.3333333333 });
}

/* Which of t, h, w turns pair c of 64: the only coordinate that moves it. */
static int axis_of(const char *spec, int64_t dim, int64_t c)
{
    double x[128] = { 0 }, y[128];
    OWNED(locant_encoding) *e = test_create(spec);
    int axis = -1;

    x[c] = 1;
    for (int a = 0; a < 3; a++) {
        double ids[3] = { 0, 0, 0 };
        locant_tensor at = check_dense(ids, 1, 3);

        ids[a] = 5;
        CHECK_OK(locant_encoding_rotate(VIEW(F64, y, 1, dim),
                                        VIEW(F64, x, 1, dim), e, &at, NULL, 0));
        if (y[c + dim / 2] != 0) {
            CHECK(axis == -1);
            axis = a;
        }
    }
    return axis;
}

TEST(sections_go_round_as_printed)
{
    for (int c = 0; c < 64; c++)
        CHECK(axis_of("mrope(sections=24:20:20,layout=interleaved)", 128, c) ==
              (c < 60 ? c % 3 : 0));
    for (int c = 0; c < 32; c++)
        CHECK(axis_of("mrope(sections=11:11:10,layout=interleaved)", 64, c) ==
              c % 3);
    for (int c = 0; c < 64; c++)
        CHECK(axis_of("mrope", 128, c) == (c < 16 ? 0 : c < 40 ? 1 : 2));
    for (int c = 0; c < 64; c++)
        CHECK(axis_of("mrope(sections=22:22:20,layout=ernie,pairing=half)", 128,
                      c) == (c >= 44 ? 0 : 1 + c % 2));
}

/* ------------------------------------------------------------ content door */

/* Weights of the query at 3 over keys 0 .. 3, D = 4, and their lse. */
static double weights(double *out, const char *spec, const double q[4],
                      const double k[16], const locant_tensor *params,
                      double *x)
{
    double query[4], keys[16], v[16] = { 0 }, lse;
    locant_attention a = LOCANT_ATTENTION_INIT;
    OWNED(locant_encoding) *e = test_create(spec);

    memcpy(query, q, sizeof(query));
    memcpy(keys, k, sizeof(keys));
    for (int j = 0; j < 4; j++)
        v[5 * j] = 1;
    a.q = VIEW(F64, query, 1, 1, 1, 4);
    a.k = VIEW(F64, keys, 1, 1, 4, 4);
    a.v = VIEW(F64, v, 1, 1, 4, 4);
    a.x = x != NULL ? VIEW(F64, x, 1, 4, 1) : NULL;
    a.encoding = e;
    a.params = params;
    a.scale = 1;
    a.mask = LOCANT_MASK_CAUSAL;
    CHECK_OK(locant_attention_reference(VIEW(F64, out, 1, 1, 1, 4),
                                        VIEW(F64, &lse, 1, 1, 1), &a));
    return lse;
}

/* Scores by the logarithm of the weights; exact to 2^-50, digits to TEN. */
static void scores_are(const double *p, double lse, const double want[4])
{
    double got[4];

    for (int j = 0; j < 4; j++)
        got[j] = log(p[j]) + lse;
    near_all(got, want, 4, TEN);
}

TEST(fox_row_is_as_printed)
{
    double x[4] = { 2, 1, 0, -1 }, one = 1, zero = 0, p[4], lse;
    double q[4] = { 0 }, k[16] = { 0 };
    locant_tensor params[2] = { check_dense(&one, 1, 1),
                                check_dense(&zero, 1, 0) };

    lse = weights(p, "fox", q, k, params, x);
    scores_are(p, lse,
               (double[]){ -2.3196705556, -2.0064088681, -1.3132616875, 0 });
}

/* Logits 0, 1, -1, 2 with q = (1, -1). */
TEST(cope_row_is_as_printed)
{
    static const double q[4] = { 1, -1, 0, 0 };
    static const double k[16] = { 0, 0, 0, 0, 1, 0,  0, 0,
                                  0, 1, 0, 0, 1, -1, 0, 0 };
    double e[16] = { 0, 0, 0, 0, .5, 0, 0, 0, 1, .25, 0, 0, 2, .5, 0, 0 };
    locant_tensor table = check_dense(e, 4, 4);
    double p[4], lse;

    lse = weights(p, "cope(length=4)", q, k, &table, NULL);
    scores_are(
        p, lse,
        (double[]){ 1.0355978085, 1.7201992695, -0.4625653752, 2.4403985390 });
}
