/* models.c - encoder and decoder, names, summary: S2.14 .. S2.17. */
#include "../tutorial.h"

enum { VOCAB = 1000, WIDTH = 512, HEADS = 8, FF = 2048, LAYERS = 2 };
enum { BATCH = 2, LENGTH = 12 };

struct stack {
    locant_tensor embedding; /* [VOCAB, WIDTH], N(0, 1/WIDTH) */
    struct block layers[LAYERS];
};

static struct stack stack_new(uint64_t stream, enum block_kind kind)
{
    locant_random r = random_stream(stream);
    struct stack m;

    m.embedding = SCALED_NORMALS(&r, pow(WIDTH, -.5), VOCAB, WIDTH);
    for (int l = 0; l < LAYERS; l++) {
        m.layers[l] = block_new(&r, WIDTH, HEADS, FF, kind);
        if (kind == DECODER)
            m.layers[l].self.mask = LOCANT_MASK_CAUSAL;
    }
    return m;
}

enum positions_of_stack { NO_POSITIONS, SINUSOID };

/* From tokens [BATCH * LENGTH] to outputs [BATCH, LENGTH, WIDTH]:
   x = embedding[token] sqrt(WIDTH), plus positions, then the layers, where a
   decoder also attends to 'source'. */
static locant_tensor run(const struct stack *m, locant_tensor tokens,
                         enum positions_of_stack added,
                         const locant_tensor *source)
{
    locant_tensor vectors = picked(m->embedding, tokens);
    locant_tensor x = RESHAPED(vectors, BATCH, LENGTH, WIDTH);

    for (int64_t i = 0; i < count(x); i++)
        data(x)[i] *= sqrt(WIDTH);
    if (added == SINUSOID)
        x = plus(x, sinusoidal(0, LENGTH, WIDTH));
    for (int l = 0; l < LAYERS; l++)
        x = block_run(&m->layers[l], x, source);
    return x;
}

/* Random tokens, [BATCH * LENGTH]. */
static locant_tensor draw_tokens(uint64_t stream)
{
    locant_random r = random_stream(stream);
    locant_tensor tokens = positions(0, BATCH * LENGTH);

    for (int i = 0; i < BATCH * LENGTH; i++)
        integer_data(tokens)[i] = (int64_t)locant_random_below(&r, VOCAB);
    return tokens;
}

/* Distance of the output for reversed tokens from the reversed output. */
static double order_effect(const struct stack *m, locant_tensor tokens,
                           enum positions_of_stack added)
{
    locant_tensor backwards = positions(0, BATCH * LENGTH);

    for (int64_t i = 0; i < BATCH * LENGTH; i++)
        integer_data(backwards)[i] =
            integer_data(tokens)[i + LENGTH - 1 - 2 * (i % LENGTH)];
    return difference(run(m, backwards, added, NULL),
                      picked(run(m, tokens, added, NULL), reversed(LENGTH)));
}

static void show_sizes(const struct stack *m)
{
    say("The tutorial gives no sizes; those of the first Transformer (width "
        "512, 8 heads, 2048 between) with two layers and a vocabulary of "
        "1000.  Each sum is normalised, and embeddings are multiplied by "
        "sqrt(512).");
    show_count("learned numbers",
               VOCAB * WIDTH + LAYERS * block_size(&m->layers[0]));
}

/* x = sqrt(W) E[token] + P; in each layer x = norm(x + attention(x)), then
   x = norm(x + ffn(x)) */
void s2_14_encoder(void)
{
    struct stack m = stack_new(1, ENCODER);
    locant_tensor tokens = draw_tokens(2);
    locant_tensor out = run(&m, tokens, SINUSOID, NULL);
    double without = order_effect(&m, tokens, NO_POSITIONS);
    double with = order_effect(&m, tokens, SINUSOID);

    show_sizes(&m);
    say("inputIds -> embeddings -> + positions -> layers:");
    show_shape("output", out);
    show_list("first ten numbers", "%.4f", slice(out, 0, 10));
    show("reversed tokens, no positions: output less reversed output", without);
    show("reversed tokens, sinusoid: the same", with);
    mistake_in_words("E-2.4", "embeddings before the sum", "as they are",
                     "times sqrt(dModel)",
                     "Otherwise the sinusoid, of length sqrt(dModel / 2), "
                     "drowns embeddings of length near 1.");
    mistake_in_words("E-2.5", "where positions enter",
                     "at the input of encoder and decoder",
                     "also inside every attention, by relative, rotary and "
                     "linear-bias encodings",
                     "Only encodings of the input door are added once.");
    /* four matrices 512^2, two 512 x 2048, their biases, two norms */
    check("learned numbers of a layer", block_size(&m.layers[0]),
          4 * 512 * 512 + 2 * 512 * 2048 + 2048 + 512 + 4 * 512, 0);
    /* sums of up to 2048 terms in double, through two layers with norms */
    check("equivariant without positions", without, 0, 1e-9);
    claim("the sinusoid makes order matter", with > 1e-2);
}

