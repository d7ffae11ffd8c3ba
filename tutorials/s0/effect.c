/* effect.c - attention over one repeated token: S0.16. */
#include <stdio.h>

#include "../tutorial.h"

enum { WIDTH = 64, HEADS = 4, TOKENS = 8, CELLS = TOKENS * TOKENS };

static double diagonal(const double *p)
{
    double sum = 0;

    for (int i = 0; i < TOKENS; i++)
        sum += p[i * TOKENS + i];
    return sum / TOKENS;
}

/* Draws the heads side by side, with a blank column between them. */
static void draw_heads(char letter, const char *title, const double *p)
{
    enum { COLS = HEADS * (TOKENS + 1) - 1 };
    double *cells = reals(TOKENS * COLS);

    for (int i = 0; i < TOKENS * COLS; i++) {
        int h = i % COLS / (TOKENS + 1), col = i % COLS % (TOKENS + 1);

        cells[i] =
            col == TOKENS ? NAN : p[(h * TOKENS + i / COLS) * TOKENS + col];
    }
    draw(letter, (locant_figure){ .kind = LOCANT_FIGURE_HEATMAP,
                                  .title = title,
                                  .y_label = "query",
                                  .x_label = "key, heads 0 to 3",
                                  .cells = cells,
                                  .rows = TOKENS,
                                  .cols = COLS });
}

static void print_heads(const char *which, const double *p)
{
    char name[64];

    for (int h = 0; h < HEADS; h++) {
        snprintf(name, sizeof name, "head %d %s", h, which);
        show_matrix(name, "%.2f", p + h * CELLS, TOKENS, TOKENS);
    }
}

/* S0.16 */
void s0_effect(void)
{
    locant_random r = draws(16);
    struct mha m = mha_new(&r, WIDTH, HEADS, 1);
    locant_tensor token = NORMALS(&r, WIDTH);
    locant_tensor x = added(ZEROS(1, TOKENS, WIDTH), token);
    locant_tensor P = table_rows("sinusoidal", 0, TOKENS, WIDTH, NULL);
    const double *none = data(mha_weights(&m, x));
    const double *with = data(mha_weights(&m, added(x, P)));

    show_shape("input, one vector repeated", x);
    say("The same content everywhere: only positions differ.");
    part('a', "weights, queries down, keys across");
    print_heads("without positions", none);
    print_heads("with positions", with);
    draw_heads('a', "Weights without positions", none);
    draw_heads('b', "Weights with sinusoidal positions", with);
    check("least weight without positions", least(none, HEADS * CELLS), 0.125,
          1e-15);
    check("largest", largest(none, HEADS * CELLS), 0.125, 1e-15);

    part('b', "entropy of the weights, mean over queries, in nats");
    table("entropy", "head|without|with|change|of the most");
    for (int h = 0; h < HEADS; h++) {
        double a = entropy(none + h * CELLS, TOKENS, TOKENS, 0);
        double b = entropy(with + h * CELLS, TOKENS, TOKENS, 0);

        table_row("%d|%.3f|%.3f|%.3f|%.3f", h, a, b, b - a, b / log(TOKENS));
        check("entropy without positions: ln 8", a, log(TOKENS), 1e-14);
        claim("positions lower it", b < a);
    }
    mistake("E-0.10", "entropy of eight equal weights",
            entropy(none, TOKENS, TOKENS, 1e-9),
            entropy(none, TOKENS, TOKENS, 0),
            "the tutorial adds 1e-9 inside "
            "the logarithm; 0 ln 0 is 0 and needs no help.  What it prints as "
            "an increase is a fall, of random weights");

    part('c', "weight of each query on itself, mean");
    table("diagonal", "head|without|with");
    for (int h = 0; h < HEADS; h++) {
        double a = diagonal(none + h * CELLS), b = diagonal(with + h * CELLS);

        table_row("%d|%.3f|%.3f", h, a, b);
        check("diagonal without positions", a, 0.125, 1e-15);
        claim("diagonal is a weight", b > 0 && b < 1);
    }
}
