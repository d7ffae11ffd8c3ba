/*
 * test_rope_scaling.c - the frequencies and attention factors of rope's
 * scalings against the numbers printed in docs/encodings.md, section 9 and
 * appendix A.2.
 */
#include "rope_case.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A printed number is right to one unit of its last digit: some are cut off. */
static void printed(const char *spec, int64_t c, double got, const char *text)
{
    double want = strtod(text, NULL);
    int digits = 0;

    for (const char *p = text; *p && *p != 'e'; p++)
        digits += (*p >= '1' && *p <= '9') || (*p == '0' && digits > 0);
    if (!(fabs(got - want) <=
          1.01 * pow(10, floor(log10(fabs(want))) - digits + 1) + 1e-15))
        FAIL("%s, pair %lld: got %.15g, want %s", spec, (long long)c, got,
             text);
}

static void frequency(const char *spec, int64_t D, int64_t length, int64_t c,
                      const char *want)
{
    locant_encoding *e;
    const struct lct_schedule *s = schedule_of(&e, spec, D, length);

    printed(spec, c, radians(s->frequency[c]), want);
    locant_encoding_free(e);
}

static void factor(const char *spec, int64_t D, int64_t length,
                   const char *want)
{
    locant_encoding *e;
    const struct lct_schedule *s = schedule_of(&e, spec, D, length);

    printed(spec, -1, s->magnitude, want);
    locant_encoding_free(e);
}

/* Four frequencies of heads of 8, base 1e4; "" for 0. */
TEST(has_the_values_of_appendix_a2)
{
    static const struct {
        const char *scaling;
        int64_t length;
        const char *f[4], *a;
    } row[] = {
        { "none", 1, { "1", ".1", ".01", ".001" }, "1" },
        { "linear(factor=4)", 1, { ".25", ".025", ".0025", ".00025" }, "1" },
        { "dynamic(factor=4,original=64)",
          256,
          { "1", ".0425290370283", ".00180871899055", "7.69230769231e-05" },
          "1" },
        { "ntk(factor=4)",
          1,
          { "1", ".0629960524947", ".00396850262992", ".00025" },
          "1" },
        { "yarn(factor=4,original=64)",
          1,
          { "1", ".0625", ".0025", ".00025" },
          "1.1386294361" },
        { "yarn(factor=4,original=64,fast=4,slow=.25,truncate=no)",
          1,
          { "1", ".0629982957933", ".0025", ".00025" },
          "1.1386294361" },
        { "llama3(factor=4,original=64)",
          1,
          { "1", ".0254647908947", ".0025", ".00025" },
          "1" },
        { "llama3(factor=4,original=512)",
          1,
          { "1", ".1", ".0025", ".00025" },
          "1" },
        { "longrope(original=64,factor=4,short=1:1.1:1.2:1.3,long=1:2:3:4)",
          64,
          { "1", ".0909090909091", ".00833333333333", ".000769230769231" },
          "1.1547005384" },
        { "longrope(original=64,factor=4,short=1:1.1:1.2:1.3,long=1:2:3:4)",
          65,
          { "1", ".05", ".00333333333333", ".00025" },
          "1.1547005384" },
        { "proportional(partial=.5)", 1, { "1", ".1", "", "" }, "1" },
    };
    char spec[160];

    for (size_t i = 0; i < LEN(row); i++) {
        locant_encoding *e;
        const struct lct_schedule *s;

        snprintf(spec, sizeof(spec), "rope(scaling=%s)", row[i].scaling);
        s = schedule_of(&e, spec, 8, row[i].length);
        for (int c = 0; c < 4; c++) {
            if (row[i].f[c][0] == 0)
                CHECK(s->frequency[c].hi == 0 && s->frequency[c].lo == 0);
            else
                printed(spec, c, radians(s->frequency[c]), row[i].f[c]);
        }
        printed(spec, -1, s->magnitude, row[i].a);
        locant_encoding_free(e);
    }
}

