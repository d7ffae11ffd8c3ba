/*
 * survey.c - seed 004: table, summary, a question, models named.
 */
#include "rows.h"

#include <stdio.h>
#include <string.h>

#include "../layers.h"

enum { METHODS = 3 };

static const char *const specs[METHODS] = { "sinusoidal", "rope", "alibi" };

static const locant_encoding_info *info_of(struct seed *s, int i)
{
    return locant_encoding_info_of(seed_encoding(s, specs[i]));
}

/* ----------------------------------------------------------------- S4.13 */

void s4_table(struct seed *s)
{
    const char *kind[METHODS];
    long long   numbers[METHODS];
    int         relative = 0;

    for (int i = 0; i < METHODS; i++) {
        unsigned traits = info_of(s, i)->traits;

        kind[i] = traits & LOCANT_TRAIT_RELATIVE ? "relative" : "absolute";
        relative += (traits & LOCANT_TRAIT_RELATIVE) != 0;
        numbers[i] = (long long)seed_parameters(seed_encoding(s, specs[i]), 512,
                                                8);
    }
    seed_columns(s, "comparison", "feature|sinusoidal|RoPE|ALiBi");
    seed_cells(s, "type|%s|%s|%s", kind[0], kind[1], kind[2]);
    seed_cells(s, "parameters|formula, %lld|formula, %lld|formula, %lld",
               numbers[0], numbers[1], numbers[2]);
    seed_cells(s, "to write|medium|medium|easy");
    seed_cells(s, "beyond training|poor|poor without scaling|stable, mostly "
               "local");
    seed_cells(s, "training|stable|stable|stable");
    seed_cells(s, "models|first Transformer|LLaMA, Qwen|BLOOM, MPT");
    seed_table_end(s);
    seed_wrong_text(s, "E-4.7", "RoPE beyond training", "good",
                    "poor without scaling", "S4.18 tests the three at twice "
                    "the trained length.");
    seed_wrong_text(s, "E-4.7", "ALiBi beyond training", "excellent",
                    "its loss stays flat", "Far keys weigh almost nothing: the "
                    "long context is survived more than used.");
    seed_check(s, "learned numbers of the three together",
               (double)(numbers[0] + numbers[1] + numbers[2]), 0, 0);
    seed_check(s, "relative ones", relative, 2, 0);
}

void s4_summary(struct seed *s)
{
    static const struct layer_entry points[] = {
        { "attention has no sense of position: it must be given", "S4.3" },
        { "sinusoidal: positions as waves", "S4.4" },
        { "learnable: a table, as in BERT and GPT", "S4.8" },
        { "RoPE: positions as turns of q and k", "S4.9" },
        { "ALiBi: a line taken off each score", "S4.12" },
        { "large models of today (LLaMA, Qwen): mostly RoPE", "S4.20" },
    };

    layer_index(s, "point", points, 6);
    seed_wrong_text(s, "E-4.7", "best beyond training", "RoPE well, ALiBi best",
                    "RoPE not without scaling; ALiBi stays flat",
                    "As S4.13; S4.18 measures it.");
}

/* ----------------------------------------------------------------- S4.19 */

/* How often a model of 12 layers applies an encoding of these doors. */
static int uses(unsigned doors, int layers)
{
    int once = (doors & LOCANT_DOOR_INPUT) != 0;
    int each = (doors & ~(unsigned)LOCANT_DOOR_INPUT) != 0;

    return once + layers * each;
}

void s4_homework_5(struct seed *s)
{
    static const char *const all[] = { "sinusoidal", "learned(length=512)",
                                       "rope", "alibi", "t5",
                                       "transformer-xl" };
    int once = 0, every = 0;

    seed_say(s, "The question: why are positions added only at the input, and "
             "not in every layer?");
    seed_columns(s, "uses", "encoding|doors|uses in 12 layers");
    for (int i = 0; i < 6; i++) {
        const locant_encoding *e = seed_encoding(s, all[i]);
        unsigned doors = locant_encoding_info_of(e)->doors;
        char     text[64];

        cli_doors(text, sizeof text, doors);
        once += uses(doors, 12) == 1;
        every += uses(doors, 12) == 12;
        seed_cells(s, "%s|%s|%d", all[i], text, uses(doors, 12));
    }
    seed_table_end(s);
    seed_say(s, "For the two that are added: residual sums carry what the "
             "input had through every layer, so once is enough.  The others "
             "act where scores are made, and scores are made in every layer.");
    seed_wrong_text(s, "E-4.6", "where positions are given",
                    "only at the input", "at the input, or in every layer",
                    "The premise holds for absolute encodings that are added, "
                    "and for no other.");
    seed_check(s, "of the six, used once", once, 2, 0);
    seed_check(s, "of the six, used in every layer", every, 4, 0);
}

/* ----------------------------------------------------------------- S4.20 */

void s4_models(struct seed *s)
{
    static const struct {
        const char *model, *spec;
    } models[] = {
        { "original Transformer", "sinusoidal" },
        { "BERT", "learned(length=512)" },
        { "GPT", "learned(length=1024)" },
        { "LLaMA", "rope" },
        { "Qwen", "rope" },
        { "BLOOM", "alibi" },
        { "MPT", "alibi" },
    };
    int learned = 0;

    seed_columns(s, "models", "model|encoding|learned numbers of it (width "
                 "768)");
    for (int i = 0; i < 7; i++) {
        const locant_encoding *e = seed_encoding(s, models[i].spec);
        int64_t n = seed_parameters(e, 768, 12);

        learned += n > 0;
        seed_cells(s, "%s|%s|%lld", models[i].model,
                   locant_encoding_info_of(e)->title, (long long)n);
    }
    seed_table_end(s);
    seed_check(s, "models with learned positions", learned, 2, 0);
}
