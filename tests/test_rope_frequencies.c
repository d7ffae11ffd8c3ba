/*
 * test_rope_frequencies.c - rope's lists of frequencies, cuts, tapers and mixed
 * radix: printed values, identities to the bit, copies of pairs that are not
 * rotated, refusals.
 */
#include "locant/positions.h"
#include "rope_case.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Frequencies of 'spec' over those of 'plain'; 10 printed digits, and 2^-50 of
 * a frequency rounded to double. */
static void ratios(const char *spec, const char *plain, int64_t D,
                   const double *want, int64_t first, int64_t n)
{
    locant_encoding *e, *f;
    const struct lct_schedule *s = schedule_of(&e, spec, D, 1);
    const struct lct_schedule *p = schedule_of(&f, plain, D, 1);

    for (int64_t i = 0; i < n; i++) {
        double got =
            radians(s->frequency[first + i]) / radians(p->frequency[first + i]);

        if (!(fabs(got - want[i]) <= 0.51e-10 + 0x1p-50 * want[i]))
            FAIL("%s, pair %lld: got %.12g, want %.12g", spec,
                 (long long)(first + i), got, want[i]);
    }
    locant_encoding_free(e);
    locant_encoding_free(f);
}

/* How many frequencies are not 0; they come first. */
static int64_t rotating(const char *spec, int64_t D)
{
    locant_encoding *e;
    const struct lct_schedule *s = schedule_of(&e, spec, D, 1);
    int64_t n = 0;

    while (n < s->pairs && (s->frequency[n].hi | s->frequency[n].lo) != 0)
        n++;
    for (int64_t c = n; c < s->pairs; c++)
        CHECK((s->frequency[c].hi | s->frequency[c].lo) == 0);
    locant_encoding_free(e);
    return n;
}

/* Li et al. 2026, arXiv:2602.05258 */
TEST(tapers_have_the_printed_weights)
{
    static const double five[] = { 1, 0.8535533906, 0.5, 0.1464466094, 0 };

    ratios("rope(taper=cosine(pairs=5))", "rope", 16, five, 3, 5);
    ratios("rope(taper=cosine(pairs=20))", "rope", 128,
           (double[]){ 1, 0.9931806517 }, 44, 2);
    ratios("rope(taper=cosine(pairs=20))", "rope", 128,
           (double[]){ 0.5412896727 }, 53, 1);
    ratios("rope(taper=cosine(pairs=20))", "rope", 128,
           (double[]){ 0.0068193483, 0 }, 62, 2);
}

TEST(tapers_come_after_a_scaling)
{
    static const double half[] = { 1, 0.5, 0 };

    ratios("rope(base=500000,scaling=llama3,taper=cosine(pairs=3))",
           "rope(base=500000,scaling=llama3)", 128, half, 61, 3);
}

/* Chen et al. 2024, arXiv:2410.21216: 16 of 32 pairs turn within 512. */
TEST(cuts_keep_the_fast_pairs)
{
    CHECK(rotating("rope(cut=length(length=512))", 64) == 16);
    CHECK(rotating("rope(cut=length(length=512),scaling=linear(factor=2))",
                   64) == 13);
    CHECK(rotating("rope(cut=pairs(n=5))", 64) == 27);
    CHECK(rotating("rope(cut=part(keep=0.75))", 64) == 24);
    CHECK(rotating("rope(cut=pairs(n=32))", 64) == 0);
    CHECK(rotating("rope(taper=cosine(pairs=32))", 64) == 31);
}

/* Frequencies of D = 16: 4 from 1 to 1/1024, then 4 zeros. */
TEST(geometric_series_include_their_end)
{
    static const double want[] = { 1, 0.0992125657, 0.0098431332,
                                   0.0009765625 };

    ratios("rope(freqs=geometric(keep=0.5))", "rope(base=1)", 16, want, 0, 4);
    CHECK(rotating("rope(freqs=geometric(keep=0.5))", 16) == 4);
}

