/*
 * models.c - encoder and decoder with positions, the class names of the Java
 * library, and the summary: S2.14 .. S2.17.
 */
#include <string.h>

#include "../tutorial.h"

/* clang-format off */
enum {
    VOCAB = 1000, WIDTH = 512, HEADS = 8, FF = 2048, LAYERS = 2, BATCH = 2,
    LENGTH = 12, N = BATCH * LENGTH * WIDTH
};
/* clang-format on */

struct stack {
    locant_tensor embedding; /* [VOCAB, WIDTH], N(0, 1/WIDTH) */
    struct block layers[LAYERS];
};

static struct stack stack_new(uint64_t stream, int decoder)
{
    locant_random r = draws(stream);
    struct stack m = { .embedding =
                           SCALED_NORMALS(&r, pow(WIDTH, -.5), VOCAB, WIDTH) };

    for (int l = 0; l < LAYERS; l++) {
        m.layers[l] = block_new(&r, WIDTH, HEADS, FF, decoder);
        m.layers[l].self.mask = decoder ? LOCANT_MASK_CAUSAL : LOCANT_MASK_NONE;
    }
    return m;
}

/* From tokens [BATCH, LENGTH] to outputs [BATCH, LENGTH, WIDTH]. */
static locant_tensor run(const struct stack *m, const int64_t *tokens,
                         int with_positions, const locant_tensor *source)
{
    locant_tensor x = ZEROS(BATCH, LENGTH, WIDTH);

    for (int64_t i = 0; i < N; i++)
        data(x)[i] = data(m->embedding)[tokens[i / WIDTH] * WIDTH + i % WIDTH] *
                     sqrt(WIDTH);
    if (with_positions)
        x = added(x, table_rows("sinusoidal", 0, LENGTH, WIDTH, NULL));
    for (int l = 0; l < LAYERS; l++)
        x = block_run(&m->layers[l], x, source);
    return x;
}

static int64_t *draw_tokens(uint64_t stream)
{
    locant_random r = draws(stream);
    int64_t *tokens = memory(BATCH * LENGTH, sizeof *tokens);

    for (int i = 0; i < BATCH * LENGTH; i++)
        tokens[i] = (int64_t)locant_random_below(&r, VOCAB);
    return tokens;
}

/* Distance of the output for reversed tokens from the reversed output. */
static double order_effect(const struct stack *m, const int64_t *tokens,
                           int with_positions)
{
    int64_t reversed[BATCH * LENGTH], order[LENGTH];

    for (int64_t i = 0; i < BATCH * LENGTH; i++) {
        order[i % LENGTH] = LENGTH - 1 - i % LENGTH;
        reversed[i] = tokens[i / LENGTH * LENGTH + order[i % LENGTH]];
    }
    return difference(run(m, reversed, with_positions, NULL),
                      reordered(run(m, tokens, with_positions, NULL), order));
}

static void sizes(const struct stack *m)
{
    say("The tutorial gives no sizes; those of the first Transformer (width "
        "512, 8 heads, 2048 between) with two layers and a vocabulary of "
        "1000.  Norms stand after each sum, embeddings are times sqrt(512).");
    show_count("learned numbers",
               VOCAB * WIDTH + LAYERS * block_numbers(&m->layers[0]));
}

