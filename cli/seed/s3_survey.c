/*
 * s3_survey.c - seed 003, chapter 5: the four methods side by side.
 */
#include "s3.h"

#include <stdio.h>
#include <string.h>

#include "layers.h"

/* ----------------------------------------------------------------- S3.11 */

/* Names of the registry's encodings of this door, "a, b, c"; their number. */
static int of_door(char *out, size_t size, unsigned door)
{
    const locant_encoding_info *info;
    int count = 0;

    out[0] = '\0';
    for (int i = 0; (info = locant_encoding_at(i)) != NULL; i++) {
        size_t used = strlen(out);

        if (!(door ? info->doors & door : info->doors == 0))
            continue;
        snprintf(out + used, size - used, "%s%s", count ? ", " : "",
                 info->name);
        count++;
    }
    return count;
}

/* Is this encoding of this door and no other? */
static int is_of(const char *name, unsigned door)
{
    const locant_encoding_info *info;

    for (int i = 0; (info = locant_encoding_at(i)) != NULL; i++)
        if (strcmp(info->name, name) == 0)
            return info->doors == door;
    return 0;
}

void s3_taxonomy(struct seed *s)
{
    static const struct {
        unsigned    door;
        const char *name, *how;
    } doors[] = {
        { LOCANT_DOOR_INPUT, "additive to the input", "x + P[p]" },
        { LOCANT_DOOR_SCORE, "additive to the score", "q . k + b(i - j)" },
        { LOCANT_DOOR_CONTENT, "the same, reading q or k", "q . k + q . a" },
        { LOCANT_DOOR_ROTATE, "multiplicative", "(R_i q) . (R_j k)" },
        { 0, "none of them", "only changes positions, or nothing" },
    };
    int with = 0, all = 0, found[5];

    while (locant_encoding_at(all) != NULL)
        all++;
    seed_say(s, "Where position meets content, and locant's encodings of each "
             "kind:");
    for (int i = 0; i < 5; i++) {
        char names[1024];

        found[i] = of_door(names, sizeof names, doors[i].door);
        seed_say(s, "%s, %s (%d): %s.", doors[i].name, doors[i].how, found[i],
                 names);
        with += i < 4 ? found[i] : 0;
    }
    seed_integer(s, "encodings", all);
    seed_claim(s, "each has a kind", with + found[4] >= all);
    seed_claim(s, "the seed's examples are of the seed's kinds",
               is_of("sinusoidal", LOCANT_DOOR_INPUT) &&
               is_of("learned", LOCANT_DOOR_INPUT) &&
               is_of("t5", LOCANT_DOOR_SCORE) &&
               is_of("transformer-xl", LOCANT_DOOR_CONTENT) &&
               is_of("rope", LOCANT_DOOR_ROTATE));
}

/* ----------------------------------------------------------------- S3.12 */

enum { METHODS = 4 };

static const char *const specs[METHODS] = { "sinusoidal",
                                            "learned(length=512)", "t5",
                                            "rope" };

/* What the registry knows of the four, "a|b|c|d". */
static void known(struct seed *s, const char *feature,
                  const char *(*say)(const locant_encoding *e))
{
    const char *cell[METHODS];

    for (int i = 0; i < METHODS; i++)
        cell[i] = say(seed_encoding(s, specs[i]));
    seed_cells(s, "%s|%s|%s|%s|%s", feature, cell[0], cell[1], cell[2],
               cell[3]);
}

static const char *say_door(const locant_encoding *e)
{
    unsigned doors = locant_encoding_info_of(e)->doors;

    return doors & LOCANT_DOOR_INPUT ? "added to the input"
           : doors & LOCANT_DOOR_ROTATE ? "turns q and k"
                                        : "added to the score";
}

static const char *say_learned(const locant_encoding *e)
{
    return seed_parameters(e, 512, 8) > 0 ? "yes" : "no";
}

static const char *say_length(const locant_encoding *e)
{
    unsigned traits = locant_encoding_info_of(e)->traits;

    return traits & LOCANT_TRAIT_LIMIT ? "ends at its table"
           : traits & LOCANT_TRAIT_RELATIVE ? "defined" : "defined, poor";
}

