/*
 * test_rope_recipes.c - the float32 recipes of transformers and ggml for scaled
 * frequencies, what rope's scalings refuse, and the variants of the registry.
 */
#include "rope_case.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void same_frequencies(const char *spec, int64_t D, int64_t length,
                             const uint32_t *want)
{
    locant_encoding *e;
    const struct lct_schedule *s = schedule_of(&e, spec, D, length);

    for (int64_t c = 0; c < s->pairs; c++)
        if (memcmp(&s->single[c], &want[c], sizeof(want[c])) != 0)
            FAIL("%s, pair %lld: got %a, want the bits %08x", spec,
                 (long long)c, (double)s->single[c], (unsigned)want[c]);
    locant_encoding_free(e);
}

/* Bit for bit what PyTorch has without its vectorised pow. */
TEST(frequencies_are_those_of_transformers)
{
    static const struct {
        const char *scaling;
        int base, D, length;
        uint32_t bits[96];
    } row[] = {
#include "golden/hf_frequencies.inc"
    };
    char spec[160];

    for (size_t i = 0; i < LEN(row); i++) {
        snprintf(spec, sizeof(spec), "rope(base=%d,angles=hf,scaling=%s)",
                 row[i].base, row[i].scaling);
        same_frequencies(spec, row[i].D, row[i].length, row[i].bits);
    }
}

/* The divisors of convert_hf_to_gguf.py; PyTorch has x / y as 1 / y * x. */
TEST(llama3_of_ggml_is_that_of_its_converter)
{
    for (int64_t D = 16; D <= 128; D += 16) {
        uint32_t want[64];

        for (int64_t c = 0; c < D / 2; c++) {
            float power = powf(500000.0f, (float)(2 * c) / (float)D);
            float wave = 1 / (1 / power) * (float)(2 * 3.141592653589793);
            float smooth = (1 / wave * 8192.0f - 1.0f) / 3.0f, by;

            by = wave < 2048.0f   ? 1
                 : wave > 8192.0f ? 8
                                  : 1 / ((1 - smooth) / 8.0f + smooth);
            memcpy(&want[c], &by, sizeof(by));
        }
        same_frequencies("rope(base=500000,angles=ggml,scaling=llama3)", D, 1,
                         want);
    }
}

/* Float recipes are near the exact angles while positions are small. */
TEST(recipes_are_near_the_exact_ones)
{
    static const char *const scalings[] = {
        "linear(factor=8)",
        "ntk(factor=4)",
        "llama3",
        "yarn(factor=16,original=4096)",
        "longrope(original=99,factor=9)",
    };
    char spec[3][128];
    double x[32], y[3][32];

    for (int i = 0; i < 32; i++)
        x[i] = test_uniform();
    for (size_t n = 0; n < LEN(scalings); n++) {
        for (int m = 0; m < 3; m++) {
            static const char *const modes[] = { "exact", "hf", "ggml" };

            snprintf(spec[m], sizeof(spec[m]), "rope(angles=%s,scaling=%s)",
                     modes[m], scalings[n]);
            near_rotate(y[m], x, spec[m], 77, 32, 0);
        }
        /* angles below 77 are off by 40 units of 2^-24 at most (32 roundings
         * in the recurrence), magnitudes by 4 */
        near_all(y[1], y[0], 32, 77 * 40 * 0x1p-24);
        near_all(y[2], y[0], 32, 77 * 40 * 0x1p-24);
    }
}

/* ----------------------------------------------------------------- refusals */

static void refused(const char *spec, const char *sentence)
{
    locant_encoding *e = NULL;

    CHECK_REFUSED(locant_encoding_create(&e, spec), LOCANT_ERR_PARAM, sentence);
    CHECK(e == NULL);
}

