/* order.c - attention without positions ignores order: S0.1 .. S0.5. */
#include <string.h>

#include "../tutorial.h"

enum { WORD_WIDTH = 8, MOST_WORDS = 8, PAIRS = 4 };

static const struct pair {
    int n;
    const char *first[MOST_WORDS], *second[MOST_WORDS];
} pairs[PAIRS] = {
    { 3, { "我", "爱", "你" }, { "你", "爱", "我" } },
    { 6,
      { "the", "cat", "sat", "on", "the", "mat" },
      { "the", "mat", "sat", "on", "the", "cat" } },
    { 3, { "john", "loves", "mary" }, { "mary", "loves", "john" } },
    { 2, { "not", "good" }, { "good", "not" } }
};

/* Row i is a random vector that depends only on the word. */
static locant_tensor embed(const char *const *words, int n)
{
    locant_tensor x = ZEROS(1, 1, n, WORD_WIDTH);

    for (int i = 0; i < n; i++) {
        locant_random r = draws(0);

        for (const char *c = words[i]; *c != '\0'; c++)
            r.stream = r.stream * 257 + (unsigned char)*c;
        for (int c = 0; c < WORD_WIDTH; c++)
            data(x)[i * WORD_WIDTH + c] = locant_random_normal(&r);
    }
    return x;
}

static const double *attend_words(const char *const *words, int n,
                                  const char *spec)
{
    locant_tensor x = embed(words, n);

    return data(attend((locant_attention){
        .q = &x, .k = &x, .v = &x, .encoding = encoding(spec) }));
}

/* Distance of the last word's outputs in the two sentences. */
static double last_word(const struct pair *p, const char *spec)
{
    const double *a = attend_words(p->first, p->n, spec);
    const double *b = attend_words(p->second, p->n, spec);
    int i = p->n - 1, j = 0;

    while (j < i && strcmp(p->first[i], p->second[j]) != 0)
        j++;
    return max_difference(a + i * WORD_WIDTH, b + j * WORD_WIDTH, WORD_WIDTH);
}

/* S0.1 */
void s0_why(void)
{
    say("The same words in another order mean something else, but attention "
        "sums over a set.  Below: the output of attention for the last word of "
        "the first sentence, against the same word in the second; the largest "
        "difference of a channel.");
    table("pairs", "first|second|no position|rope");
    for (const struct pair *p = pairs; p < pairs + PAIRS; p++) {
        double none = last_word(p, "none"), with = last_word(p, "rope");

        table_row("%s .. %s|%s .. %s|%.1e|%.1e", p->first[0],
                  p->first[p->n - 1], p->second[0], p->second[p->n - 1], none,
                  with);
        /* sums of at most six terms below 4, in another order */
        check("without positions the order does not matter", none, 0, 1e-14);
        claim("with rope it does", with > 1e-3);
    }
    mistake_in_words("E-0.1", "what attention does to a shuffled sequence",
                     "permutation invariant: the weights stay as they are",
                     "permutation equivariant: weights P A P^T, outputs P O",
                     "each output moves along with its token; only a sum over "
                     "all outputs would stay the same");
}

/* S0.2 */
void s0_schematic(void)
{
    enum { T = 6, W = 16, COLS = 3 * W + 2 };
    locant_random r = draws(2);
    const double *P = data(table_rows("sinusoidal", 0, T, W, NULL));
    double *cells = reals(T * COLS), error = 0;

    for (int t = 0; t < T; t++) {
        double *token = cells + t * COLS, *at = token + W + 1;
        double *sum = at + W + 1;

        token[W] = at[W] = NAN; /* blank columns between the blocks */
        for (int c = 0; c < W; c++) {
            token[c] = 0.5 * locant_random_normal(&r);
            at[c] = P[t * W + c];
            sum[c] = token[c] + at[c];
            error = fmax(error, fabs(sum[c] - token[c] - at[c]));
        }
    }
    say("Three blocks of 16 channels for 6 tokens: the embedding of each token "
        "(random here), the row of the sinusoidal table at its position, and "
        "their sum, which is what layer 0 reads.");
    check("P[1][0] = sin 1", P[W], sin(1), SINE);
    check("sum less its parts", error, 0, 1e-15);
    heat_map(0, "embedding | position | sum", "channel", "token", cells, T,
             COLS);
}

