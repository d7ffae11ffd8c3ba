/* test_spec.c - the spec language: round trips, refusals, memory */
#define _GNU_SOURCE
#include "testing.h"
#include "encodings/spec.h"
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FN "locant_encoding_create"

/* A registry of its own: every kind of key, and specs inside specs. */
static const char *const pairings[] = { "half", "interleaved", NULL };

static locant_status low_below_high(const locant_encoding *e)
{
    if (e->value[0] < e->value[1])
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM, "%s: low should be below high",
                       e->spec);
}

static const struct lct_key band_keys[] = {
    { .name = "low", .kind = LCT_NUMBER, .def = 1, .min = 0, .max = 1e6 },
    { .name = "high",
      .kind = LCT_NUMBER,
      .def = 4,
      .min = 0,
      .max = INFINITY,
      .min_open = true },
    { 0 }
};
static const struct lct_encoding band = { .info = { .name = "band" },
                                          .keys = band_keys,
                                          .check = low_below_high };
static const struct lct_encoding plain = { .info = { .name = "plain" } };

static const struct lct_encoding deep;
static const struct lct_encoding *const inner[] = { &band, &deep, &plain,
                                                    NULL };

static const struct lct_key deep_keys[] = {
    { .name = "in", .kind = LCT_SPEC, .def = NAN, .family = inner }, { 0 }
};
static const struct lct_encoding deep = { .info = { .name = "deep" },
                                          .keys = deep_keys };

/* clang-format off */
static const struct lct_key wheel_keys[] = {
    { .name = "base", .kind = LCT_NUMBER, .def = 10000, .min = 0,
      .max = INFINITY, .min_open = true },
    { .name = "offset", .kind = LCT_NUMBER, .def = 0, .min = -INFINITY,
      .max = INFINITY },
    { .name = "dim", .kind = LCT_INTEGER, .def = NAN, .min = 2, .max = 4096 },
    { .name = "pairing", .kind = LCT_WORD, .def = 0, .words = pairings },
    { .name = "symmetric", .kind = LCT_SWITCH, .def = 0 },
    { .name = "scaling", .kind = LCT_SPEC, .def = NAN, .family = inner },
    { .name = "mask", .kind = LCT_SPEC, .def = 2, .family = inner },
    { 0 }
};
/* clang-format on */
static const struct lct_encoding wheel = { .info = { .name = "wheel" },
                                           .keys = wheel_keys };
static const struct lct_encoding *const outer[] = { &band, &deep, &plain,
                                                    &wheel, NULL };

static void prints_as(const char *text, const char *want)
{
    locant_encoding *e, *again;

    CHECK_OK(lct_spec_parse(&e, FN, text, outer));
    if (strcmp(e->spec, want) != 0)
        FAIL("'%s' prints as '%s', want '%s'", text, e->spec, want);
    CHECK_OK(lct_spec_parse(&again, FN, e->spec, outer));
    CHECK(strcmp(again->spec, want) == 0);
    CHECK(lct_spec_print(NULL, 0, e) == strlen(want));
    lct_encoding_release(again);
    lct_encoding_release(e);
}

TEST(prints_canonically)
{
    static const char *const cases[][2] = {
        { "plain", "plain" },
        { " plain ( ) ", "plain" },
        { "wheel(base=10000)", "wheel" },
        { "wheel(base=1e4)", "wheel" },
        { "wheel(base=+0500000.0)", "wheel(base=500000)" },
        { "wheel(base=.5)", "wheel(base=0.5)" },
        { "wheel(base=5.)", "wheel(base=5)" },
        { "wheel(base=1E-7)", "wheel(base=1e-7)" },
        { "wheel(base=123e18)", "wheel(base=1.23e20)" },
        { "wheel(offset=-12.75)", "wheel(offset=-12.75)" },
        { "wheel(offset=-0)", "wheel" },
        { "wheel(offset=-0.00001)", "wheel(offset=-0.00001)" },
        { "wheel(offset=1234567890123456)", "wheel(offset=1234567890123456)" },
        { "wheel(dim=6.4e1)", "wheel(dim=64)" },
        { "wheel(symmetric=yes,pairing=interleaved)",
          "wheel(pairing=interleaved,symmetric=yes)" },
        { "wheel(symmetric=no,\tpairing = half\n)", "wheel" },
        { "wheel(scaling=plain)", "wheel(scaling=plain)" },
        { "wheel(mask=plain)", "wheel" },
        { "wheel(mask=band)", "wheel(mask=band)" },
        { "wheel(scaling=band(high=8,low=1),dim=2)",
          "wheel(dim=2,scaling=band(high=8))" },
        { "wheel(scaling=deep(in=deep(in=band(low=2))))",
          "wheel(scaling=deep(in=deep(in=band(low=2))))" },
    };

    for (size_t i = 0; i < LEN(cases); i++)
        prints_as(cases[i][0], cases[i][1]);
}

