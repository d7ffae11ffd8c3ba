/* words.c - the notebook's summary: S0.23 .. S0.26. */
#include "../tutorial.h"

void s0_23_ideas(void)
{
    say("1. why: attention is equivariant to order; positions must be put in.");
    say("2. sinusoidal: sines and cosines of the position, fixed.");
    say("3. learned: a trained row for each position.");
    say("4. relative: the score depends on the distance i - j.");
    claim("learned is learned, sinusoidal is not",
          has_trait("learned", LOCANT_TRAIT_LEARNED) &&
              !has_trait("sinusoidal", LOCANT_TRAIT_LEARNED));
    claim("rope and alibi are relative",
          has_trait("rope", LOCANT_TRAIT_RELATIVE) &&
              has_trait("alibi", LOCANT_TRAIT_RELATIVE));
    mistake_in_words(
        "E-0.1", "first idea", "attention is position invariant", "equivariant",
        "outputs move with their tokens; 'locant tutorial S0.5' measures it");
}

/* Multiplications and additions for one layer of 1024 tokens, width 512. */
static long long operations(unsigned doors_used)
{
    enum { TOKENS = 1024, WIDTH = 512, HEADS = 8 };

    if (doors_used & LOCANT_DOOR_INPUT)
        return TOKENS * WIDTH;
    /* q and k: four products and two sums per pair */
    if (doors_used & LOCANT_DOOR_ROTATE)
        return 2 * TOKENS * (WIDTH / 2) * 6;
    return HEADS * TOKENS * TOKENS * 2;
}

void s0_24_features(void)
{
    /* clang-format off */
    static const struct {
        const char *spec, *formula, *theirs, *right, *use;
        int expected; /* parameters at 1024 x 512 */
    } methods[] = {
        { "sinusoidal", "0", "good", "poor", "original Transformer", 0 },
        { "learned(length=1024)", "L d", "limited", "none", "fixed length",
          1024 * 512 },
        { "rope", "0", "good", "poor unscaled", "present LLMs", 0 },
        { "alibi", "0", "excellent", "level, but local", "long text", 0 }
    };
    /* clang-format on */

    say("For 1024 tokens, width 512, 8 heads; operations are of one layer "
        "where the method acts in each, of the input where it acts there.");
    table("methods", "method|parameters|computed|operations|extrapolation|use");
    for (int i = 0; i < 4; i++) {
        const locant_encoding_info *e = info(methods[i].spec);
        long long n = learned_numbers(methods[i].spec, 512, 8);

        table_row("%s|%s|%lld|%lld|%s|%s", e->name, methods[i].formula, n,
                  operations(e->doors), methods[i].right, methods[i].use);
        check(methods[i].spec, n, methods[i].expected, 0);
    }
    for (int i = 0; i < 4; i++)
        if (strcmp(methods[i].theirs, "limited") != 0)
            mistake_in_words("E-0.9", methods[i].spec, methods[i].theirs,
                             methods[i].right,
                             "the tutorial tested no model beyond its trained "
                             "length; models that were tested show otherwise");
}

void s0_25_advice(void)
{
    enum { T = 8, W = 64 };
    locant_random r = random_stream(25);
    locant_tensor x = SCALED_NORMALS(&r, 0.3, 1, 1, T, W);
    locant_tensor y = plus(x, sinusoidal(0, T, W));
    double change = difference(weights((locant_attention){ .q = &x, .k = &x }),
                               weights((locant_attention){ .q = &y, .k = &y }));

    say("Insights, as they stand today:");
    say("1. positions change the weights: here by up to %.3f (8 random tokens, "
        "sinusoidal)",
        change);
    say("2. lengths beyond training matter, and must be measured, not assumed");
    say("3. no encoding is best everywhere");
    say("4. distance matters more than place: most present encodings are "
        "relative");
    say("Advice:");
    say("1. a small model of fixed length: sinusoidal will do");
    say("2. long text: rope with a scaling, or alibi if nearby text decides");
    say("3. fixed length and enough data: learned");
    say("4. a language model today: rope");
    claim("positions change the weights", change > 0.01);
}

void s0_26_names(void)
{
    /* model, its name in the catalogue, its encoding */
    static const char *const models[][3] = {
        { "Transformer", "original Transformer", "sinusoidal" },
        { "T5", "T5", "t5" },
        { "GPT-NeoX", "GPT-NeoX", "rope" },
        { "LLaMA", "Llama", "rope" },
        { "PaLM", "PaLM", "rope" }
    };

    table("models", "model|encoding");
    for (int i = 0; i < 5; i++) {
        table_row("%s|%s", models[i][0], models[i][2]);
        claim(models[i][0],
              strstr(info(models[i][2])->used_by, models[i][1]) != NULL);
    }
    claim("PaLM does not use alibi",
          strstr(info("alibi")->used_by, "PaLM") == NULL);
    mistake_in_words(
        "E-0.7", "PaLM", "alibi", "rope",
        "PaLM rotates queries and keys; alibi is in BLOOM and MPT");
    say("Next in the tutorial: the Transformer block ('locant tutorial S3.20' "
        "has one).");
}