/* Tian et al. 2026, arXiv:2601.22181: D = 16, divisors of the frequencies. */
TEST(mixed_radices_have_the_printed_divisors)
{
    static const double uni[] = {
        1, 1, 1, 1.4142135624, 2, 2.8284271247, 4, 4
    };
    static const double pro[] = {
        1, 1, 1, 1.1486983550, 1.5157165665, 2.2973967100, 4, 4
    };

    ratios("rope", "rope(scaling=mixed-radix(kind=uni,factor=4,original=4096))",
           16, uni, 0, 8);
    ratios("rope", "rope(scaling=mixed-radix(factor=4,original=4096))", 16, pro,
           0, 8);
}

TEST(mixed_radices_multiply_as_yarn)
{
    locant_encoding *e;
    const struct lct_schedule *s = schedule_of(
        &e, "rope(scaling=mixed-radix(factor=4,original=4096))", 16, 1);

    CHECK(fabs(s->magnitude - 1.1386294361) <= 0.51e-10);
    locant_encoding_free(e);
}

/* Shang et al. 2025, arXiv:2502.20082: pairs before the critical one have the
 * NTK base at which that pair meets its factor; from the last pair on that is
 * ntk itself. */
TEST(longrope_has_the_first_list_of_its_search)
{
    static const char early[] =
        "rope(scaling=longrope(original=64,factor=16,critical=4))";
    static const double divisors[] = { 1, 2, 4, 8, 16, 16, 16, 16 };
    locant_encoding *e, *plain;
    const struct lct_schedule *s = schedule_of(&e, early, 16, 65);
    const struct lct_schedule *p = schedule_of(&plain, "rope", 16, 1);

    for (int64_t c = 0; c < 8; c++)
        CHECK(fabs(radians(p->frequency[c]) / radians(s->frequency[c]) -
                   divisors[c]) <= 0x1p-49 * divisors[c]);
    locant_encoding_free(e);
    s = schedule_of(&e, early, 16, 64);
    CHECK(memcmp(s->frequency, p->frequency, 8 * sizeof(s->frequency[0])) == 0);
    locant_encoding_free(e);
    locant_encoding_free(plain);

    s = schedule_of(&e,
                    "rope(scaling=longrope(original=64,factor=7.3,"
                    "critical=31))",
                    64, 65);
    p = schedule_of(&plain, "rope(scaling=ntk(factor=7.3))", 64, 1);
    for (int64_t c = 0; c < 32; c++) { /* one unit each at most */
        struct lct_phase off =
            lct_phase_subtract(s->frequency[c], p->frequency[c]);

        CHECK((off.hi == 0 && off.lo <= 2) ||
              (off.hi == UINT64_MAX && off.lo >= UINT64_MAX - 1));
    }
    locant_encoding_free(e);
    locant_encoding_free(plain);
}

static void same_frequencies(const char *a, const char *b, int64_t D)
{
    locant_encoding *ea, *eb;
    const struct lct_schedule *sa = schedule_of(&ea, a, D, 1);
    const struct lct_schedule *sb = schedule_of(&eb, b, D, 1);

    CHECK(sa->pairs == sb->pairs && sa->magnitude == sb->magnitude);
    for (int64_t c = 0; c < sa->pairs; c++)
        if (memcmp(&sa->frequency[c], &sb->frequency[c],
                   sizeof(sa->frequency[c])) != 0)
            FAIL("%s and %s differ in pair %lld", a, b, (long long)c);
    locant_encoding_free(ea);
    locant_encoding_free(eb);
}

TEST(edits_of_nothing_are_rope_bit_for_bit)
{
    static const char *const specs[] = {
        "rope(taper=cosine(pairs=0))",
        "rope(taper=cosine(pairs=1))",
        "rope(cut=pairs(n=0))",
        "rope(cut=part(keep=1))",
        "rope(cut=length(length=1073741824))",
        "rope(scaling=mixed-radix(factor=1,original=4096))",
        "rope(freqs=powers)",
    };

    for (size_t i = 0; i < LEN(specs); i++)
        for (int64_t D = 2; D <= 130; D += 16)
            same_frequencies(specs[i], "rope", D);
    same_frequencies("rope(cut=part(keep=0.3))",
                     "rope(scaling=proportional(partial=0.3))", 64);
    same_frequencies("rope(freqs=list(values=1:1:1:1))", "rope(base=1)", 8);
    same_frequencies("rope(freqs=list(values=0.25))",
                     "rope(base=1,scaling=linear(factor=4))", 2);
}