TEST(keeps_every_value)
{
    locant_encoding *e;

    CHECK_OK(lct_spec_parse(&e, FN,
                            "wheel(pairing=interleaved,dim=64,"
                            "symmetric=yes,scaling=band(low=0.25))",
                            outer));
    CHECK(e->row == &wheel && e->value[0] == 10000 && e->value[2] == 64);
    CHECK(e->value[3] == 1 && e->value[4] == 1);
    CHECK(e->value[5] == 0 && e->nested[5]->row == &band);
    CHECK(e->nested[5]->value[0] == 0.25 && e->nested[5]->value[1] == 4);
    CHECK(e->value[6] == 2 && e->nested[6]->row == &plain);
    lct_encoding_release(e);
    CHECK_OK(lct_spec_parse(&e, FN, "wheel", outer));
    CHECK(isnan(e->value[2]) && isnan(e->value[5]) && e->nested[5] == NULL);
    lct_encoding_release(e);
}

static const char *const bad_specs[][2] = {
    { "", "the spec ends at byte 0, expected the name of an encoding" },
    { "  ", "the spec ends at byte 2, expected the name of an encoding" },
    { "8", "found '8' at byte 0 of the spec, expected the name of an "
           "encoding" },
    { "whel", "unknown encoding 'whel' at byte 0; did you mean 'wheel'? "
              "known: band, deep, plain, wheel" },
    { "WHEEL", "unknown encoding 'WHEEL' at byte 0; did you mean 'wheel'? "
               "known: band, deep, plain, wheel" },
    { " zzz", "unknown encoding 'zzz' at byte 1; known: band, deep, plain, "
              "wheel" },
    { "plain(", "the spec ends at byte 6, expected the name of a key" },
    { "plain)", "found ')' at byte 5 of the spec, expected the end of the "
                "spec" },
    { "plain plain", "found 'p' at byte 6 of the spec, expected the end of "
                     "the spec" },
    { "plain(a=1)", "unknown key 'a' at byte 6: 'plain' takes no keys" },
    { "wheel(bose=1)", "unknown key 'bose' of 'wheel' at byte 6; did you "
                       "mean 'base'? known: base, offset, dim, pairing, "
                       "symmetric, scaling, mask" },
    { "wheel(base 3)", "found '3' at byte 11 of the spec, expected '='" },
    { "wheel(base=)", "found ')' at byte 11 of the spec, expected a "
                      "value" },
    { "wheel(base=", "the spec ends at byte 11, expected a value" },
    { "wheel(base=1", "the spec ends at byte 12, expected ',' or ')'" },
    { "wheel(base=1,)", "found ')' at byte 13 of the spec, expected the "
                        "name of a key" },
    { "wheel(base=1;dim=2)", "found ';' at byte 12 of the spec, expected "
                             "',' or ')'" },
    { "wheel(base=1,base=2)", "key 'base' of 'wheel' is given a second "
                              "time at byte 13" },
    { "wheel(base=0)", "key 'base' of 'wheel': '0' at byte 11 should be a "
                       "number > 0" },
    { "wheel(base=half)", "key 'base' of 'wheel': 'half' at byte 11 should "
                          "be a number > 0" },
    { "wheel(base=0x10)", "key 'base' of 'wheel': '0x10' at byte 11 should "
                          "be a number > 0" },
    { "wheel(base=1,5)", "found '5' at byte 13 of the spec, expected the "
                         "name of a key" },
    { "wheel(base=nan)", "key 'base' of 'wheel': 'nan' at byte 11 should "
                         "be a number > 0" },
    { "wheel(base=inf)", "key 'base' of 'wheel': 'inf' at byte 11 should "
                         "be a number > 0" },
    { "wheel(base=1e999)", "key 'base' of 'wheel': '1e999' at byte 11 "
                           "should be a number > 0" },
    { "wheel(base=1e)", "key 'base' of 'wheel': '1e' at byte 11 should be "
                        "a number > 0" },
    { "wheel(base=1.2.3)", "key 'base' of 'wheel': '1.2.3' at byte 11 "
                           "should be a number > 0" },
    { "wheel(base=-)", "key 'base' of 'wheel': '-' at byte 11 should be a "
                       "number > 0" },
    { "wheel(base=$)", "key 'base' of 'wheel': '$' at byte 11 should be a "
                       "number > 0" },
    { "wheel(offset=x)", "key 'offset' of 'wheel': 'x' at byte 13 should "
                         "be a number" },
    { "wheel(dim=2.5)", "key 'dim' of 'wheel': '2.5' at byte 10 should be "
                        "an integer 2 .. 4096" },
    { "wheel(dim=4097)", "key 'dim' of 'wheel': '4097' at byte 10 should "
                         "be an integer 2 .. 4096" },
    { "wheel(pairing=hlaf)", "key 'pairing' of 'wheel': 'hlaf' at byte 14 "
                             "should be half | interleaved" },
    { "wheel(symmetric=1)", "key 'symmetric' of 'wheel': '1' at byte 16 "
                            "should be yes | no" },
    { "wheel(scaling=4)", "key 'scaling' of 'wheel': '4' at byte 14 should "
                          "be band | deep | plain" },
    { "wheel(scaling=wheel)", "unknown encoding 'wheel' at byte 14; "
                              "known: band, deep, plain" },
    { "wheel(scaling=band(low=-1))", "key 'low' of 'band': '-1' at byte 23 "
                                     "should be a number 0 .. 1000000" },
    { "wheel(b\x1b[31m=1)", "unknown key 'b' of 'wheel' at byte 6; did you "
                            "mean 'base'? known: base, offset, dim, "
                            "pairing, symmetric, scaling, mask" },
    { "plain\xc3\xa9", "found '\\xc3' at byte 5 of the spec, expected the "
                       "end of the spec" },
};

