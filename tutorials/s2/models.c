/*
 * models.c - seed 002: encoder and decoder with positions, the supporting
 * names, and the summary.
 */
#include "rows.h"

#include <math.h>
#include <string.h>

#include "../layers.h"

enum {
    VOCAB = 1000, WIDTH = 512, HEADS = 8, FF = 2048, LAYERS = 2, BATCH = 2,
    LENGTH = 12
};

struct stack {
    double            *embedding; /* [VOCAB, WIDTH], N(0, 1/WIDTH) */
    struct layer_block layers[LAYERS];
};

static struct stack stack_new(struct seed *s, uint64_t stream, int decoder)
{
    locant_random r = seed_random(s, stream);
    struct stack m = { .embedding = seed_reals(s, VOCAB * WIDTH) };

    seed_fill_normal(m.embedding, VOCAB * WIDTH, pow(WIDTH, -.5), &r);
    for (int l = 0; l < LAYERS; l++) {
        m.layers[l] = layer_block_new(s, &r, WIDTH, HEADS, FF, decoder);
        if (decoder)
            m.layers[l].self.mask = LOCANT_MASK_CAUSAL;
    }
    return m;
}

/* Tokens [BATCH, LENGTH] to outputs [BATCH, LENGTH, WIDTH]. */
static locant_tensor run(struct seed *s, const struct stack *m,
                         const int64_t *tokens, const char *spec,
                         const locant_tensor *memory)
{
    const locant_encoding *e = seed_encoding(s, spec);
    locant_tensor x = SEED_F64(s, BATCH, LENGTH, WIDTH);
    locant_tensor P = SEED_F64(s, LENGTH, WIDTH);
    double *to = x.data, *p = P.data;

    if (locant_encoding_info_of(e)->doors & LOCANT_DOOR_INPUT)
        P = seed_table_rows(s, e, 0, LENGTH, WIDTH, NULL);
    p = P.data;
    for (int64_t i = 0; i < BATCH * LENGTH; i++)
        for (int64_t c = 0; c < WIDTH; c++)
            to[i * WIDTH + c] =
                m->embedding[tokens[i] * WIDTH + c] * sqrt(WIDTH) +
                p[i % LENGTH * WIDTH + c];
    for (int l = 0; l < LAYERS; l++)
        layer_block_run(s, &m->layers[l], &x, memory);
    return x;
}

static int64_t *draw_tokens(struct seed *s, uint64_t stream)
{
    locant_random r = seed_random(s, stream);
    int64_t *tokens = seed_new(s, BATCH * LENGTH, sizeof *tokens);

    for (int i = 0; i < BATCH * LENGTH; i++)
        tokens[i] = (int64_t)locant_random_below(&r, VOCAB);
    return tokens;
}

/* Run the tokens reversed: how far is that from the reversed output? */
static double order_effect(struct seed *s, const struct stack *m,
                           const int64_t *tokens, const char *spec)
{
    int64_t reversed[BATCH * LENGTH], order[BATCH * LENGTH];
    locant_tensor out = run(s, m, tokens, spec, NULL), turned;
    double *moved = seed_reals(s, BATCH * LENGTH * WIDTH);

    for (int64_t i = 0; i < BATCH * LENGTH; i++) {
        order[i] = i / LENGTH * LENGTH + LENGTH - 1 - i % LENGTH;
        reversed[i] = tokens[order[i]];
    }
    turned = run(s, m, reversed, spec, NULL);
    layer_reorder(moved, out.data, order, BATCH * LENGTH, WIDTH);
    return seed_max_difference(turned.data, moved, BATCH * LENGTH * WIDTH);
}

static void sizes(struct seed *s, const struct stack *m, const char *what)
{
    seed_say(s, "The seed gives no sizes; those of the first Transformer "
             "(width 512, 8 heads, 2048 between) with two layers and a "
             "vocabulary of 1000.  Norms stand after each sum, embeddings are "
             "times sqrt(512).");
    seed_integer(s, what, VOCAB * (int64_t)WIDTH +
                 LAYERS * layer_block_parameters(&m->layers[0]));
}

void s2_encoder(struct seed *s)
{
    struct stack m = stack_new(s, 1, 0);
    int64_t *tokens = draw_tokens(s, 2);
    locant_tensor out = run(s, &m, tokens, "sinusoidal", NULL);
    double blind = order_effect(s, &m, tokens, "none");
    double aware = order_effect(s, &m, tokens, "sinusoidal");
    int64_t one = layer_block_parameters(&m.layers[0]);

    sizes(s, &m, "learned numbers");
    seed_say(s, "inputIds -> embeddings -> + positions -> layers:");
    seed_shape(s, "output", &out);
    seed_numbers(s, "first ten numbers", "%.4f", out.data, 10);
    seed_real(s, "reversed tokens, no positions: output less reversed output",
              blind);
    seed_real(s, "reversed tokens, sinusoid: the same", aware);
    seed_wrong_text(s, "E-2.4", "embeddings before the sum", "as they are",
                    "times sqrt(dModel)", "Else the sinusoid, of length "
                    "sqrt(dModel / 2), drowns embeddings of length near 1.");
    seed_wrong_text(s, "E-2.5", "where positions enter",
                    "at the input of encoder and decoder", "also inside every "
                    "attention, by relative, rotary and linear-bias encodings",
                    "Only encodings of the input door are added once.");
    /* 4 of 512^2, two of 512 x 2048, their biases, two norms */
    seed_check(s, "learned numbers of a layer", (double)one,
               4. * 512 * 512 + 2. * 512 * 2048 + 2048 + 512 + 4. * 512, 0);
    /* sums of up to 2048 terms in double through two layers with norms */
    seed_check(s, "equivariant without positions", blind, 0, 1e-9);
    seed_claim(s, "the sinusoid makes order matter", aware > 1e-2);
}