TEST(has_the_values_of_yarn)
{
    static const char llama[] = "rope(scaling=yarn(factor=16,original=4096))";
    static const char oss[] = "rope(base=150000,scaling=yarn(factor=32,"
                              "original=4096,truncate=no))";
    static const char qwen[] = "rope(base=1e6,scaling=yarn(factor=4,"
                               "original=32768))";
    static const char deep[] = "rope(scaling=yarn(factor=40,original=4096,"
                               "mscale=1,mscale-all=1))";

    frequency(llama, 128, 1, 33, "0.0046004354678");
    frequency(llama, 128, 1, 63, "7.2173874043e-06");
    factor(llama, 128, 1, "1.2772588722");
    frequency(oss, 64, 1, 12, "0.0067949594897");
    frequency(oss, 64, 1, 31, "3.0235114281e-07");
    factor(oss, 64, 1, "1.3465735903");
    frequency(qwen, 128, 1, 31, "0.00080295972755");
    factor(qwen, 128, 1, "1.1386294361");
    frequency(deep, 64, 1, 16, "0.0055");
    frequency(deep, 64, 1, 31, "3.3338035804e-06");
    factor(deep, 64, 1, "1");
    factor("rope(scaling=yarn(factor=40,original=4096,attention=1.5))", 64, 1,
           "1.5");
    /* 0.1 ln 40 + 1 over 0.0707 ln 40 + 1 */
    factor("rope(scaling=yarn(factor=40,original=4096,mscale=1,"
           "mscale-all=0.707))",
           64, 1, "1.085726");
}

/* The score of one query and one key at position 0, over that without keys. */
static double score_ratio(const char *spec, double scale)
{
    double q[64], k[64], o[64], lse[2];
    const char *const specs[2] = { "none", spec };
    locant_tensor tq = DENSE(F64, q, 1, 1, 1, 64);
    locant_tensor tk = DENSE(F64, k, 1, 1, 1, 64);

    for (int d = 0; d < 64; d++) {
        q[d] = test_uniform();
        k[d] = test_uniform() + q[d];
    }
    for (int i = 0; i < 2; i++) {
        locant_attention a = LOCANT_ATTENTION_INIT;
        OWNED(locant_encoding) *e = test_create(specs[i]);

        a.q = &tq;
        a.k = a.v = &tk;
        a.encoding = e;
        a.scale = scale;
        CHECK_OK(locant_attention_reference(VIEW(F64, o, 1, 1, 1, 64),
                                            VIEW(F64, lse + i, 1, 1, 1), &a));
    }
    return lse[1] / lse[0];
}

/* m = 0.1 ln 40 + 1 = 1.36888795, 0.0707 ln 40 + 1; squared, of all channels */
TEST(score_multiplies_whole_scores)
{
#define DEEP "rope(dim=32,scaling=yarn(factor=40,original=4096,"

    printed("V3", -1, score_ratio(DEEP "mscale=1,mscale-all=1,score=yes))", 1),
            "1.8738542070926");
    printed("V3, given a scale", -1,
            score_ratio(DEEP "mscale=1,mscale-all=1,score=yes))", 0.125),
            "1.8738542070926");
    printed("V2", -1,
            score_ratio(DEEP "mscale=.707,mscale-all=.707,score=yes))",
                        LOCANT_SCALE_AUTO),
            "1.589626");
    printed("Ministral 3", -1, score_ratio(DEEP "mscale=1,mscale-all=1))", 1),
            "1");
    printed("in a sum", -1,
            score_ratio(DEEP "mscale-all=1,attention=1,score=yes))"
                             "+temperature(kind=ministral)",
                        1),
            "1.8738542070926");
#undef DEEP
}

/* K2: both indices from one value, 19.16: a ramp of one pair */
TEST(fast_may_be_slow)
{
    static const char kimi[] = "rope(base=50000,scaling=yarn(factor=32,"
                               "original=4096,fast=1,mscale=1,mscale-all=1))";

    frequency(kimi, 64, 1, 19, "0.0016217599");
    frequency(kimi, 64, 1, 20, "3.6140468e-05");
}