TEST(refuses_with_one_sentence)
{
    for (size_t i = 0; i < LEN(bad_specs); i++) {
        char want[512];
        locant_encoding *e = (locant_encoding *)&wheel;

        snprintf(want, sizeof want, FN ": %s", bad_specs[i][1]);
        CHECK_REFUSED(lct_spec_parse(&e, FN, bad_specs[i][0], outer),
                      LOCANT_ERR_PARAM, want);
        CHECK(e == NULL);
    }
}

TEST(asks_the_row_about_the_whole)
{
    locant_encoding *e;

    CHECK_REFUSED(lct_spec_parse(&e, FN, "wheel(mask=band(low=9))", outer),
                  LOCANT_ERR_PARAM, "band(low=9): low should be below high");
    CHECK(e == NULL);
    CHECK_REFUSED(lct_spec_parse(&e, FN, NULL, outer), LOCANT_ERR_NULL,
                  FN ": spec is NULL");
}

/* deep(in=deep(in= .. plain .. )) with 'n' names */
static void nest(char *out, size_t size, int n)
{
    size_t used = 0;

    for (int i = 1; i < n; i++)
        used += (size_t)snprintf(out + used, size - used, "deep(in=");
    used += (size_t)snprintf(out + used, size - used, "plain");
    for (int i = 1; i < n; i++)
        used += (size_t)snprintf(out + used, size - used, ")");
}

TEST(stays_within_its_limits)
{
    char text[LCT_SPEC_BYTES + 2];
    locant_encoding *e;

    nest(text, sizeof text, LCT_SPEC_DEPTH);
    prints_as(text, text);
    nest(text, sizeof text, LCT_SPEC_DEPTH + 1);
    CHECK_REFUSED(lct_spec_parse(&e, FN, text, outer), LOCANT_ERR_PARAM,
                  FN ": specs nested deeper than 8 at byte 64");
    nest(text, sizeof text, 400);
    CHECK(lct_spec_parse(&e, FN, text, outer) == LOCANT_ERR_PARAM);

    memset(text, ' ', sizeof text);
    memcpy(text, "plain", 5);
    text[LCT_SPEC_BYTES] = 0;
    prints_as(text, "plain");
    text[LCT_SPEC_BYTES] = ' ';
    text[LCT_SPEC_BYTES + 1] = 0;
    CHECK_REFUSED(lct_spec_parse(&e, FN, text, outer), LOCANT_ERR_PARAM,
                  FN ": the spec has more than 4096 bytes");

    memset(text, 'q', sizeof text);
    text[1000] = 0;
    CHECK(lct_spec_parse(&e, FN, text, outer) == LOCANT_ERR_PARAM);
    CHECK(strstr(locant_last_error(), "qqq...' at byte 0; known: ") != NULL);
    CHECK(strlen(locant_last_error()) < 200);
}

