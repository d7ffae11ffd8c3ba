/*
 * test_rope_axes.c - rotations of several coordinates (rope2d, rope3d, mrope)
 * against the numbers of docs/encodings.md, sections 13.5 and 13.7 and A.3.
 */
#include "angle/schedule.h"
#include "encodings/encoding.h"
#include "oracle/near.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Table entries of float32 in double: 0.55 2^-24 (|a| + |b|) */
static double turned(const double *x, size_t n)
{
    return 0.56 * 0x1p-24 * 1.4143 * sqrt(near_dot(x, x, n)) + 1e-11;
}

/* One row at real coordinates. */
static void rotate_at(double *y, const double *x, const char *spec,
                      const double *coords, int64_t axes, int64_t D)
{
    double copy[256], where[3];
    OWNED(locant_encoding) *e = test_create(spec);

    memcpy(copy, x, (size_t)D * sizeof(*x));
    memcpy(where, coords, (size_t)axes * sizeof(*coords));
    CHECK_OK(locant_encoding_rotate(VIEW(F64, y, 1, D), VIEW(F64, copy, 1, D),
                                    e, VIEW(F64, where, 1, axes), NULL, 0));
}

/* Angle of every pair, from (1, 0) turned; the layout decides where pairs are
 */
static void angles(double *out, const char *spec, const double *coords,
                   int64_t axes, int64_t D, int half)
{
    double x[64], y[64];

    for (int64_t d = 0; d < D; d++)
        x[d] = half ? d < D / 2 : d % 2 == 0;
    rotate_at(y, x, spec, coords, axes, D);
    for (int64_t c = 0; c < D / 2; c++)
        out[c] =
            half ? atan2(y[c + D / 2], y[c]) : atan2(y[2 * c + 1], y[2 * c]);
}

/* The float32 table errs by 2^-24 in the angle; ten digits are printed. */
TEST(grids_have_the_printed_angles)
{
    static const double pixtral[] = { 1,           .1,         .01,
                                      .001,        .632455532, .0632455532,
                                      .0063245553, .0006324555 };
    static const double qwen[] = { 1, .1, .01, .001, 2, .2, .02, .002 };
    static const double axial[] = { 2, .632455532, .2, .0632455532,
                                    1, .316227766, .1, .0316227766 };
    static const double at[2] = { 1, 2 }; /* y, x */
    double got[8];

    angles(got, "rope2d(form=pixtral)", at, 2, 16, 1);
    near_all(got, pixtral, 8, 0x1p-24 + 1e-10);
    angles(got, "rope2d(form=qwen)", at, 2, 16, 1);
    near_all(got, qwen, 8, 0x1p-24 + 1e-10);
    angles(got, "rope2d", at, 2, 16, 0);
    near_all(got, axial, 8, 0x1p-24 + 1e-10);
    angles(got, "rope2d(form=sam2,base=100)", at, 2, 16, 0);
    near_all(got, axial, 8, 0x1p-24 + 1e-10);
}

/* EVA-02: y first; coordinates are what is given. */
TEST(eva02_has_rows_first)
{
    static const double at[2] = { 2. / 3, 4. / 3 };
    double got[4];

    angles(got, "rope2d(form=eva02)", at, 2, 8, 0);
    near_all(got, (double[]){ 2. / 3, 2. / 300, 4. / 3, 4. / 300 }, 4, 0x1p-23);
}

TEST(dinov3_turns_by_whole_turns)
{
    static const double at[2] = { -2. / 3, 0.25 };
    const double turn = 6.283185307179586;
    double got[4];

    /* 8 channels: two frequencies each, 1 and 100^(-1/2) turns */
    angles(got, "rope2d(form=dinov3)", at, 2, 8, 1);
    near_all(got, (double[]){ turn / 3, -turn / 15, turn / 4, turn / 40 }, 4,
             0x1p-23);
}

/* A flat position is y * width + x, through each form's coordinates. */
TEST(flat_positions_find_their_coordinates)
{
    static const struct {
        const char *spec;
        int64_t pos;
        double at[3];
        int64_t axes;
    } row[] = {
        { "rope2d(width=5)", 13, { 2, 3 }, 2 },
        { "rope2d(width=5)", -1, { -1, 4 }, 2 },
        { "rope2d(form=qwen,width=7)", 20, { 2, 6 }, 2 },
        { "rope2d(form=eva02,width=24,height=24)", 25, { 2. / 3, 2. / 3 }, 2 },
        { "rope2d(form=dinov3,width=3,height=3)", 2, { -2. / 3, 2. / 3 }, 2 },
        { "rope2d(form=dinov3,width=3,height=3)", 4, { 0, 0 }, 2 },
        { "rope3d(width=4,height=3)", 4 * 3 * 5 + 4 * 2 + 3, { 5, 2, 3 }, 3 },
        { "rope3d(width=4,height=3)", -1, { -1, 2, 3 }, 3 },
        { "mrope(sections=2:3:3)", 77, { 77, 77, 77 }, 3 },
    };

    for (size_t i = 0; i < LEN(row); i++) {
        double x[16], flat[16], at[16];

        for (int d = 0; d < 16; d++)
            x[d] = test_uniform();
        near_rotate(flat, x, row[i].spec, row[i].pos, 16, 0);
        rotate_at(at, x, row[i].spec, row[i].at, row[i].axes, 16);
        near_all(flat, at, 16, 2e-15 + 0x1p-23 * (i == 3 || i == 4));
    }
}