/* A list is turned into turns by integers: f / 2 pi, whole turns dropped. */
TEST(listed_frequencies_are_exact)
{
    const struct lct_phase one = lct_phase_of(1, 0, 2);

    for (uint64_t n = 1; n <= 1000; n += 37) {
        struct lct_phase got = lct_phase_of_radians((double)n);
        struct lct_phase off = lct_phase_subtract(got, lct_phase_times(one, n));

        /* 'one' is half a unit off, n times */
        CHECK((off.hi == 0 && off.lo <= n) ||
              (off.hi == UINT64_MAX && off.lo >= -n));
    }
    for (int bits = 1; bits <= 60; bits++) {
        struct lct_phase got = lct_phase_of_radians(ldexp(1, -bits));
        struct lct_phase want = lct_phase_divide(one, ldexp(1, bits));
        struct lct_phase off = lct_phase_subtract(got, want);

        CHECK(off.hi == 0 && off.lo <= 1);
    }
    CHECK(lct_phase_of_radians(0).hi == 0 && lct_phase_of_radians(0).lo == 0);
}

/* Channels of pairs with frequency 0 keep their bits, at any position and in
 * every type. */
TEST(pairs_of_frequency_0_are_copies)
{
    static const char *const specs[] = {
        "rope(cut=pairs(n=3))",
        "rope(taper=cosine(pairs=2),cut=pairs(n=2),pairing=interleaved)",
        "rope(freqs=list(values=1:0:0.5:0))",
        "rope(cut=part(keep=0.5),angles=hf)",
    };
    int64_t pos[3] = { 7, 123456789, -5 };

    for (size_t i = 0; i < LEN(specs); i++) {
        locant_encoding *e;
        const struct lct_schedule *s = schedule_of(&e, specs[i], 8, 1);
        bool half = s->pairing == LCT_HALF;
        float x[24], y[24];
        locant_tensor tx = DENSE(F32, x, 3, 8), ty = DENSE(F32, y, 3, 8);
        locant_tensor tp = DENSE(I64, pos, 3);

        for (int n = 0; n < 24; n++)
            x[n] = (float)sin(1.7 * n + 0.3);
        CHECK_OK(locant_encoding_rotate(&ty, &tx, e, &tp, NULL, 0));
        for (int t = 0; t < 3; t++)
            for (int c = 0; c < 4; c++) {
                int a = 8 * t + (half ? c : 2 * c);
                int b = 8 * t + (half ? c + 4 : 2 * c + 1);
                bool still = (s->frequency[c].hi | s->frequency[c].lo) == 0;

                CHECK((x[a] == y[a] && x[b] == y[b]) == still);
            }
        locant_encoding_free(e);
    }
}

/* Keys move between lists as between scalings. */
TEST(keys_move_to_another_list)
{
    static const char *const specs[][2] = {
        { "rope", "rope(taper=cosine(pairs=4))" },
        { "rope(cut=pairs(n=2))", "rope(cut=length(length=64))" },
        { "rope(freqs=geometric(keep=0.5))", "rope" },
        { "rope", "rope(scaling=mixed-radix(factor=4,original=64))" },
    };
    int64_t from = 5, to = 900;
    double x[8], key[8], moved[8], want[8];
    locant_tensor tx = DENSE(F64, x, 1, 8), tk = DENSE(F64, key, 1, 8);
    locant_tensor tm = DENSE(F64, moved, 1, 8), tw = DENSE(F64, want, 1, 8);
    locant_tensor pf = DENSE(I64, &from, 1), pt = DENSE(I64, &to, 1);

    for (int d = 0; d < 8; d++)
        x[d] = cos(0.4 * d + 1);
    for (size_t i = 0; i < LEN(specs); i++) {
        OWNED(locant_encoding) *a = test_create(specs[i][0]);
        OWNED(locant_encoding) *b = test_create(specs[i][1]);

        CHECK_OK(locant_encoding_rotate(&tk, &tx, a, &pf, NULL, 0));
        CHECK_OK(locant_encoding_rotate(&tw, &tx, b, &pt, NULL, 0));
        CHECK_OK(locant_encoding_rerotate(&tm, &tk, a, &pf, b, &pt));
        for (int d = 0; d < 8; d++) /* 9.5 units of 2^-53 of a pair below 2 */
            CHECK(fabs(moved[d] - want[d]) <= 20 * 0x1p-53);
    }
}