/* S0.3 */
void s0_setup(void)
{
    locant_random a = draws(0), b = a, other = draws(1);
    const double *x = data(NORMALS(&a, 4)), *y = data(NORMALS(&b, 4));
    const double *z = data(NORMALS(&other, 4));

    show_text("locant", locant_version());
    show_text("device", "CPU");
    show_text("instruction set", locant_isa());
    show_count("threads", locant_threads());
    show_list("first normals of seed 42", "%.6f", x, 4);
    check("the same seed gives the same numbers", max_difference(x, y, 4), 0,
          0);
    claim("another stream gives others", max_difference(x, z, 4) > 0);
    say("The title of the figure is Chinese and its axis goes below 0: pango "
        "finds a font that has the letters where one is installed, and the "
        "minus sign is drawn as it should be.");
    curves(0, "位置编码: -1 0 1", "index", "normal", NULL, x, 1, 4);
}

enum { WIDTH = 32, HEADS = 4, TOKENS = 5, CELLS = TOKENS * TOKENS };

/* S0.4 */
void s0_attention(void)
{
    locant_random r = draws(4);
    struct mha m = mha_new(&r, WIDTH, HEADS, 1);
    locant_tensor x = NORMALS(&r, 1, TOKENS, WIDTH), w = mha_weights(&m, x);
    int64_t n = 4 * (m.q.in * m.q.out + m.q.out);

    say("softmax(Q K^T / sqrt(%d)) V between W_q, W_k, W_v and W_o, %d heads.",
        WIDTH / HEADS, HEADS);
    show_shape("input", x);
    show_shape("output", mha(&m, x));
    show_shape("weights", w);
    show_count("parameters", n);
    show_matrix("weights of head 0", "%.4f", data(w), TOKENS, TOKENS);
    check("parameters", n, 4 * (32 * 32 + 32), 0);
    for (int i = 0; i < HEADS * TOKENS; i++)
        check("a row of weights sums to 1",
              TOKENS * mean(data(w) + i * TOKENS, TOKENS), 1, 1e-14);
}

/* S0.5 */
void s0_permutation(void)
{
    locant_random r = draws(51), numbers = draws(5);
    struct mha m = mha_new(&numbers, WIDTH, HEADS, 1);
    locant_tensor x = NORMALS(&numbers, 1, TOKENS, WIDTH), shuffled;
    int64_t order[TOKENS], inverse[TOKENS];
    double shown[TOKENS], theirs, right, plain;

    shuffle(order, TOKENS, &r);
    for (int i = 0; i < TOKENS; i++) {
        inverse[order[i]] = i;
        shown[i] = order[i];
    }
    shuffled = reordered(x, order);
    locant_tensor w = mha_weights(&m, x), w2 = mha_weights(&m, shuffled);
    theirs = mean_difference(permuted(data(w2), order, TOKENS), data(w), CELLS);
    right =
        mean_difference(permuted(data(w2), inverse, TOKENS), data(w), CELLS);
    plain = mean_difference(data(w2), data(w), CELLS);
    show_shape("sequence", x);
    show_list("permutation", "%.0f", shown, TOKENS);
    show_shape("weights", w);
    show_shape("weights of the shuffled sequence", w2);
    show("mean difference, brought back by the inverse", right);
    show("mean difference, as they are", plain);
    mistake("E-0.2", "mean difference of head 0 after reordering", theirs,
            right,
            "to undo a permutation takes its inverse, argsort(p); p "
            "itself works only where p is its own inverse");
    mistake("E-0.1", "mean difference of the weights themselves", 0, plain,
            "the weights are permuted with the tokens (equivariant), not "
            "unchanged (invariant)");
    /* equal but for the sum in the softmax, which has another order */
    check("weights of the shuffled sequence, brought back", right, 0, 1e-15);
    claim("the permutation is not its own inverse",
          memcmp(order, inverse, sizeof order) != 0);
    claim("the tutorial's reordering misses", theirs > 1e-3);
    for (int i = 0; i < TOKENS; i++)
        check("an output moves with its token",
              max_difference(data(mha(&m, shuffled)) + i * WIDTH,
                             data(mha(&m, x)) + order[i] * WIDTH, WIDTH),
              0, 1e-14);
}