TEST(has_the_values_of_llama3)
{
    static const char big[] = "rope(base=500000,scaling=llama3)";
    static const char one[] = "rope(base=500000,scaling=llama3(factor=32))";

    frequency(big, 128, 1, 29, "0.0021665707635");
    frequency(big, 128, 1, 31, "0.00085675141291");
    frequency(big, 128, 1, 34, "0.00017850781277");
    frequency(big, 128, 1, 35, "9.5562123540e-05");
    frequency(big, 128, 1, 63, "3.0689259889e-07");
    frequency(one, 64, 1, 15, "0.00129054792821");
    frequency(one, 64, 1, 16, "0.00042955679656");
    frequency(one, 64, 1, 17, "9.7082878026e-05");
    frequency(one, 64, 1, 18, "1.9461638185e-05");
    frequency(one, 64, 1, 31, "9.4183067254e-08");
}

TEST(has_the_other_printed_values)
{
    static const char dynamic[] =
        "rope(scaling=dynamic(factor=2,original=4096))";
    static const char gemma[] = "rope(base=1e6,scaling=proportional)";

    frequency(dynamic, 128, 8192, 1, "0.8509942914");
    frequency(dynamic, 128, 8192, 63, "3.8492732823e-05");
    frequency(gemma, 512, 1, 1, "0.9474635257");
    frequency(gemma, 512, 1, 63, "0.0333762469");
    factor("rope(scaling=longrope(original=4096,factor=32))", 64, 1,
           "1.1902380714");
    factor("rope(scaling=longrope(original=4096,factor=8))", 64, 1,
           "1.1180339887");
    factor("rope(scaling=longrope(original=8192,factor=2))", 64, 1,
           "1.0377490433");
    factor("rope(scaling=longrope(original=8192,factor=1))", 64, 1, "1");
    factor("rope(scaling=longrope(original=8192))", 64, 1, "1");
}

/* Every pair's 128 bits. */
static void same_turns(const char *a, int64_t a_length, const char *b,
                       int64_t b_length, int64_t D)
{
    locant_encoding *ea, *eb;
    const struct lct_schedule *sa = schedule_of(&ea, a, D, a_length);
    const struct lct_schedule *sb = schedule_of(&eb, b, D, b_length);

    CHECK(sa->pairs == sb->pairs);
    for (int64_t c = 0; c < sa->pairs; c++)
        if (memcmp(&sa->frequency[c], &sb->frequency[c],
                   sizeof(sa->frequency[c])) != 0)
            FAIL("%s and %s differ in pair %lld", a, b, (long long)c);
    locant_encoding_free(ea);
    locant_encoding_free(eb);
}

TEST(factor_one_is_none_bit_for_bit)
{
    static const char *const specs[] = {
        "rope(scaling=linear(factor=1))",
        "rope(scaling=ntk(factor=1))",
        "rope(scaling=dynamic(factor=1,original=64))",
        "rope(scaling=yarn(factor=1,original=4096))",
        "rope(scaling=yarn(factor=1,original=4096,truncate=no))",
        "rope(scaling=llama3(factor=1))",
        "rope(scaling=longrope(original=64))",
        "rope(scaling=proportional(partial=1))",
        "rope(scaling=yarn(original=4096,dynamic=yes))",
    };

    for (size_t i = 0; i < LEN(specs); i++)
        for (int64_t D = 2; D <= 130; D += 16)
            same_turns(specs[i], 50, "rope", 1, D);
}

TEST(lengths_change_what_they_should)
{
    static const char dynamic[] = "rope(scaling=dynamic(factor=2,original=64))";
    static const char yarn[] = "rope(scaling=yarn(original=64,dynamic=yes))";

    same_turns(dynamic, 64, "rope", 1, 64);
    same_turns(dynamic, 128, "rope(scaling=ntk(factor=3))", 1, 64);
    same_turns(yarn, 64, "rope", 1, 64);
    same_turns(yarn, 256, "rope(scaling=yarn(factor=4,original=64))", 1, 64);
    factor(yarn, 64, 256, "1.1386294361");
}