/* A number comes back with the same bits, and as short as any that does. */
static void round_trip(double v)
{
    char text[LCT_NUMBER_BYTES], libc[64];
    size_t n = lct_number_print(text, v);
    double back;
    int digits = 1;

    CHECK(n > 0 && n == strlen(text));
    CHECK(lct_number_parse(&back, text, n));
    if (memcmp(&back, &v, sizeof v) != 0)
        FAIL("%a prints as %s and reads as %a", v, text, back);
    for (; digits < 17; digits++) {
        snprintf(libc, sizeof libc, "%.*e", digits - 1, v);
        if (strtod(libc, NULL) == v)
            break;
    }
    for (size_t i = 0, seen = 0, count = 0; i <= n; i++) {
        if (text[i] == 0 || text[i] == 'e') {
            /* zeros at the end of an integer are places, not digits */
            CHECK(count <= (size_t)digits);
            break;
        }
        if (text[i] >= '1' && text[i] <= '9') {
            seen++;
            count = seen;
        } else if (text[i] == '0' && seen > 0) {
            seen++;
        }
    }
}

TEST(numbers_keep_every_bit)
{
    static const double ugly[] = { 0.0,
                                   1.0,
                                   -1.0,
                                   0.1,
                                   1.0 / 3,
                                   5e-324,
                                   DBL_MIN,
                                   DBL_MAX,
                                   -DBL_MAX,
                                   DBL_EPSILON,
                                   9007199254740993.0,
                                   1e15,
                                   1e16,
                                   1e17,
                                   123456789012345680.0,
                                   1e22,
                                   1e23,
                                   9.999999999999999e22,
                                   0.00001,
                                   0.000001,
                                   2.2250738585072011e-308 };

    for (size_t i = 0; i < LEN(ugly); i++)
        round_trip(ugly[i]);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = test_rand();
        double v;

        memcpy(&v, &bits, sizeof v);
        if (isfinite(v) && v != 0)
            round_trip(v);
        round_trip(
            ldexp((double)test_range(1, 1 << 20), (int)test_range(-30, 30)));
    }
}

TEST(numbers_read_like_the_c_library)
{
    static const char *const texts[] = {
        "0",
        "00",
        "1",
        "+1",
        "1.",
        ".1",
        "1e5",
        "1E+5",
        "1e-5",
        "0.1e1",
        "1e400",
        "-1e400",
        "1e-400",
        "179769313486231580793e289",
        "2.4703282292062327208e-324",
        "2.4703282292062328e-324",
        "0.000000000000000000000000000000000000000000000001",
        "1e99999999999999999999",
        "0e99999999999999999999",
    };
    static const char *const not_numbers[] = {
        "",      "+",     "-",     ".",   "e5",       "1e",  "1e+",
        "1e5.5", "1.2.3", "--1",   "1 ",  " 1",       "0x1", "nan",
        "inf",   "1,5",   "1e5e5", "1_0", "\xd9\xa1",
    };
    double got;

    for (size_t i = 0; i < LEN(texts); i++) {
        CHECK(lct_number_parse(&got, texts[i], strlen(texts[i])));
        if (got != strtod(texts[i], NULL))
            FAIL("%s reads as %a", texts[i], got);
    }
    for (size_t i = 0; i < LEN(not_numbers); i++)
        if (lct_number_parse(&got, not_numbers[i], strlen(not_numbers[i])))
            FAIL("'%s' reads as %a", not_numbers[i], got);
}

/* A locale with a decimal comma, made here where none is installed. */
static const char *comma_locale(const char *directory)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8",
                                         "fr_FR.UTF-8", "fr_FR.utf8" };
    char command[400];

    for (size_t i = 0; i < LEN(names); i++)
        if (setlocale(LC_NUMERIC, names[i]) != NULL)
            return names[i];
    snprintf(command, sizeof command,
             "localedef -i de_DE -f UTF-8 "
             "'%s/de_DE.UTF-8' >/dev/null 2>&1",
             directory);
    if (system(command) != 0 || setenv("LOCPATH", directory, 1) != 0)
        return NULL;
    return setlocale(LC_NUMERIC, names[0]);
}

TEST(does_not_mind_a_decimal_comma)
{
    const char *base = getenv("TMPDIR"), *set;
    char directory[256], command[300], text[20];

    snprintf(directory, sizeof directory, "%s/test_spec.XXXXXX",
             base != NULL ? base : ".");
    CHECK(mkdtemp(directory) != NULL);
    set = comma_locale(directory);
    snprintf(command, sizeof command, "rm -r '%s'", directory);
    CHECK(system(command) == 0);
    if (set == NULL)
        skip();
    snprintf(text, sizeof text, "%.1f", 0.5);
    CHECK(strcmp(text, "0,5") == 0);
    prints_as("wheel(offset=-12.75)", "wheel(offset=-12.75)");
    prints_as("wheel(offset=1.5e-9)", "wheel(offset=1.5e-9)");
    CHECK(setlocale(LC_NUMERIC, "C") != NULL);
}

