/* words.c - what the notebook says in words and tables: S0.23 .. S0.26. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rows.h"

/* Has the registry's row of 'name' the word among its users? */
static int used_by(struct seed *s, const char *name, const char *model)
{
    const locant_encoding_info *info;

    info = locant_encoding_info_of(seed_encoding(s, name));
    return strstr(info->used_by, model) != NULL;
}

static unsigned traits_of(struct seed *s, const char *spec)
{
    return locant_encoding_info_of(seed_encoding(s, spec))->traits;
}

void s0_ideas(struct seed *s)
{
    seed_say(s, "1. why: attention is equivariant to order; positions must be "
             "put in.");
    seed_say(s, "2. sinusoidal: sines and cosines of the position, fixed.");
    seed_say(s, "3. learned: a trained row for each position.");
    seed_say(s, "4. relative: the score depends on the distance i - j.");
    seed_claim(s, "learned is learned, sinusoidal is not",
               (traits_of(s, "learned") & LOCANT_TRAIT_LEARNED) &&
               !(traits_of(s, "sinusoidal") & LOCANT_TRAIT_LEARNED));
    seed_claim(s, "rope and alibi are relative",
               traits_of(s, "rope") & traits_of(s, "alibi") &
               LOCANT_TRAIT_RELATIVE);
    seed_wrong_text(s, "E-0.1", "first idea", "attention is position invariant",
                    "equivariant", "outputs move with their tokens; 'locant "
                    "seed S0.5' measures it");
}

/* -------------------------------------------------------- S0.24: the table */

struct feature {
    const char *spec, *formula, *seed, *right, *use;
    int64_t     expected; /* parameters at 1024 x 512 */
};

static const struct feature features[] = {
    { "sinusoidal", "0", "good", "poor", "original Transformer", 0 },
    { "learned(length=1024)", "L d", "limited", "none", "fixed length",
      1024 * 512 },
    { "rope", "0", "good", "poor unscaled", "present LLMs", 0 },
    { "alibi", "0", "excellent", "level, but local", "long text", 0 }
};
enum { FEATURES = sizeof features / sizeof *features };

/* Multiplications and additions for one layer of 1024 tokens, width 512. */
static int64_t operations(const locant_encoding *e)
{
    enum { TOKENS = 1024, WIDTH = 512, HEADS = 8 };
    unsigned doors = locant_encoding_info_of(e)->doors;

    if (doors & LOCANT_DOOR_INPUT)
        return TOKENS * WIDTH;
    /* q and k: four products, two sums per pair. */
    if (doors & LOCANT_DOOR_ROTATE)
        return 2 * TOKENS * (WIDTH / 2) * 6;
    return (int64_t)HEADS * TOKENS * TOKENS * 2;
}

void s0_features(struct seed *s)
{
    seed_say(s, "For 1024 tokens, width 512, 8 heads; operations are of one "
             "layer where the method acts in each, of the input where it acts "
             "there.");
    seed_columns(s, "methods", "method|parameters|computed|operations|"
                 "extrapolation|use");
    for (int i = 0; i < FEATURES; i++) {
        const struct feature  *f = &features[i];
        const locant_encoding *e = seed_encoding(s, f->spec);
        int64_t                n = seed_parameters(e, 512, 8);

        seed_cells(s, "%s|%s|%lld|%lld|%s|%s",
                   locant_encoding_info_of(e)->name, f->formula, (long long)n,
                   (long long)operations(e), f->right, f->use);
        seed_check(s, f->spec, (double)n, (double)f->expected, 0);
    }
    seed_table_end(s);
    for (int i = 0; i < FEATURES; i++) {
        if (strcmp(features[i].seed, "limited") != 0)
            seed_wrong_text(s, "E-0.9", features[i].spec, features[i].seed,
                            features[i].right, "no model was trained and read "
                            "beyond its length to say so; those that were "
                            "show otherwise");
    }
}

/* ------------------------------------------------- S0.25: insights, advice */

/* Change of the weights of a query when a table row is added to its input. */
static double moved(struct seed *s)
{
    enum { T = 8, W = 64 };
    locant_random    r = seed_random(s, 25);
    locant_tensor    x = SEED_F64(s, 1, 1, T, W), y = SEED_F64(s, 1, 1, T, W);
    locant_tensor    p = seed_table_rows(s, seed_encoding(s, "sinusoidal"), 0,
                                         T, W, NULL), a, b;
    locant_attention at = LOCANT_ATTENTION_INIT;

    seed_fill_normal(x.data, T * W, 0.3, &r);
    for (int64_t i = 0; i < T * W; i++)
        ((double *)y.data)[i] = ((double *)x.data)[i] + ((double *)p.data)[i];
    at.q = at.k = &x;
    a = seed_weights(s, &at);
    at.q = at.k = &y;
    b = seed_weights(s, &at);
    return seed_max_difference(a.data, b.data, T * T);
}

void s0_advice(struct seed *s)
{
    double change = moved(s);

    seed_say(s, "Insights, as they stand today:");
    seed_say(s, "1. positions change the weights: here by up to %.3f "
             "(8 random tokens, sinusoidal)", change);
    seed_say(s, "2. lengths beyond training matter, and must be measured, not "
             "assumed");
    seed_say(s, "3. no encoding is best everywhere");
    seed_say(s, "4. distance matters more than place: most present encodings "
             "are relative");
    seed_say(s, "Advice:");
    seed_say(s, "1. a small model of fixed length: sinusoidal will do");
    seed_say(s, "2. long text: rope with a scaling, or alibi if nearby text "
             "decides");
    seed_say(s, "3. fixed length and enough data: learned");
    seed_say(s, "4. a language model today: rope");
    seed_claim(s, "positions change the weights", change > 0.01);
}

/* ------------------------------------------------------------ S0.26: names */

void s0_names(struct seed *s)
{
    static const struct { const char *model, *word, *spec; } rows[] = {
        { "Transformer", "original Transformer", "sinusoidal" },
        { "T5", "T5", "t5" },
        { "GPT-NeoX", "GPT-NeoX", "rope" },
        { "LLaMA", "Llama", "rope" },
        { "PaLM", "PaLM", "rope" }
    };

    seed_columns(s, "models", "model|encoding");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        seed_cells(s, "%s|%s", rows[i].model, rows[i].spec);
        seed_claim(s, rows[i].model,
                   used_by(s, rows[i].spec, rows[i].word));
    }
    seed_table_end(s);
    seed_claim(s, "PaLM is no user of alibi", !used_by(s, "alibi", "PaLM"));
    seed_wrong_text(s, "E-0.7", "PaLM", "alibi", "rope", "PaLM turns queries "
                    "and keys; alibi is in BLOOM and MPT");
    seed_say(s, "Next in the seed: the Transformer block ('locant tutorial S3.20' "
             "has one).");
}