/* Does the output before token 7 change when the tokens from 7 on do? */
static double early_change(struct seed *s, const struct stack *m,
                           const int64_t *tokens, const locant_tensor *memory)
{
    int64_t other[BATCH * LENGTH];
    locant_tensor a = run(s, m, tokens, "sinusoidal", memory), b;

    memcpy(other, tokens, sizeof other);
    for (int i = 7; i < LENGTH; i++)
        other[i] = (tokens[i] + 1) % VOCAB;
    b = run(s, m, other, "sinusoidal", memory);
    return seed_max_difference(a.data, b.data, 7 * WIDTH);
}

void s2_decoder(struct seed *s)
{
    struct stack encoder = stack_new(s, 1, 0), m = stack_new(s, 3, 1);
    int64_t *source = draw_tokens(s, 2), *target = draw_tokens(s, 4);
    int64_t order[LENGTH];
    locant_tensor memory = run(s, &encoder, source, "sinusoidal", NULL);
    locant_tensor out = run(s, &m, target, "sinusoidal", &memory), other, zero;
    locant_tensor shuffled = SEED_F64(s, BATCH, LENGTH, WIDTH);
    int64_t n = BATCH * LENGTH * WIDTH;
    double early = early_change(s, &m, target, &memory), heard, order_of_memory;

    for (int64_t i = 0; i < LENGTH; i++)
        order[i] = (i + 5) % LENGTH;
    for (int b = 0; b < BATCH; b++)
        layer_reorder((double *)shuffled.data + b * LENGTH * WIDTH,
                      (double *)memory.data + b * LENGTH * WIDTH, order, LENGTH,
                      WIDTH);
    other = run(s, &m, target, "sinusoidal", &shuffled);
    order_of_memory = seed_max_difference(out.data, other.data, n);
    zero = SEED_F64(s, BATCH, LENGTH, WIDTH);
    other = run(s, &m, target, "sinusoidal", &zero);
    heard = seed_max_difference(out.data, other.data, n);
    sizes(s, &m, "learned numbers");
    seed_say(s, "As the encoder, with a causal mask (which the seed does not "
             "show) and attention to the encoder's output after it:");
    seed_shape(s, "encoder output", &memory);
    seed_shape(s, "output", &out);
    seed_numbers(s, "first ten numbers", "%.4f", out.data, 10);
    seed_real(s, "change of early outputs when later tokens change", early);
    seed_real(s, "change when the encoder's output is zero", heard);
    seed_real(s, "change when the encoder's rows are shuffled",
              order_of_memory);
    seed_say(s, "Cross-attention has no positions of its own: it reads the "
             "encoder's output as a set, whose order is in the vectors.");
    seed_wrong_text(s, "E-2.5", "where positions enter",
                    "at the input of the decoder", "in T5, XL, RoPE and ALiBi "
                    "models in its self-attention, in every layer",
                    "Cross-attention takes none of them.");
    seed_check(s, "no look ahead", early, 0, 0);
    /* as in the encoder */
    seed_check(s, "cross-attention ignores order", order_of_memory, 0, 1e-9);
    seed_claim(s, "cross-attention reads the encoder", heard > 1e-2);
}

/* ----------------------------------------------------------------- S2.16 */

void s2_names(struct seed *s)
{
    static const char *const names[][2] = {
        { "Layer", "an encoding, or a few lines of the row" },
        { "Variable", "locant_tensor; gradients by *_backward functions" },
        { "Parameter, addParam", "locant_encoding_param(), _param_init()" },
        { "NdArray.of", "locant_dense(): a view of the caller's memory" },
        { "NdArray.randn, mul", "locant_random_normal() times a deviation" },
        { "Shape, getShape", "locant_tensor.shape" },
        { "slice", "the same memory with a smaller shape" },
        { "add", "a loop" },
        { "TokenEmbedding", "a table read by token" },
        { "EncoderLayer", "self-attention, feed-forward, norms" },
        { "DecoderLayer", "the same with cross-attention between" },
    };
    double memory[4 * 3];
    locant_tensor table = locant_dense(memory, LOCANT_F64, 2,
                                       (const int64_t[]){ 4, 3 });
    locant_tensor slice = table, rows;

    for (int i = 0; i < 12; i++)
        memory[i] = i;
    slice.shape[0] = 2; /* slice(0, 2) */
    seed_columns(s, "names", "the seed's|locant's");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        seed_cells(s, "%s|%s", names[i][0], names[i][1]);
    seed_table_end(s);
    seed_shape(s, "a table", &table);
    seed_shape(s, "slice(0, 2) of it", &slice);
    rows = seed_table_rows(s, seed_encoding(s, "learned(length=2)"), 0, 2, 3,
                           &slice);
    seed_check(s, "read as a table, the slice gives its rows",
               seed_max_difference(rows.data, memory, 6), 0, 0);
}

void s2_summary(struct seed *s)
{
    static const struct layer_entry points[] = {
        { "attention is blind to order", "S2.2" },
        { "a sinusoid needs no training and no table", "S2.5" },
        { "a learned table fits its task, up to its last row", "S2.7" },
        { "neither wins everywhere", "S2.9" },
        { "longer input: interpolate, or go relative or rotary", "S2.11" },
    };

    layer_index(s, "point", points, 5);
    seed_say(s, "Next in the seed: the whole Transformer; here, S2.14 and "
             "S2.15 already run one.");
}