TEST(bad_specs_are_refused)
{
    refused("rope(scaling=linear)",
            "locant_encoding_create: linear needs its key 'factor': positions "
            "are divided by it");
    refused("rope(scaling=yarn(factor=4))",
            "locant_encoding_create: yarn needs its key 'original': length the "
            "model was first trained on");
    refused("rope(scaling=yarn(factor=4,original=64,fast=1,slow=2))",
            "locant_encoding_create: fast of yarn is 1, expected at least "
            "slow, 2");
    refused("rope(scaling=yarn(factor=4,original=64,mscale=1,score=yes))",
            "locant_encoding_create: yarn with score=yes needs its key "
            "'mscale-all': yes: attention multiplies the scores by (0.1 "
            "mscale-all ln factor + 1)^2");
    refused("rope(scaling=yarn(original=64,mscale-all=1,score=yes,"
            "dynamic=yes))",
            "locant_encoding_create: yarn has score=yes and dynamic=yes, "
            "expected one of them: the factor on scores is one number");
    refused("rope(scaling=llama3(low=5))",
            "locant_encoding_create: low of llama3 is 5, expected at most "
            "high, 4");
    refused("rope(scaling=linear(factor=0.5))",
            "locant_encoding_create: key 'factor' of 'linear': '0.5' at byte "
            "27 should be a number 1 .. 16777216");
}

/* As they are made, not when they turn. */
TEST(what_has_no_recipe_is_refused)
{
    static const char *const specs[][2] = {
        { "ggml", "dynamic(factor=2,original=64)" },
        { "ggml", "proportional" },
        { "ggml", "yarn(factor=4,original=64,truncate=no)" },
        { "ggml", "yarn(factor=4,original=64,mscale=1)" },
        { "ggml", "yarn(original=64,dynamic=yes)" },
        { "hf", "yarn(original=64,dynamic=yes)" }
    };
    char spec[120], sentence[200];

    for (size_t i = 0; i < LEN(specs); i++) {
        snprintf(spec, sizeof(spec), "rope(angles=%s,scaling=%s)+alibi",
                 specs[i][0], specs[i][1]);
        snprintf(sentence, sizeof(sentence),
                 "locant_encoding_create: %s has "
                 "no recipe of %s for these keys, expected angles=exact",
                 specs[i][1], specs[i][0]);
        refused(spec, sentence);
    }
    locant_encoding_free(test_create("rope(angles=hf,scaling=dynamic(factor=2,"
                                     "original=64))"));
}

TEST(bad_calls_are_refused)
{
    const struct lct_schedule *s;
    locant_encoding *e =
        test_create("rope(scaling=longrope(original=64,short=1:2:3))");

    CHECK_REFUSED(lct_schedule_of(&s, e, "f", 8, 1), LOCANT_ERR_SHAPE,
                  "f: the list 'short' of longrope has 3 numbers, expected 4, "
                  "one for each pair");
    locant_encoding_free(e);
    e = test_create("rope(base=1,scaling=yarn(factor=4,original=64))");
    CHECK_REFUSED(lct_schedule_of(&s, e, "f", 8, 1), LOCANT_ERR_PARAM,
                  "f: base of rope is 1, expected more than 1 with yarn");
    locant_encoding_free(e);
}

/* Llama 4's low = high: no pair is mixed, nothing divided by 0. */
TEST(equal_ends_of_llama3_are_guarded)
{
    static const char spec[] = "rope(base=500000,"
                               "scaling=llama3(factor=16,low=1,high=1))";
    locant_encoding *e, *base;
    const struct lct_schedule *s = schedule_of(&e, spec, 128, 1);
    const struct lct_schedule *b =
        schedule_of(&base, "rope(base=500000)", 128, 1);

    for (int64_t c = 0; c < 64; c++) {
        double f = radians(b->frequency[c]);
        bool slow = 8192 * f < 6.283185307179586;

        CHECK(fabs(radians(s->frequency[c]) - (slow ? f / 16 : f)) <=
              1e-15 * f);
    }
    locant_encoding_free(e);
    locant_encoding_free(base);
}

TEST(every_variant_parses)
{
    const locant_encoding_info *info;
    int met = 0;

    for (int i = 0; (info = locant_encoding_at(i)) != NULL; i++)
        for (const locant_variant *v = info->variants;
             v != NULL && v->spec != NULL; v++, met++) {
            OWNED(locant_encoding) *e = test_create(v->spec);

            if (strchr(v->spec, '+') == NULL &&
                locant_encoding_info_of(e) != info)
                FAIL("%s is no variant of %s", v->spec, info->name);
            CHECK(v->title != NULL && v->used_by != NULL);
        }
    CHECK(met >= 18);
}