/* Random text of the grammar's own pieces never does harm. */
TEST(survives_nonsense)
{
    static const char *const pieces[] = {
        "wheel", "band", "deep", "plain", "(",       ")", "=",
        ",",     "base", "low",  "in",    "scaling", "1", "-2.5e3",
        "half",  "yes",  " ",    "\xff",  "e",       ".",
    };

    for (int round = 0; round < 20000; round++) {
        char text[256];
        size_t used = 0;
        locant_encoding *e;

        for (int64_t n = test_range(0, 14); n > 0; n--)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s",
                                     pieces[test_range(0, LEN(pieces) - 1)]);
        text[used] = 0;
        if (lct_spec_parse(&e, FN, text, outer) != LOCANT_OK)
            continue;
        prints_as(text, e->spec);
        lct_encoding_release(e);
    }
}

/* The registry: every row and every key of it, by the public functions. */
TEST(knows_every_encoding_of_the_registry)
{
    const locant_encoding_info *info;
    locant_key_info key;

    for (int i = 0; (info = locant_encoding_at(i)) != NULL; i++) {
        locant_encoding *e, *again;
        char text[256];

        CHECK_OK(locant_encoding_create(&e, info->name));
        CHECK(strcmp(locant_encoding_spec(e), info->name) == 0);
        CHECK(locant_encoding_info_of(e) == info);
        for (int k = 0; locant_encoding_key(&key, info->name, k); k++) {
            if (*key.fallback == 0)
                continue;
            snprintf(text, sizeof text, "%s(%s=%s)", info->name, key.name,
                     key.fallback);
            again = test_create(text);
            CHECK(strcmp(locant_encoding_spec(again), info->name) == 0);
            locant_encoding_free(again);
        }
        snprintf(text, sizeof text, "%s(nokey=1)", info->name);
        CHECK(locant_encoding_create(&again, text) == LOCANT_ERR_PARAM);
        CHECK(again == NULL);
        /* a key of layers(..) that it does not know names an encoding */
        CHECK(strstr(locant_last_error(), strcmp(info->name, "layers") == 0
                                              ? "the name of an encoding"
                                              : "unknown key 'nokey'") != NULL);
        locant_encoding_free(e);
    }
}

TEST(prints_the_registry_canonically)
{
    static const char *const cases[][2] = {
        { "none()", "none" },
        { "rope( base = 5e5, pairing = interleaved, dim = 64 )",
          "rope(base=500000,pairing=interleaved,dim=64)" },
        { "rope(pairing=half,base=10000)", "rope" },
        { "alibi(symmetric=yes)", "alibi(symmetric=yes)" },
        { "t5(bidirectional=no,distance=128,buckets=64)", "t5(buckets=64)" },
        { "kerple(kind=power)", "kerple(kind=power)" },
        { "sinusoidal(form=split)", "sinusoidal(form=split)" },
        { "learned(length=128)", "learned(length=128)" },
    };
    locant_encoding *e;

    for (size_t i = 0; i < LEN(cases); i++) {
        e = test_create(cases[i][0]);
        if (strcmp(locant_encoding_spec(e), cases[i][1]) != 0)
            FAIL("'%s' prints as '%s'", cases[i][0], locant_encoding_spec(e));
        locant_encoding_free(e);
    }
    CHECK(locant_encoding_create(&e, "alibbi") == LOCANT_ERR_PARAM);
    CHECK(strstr(locant_last_error(),
                 FN ": unknown encoding 'alibbi' at byte "
                    "0; did you mean 'alibi'? known: alibi, ") != NULL);
}

TEST(survives_every_failing_allocation)
{
    locant_status status = LOCANT_ERR_NOMEM;
    locant_encoding *e;
    long k;

    for (k = 1; status == LOCANT_ERR_NOMEM; k++) {
        test_memory_fail(k);
        status = lct_spec_parse(&e, FN,
                                "wheel(mask=band(low=2),scaling=deep("
                                "in=plain))",
                                outer);
        if (status == LOCANT_ERR_NOMEM) {
            CHECK(e == NULL && test_memory_held() == 0);
            CHECK(!test_differs(locant_last_error(),
                                FN ": no memory for the encoding"));
        }
    }
    CHECK(status == LOCANT_OK);
    /* wheel, default of mask, band, deep, plain: each a struct and a text */
    CHECK(k == 12);
    lct_encoding_release(e);
    CHECK(test_memory_held() == 0);
    test_memory_end();
}