static void refused(const char *spec, const char *message)
{
    locant_encoding *e = NULL;

    CHECK_REFUSED(locant_encoding_create(&e, spec), LOCANT_ERR_PARAM, message);
    CHECK(e == NULL);
}

TEST(bad_specs_are_refused)
{
    refused("rope(scaling=longrope(original=64,factor=4,critical=2,"
            "long=1:2))",
            "locant_encoding_create: longrope has the keys 'long' and "
            "'critical', expected one of them");
    refused("rope(scaling=longrope(original=64,critical=2))",
            "locant_encoding_create: longrope needs its key 'factor': stretch "
            "of the context; only sets attention, and what critical makes; "
            "left out: 1");
    refused("rope(scaling=longrope(original=64,factor=0.5,critical=2))",
            "locant_encoding_create: factor of longrope is 0.5, expected at "
            "least 1 with critical");
    refused("rope(cut=pairs)",
            "locant_encoding_create: pairs needs its key 'n': so many of the "
            "slowest pairs are not rotated");
    refused("rope(taper=cosine)",
            "locant_encoding_create: cosine needs its key 'pairs': so many of "
            "the slowest pairs fade out: the first keeps its frequency, the "
            "last has 0; 20 of 64 in the paper");
    refused("rope(freqs=list)",
            "locant_encoding_create: list needs its key 'values': radians per "
            "position, one number for each pair; 0: the pair is not rotated");
    refused("rope(freqs=list(values=1:-1))",
            "locant_encoding_create: key 'values' of 'list': '-1' at byte 25 "
            "should be numbers joined by ':' 0 .. 1000");
    refused("rope(freqs=geometric,scaling=linear(factor=2))",
            "locant_encoding_create: rope has freqs=geometric and "
            "scaling=linear, expected one of them: scalings are of powers of a "
            "base");
    refused("rope(cut=pairs(n=2),angles=ggml)",
            "locant_encoding_create: pairs(n=2) has no recipe of ggml for "
            "these keys, expected angles=exact");
    refused("rope(scaling=mixed-radix(factor=4,original=64),angles=hf)",
            "locant_encoding_create: mixed-radix(factor=4,original=64) has no "
            "recipe of hf for these keys, expected angles=exact");
    refused("rope(scaling=mixed-radix(factor=4,original=64,fast=1,slow=2))",
            "locant_encoding_create: fast of mixed-radix is 1, expected at "
            "least slow, 2");
}

static void refused_call(const char *spec, locant_status status,
                         const char *message)
{
    OWNED(locant_encoding) *e = test_create(spec);
    int64_t pos = 3;
    float x[8] = { 1 }, y[8];
    locant_tensor tx = DENSE(F32, x, 1, 8), ty = DENSE(F32, y, 1, 8);
    locant_tensor tp = DENSE(I64, &pos, 1);

    CHECK_REFUSED(locant_encoding_rotate(&ty, &tx, e, &tp, NULL, 0), status,
                  message);
}

TEST(bad_calls_are_refused)
{
    refused_call("rope(freqs=list(values=1:2:3))", LOCANT_ERR_SHAPE,
                 "locant_encoding_rotate: the list of frequencies has 3 "
                 "numbers, expected 4, one for each pair");
    refused_call("rope(taper=cosine(pairs=20))", LOCANT_ERR_SHAPE,
                 "locant_encoding_rotate: cosine(pairs=20) is for 20 pairs, "
                 "found heads with 4 rotated pairs");
    refused_call("rope(cut=length)", LOCANT_ERR_PARAM,
                 "locant_encoding_rotate: the cut by length of rope has no "
                 "length, expected one in its spec, or a resolved encoding");
}

TEST(a_cut_without_length_takes_the_trained_one)
{
    OWNED(locant_encoding) *e = test_create("rope(cut=length)");
    OWNED(locant_encoding) *resolved = NULL;

    CHECK_OK(locant_encoding_resolve(&resolved, e, 512));
    CHECK(strcmp(locant_encoding_spec(resolved),
                 "rope(cut=length(length=512))") == 0);
    CHECK(rotating(locant_encoding_spec(resolved), 64) == 16);
}