void s2_15_decoder(void)
{
    enum { EARLY = 7 };
    struct stack encoder = stack_new(1, ENCODER), m = stack_new(3, DECODER);
    locant_tensor target = draw_tokens(4), other = draw_tokens(4);
    locant_tensor source = run(&encoder, draw_tokens(2), SINUSOID, NULL);
    locant_tensor out = run(&m, target, SINUSOID, &source), changed;
    locant_tensor order = positions(5, LENGTH), zero = zeros_like(source);
    locant_tensor shuffled_source;
    double without = difference(out, run(&m, target, SINUSOID, &zero));

    for (int i = EARLY; i < LENGTH; i++)
        integer_data(other)[i] = (integer_data(target)[i] + 1) % VOCAB;
    for (int i = 0; i < LENGTH; i++)
        integer_data(order)[i] %= LENGTH;
    changed = run(&m, other, SINUSOID, &source);
    shuffled_source = picked(source, order);
    show_sizes(&m);
    say("As the encoder, with a causal mask (which the tutorial does not show) "
        "and attention to the encoder's output after it:");
    show_shape("encoder output", source);
    show_shape("output", out);
    show_list("first ten numbers", "%.4f", slice(out, 0, 10));
    expect("change of early outputs when later tokens change",
           difference(rows(out, 0, EARLY), rows(changed, 0, EARLY)), 0, 0);
    show("change when the encoder's output is zero", without);
    /* the same tolerance as in the encoder */
    expect("change when the encoder's rows are shuffled",
           difference(out, run(&m, target, SINUSOID, &shuffled_source)), 0,
           1e-9);
    say("Cross-attention has no positions of its own: it reads the encoder's "
        "output as a set, whose order is in the vectors.");
    mistake_in_words("E-2.5", "where positions enter",
                     "at the input of the decoder",
                     "in T5, XL, RoPE and ALiBi models in its self-attention, "
                     "in every layer",
                     "Cross-attention takes none of them.");
    claim("cross-attention reads the encoder", without > 1e-2);
}

void s2_16_names(void)
{
    locant_tensor P = RESHAPED(as_double(positions(0, 12)), 4, 3);
    locant_tensor first_two = rows(P, 0, 2); /* slice(0, 2) */

    table_of_text(
        "names", "the tutorial's|locant's\n"
                 "Layer|an encoding, or a few lines of the row\n"
                 "Variable|locant_tensor; gradients by *_backward functions\n"
                 "Parameter, addParam|locant_encoding_param(), _param_init()\n"
                 "NdArray.of|locant_dense(): a view of the caller's memory\n"
                 "NdArray.randn, mul|locant_random_normal() times a deviation\n"
                 "Shape, getShape|locant_tensor.shape\n"
                 "slice|the same memory with a smaller shape\n"
                 "add|a loop\n"
                 "TokenEmbedding|a table read by token\n"
                 "EncoderLayer|self-attention, feed-forward, norms\n"
                 "DecoderLayer|the same with cross-attention between\n");
    show_shape("a table", P);
    show_shape("slice(0, 2) of it", first_two);
    compare("read as a table, the slice gives its rows",
            looked_up(first_two, positions(0, 2)), first_two, 0);
}

void s2_17_summary(void)
{
    table_of_rows(
        "point|row\n"
        "attention is blind to order|S2.2\n"
        "a sinusoid needs no training and no table|S2.5\n"
        "a learned table fits its task, up to its last row|S2.7\n"
        "neither wins everywhere|S2.9\n"
        "longer input: interpolate, or go relative or rotary|S2.11\n");
    say("Next in the tutorial: the whole Transformer; here, S2.14 and S2.15 "
        "already run one.");
}