void s3_table(struct seed *s)
{
    seed_columns(s, "comparison", "feature|sinusoid|learned|relative|rotary");
    known(s, "integration", say_door);
    known(s, "learned numbers", say_learned);
    known(s, "beyond training", say_length);
    seed_cells(s, "idea|a fixed function|a row each|a number for a distance|an "
               "angle");
    seed_cells(s, "merit|nothing to learn|fits the task|distance counts|"
               "relative, no parameters");
    seed_cells(s, "fault|fixed shape|a wall|more code|the base, long input");
    seed_cells(s, "models|Transformer|BERT, GPT-2|Transformer-XL, T5|Llama, "
               "Gemma, PaLM");
    seed_table_end(s);
    seed_columns(s, "numbers", "method|learned numbers (512 rows of 512, 8 "
                 "heads)");
    for (int i = 0; i < METHODS; i++)
        seed_cells(s, "%s|%lld", specs[i], (long long)seed_parameters(
                   seed_encoding(s, specs[i]), 512, 8));
    seed_table_end(s);
    seed_wrong_text(s, "E-3.4", "RoPE beyond training", "excellent, the best",
                    "poor without scaling; relative biases do better",
                    "S4.18 trains three of them and measures it.");
    seed_wrong_text(s, "E-3.7", "parameters of the learned table", "many",
                    "a fraction of a percent of a model", "S3.6 counts them.");
    seed_check(s, "numbers of the learned table", (double)seed_parameters(
               seed_encoding(s, specs[1]), 512, 8), 512. * 512, 0);
    seed_check(s, "numbers of T5", (double)seed_parameters(
               seed_encoding(s, specs[2]), 512, 8), 32 * 8, 0);
    seed_claim(s, "only the learned table has a wall",
               (locant_encoding_info_of(seed_encoding(s, specs[1]))->traits &
                LOCANT_TRAIT_LIMIT) != 0 &&
               !(locant_encoding_info_of(seed_encoding(s, specs[3]))->traits &
                 LOCANT_TRAIT_LIMIT));
}

/* ----------------------------------------------------------- S3.13, S3.15 */

void s3_evolution(struct seed *s)
{
    static const struct {
        int         year;
        const char *spec, *step;
    } line[] = {
        { 2017, "sinusoidal", "fixed, absolute, added" },
        { 2018, "learned(length=512)", "learned in place of fixed" },
        { 2019, "t5", "relative in place of absolute" },
        { 2021, "rope", "turned in place of added" },
    };
    int learned = 0, relative = 0;

    seed_columns(s, "line", "year|encoding|step|doors|relative");
    for (int i = 0; i < METHODS; i++) {
        const locant_encoding *e = seed_encoding(s, line[i].spec);
        const locant_encoding_info *info = locant_encoding_info_of(e);
        char doors[64];

        cli_doors(doors, sizeof doors, info->doors);
        seed_cells(s, "%d|%s|%s|%s|%s", line[i].year, info->name, line[i].step,
                   doors,
                   info->traits & LOCANT_TRAIT_RELATIVE ? "yes" : "no");
        learned += (info->traits & LOCANT_TRAIT_LEARNED) != 0;
        relative += (info->traits & LOCANT_TRAIT_RELATIVE) != 0;
    }
    seed_table_end(s);
    seed_say(s, "A line is a simplification: learned tables are as old as the "
             "sinusoid (Gehring 2017), and relative ones from 2018 (Shaw).");
    seed_check(s, "learned ones", learned, 2, 0);
    seed_check(s, "relative ones", relative, 2, 0);
}

void s3_conclusion(struct seed *s)
{
    static const struct layer_entry lines[] = {
        { "sinusoid: a formula is enough to begin with", "S3.5" },
        { "learned: fits better, and stops at its last row", "S3.6" },
        { "relative: relations in place of addresses, long context", "S3.8" },
        { "rotary: position as an angle in the vector itself", "S3.10" },
    };

    layer_index(s, "method, in a line", lines, 4);
}

/* ----------------------------------------------------------------- S3.22 */

void s3_models(struct seed *s)
{
    static const struct {
        const char *model, *encoding;
    } models[] = {
        { "Transformer (2017)", "sinusoidal" },
        { "BERT, GPT, GPT-2", "learned" },
        { "Transformer-XL", "transformer-xl" },
        { "T5", "t5" },
        { "Llama, Gemma, PaLM", "rope" },
        { "ViT", "learned" },
        { "graph networks (GNN)", "laplacian" },
        { "RNN, LSTM", "" },
    };
    int found = 0, named = 0;

    seed_columns(s, "models", "model|encoding|the catalogue's title");
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const locant_encoding_info *info;
        const char *title = models[i].encoding[0]
                                ? "not in the catalogue"
                                : "none: the recurrence keeps order";

        named += models[i].encoding[0] != '\0';
        for (int k = 0; (info = locant_encoding_at(k)) != NULL; k++)
            if (strcmp(info->name, models[i].encoding) == 0) {
                title = info->title;
                found++;
            }
        seed_cells(s, "%s|%s|%s", models[i].model,
                   models[i].encoding[0] ? models[i].encoding : "-", title);
    }
    seed_table_end(s);
    seed_check(s, "models whose encoding the catalogue has", found, named, 0);
}
