/* survey.c - three methods compared: S4.13, S4.14, S4.19, S4.20. */
#include "../tutorial.h"

void s4_13_table(void)
{
    static const char *const specs[] = { "sinusoidal", "rope", "alibi" };
    const char *kind[3];
    long long numbers[3];
    int relative = 0;

    for (int i = 0; i < 3; i++) {
        int is_relative = has_trait(specs[i], LOCANT_TRAIT_RELATIVE);

        kind[i] = is_relative ? "relative" : "absolute";
        relative += is_relative;
        numbers[i] = learned_numbers(specs[i], 512, 8);
    }
    table("comparison", "feature|sinusoidal|RoPE|ALiBi");
    table_row("type|%s|%s|%s", kind[0], kind[1], kind[2]);
    table_row("parameters|formula, %lld|formula, %lld|formula, %lld",
              numbers[0], numbers[1], numbers[2]);
    table_row("to write|medium|medium|easy");
    table_row("beyond training|poor|poor without scaling|stable, mostly local");
    table_row("training|stable|stable|stable");
    table_row("models|first Transformer|LLaMA, Qwen|BLOOM, MPT");
    mistake_in_words("E-4.7", "RoPE beyond training", "good",
                     "poor without scaling",
                     "S4.18 tests the three at twice the trained length.");
    mistake_in_words("E-4.7", "ALiBi beyond training", "excellent",
                     "its loss stays flat",
                     "Far keys weigh almost nothing: the model survives a long "
                     "context more than it uses it.");
    check("learned numbers of the three together",
          numbers[0] + numbers[1] + numbers[2], 0, 0);
    check("relative ones", relative, 2, 0);
}

void s4_14_summary(void)
{
    table_of_rows("point|row\n"
                  "attention has no sense of position: it must be given|S4.3\n"
                  "sinusoidal: positions as waves|S4.4\n"
                  "learnable: a table, as in BERT and GPT|S4.8\n"
                  "RoPE: positions as rotations of q and k|S4.9\n"
                  "ALiBi: a line taken off each score|S4.12\n"
                  "large models of today (LLaMA, Qwen): mostly RoPE|S4.20\n");
    mistake_in_words("E-4.7", "best beyond training", "RoPE well, ALiBi best",
                     "RoPE not without scaling; ALiBi stays flat",
                     "As S4.13; S4.18 measures it.");
}

/* How often a model of 12 layers applies an encoding with these doors. */
static int uses(unsigned entered)
{
    int once = (entered & LOCANT_DOOR_INPUT) != 0;
    int each = (entered & ~(unsigned)LOCANT_DOOR_INPUT) != 0;

    return once + 12 * each;
}

void s4_19_homework_5(void)
{
    static const char *const specs[] = { "sinusoidal", "learned(length=512)",
                                         "rope",       "alibi",
                                         "t5",         "transformer-xl" };
    int once = 0, every = 0;

    say("The question: why are positions added only at the input, and not in "
        "every layer?");
    table("uses", "encoding|doors|uses in 12 layers");
    for (int i = 0; i < 6; i++) {
        int n = uses(info(specs[i])->doors);

        once += n == 1;
        every += n == 12;
        table_row("%s|%s|%d", specs[i], doors(specs[i]), n);
    }
    say("For the two that are added: residual sums carry what the input had "
        "through every layer, so once is enough.  The others act where scores "
        "are made, and scores are made in every layer.");
    mistake_in_words("E-4.6", "where positions are given", "only at the input",
                     "at the input, or in every layer",
                     "The premise holds for absolute encodings that are added, "
                     "and for no other.");
    check("of the six, used once", once, 2, 0);
    check("of the six, used in every layer", every, 4, 0);
}

void s4_20_models(void)
{
    static const char *const models[][2] = {
        { "original Transformer", "sinusoidal" },
        { "BERT", "learned(length=512)" },
        { "GPT", "learned(length=1024)" },
        { "LLaMA", "rope" },
        { "Qwen", "rope" },
        { "BLOOM", "alibi" },
        { "MPT", "alibi" },
    };
    int learned = 0;

    table("models", "model|encoding|learned numbers of it (width 768)");
    for (int i = 0; i < 7; i++) {
        long long n = learned_numbers(models[i][1], 768, 12);

        learned += n > 0;
        table_row("%s|%s|%lld", models[i][0], info(models[i][1])->title, n);
    }
    check("models with learned positions", learned, 2, 0);
}
