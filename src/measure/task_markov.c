/*
 * task_markov.c - T14 and T15: sources of known entropy.
 *
 * A symbol depends on the symbol before it, on which quarter of the alphabet
 * the symbol two back is from, and on the quarter of the symbol 'gap' back: 16
 * x 4 x 4 = 256 contexts.
 */
#include "tasks.h"
#include <math.h>
#include <pthread.h>

enum {
    SYMBOLS = LCT_MARKOV_SYMBOLS,
    CONTEXTS = LCT_MARKOV_CONTEXTS,
    WHOLE = 65536, /* sum of the weights of a context */
    BOS = SYMBOLS
};

/* ------------------------------------------------------------------ weights */

/*
 * Gamma(shape), shape < 1: Gamma(shape + 1) times U^(1 / shape).
 * Source: Marsaglia and Tsang, ACM Trans. Math. Softw. 26 (2000).
 */
static double draw_gamma(locant_random *random, double shape)
{
    const double d = shape + 1 - 1. / 3, c = 1 / sqrt(9 * d);

    for (;;) {
        const double x = locant_random_normal(random), root = 1 + c * x;
        const double v = root * root * root;
        const double u = locant_random_uniform(random);

        if (v > 0 && log(1 - u) < x * x / 2 + d - d * v + d * log(v))
            return d * v * pow(1 - locant_random_uniform(random), 1 / shape);
    }
}

static lct_markov_weights weights;

/* Draw the weights of a context; the most likely symbol gets what rounding down
   leaves, or the next one if it would not fit. */
static void draw_context(uint16_t out[SYMBOLS], locant_random *random)
{
    double x[SYMBOLS], sum = 0;
    int32_t left = WHOLE, most = 0;

    for (int i = 0; i < SYMBOLS; i++)
        sum += x[i] = draw_gamma(random, .3);
    for (int i = 0; i < SYMBOLS; i++) {
        /* below WHOLE, to fit in 16 bits */
        const double share = fmin(floor(x[i] / sum * WHOLE), WHOLE - 1);

        out[i] = (uint16_t)share;
        left -= out[i];
        most = out[i] > out[most] ? i : most;
    }
    if (out[most] + left < WHOLE)
        out[most] = (uint16_t)(out[most] + left);
    else
        out[(most + 1) % SYMBOLS] = (uint16_t)left;
}

static void draw_weights(void)
{
    locant_random random = { .seed = 1, .stream = 0x6d61726b6f76 }; /* markov */

    for (int c = 0; c < CONTEXTS; c++)
        draw_context(weights[c], &random);
}

const lct_markov_weights *lct_markov(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, draw_weights);
    return (const lct_markov_weights *)&weights;
}

/* --------------------------------------------------------------------- rows */

/* Symbol t of a row whose symbols begin at tokens[1]; 0 before them. */
static int32_t symbol(const struct lct_row *r, int64_t t)
{
    return t < 0 ? 0 : r->tokens[1 + t];
}

/* Context of symbol t, from the symbols before it. */
static int32_t context_of(const struct lct_row *r, int64_t t)
{
    return symbol(r, t - 1) + 16 * (symbol(r, t - 2) / 4) +
           64 * (symbol(r, t - r->param) / 4);
}

static int32_t draw_symbol(locant_random *random, const uint16_t w[SYMBOLS])
{
    int64_t at = (int64_t)(locant_random_word(random) >> 16);
    int32_t i = 0;

    while (at >= w[i])
        at -= w[i++];
    return i;
}

/* [BOS] x x x ..: answers are the symbols from index 'gap' on, whose contexts
   the model has seen whole. */
void lct_make_markov(struct lct_row *r)
{
    const lct_markov_weights *w = lct_markov();

    lct_row_append(r, BOS);
    for (int64_t t = 0; t < r->size; t++) {
        const int32_t x = draw_symbol(&r->random, (*w)[context_of(r, t)]);

        if (t >= r->param)
            lct_row_append_answer(r, x, t / 128 * 128);
        else
            lct_row_append(r, x);
    }
}

double lct_markov_floor(const struct lct_row *r)
{
    const lct_markov_weights *w = lct_markov();
    double sum = 0;

    for (int64_t i = 0; i < r->size; i++)
        if (r->targets[i] >= 0)
            sum -= log((double)(*w)[context_of(r, i)][r->targets[i]] / WHOLE);
    return sum;
}