/* By way of the public call: the longest position + 1 is the length. */
TEST(the_longest_position_of_a_call_decides)
{
    static const char spec[] = "rope(scaling=longrope(original=64,"
                               "short=1:1:1:1,long=2:2:2:2))";
    int64_t pos[2] = { 10, 63 };
    double x[16], y[16], want[8];
    OWNED(locant_encoding) *e = test_create(spec);
    locant_tensor tx = DENSE(F64, x, 2, 8);
    locant_tensor ty = DENSE(F64, y, 2, 8);
    locant_tensor p = DENSE(I64, pos, 2);

    for (int i = 0; i < 16; i++)
        x[i] = test_uniform();
    CHECK_OK(locant_encoding_rotate(&ty, &tx, e, &p, NULL, 0));
    near_rotate(want, x, "rope", 10, 8, 0);
    near_all(y, want, 8, 0);
    pos[1] = 64;
    CHECK_OK(locant_encoding_rotate(&ty, &tx, e, &p, NULL, 0));
    near_rotate(want, x, "rope(scaling=linear(factor=2))", 10, 8, 0);
    near_all(y, want, 8, 0);
}

TEST(traits_follow_the_values)
{
    const unsigned relative = LOCANT_TRAIT_RELATIVE;
    const unsigned isometric = LOCANT_TRAIT_ISOMETRIC;
    const unsigned length = LOCANT_TRAIT_LENGTH;
    const struct {
        const char *scaling;
        unsigned want;
    } row[] = {
        { "none", relative | isometric },
        { "llama3", relative | isometric },
        { "yarn(factor=4,original=64)", relative },
        { "yarn(factor=4,original=64,attention=1)", relative | isometric },
        { "yarn(factor=4,original=64,mscale=.5,mscale-all=.5)",
          relative | isometric },
        { "yarn(original=64,dynamic=yes)", length },
        { "dynamic(factor=2,original=64)", length | isometric },
        { "longrope(original=64,factor=2)", length },
        { "longrope(original=64)", length | isometric },
    };
    char spec[120];

    for (size_t i = 0; i < LEN(row); i++) {
        locant_encoding *e;

        snprintf(spec, sizeof(spec), "rope(scaling=%s)", row[i].scaling);
        e = test_create(spec);
        if (locant_encoding_traits(e) != row[i].want)
            FAIL("%s has traits %u, want %u", spec, locant_encoding_traits(e),
                 row[i].want);
        locant_encoding_free(e);
    }
}

/*
 * x turned and undone: R^-1 divides by the attention factor.  Four table
 * entries of 0.55 2^-24 enter each channel of F64 rows.
 */
TEST(inverse_undoes_the_attention_factor_too)
{
    static const char spec[] = "rope(scaling=yarn(factor=16,original=4096))";
    double x[32], y[32], back[32];

    for (int i = 0; i < 32; i++)
        x[i] = test_uniform();
    near_rotate(y, x, spec, 12345, 32, 0);
    near_rotate(back, y, spec, 12345, 32, LOCANT_ROTATE_INVERSE);
    near_all(back, x, 32, 4 * 0.56 * 0x1p-24 * 2 * 1.28);
}

/* Decoding token by token asks for a new schedule each time. */
TEST(a_growing_call_does_not_grow_memory)
{
    locant_encoding *e;
    double x[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

    test_memory_fail(0);
    e = test_create("rope(scaling=dynamic(factor=2,original=16))");
    for (int64_t p = 0; p < 300; p++) {
        locant_tensor row = DENSE(F64, x, 1, 8);
        locant_tensor at = DENSE(I64, &p, 1);

        CHECK_OK(locant_encoding_rotate(&row, &row, e, &at, NULL, 0));
        CHECK_OK(locant_encoding_rerotate(&row, &row, e, &at, e, &at));
    }
    CHECK(test_memory_held() < 30);
    locant_encoding_free(e);
    CHECK(test_memory_held() == 0);
    test_memory_end();
}
