/* order.c - attention without positions does not see order: S0.1 .. S0.5. */
#include <math.h>
#include <string.h>

#include "rows.h"

/* ------------------------------------------------- S0.1: pairs of sentences */

enum { WORD_WIDTH = 8, MOST_WORDS = 8 };

struct pair {
    int64_t     n;
    const char *first[MOST_WORDS], *second[MOST_WORDS];
};

static const struct pair pairs[] = {
    { 3, { "我", "爱", "你" }, { "你", "爱", "我" } },
    { 6, { "the", "cat", "sat", "on", "the", "mat" },
      { "the", "mat", "sat", "on", "the", "cat" } },
    { 3, { "john", "loves", "mary" }, { "mary", "loves", "john" } },
    { 2, { "not", "good" }, { "good", "not" } }
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* Row i: a vector that depends on the word alone. */
static locant_tensor embed(struct seed *s, const char *const *words, int64_t n)
{
    locant_tensor x = SEED_F64(s, 1, 1, n, WORD_WIDTH);

    for (int64_t i = 0; i < n; i++) {
        locant_random r = seed_random(s, 0);

        for (const char *c = words[i]; *c != '\0'; c++)
            r.stream = r.stream * 257 + (unsigned char)*c;
        seed_fill_normal((double *)x.data + i * WORD_WIDTH, WORD_WIDTH, 1, &r);
    }
    return x;
}

static locant_tensor attend_words(struct seed *s, const char *const *words,
                                  int64_t n, const locant_encoding *e)
{
    locant_tensor    x = embed(s, words, n), out = SEED_F64(s, 1, 1, n, 8);
    locant_attention a = LOCANT_ATTENTION_INIT;

    a.q = a.k = a.v = &x;
    a.encoding = e;
    seed_attend(s, &out, &a);
    return out;
}

/* How far apart the last word's outputs are in the two sentences. */
static double last_word(struct seed *s, const struct pair *p,
                         const locant_encoding *e)
{
    locant_tensor a = attend_words(s, p->first, p->n, e);
    locant_tensor b = attend_words(s, p->second, p->n, e);
    const double *y = b.data;
    int64_t       j = 0;

    while (j < p->n && strcmp(p->first[p->n - 1], p->second[j]) != 0)
        j++;
    return seed_max_difference((double *)a.data + (p->n - 1) * WORD_WIDTH,
                               y + j * WORD_WIDTH, WORD_WIDTH);
}

void s0_why(struct seed *s)
{
    const locant_encoding *rope = seed_encoding(s, "rope");

    seed_say(s, "The same words in another order mean something else, but "
             "attention forms its sums over a set.  Below, what attention "
             "makes of the last word of the first sentence, against the same "
             "word in the second: the largest difference of a channel.");
    seed_columns(s, "pairs", "first|second|no position|rope");
    for (int i = 0; i < PAIRS; i++) {
        const struct pair *p = &pairs[i];
        double none = last_word(s, p, NULL), with = last_word(s, p, rope);

        seed_cells(s, "%s .. %s|%s .. %s|%.1e|%.1e", p->first[0],
                   p->first[p->n - 1], p->second[0], p->second[p->n - 1], none,
                   with);
        /* Sums of at most six terms below 4 in another order. */
        seed_check(s, "without position the word is blind", none, 0, 1e-14);
        seed_claim(s, "with rope order shows", with > 1e-3);
    }
    seed_table_end(s);
    seed_wrong_text(s, "E-0.1", "what attention does to a shuffled sequence",
                    "permutation invariant: the weights stay as they are",
                    "permutation equivariant: weights P A P^T, outputs P O",
                    "each output moves along with its token; only a sum over "
                    "all outputs would stay the same");
}

/* ------------------------------------------------------ S0.2: the schematic */

void s0_schematic(struct seed *s)
{
    enum { T = 6, W = 16, COLS = 3 * W + 2 };
    locant_random r = seed_random(s, 2);
    locant_tensor p = seed_table_rows(s, seed_encoding(s, "sinusoidal"), 0, T,
                                      W, NULL);
    const double *table = p.data;
    double       *cells = seed_reals(s, T * COLS), most = 0;

    for (int64_t t = 0; t < T; t++) {
        double *row = cells + t * COLS;

        row[W] = row[2 * W + 1] = NAN;
        for (int64_t c = 0; c < W; c++) {
            row[c] = 0.5 * locant_random_normal(&r);
            row[W + 1 + c] = table[t * W + c];
            row[2 * W + 2 + c] = row[c] + row[W + 1 + c];
            most = fmax(most, fabs(row[2 * W + 2 + c] - row[c] -
                                   table[t * W + c]));
        }
    }
    seed_say(s, "Three blocks of 16 channels for 6 tokens: the embedding of "
             "each token (random here), the row of the sinusoidal table at its "
             "position, and their sum, which is what layer 0 reads.");
    seed_check(s, "P[1][0] = sin 1", table[W], sin(1.0),
               SEED_ANGLE);
    seed_check(s, "sum less its parts", most, 0, 1e-15);
    seed_heat(s, 0, &(struct seed_map){
        .title = "embedding | position | sum", .x_label = "channel",
        .y_label = "token", .cells = cells, .rows = T, .cols = COLS,
        .diverging = 1 });
}

/* ---------------------------------------------------------- S0.3: the setup */

void s0_setup(struct seed *s)
{
    locant_random a = seed_random(s, 0), b = a, other = seed_random(s, 1);
    double        x[4], y[4], z[4];

    for (int i = 0; i < 4; i++) {
        x[i] = locant_random_normal(&a);
        y[i] = locant_random_normal(&b);
        z[i] = locant_random_normal(&other);
    }
    seed_text(s, "locant", locant_version());
    seed_text(s, "device", "CPU");
    seed_text(s, "instruction set", locant_isa());
    seed_integer(s, "threads", locant_threads());
    seed_numbers(s, "first normals of seed 42", "%.6f", x, 4);
    seed_check(s, "the same seed gives the same numbers",
               seed_max_difference(x, y, 4), 0, 0);
    seed_claim(s, "another stream gives others",
               seed_max_difference(x, z, 4) > 0);
    seed_say(s, "The title of the figure is Chinese and its axis goes below 0: "
             "pango finds a font that has the letters where one is installed, "
             "and the minus sign is drawn as it should be.");
    seed_curves(s, 0, &(struct seed_plot){
        .title = "位置编码: -1 0 1", .x_label = "index", .y_label = "normal",
        .y = x, .lines = 1, .n = 4 });
}

/* ----------------------------------------- S0.4, S0.5: multi-head attention */

enum { WIDTH = 32, HEADS = 4, TOKENS = 5 };

void s0_attention(struct seed *s)
{
    locant_random   r = seed_random(s, 4);
    struct seed_mha m = seed_mha_new(s, &r, WIDTH, HEADS, 1);
    locant_tensor   x = SEED_F64(s, 1, TOKENS, WIDTH), w;
    locant_tensor   out = SEED_F64(s, 1, TOKENS, WIDTH);
    int64_t         n = 0;
    const struct seed_linear *all[] = { &m.q, &m.k, &m.v, &m.o };
    const double   *p;

    for (int i = 0; i < 4; i++)
        n += all[i]->in * all[i]->out + all[i]->out;
    seed_fill_normal(x.data, seed_count(&x), 1, &r);
    seed_mha(s, &out, &w, &m, &x);
    seed_say(s, "softmax(Q K^T / sqrt(%d)) V between W_q, W_k, W_v and W_o, "
             "%d heads.", WIDTH / HEADS, HEADS);
    seed_shape(s, "input", &x);
    seed_shape(s, "output", &out);
    seed_shape(s, "weights", &w);
    seed_integer(s, "parameters", n);
    seed_matrix(s, "weights of head 1", "%.4f", w.data, TOKENS, TOKENS);
    seed_check(s, "parameters", (double)n, 4 * (32 * 32 + 32), 0);
    p = w.data;
    for (int64_t i = 0; i < HEADS * TOKENS; i++)
        seed_check(s, "a row of weights sums to 1",
                   TOKENS * seed_mean(p + i * TOKENS, TOKENS), 1, 1e-14);
}

/* order[order_inverse[i]] = i */
static void invert(int64_t *inverse, const int64_t *order, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        inverse[order[i]] = i;
}

/* Mean |w[order][:, order] - original|, of one head. */
static double reordered_difference(const double *w, const double *original,
                                   const int64_t *order, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++)
            sum += fabs(w[order[i] * n + order[j]] - original[i * n + j]);
    }
    return sum / (double)(n * n);
}

