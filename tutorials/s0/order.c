/* order.c - attention without positions ignores order: S0.1 .. S0.5. */
#include "../tutorial.h"

enum { WORD_WIDTH = 8, MOST_WORDS = 8 };

struct sentences {
    int n;
    const char *first[MOST_WORDS], *second[MOST_WORDS];
};

/* Row i is a random vector that depends only on word i. */
static locant_tensor embedded(const char *const *words, int n)
{
    locant_tensor x = ZEROS(1, 1, n, WORD_WIDTH);

    for (int i = 0; i < n; i++) {
        locant_random r = random_stream(0);

        for (const char *c = words[i]; *c != '\0'; c++)
            r.stream = r.stream * 257 + (unsigned char)*c;
        for (int c = 0; c < WORD_WIDTH; c++)
            data(row(x, i))[c] = locant_random_normal(&r);
    }
    return x;
}

static locant_tensor attend_words(const char *const *words, int n,
                                  const char *spec)
{
    locant_tensor x = embedded(words, n);

    return attend((locant_attention){
        .q = &x, .k = &x, .v = &x, .encoding = encoding(spec) });
}

/* By how much the output for the last word of the first sentence differs from
   that for the same word in the second. */
static double last_word_change(const struct sentences *s, const char *spec)
{
    locant_tensor a = attend_words(s->first, s->n, spec);
    locant_tensor b = attend_words(s->second, s->n, spec);
    int last = s->n - 1, same = 0;

    while (same < last && strcmp(s->first[last], s->second[same]) != 0)
        same++;
    return difference(row(a, last), row(b, same));
}

/* out_i = sum over j of softmax_j(x_i . x_j / sqrt(D)) x_j: the sum does not
   depend on the order of the j. */
