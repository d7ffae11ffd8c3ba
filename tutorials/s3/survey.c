/* survey.c - chapter 5: four methods: S3.11 .. S3.13, S3.15, S3.22. */
#include "../tutorial.h"

/* Lists the encodings with this door, or those without any if 'door' is 0;
   returns how many there are. */
static int encodings_with(const char **names, unsigned door)
{
    const locant_encoding_info *e;
    int n = 0;

    for (int i = 0; (e = locant_encoding_at(i)) != NULL; i++)
        if (door ? e->doors & door : e->doors == 0)
            names[n++] = e->name;
    return n;
}

void s3_11_taxonomy(void)
{
    static const struct {
        unsigned door;
        const char *name, *how;
    } kinds[] = {
        { LOCANT_DOOR_INPUT, "additive to the input", "x + P[p]" },
        { LOCANT_DOOR_SCORE, "additive to the score", "q . k + b(i - j)" },
        { LOCANT_DOOR_CONTENT, "the same, reading q or k", "q . k + q . a" },
        { LOCANT_DOOR_ROTATE, "multiplicative", "(R_i q) . (R_j k)" },
        { 0, "none of them", "only changes positions, or nothing" },
    };
    int sum = 0, all = 0;
    const char **names;

    while (locant_encoding_at(all) != NULL)
        all++;
    names = memory(all, sizeof *names);
    say("Where position meets content, and locant's encodings of each kind:");
    for (int i = 0; i < 5; i++) {
        int n = encodings_with(names, kinds[i].door);

        say("%s, %s (%d): %s.", kinds[i].name, kinds[i].how, n,
            joined(names, n));
        sum += n;
    }
    show_count("encodings", all);
    claim("each has a kind", sum >= all);
    claim("the tutorial's examples are of its kinds",
          info("sinusoidal")->doors == LOCANT_DOOR_INPUT &&
              info("learned")->doors == LOCANT_DOOR_INPUT &&
              info("t5")->doors == LOCANT_DOOR_SCORE &&
              info("transformer-xl")->doors == LOCANT_DOOR_CONTENT &&
              info("rope")->doors == LOCANT_DOOR_ROTATE);
}

enum { METHODS = 4 };

static const char *const specs[METHODS] = { "sinusoidal", "learned(length=512)",
                                            "t5", "rope" };

/* A row of the table: what 'ask' says of each of the four methods. */
static void feature_row(const char *feature,
                        const char *(*ask)(const char *spec))
{
    table_row("%s|%s|%s|%s|%s", feature, ask(specs[0]), ask(specs[1]),
              ask(specs[2]), ask(specs[3]));
}

static const char *integration(const char *spec)
{
    return info(spec)->doors & LOCANT_DOOR_INPUT    ? "added to the input"
           : info(spec)->doors & LOCANT_DOOR_ROTATE ? "rotates q and k"
                                                    : "added to the score";
}

static const char *learns(const char *spec)
{
    return learned_numbers(spec, 512, 8) > 0 ? "yes" : "no";
}

static const char *beyond_training(const char *spec)
{
    return has_trait(spec, LOCANT_TRAIT_LIMIT)      ? "ends at its table"
           : has_trait(spec, LOCANT_TRAIT_RELATIVE) ? "defined"
                                                    : "defined, poor";
}

void s3_12_table(void)
{
    table("comparison", "feature|sinusoid|learned|relative|rotary");
    feature_row("integration", integration);
    feature_row("learned numbers", learns);
    feature_row("beyond training", beyond_training);
    table_row(
        "idea|a fixed function|a row each|a number for a distance|an angle");
    table_row("merit|nothing to learn|fits the task|distance counts|relative, "
              "no parameters");
    table_row(
        "fault|fixed shape|a length limit|more code|the base, long input");
    table_row(
        "models|Transformer|BERT, GPT-2|Transformer-XL, T5|Llama, Gemma, PaLM");
    table("numbers", "method|learned numbers (512 rows of 512, 8 heads)");
    for (int i = 0; i < METHODS; i++)
        table_row("%s|%lld", specs[i], learned_numbers(specs[i], 512, 8));
    mistake_in_words("E-3.4", "RoPE beyond training", "excellent, the best",
                     "poor without scaling; relative biases do better",
                     "S4.18 trains three of them and measures it.");
    mistake_in_words("E-3.7", "parameters of the learned table", "many",
                     "a fraction of a percent of a model", "S3.6 counts them.");
    check("numbers of the learned table", learned_numbers(specs[1], 512, 8),
          512 * 512, 0);
    check("numbers of T5", learned_numbers(specs[2], 512, 8), 32 * 8, 0);
    claim("only the learned table has a length limit",
          has_trait(specs[1], LOCANT_TRAIT_LIMIT) &&
              !has_trait(specs[3], LOCANT_TRAIT_LIMIT));
}

void s3_13_evolution(void)
{
    static const struct {
        int year;
        const char *step;
    } line[METHODS] = {
        { 2017, "fixed, absolute, added" },
        { 2018, "learned in place of fixed" },
        { 2019, "relative in place of absolute" },
        { 2021, "rotated in place of added" },
    };
    int learned = 0, relative = 0;

    table("line", "year|encoding|step|doors|relative");
    for (int i = 0; i < METHODS; i++) {
        int is_relative = has_trait(specs[i], LOCANT_TRAIT_RELATIVE);

        table_row("%d|%s|%s|%s|%s", line[i].year, info(specs[i])->name,
                  line[i].step, doors(specs[i]), is_relative ? "yes" : "no");
        learned += has_trait(specs[i], LOCANT_TRAIT_LEARNED);
        relative += is_relative;
    }
    say("A line is a simplification: learned tables are as old as the sinusoid "
        "(Gehring 2017), and relative ones from 2018 (Shaw).");
    check("learned ones", learned, 2, 0);
    check("relative ones", relative, 2, 0);
}

void s3_15_conclusion(void)
{
    table_of_rows(
        "method, in a line|row\n"
        "sinusoid: a formula is enough to begin with|S3.5\n"
        "learned: fits better, and stops at its last row|S3.6\n"
        "relative: relations in place of addresses, long context|S3.8\n"
        "rotary: position as an angle in the vector itself|S3.10\n");
}

void s3_22_models(void)
{
    static const char *const models[][2] = {
        { "Transformer (2017)", "sinusoidal" },
        { "BERT, GPT, GPT-2", "learned" },
        { "Transformer-XL", "transformer-xl" },
        { "T5", "t5" },
        { "Llama, Gemma, PaLM", "rope" },
        { "ViT", "learned" },
        { "graph networks (GNN)", "laplacian" },
    };
    int found = 0;

    table("models", "model|encoding|the catalogue's title");
    for (int i = 0; i < 7; i++) {
        const locant_encoding_info *e = info(models[i][1]);

        table_row("%s|%s|%s", models[i][0], models[i][1], e->title);
        found += strcmp(e->name, models[i][1]) == 0;
    }
    table_row("RNN, LSTM|-|none: the recurrence keeps order");
    check("models whose encoding the catalogue has", found, 7, 0);
}