/* Run attention on x and on x in 'order'; their weights. */
static void attend_both(struct seed *s, locant_tensor w[2],
                        locant_tensor out[2], const int64_t *order)
{
    locant_random   r = seed_random(s, 5);
    struct seed_mha m = seed_mha_new(s, &r, WIDTH, HEADS, 1);
    locant_tensor   x[2];

    for (int i = 0; i < 2; i++) {
        x[i]   = SEED_F64(s, 1, TOKENS, WIDTH);
        out[i] = SEED_F64(s, 1, TOKENS, WIDTH);
    }
    seed_fill_normal(x[0].data, TOKENS * WIDTH, 1, &r);
    for (int64_t i = 0; i < TOKENS; i++)
        memcpy((double *)x[1].data + i * WIDTH,
               (double *)x[0].data + order[i] * WIDTH, WIDTH * sizeof(double));
    for (int i = 0; i < 2; i++)
        seed_mha(s, &out[i], &w[i], &m, &x[i]);
}

void s0_permutation(struct seed *s)
{
    locant_random r = seed_random(s, 51);
    int64_t       order[TOKENS], inverse[TOKENS];
    double        shown[TOKENS], seed, right, plain;
    locant_tensor w[2], out[2];

    seed_order(order, TOKENS, &r);
    invert(inverse, order, TOKENS);
    for (int i = 0; i < TOKENS; i++)
        shown[i] = (double)order[i];
    attend_both(s, w, out, order);
    seed  = reordered_difference(w[1].data, w[0].data, order, TOKENS);
    right = reordered_difference(w[1].data, w[0].data, inverse, TOKENS);
    plain = seed_mean_difference(w[1].data, w[0].data, TOKENS * TOKENS);
    seed_shape(s, "sequence", &out[0]);
    seed_numbers(s, "permutation", "%.0f", shown, TOKENS);
    seed_shape(s, "weights", &w[0]);
    seed_shape(s, "weights of the shuffled sequence", &w[1]);
    seed_real(s, "mean difference, brought back by the inverse", right);
    seed_real(s, "mean difference, as they are", plain);
    seed_wrong(s, "E-0.2", "mean difference of head 1 after reordering", seed,
               right, "to undo a permutation takes its inverse, argsort(p); p "
               "itself works only where p is its own inverse");
    seed_wrong(s, "E-0.1", "mean difference of the weights themselves", 0,
               plain, "the weights are permuted with the tokens (equivariant), "
               "not unchanged (invariant)");
    /* Sums of at most 32 products in the same order: the same bits but for
       the softmax sum, whose order moved. */
    seed_check(s, "weights of the shuffled sequence, brought back", right, 0,
               1e-15);
    seed_claim(s, "the permutation is not its own inverse",
               memcmp(order, inverse, sizeof order) != 0);
    seed_claim(s, "the seed's reordering misses", seed > 1e-3);
    for (int64_t i = 0; i < TOKENS; i++)
        seed_check(s, "an output moves with its token", seed_max_difference(
            (double *)out[1].data + i * WIDTH,
            (double *)out[0].data + order[i] * WIDTH, WIDTH), 0, 1e-14);
}