void s0_1_why(void)
{
    static const struct sentences pairs[] = {
        { 3, { "我", "爱", "你" }, { "你", "爱", "我" } },
        { 6,
          { "the", "cat", "sat", "on", "the", "mat" },
          { "the", "mat", "sat", "on", "the", "cat" } },
        { 3, { "john", "loves", "mary" }, { "mary", "loves", "john" } },
        { 2, { "not", "good" }, { "good", "not" } }
    };

    say("The same words in another order mean something else, but attention "
        "sums over a set.  Below: the output of attention for the last word of "
        "the first sentence, against the same word in the second; the largest "
        "difference of a channel.");
    table("pairs", "first|second|no position|rope");
    for (const struct sentences *s = pairs; s < pairs + 4; s++) {
        double none = last_word_change(s, "none"),
               with = last_word_change(s, "rope");
        int last = s->n - 1;

        table_row("%s .. %s|%s .. %s|%.1e|%.1e", s->first[0], s->first[last],
                  s->second[0], s->second[last], none, with);
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

/* x[t] = embedding of token t + P[t] */
void s0_2_schematic(void)
{
    enum { T = 6, W = 16 };
    locant_random r = random_stream(2);
    locant_tensor token = SCALED_NORMALS(&r, 0.5, T, W);
    locant_tensor P = sinusoidal(0, T, W), sum = plus(token, P);
    const locant_figure panels[] = {
        heat_map_of("Embedding of each token", "channel", "token", token),
        heat_map_of("+ position", "channel", "token", P),
        heat_map_of("= sum, what layer 0 reads", "channel", "token", sum)
    };
    double most = fmax(largest(sum), -least(sum));

    say("Three maps of 16 channels for 6 tokens: the embedding of each token "
        "(random here), the row of the sinusoidal table at its position, and "
        "their sum, which is what layer 0 reads.");
    check("P[1][0] = sin 1", entry(P, 1, 0), sin(1), SINE);
    compare("sum less its parts", minus(sum, token), P, 1e-15);
    most = fmax(most, fmax(largest(token), -least(token)));
    show("colours reach to", most);
    draw(0, (locant_figure){ .kind = LOCANT_FIGURE_PANELS,
                             .title = "What is added",
                             .diverging = 1,
                             .y_min = -most,
                             .y_max = most,
                             .width = 980,
                             .height = 240,
                             .panels = panels,
                             .n_panels = 3,
                             .panel_cols = 3 });
}

void s0_3_setup(void)
{
    locant_random a = random_stream(0), b = a, other = random_stream(1);
    locant_tensor x = NORMALS(&a, 4), y = NORMALS(&b, 4);

    show_text("locant", locant_version());
    show_text("device", "CPU");
    show_text("instruction set", locant_isa());
    show_count("threads", locant_threads());
    show_list("first normals of seed 42", "%.6f", x);
    compare("the same seed gives the same numbers", x, y, 0);
    claim("another stream gives others", difference(x, NORMALS(&other, 4)) > 0);
    say("The title of the figure is Chinese and its axis goes below 0: pango "
        "finds a font that has the letters where one is installed, and the "
        "minus sign is drawn as it should be.");
    curves(0, "位置编码: -1 0 1", "index", "normal", NULL, x);
}

enum { WIDTH = 32, HEADS = 4, TOKENS = 5 };

/* softmax(Q K^T / sqrt(D)) V, Q = x W_q, K = x W_k, V = x W_v. */
void s0_4_attention(void)
{
    locant_random r = random_stream(4);
    struct mha m = mha_new(&r, WIDTH, HEADS, WITH_BIAS);
    locant_tensor x = NORMALS(&r, 1, TOKENS, WIDTH), w = mha_weights(&m, x);

    say("softmax(Q K^T / sqrt(%d)) V between W_q, W_k, W_v and W_o, %d heads.",
        WIDTH / HEADS, HEADS);
    show_shape("input", x);
    show_shape("output", mha(&m, x));
    show_shape("weights", w);
    show_count("parameters", mha_size(&m));
    show_matrix("weights of head 0", "%.4f", rows(w, 0, TOKENS));
    check("parameters", mha_size(&m), 4 * (32 * 32 + 32), 0);
    for (int i = 0; i < HEADS * TOKENS; i++)
        check("a row of weights sums to 1", TOKENS * mean(row(w, i)), 1, 1e-14);
}

/* weights(P x) = P weights(x) P^T, output(P x) = P output(x). */
void s0_5_permutation(void)
{
    locant_random r = random_stream(51), numbers = random_stream(5);
    struct mha m = mha_new(&numbers, WIDTH, HEADS, WITH_BIAS);
    locant_tensor x = NORMALS(&numbers, 1, TOKENS, WIDTH);
    locant_tensor P = shuffled(TOKENS, &r), x2 = picked(x, P);
    locant_tensor all = mha_weights(&m, x), all2 = mha_weights(&m, x2);
    locant_tensor w = rows(all, 0, TOKENS), w2 = rows(all2, 0, TOKENS);
    double theirs = mean_difference(permuted(w2, P), w);
    double right = mean_difference(permuted(w2, inverse(P)), w);
    double plain = mean_difference(w2, w);

    show_shape("sequence", x);
    show_list("permutation", "%.0f", as_double(P));
    show_shape("weights", all);
    show_shape("weights of the shuffled sequence", all2);
    show("mean difference, brought back by the inverse", right);
    show("mean difference, as they are", plain);
    mistake("E-0.2", "mean difference of head 0 after reordering", theirs,
            right,
            "only the inverse of p, argsort(p), undoes p; p itself does so "
            "only if it is its own inverse");
    mistake("E-0.1", "mean difference of the weights themselves", 0, plain,
            "the weights are permuted with the tokens (equivariant), not "
            "unchanged (invariant)");
    /* equal but for the sum in the softmax, which has another order */
    check("weights of the shuffled sequence, brought back", right, 0, 1e-15);
    claim("the permutation is not its own inverse",
          difference(as_double(P), as_double(inverse(P))) > 0);
    claim("the tutorial's reordering misses", theirs > 1e-3);
    for (int i = 0; i < TOKENS; i++)
        compare("an output moves with its token", row(mha(&m, x2), i),
                row(picked(mha(&m, x), P), i), 1e-14);
}