TEST(rope3d_turns_three_bands)
{
    static const double at[3] = { 2, 3, 5 };
    double x[20], y[20];

    for (int d = 0; d < 20; d++)
        x[d] = d % 2 == 0;
    rotate_at(y, x, "rope3d(base=100)", at, 3, 20);
    /* bands of 2 (20/3/2) = 6 channels: frequencies 100^(-c/3) */
    for (int c = 0; c < 9; c++) {
        double f = at[c / 3] * pow(100, -(c % 3) / 3.0);

        CHECK(fabs(y[2 * c] - cos(f)) <= 0x1p-24);
        CHECK(fabs(y[2 * c + 1] - sin(f)) <= 0x1p-24);
    }
    near_all(y + 18, x + 18, 2, 0);
}

TEST(mrope_has_the_values_of_appendix_a3)
{
    static const double x[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    static const double at[3] = { 7, 2, 3 };
    static const double chunked[8] = { -2.53103073925, 0.768117170912,
                                       2.78868159983,  3.97598203601,
                                       4.42649787044,  6.27773812864,
                                       7.08683673685,  8.01196398203 };
    static const double interleaved[8] = { -2.53103073925, 0.768117170912,
                                           2.78868159983,  3.94390245773,
                                           4.42649787044,  6.27773812864,
                                           7.08683673685,  8.02780377213 };
    double y[8];

    rotate_at(y, x, "mrope(sections=1:1:2)", at, 3, 8);
    near_all(y, chunked, 8, turned(x, 8));
    rotate_at(y, x, "mrope(sections=2:1:1,layout=interleaved)", at, 3, 8);
    near_all(y, interleaved, 8, turned(x, 8));
}

/* Text: t = h = w, and every bit that of rope. */
/* One row of float32. */
static void rotate_float(float *y, const float *x, const char *spec,
                         int64_t pos, int64_t D)
{
    OWNED(locant_encoding) *e = test_create(spec);

    CHECK_OK(locant_encoding_rotate(VIEW(F32, y, 1, D),
                                    VIEW(F32, (void *)x, 1, D), e,
                                    VIEW(I64, &pos, 1), NULL, 0));
}

/*
 * Float32 to the bit.  In double the sum of coordinates takes another path to
 * the fraction of a turn: each cosine and sine is within 2^-51 of the true one,
 * so two results, each of two products of values up to 1, are within 2^-49.
 */
TEST(mrope_of_text_is_rope)
{
    static const char *const specs[][2] = {
        { "mrope", "rope" },
        { "mrope(layout=interleaved,sections=24:20:20)", "rope" },
        { "mrope(layout=ernie)", "rope(pairing=interleaved)" },
        { "mrope(layout=glm,sections=8:12:12,dim=64)",
          "rope(pairing=interleaved,dim=64)" },
        { "mrope(layout=glm,pairing=half)", "rope" },
        { "mrope(base=1e6,scaling=yarn(factor=4,original=32768))",
          "rope(base=1e6,scaling=yarn(factor=4,original=32768))" },
        { "mrope(layout=interleaved,scaling=llama3)", "rope(scaling=llama3)" },
    };

    for (size_t i = 0; i < LEN(specs); i++)
        for (int n = 0; n < 200; n++) {
            int64_t pos = test_range(-INT32_MAX, INT32_MAX);
            double x[128], a[128], b[128];
            float fx[128], fa[128], fb[128];

            for (int d = 0; d < 128; d++)
                fx[d] = (float)(x[d] = test_uniform());
            near_rotate(a, x, specs[i][0], pos, 128, 0);
            near_rotate(b, x, specs[i][1], pos, 128, 0);
            near_all(a, b, 128, 0x1p-49);
            rotate_float(fa, fx, specs[i][0], pos, 128);
            rotate_float(fb, fx, specs[i][1], pos, 128);
            assert_memory_equal(fa, fb, sizeof fa);
        }
}

/* Which of three coordinates each pair follows, as a word of t, h, w. */
static void layout_of(char *out, const char *spec, int64_t D)
{
    OWNED(locant_encoding) *e = test_create(spec);
    const struct lct_schedule *s;

    CHECK_OK(lct_schedule_of(&s, e, "test", D, 1));
    for (int64_t c = 0; c < s->pairs; c++)
        for (int a = 0; a < 3; a++)
            if (s->frequency[a * s->pairs + c].hi != 0)
                out[c] = "thw"[a];
    out[s->pairs] = 0;
}

TEST(layouts_are_as_described)
{
    char got[72], want[72] = "";

    layout_of(got, "mrope(sections=2:3:3)", 16);
    assert_string_equal(got, "tthhhwww");
    layout_of(got, "mrope(sections=3:3:2,layout=ernie)", 16);
    assert_string_equal(got, "hwhwhwtt");
    layout_of(got, "mrope(sections=24:20:20,layout=interleaved)", 128);
    for (int i = 0; i < 20; i++)
        strcat(want, "thw");
    strcat(want, "tttt");
    assert_string_equal(got, want);
    layout_of(got, "mrope(sections=11:11:10,layout=interleaved)", 64);
    assert_string_equal(got, "thwthwthwthwthwthwthwthwthwthwth");
}

/* Scores of grids depend on the two differences: D3, 1e-7 |q| |k|. */
TEST(scores_see_differences_of_coordinates)
{
    static const char *const specs[] = { "rope2d",
                                         "rope2d(form=pixtral)",
                                         "rope2d(form=qwen)",
                                         "rope2d(form=sam2)",
                                         "rope2d(form=eva02)",
                                         "rope2d(form=dinov3)" };

    for (size_t i = 0; i < LEN(specs); i++)
        for (int n = 0; n < 100; n++) {
            double q[32], k[32], rq[32], rk[32], a[2], b[2], bound, s[2];

            for (int d = 0; d < 32; d++) {
                q[d] = test_normal();
                k[d] = test_normal();
            }
            bound = 1e-7 * sqrt(near_dot(q, q, 32) * near_dot(k, k, 32));
            for (int c = 0; c < 2; c++) {
                a[c] = (double)test_range(-4096, 4096) / 8;
                b[c] = (double)test_range(-4096, 4096) / 8;
            }
            for (int m = 0; m < 2; m++) {
                rotate_at(rq, q, specs[i], a, 2, 32);
                rotate_at(rk, k, specs[i], b, 2, 32);
                s[m] = near_dot(rq, rk, 32);
                a[0] += 12345.5;
                b[0] += 12345.5;
                a[1] -= 777.25;
                b[1] -= 777.25;
            }
            CHECK(fabs(s[0] - s[1]) <= bound);
        }
}

TEST(calls_that_do_not_fit_are_refused)
{
    const struct lct_schedule *s;
    int64_t one = 1, far = (1LL << 53) + 1;
    double x[8] = { 0 }, real = 3;
    locant_encoding *e = test_create("rope2d");
    locant_tensor t = DENSE(F64, x, 1, 8);
    locant_tensor p = DENSE(F64, &real, one);

    REFUSES(SHAPE, locant_encoding_rotate(&t, &t, e, &p, NULL, 0),
            "real positions are [T], expected [T, 2] coordinates");
    p = DENSE(I64, &far, one);
    REFUSES(PARAM, locant_encoding_rotate(&t, &t, e, &p, NULL, 0),
            "position 9007199254740993 (index 0) of rope2d, expected at most "
            "2^53 in magnitude");
    CHECK_REFUSED(lct_schedule_of(&s, e, "f", 6, 1), LOCANT_ERR_SHAPE,
                  "f: heads have 6 channels, expected a multiple of 4 for "
                  "rope2d");
    CHECK_REFUSED(lct_schedule_of(&s, e, "f", 2, 1), LOCANT_ERR_SHAPE,
                  "f: heads have 2 channels, expected a multiple of 4 for "
                  "rope2d");
    locant_encoding_free(e);
    e = test_create("mrope");
    CHECK_REFUSED(lct_schedule_of(&s, e, "f", 64, 1), LOCANT_ERR_SHAPE,
                  "f: the sections of mrope are 64 pairs, expected half of "
                  "the 64 channels it rotates");
    locant_encoding_free(e);
    e = test_create("rope3d");
    CHECK_REFUSED(lct_schedule_of(&s, e, "f", 4, 1), LOCANT_ERR_SHAPE,
                  "f: heads have 4 channels, expected at least 6 for rope3d");
    locant_encoding_free(e);
    REFUSES(PARAM, locant_encoding_create(&e, "mrope(layout=glm,sections=2:3)"),
            "sections of mrope are 2, expected 3");
    REFUSES(PARAM,
            locant_encoding_create(&e, "mrope(layout=ernie,"
                                       "sections=4:3:1)"),
            "sections h and w of mrope are 4 and 3, expected equal ones for "
            "ernie");
    REFUSES(PARAM,
            locant_encoding_create(&e, "mrope(scaling=dynamic(factor=2,"
                                       "original=64))"),
            "scaling of mrope is dynamic(factor=2,original=64), whose "
            "frequencies depend on the length of a call, expected one with "
            "the same for every length");
}
