/*
 * test_check_turns.c - the numbers printed in the specification of rotations:
 * RoPE's scalings and xPos.  Cosines and sines come from a table exact to
 * float32, 2^-24, whatever the digits printed.
 */
#include "check_case.h"
#include "locant/positions.h"
#include <string.h>

static const double ramp[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

TEST(layouts_are_one_permutation_apart)
{
    static const double swapped[4] = { 1, 3, 2, 4 };
    double got[4];

    check_rotate(got, swapped, "rope", 4, 3, 3);
    near_all(
        got,
        (double[]){ -1.2722325127, 2.8786681004, -1.8388649851, 4.0881866356 },
        4, 16 * 0.56 * 0x1p-24);
}

/* R(10) R(4) k = R(14) k, and between schedules. */
TEST(keys_move_in_one_turn)
{
    int64_t from = 4, to = 14;
    double x[8], moved[8], want[8];
    locant_tensor tx = DENSE(F64, x, 1, 8);
    locant_tensor ty = DENSE(F64, moved, 1, 8);
    locant_tensor p = DENSE(I64, &from, 1);
    locant_tensor q = DENSE(I64, &to, 1);
    OWNED(locant_encoding) *a = test_create("rope");
    OWNED(locant_encoding) *b =
        test_create("rope(base=500,scaling=yarn(factor=4,original=64))");

    check_rotate(x, ramp, "rope", 8, 4, 4);
    check_rotate(want, ramp, "rope", 8, 14, 14);
    CHECK_OK(locant_encoding_rerotate(&ty, &tx, a, &p, a, &q));
    near_all(moved, want, 8, 64 * 0x1p-24);
    check_rotate(want, ramp,
                 "rope(base=500,scaling=yarn(factor=4,original=64))", 8, 14,
                 14);
    CHECK_OK(locant_encoding_rerotate(&ty, &tx, a, &p, b, &q));
    near_all(moved, want, 8, 64 * 0x1p-24);
}

/* ----------------------------------------------------------------- scaling */

/* A frequency as printed: 'unit' is one of its last digit. */
struct printed {
    const char *spec;
    int64_t D, c;
    double frequency, unit;
    double magnitude;
    int64_t length; /* of the call; 0: any */
};

/*
 * Pair c of e_c shows a cos(p f), a sin(p f).  p as far as the printed digits
 * or the length of the call allow: an error of f shows p times larger.
 */
static void frequency_is(const struct printed *f)
{
    double x[512] = { 0 }, got[512], want[2], pair[2], far = 1e-6 / f->unit;
    int64_t pos = far > 0x1p30 ? (int64_t)1 << 30 : (int64_t)far + 1;
    double slack;

    if (f->length > 0 && pos >= f->length)
        pos = f->length - 1;
    assert_true(f->D <= (int64_t)LEN(x));
    x[f->c] = 1;
    check_rotate(got, x, f->spec, f->D, pos,
                 f->length > 0 ? f->length - 1 : pos);
    want[0] = f->magnitude * cos((double)pos * f->frequency);
    want[1] = f->magnitude * sin((double)pos * f->frequency);
    pair[0] = got[f->c];
    pair[1] = got[f->c + f->D / 2];
    slack = f->magnitude * ((double)pos * f->unit * 0.51 + 0x1p-24) + TEN;
    for (int n = 0; n < 2; n++)
        if (!(fabs(pair[n] - want[n]) <= slack))
            FAIL("%s, pair %d at %lld: got %.12g, want %.12g within %.2g",
                 f->spec, (int)f->c, (long long)pos, pair[n], want[n], slack);
}

#define DYNAMIC "rope(scaling=dynamic(factor=2,original=4096))"
#define LLAMA2  "rope(scaling=yarn(factor=16,original=4096))"
#define GPTOSS                                                                 \
    "rope(base=150000,scaling=yarn(factor=32,original=4096,truncate=no))"
#define QWEN     "rope(base=1000000,scaling=yarn(factor=4,original=32768))"
#define DEEPSEEK "rope(scaling=yarn(factor=40,original=4096,attention=1))"
#define LLAMA31  "rope(base=500000,scaling=llama3(factor=8))"
#define LLAMA32  "rope(base=500000,scaling=llama3(factor=32))"
#define GEMMA4   "rope(base=1000000,scaling=proportional(partial=0.25))"

static const struct printed scaled[] = {
    { "rope(scaling=linear(factor=4))", 8, 0, .25, 1e-12, 1, 0 },
    { "rope(scaling=linear(factor=4))", 8, 3, .00025, 1e-15, 1, 0 },
    { "rope(scaling=ntk(factor=8))", 128, 63, 1.4434774809e-05, 1e-15, 1, 0 },
    { DYNAMIC, 128, 1, 0.8659643234, 1e-10, 1, 4096 },
    { DYNAMIC, 128, 1, 0.8509942914, 1e-10, 1, 8192 },
    { DYNAMIC, 128, 63, 3.8492732823e-05, 1e-15, 1, 8192 },
    { LLAMA2, 128, 33, 0.0046004354678, 1e-13, 1.2772588722, 0 },
    { LLAMA2, 128, 63, 7.2173874043e-06, 1e-16, 1.2772588722, 0 },
    { GPTOSS, 64, 12, 0.0067949594897, 1e-13, 1.3465735903, 0 },
    { GPTOSS, 64, 31, 3.0235114281e-07, 1e-17, 1.3465735903, 0 },
    { QWEN, 128, 31, 0.00080295972755, 1e-14, 1.1386294361, 0 },
    { DEEPSEEK, 64, 16, 0.0055, 1e-14, 1, 0 },
    { DEEPSEEK, 64, 31, 3.3338035804e-06, 1e-16, 1, 0 },
    { LLAMA31, 128, 29, 0.0021665707635, 1e-13, 1, 0 },
    { LLAMA31, 128, 31, 0.00085675141292, 1e-14, 1, 0 },
    { LLAMA31, 128, 34, 0.00017850781277, 1e-14, 1, 0 },
    { LLAMA31, 128, 35, 9.5562123540e-05, 1e-15, 1, 0 },
    { LLAMA31, 128, 63, 3.0689259889e-07, 1e-17, 1, 0 },
    { LLAMA32, 64, 15, 0.00129054792821, 1e-14, 1, 0 },
    { LLAMA32, 64, 16, 0.00042955679656, 1e-14, 1, 0 },
    { LLAMA32, 64, 17, 9.7082878026e-05, 1e-15, 1, 0 },
    { LLAMA32, 64, 18, 1.9461638185e-05, 1e-15, 1, 0 },
    { LLAMA32, 64, 31, 9.4183067254e-08, 1e-18, 1, 0 },
    { GEMMA4, 512, 1, 0.9474635257, 1e-10, 1, 0 },
    { GEMMA4, 512, 63, 0.0333762469, 1e-10, 1, 0 },
    { GEMMA4, 512, 64, 0, 1e-14, 1, 0 },
    { GEMMA4, 512, 255, 0, 1e-14, 1, 0 },
    /* Appendix A.2: D = 8, base 1e4, factor 4, length 64. */
    { "rope(scaling=dynamic(factor=4,original=64))", 8, 1, 0.0425290370283,
      1e-13, 1, 256 },
    { "rope(scaling=dynamic(factor=4,original=64))", 8, 3, 7.69230769231e-05,
      1e-16, 1, 256 },
    { "rope(scaling=ntk(factor=4))", 8, 1, 0.0629960524947, 1e-13, 1, 0 },
    { "rope(scaling=ntk(factor=4))", 8, 2, 0.00396850262992, 1e-14, 1, 0 },
    { "rope(scaling=yarn(factor=4,original=64))", 8, 1, 0.0625, 1e-14,
      1.1386294361, 0 },
    { "rope(scaling=yarn(factor=4,original=64))", 8, 2, 0.0025, 1e-14,
      1.1386294361, 0 },
    { "rope(scaling=yarn(factor=4,original=64,fast=4,slow=0.25,truncate=no))",
      8, 1, 0.0629982957933, 1e-13, 1.1386294361, 0 },
    { "rope(scaling=llama3(factor=4,original=64))", 8, 1, 0.0254647908947,
      1e-13, 1, 0 },
    { "rope(scaling=llama3(factor=4,original=512))", 8, 1, 0.1, 1e-14, 1, 0 },
    { "rope(scaling=llama3(factor=4,original=512))", 8, 2, 0.0025, 1e-14, 1,
      0 },
    { "rope(scaling=longrope(original=64,factor=4,short=1:1.1:1.2:1.3,"
      "long=1:2:3:4))",
      8, 1, 0.0909090909091, 1e-13, 1.1547005384, 64 },
    { "rope(scaling=longrope(original=64,factor=4,short=1:1.1:1.2:1.3,"
      "long=1:2:3:4))",
      8, 3, 0.000769230769231, 1e-15, 1.1547005384, 64 },
    { "rope(scaling=longrope(original=64,factor=4,short=1:1.1:1.2:1.3,"
      "long=1:2:3:4))",
      8, 2, 0.00333333333333, 1e-14, 1.1547005384, 100 },
    { "rope(scaling=proportional(partial=0.5))", 8, 1, 0.1, 1e-14, 1, 0 },
    { "rope(scaling=proportional(partial=0.5))", 8, 2, 0, 1e-14, 1, 0 },
};

TEST(scaled_frequencies_are_as_printed)
{
    for (size_t i = 0; i < LEN(scaled); i++)
        frequency_is(&scaled[i]);
}

/* Length of what a unit vector becomes. */
static double magnitude(const char *spec, int64_t D)
{
    double x[128] = { 1 }, got[128];

    check_rotate(got, x, spec, D, 3, 3);
    return sqrt(near_dot(got, got, (size_t)D));
}

TEST(attention_factors_are_as_printed)
{
    static const char yarn[] = "rope(scaling=yarn(factor=40,original=4096,"
                               "mscale=0.707,mscale-all=1))";
    double got[5];

    got[0] = magnitude("rope(dim=4,scaling=longrope(original=4096,factor=32,"
                       "short=1:1,long=1:1))",
                       4);
    got[1] = magnitude("rope(dim=4,scaling=longrope(original=4096,factor=8,"
                       "short=1:1,long=1:1))",
                       4);
    got[2] = magnitude("rope(dim=4,scaling=longrope(original=8192,factor=2,"
                       "short=1:1,long=1:1))",
                       4);
    got[3] = magnitude("rope(scaling=yarn(factor=40,original=4096))", 64);
    got[4] = magnitude(yarn, 64);
    /* gm(40) with 0.707, squared as printed, over gm(40). */
    near_all(got,
             (double[]){ 1.1902380714, 1.1180339887, 1.0377490433, 1.3688879454,
                         sqrt(1.5896261652) / 1.3688879454 },
             5, 2 * 0x1p-24 + TEN);
}

/* ----------------------------------------------------------- xpos */

/* zeta itself at position 512. */
TEST(xpos_scales_by_zeta_at_its_scale)
{
    static const double zeta[] = { 0.2857142857, 0.4642857143, 0.6428571429,
                                   0.8214285714 };
    double got[8], length[2];

    for (int c = 0; c < 4; c++) {
        double x[8] = { 0 };

        x[2 * c] = 1;
        check_rotate(got, x, "xpos", 8, 512, 512);
        length[0] = sqrt(near_dot(got, got, 8));
        check_rotate(got, x, "xpos(center=511)", 8, 1023, 1023);
        length[1] = sqrt(near_dot(got, got, 8));
        near_all(length, (double[]){ zeta[c], zeta[c] }, 2, 0x1p-24 + TEN);
    }
}