/* S2.14 */
void s2_encoder(void)
{
    struct stack m = stack_new(1, 0);
    int64_t *tokens = draw_tokens(2);
    locant_tensor out = run(&m, tokens, 1, NULL);
    double blind = order_effect(&m, tokens, 0);
    double aware = order_effect(&m, tokens, 1);

    sizes(&m);
    say("inputIds -> embeddings -> + positions -> layers:");
    show_shape("output", out);
    show_list("first ten numbers", "%.4f", data(out), 10);
    show("reversed tokens, no positions: output less reversed output", blind);
    show("reversed tokens, sinusoid: the same", aware);
    mistake_in_words("E-2.4", "embeddings before the sum", "as they are",
                     "times sqrt(dModel)",
                     "Else the sinusoid, of length "
                     "sqrt(dModel / 2), drowns embeddings of length near 1.");
    mistake_in_words("E-2.5", "where positions enter",
                     "at the input of encoder and decoder",
                     "also inside every "
                     "attention, by relative, rotary and linear-bias encodings",
                     "Only encodings of the input door are added once.");
    /* four matrices 512^2, two 512 x 2048, their biases, two norms */
    check("learned numbers of a layer", block_numbers(&m.layers[0]),
          4 * 512 * 512 + 2 * 512 * 2048 + 2048 + 512 + 4 * 512, 0);
    /* sums of up to 2048 terms in double, through two layers with norms */
    check("equivariant without positions", blind, 0, 1e-9);
    claim("the sinusoid makes order matter", aware > 1e-2);
}

/* S2.15 */
void s2_decoder(void)
{
    enum { EARLY = 7 };
    struct stack encoder = stack_new(1, 0), m = stack_new(3, 1);
    int64_t *target = draw_tokens(4), order[LENGTH], other[BATCH * LENGTH];
    locant_tensor source = run(&encoder, draw_tokens(2), 1, NULL);
    locant_tensor out = run(&m, target, 1, &source), shuffled;
    locant_tensor zero = ZEROS(BATCH, LENGTH, WIDTH);
    double early, heard, order_of_source;

    memcpy(other, target, sizeof other);
    for (int i = EARLY; i < LENGTH; i++)
        other[i] = (target[i] + 1) % VOCAB;
    early = max_difference(data(out), data(run(&m, other, 1, &source)),
                           EARLY * WIDTH);
    for (int64_t i = 0; i < LENGTH; i++)
        order[i] = (i + 5) % LENGTH;
    shuffled = reordered(source, order);
    order_of_source = difference(out, run(&m, target, 1, &shuffled));
    heard = difference(out, run(&m, target, 1, &zero));
    sizes(&m);
    say("As the encoder, with a causal mask (which the tutorial does not show) "
        "and attention to the encoder's output after it:");
    show_shape("encoder output", source);
    show_shape("output", out);
    show_list("first ten numbers", "%.4f", data(out), 10);
    expect("change of early outputs when later tokens change", early, 0, 0);
    show("change when the encoder's output is zero", heard);
    /* the same tolerance as in the encoder */
    expect("change when the encoder's rows are shuffled", order_of_source, 0,
           1e-9);
    say("Cross-attention has no positions of its own: it reads the encoder's "
        "output as a set, whose order is in the vectors.");
    mistake_in_words("E-2.5", "where positions enter",
                     "at the input of the decoder",
                     "in T5, XL, RoPE and ALiBi "
                     "models in its self-attention, in every layer",
                     "Cross-attention takes none of them.");
    claim("cross-attention reads the encoder", heard > 1e-2);
}

/* S2.16 */
void s2_names(void)
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
    locant_tensor P = ZEROS(4, 3), slice = P;

    for (int i = 0; i < 12; i++)
        data(P)[i] = i;
    slice.shape[0] = 2; /* slice(0, 2) */
    table("names", "the tutorial's|locant's");
    for (int i = 0; i < 11; i++)
        table_row("%s|%s", names[i][0], names[i][1]);
    show_shape("a table", P);
    show_shape("slice(0, 2) of it", slice);
    check("read as a table, the slice gives its rows",
          difference(table_rows("learned(length=2)", 0, 2, 3, &slice), slice),
          0, 0);
}

/* S2.17 */
void s2_summary(void)
{
    static const struct point points[] = {
        { "attention is blind to order", "S2.2" },
        { "a sinusoid needs no training and no table", "S2.5" },
        { "a learned table fits its task, up to its last row", "S2.7" },
        { "neither wins everywhere", "S2.9" },
        { "longer input: interpolate, or go relative or rotary", "S2.11" },
    };

    table_of_rows("point", points, 5);
    say("Next in the tutorial: the whole Transformer; here, S2.14 and S2.15 "
        "already run one.");
}
